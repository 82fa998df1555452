//! What a body binds and never uses. It is compiled to no Rust that would say so: rustc is given a variable of the name, at its
//! place, that nobody uses, and warns as the user has told it to.

use crate::ast::{FunctionItem, TensorType};
use crate::parse::{self, condition::adds_notes};
use netcl_kernels::dim::Dim;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, quote};
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Attribute, Block, Expr};

/// A name that nothing reads, and the levels of lints around it.
pub(crate) struct Unused {
    name: Ident,
    levels: Vec<Attribute>,
}

/// The names of `arguments`, `let`s and loops that nothing in `body` reads. Names that begin with `_` are meant to be unused.
pub(crate) fn names<'a>(arguments: impl IntoIterator<Item = &'a Ident>, body: &Block) -> Vec<Unused> {
    let mut uses = Uses { scopes: vec![Vec::new()], levels: Vec::new(), unused: Vec::new() };
    arguments.into_iter().for_each(|argument| uses.bind(argument));
    uses.visit_block(body);
    uses.close();
    uses.unused
}

/// The names that the function's parameters bind, but for tensors that alone tell a size which the body uses.
pub(crate) fn parameters(function: &FunctionItem) -> Vec<Ident> {
    let used = parse::names_in(function.body.to_token_stream());
    let tells = |ty: &TensorType, name: &str| ty.dims.iter().any(|token| token.dim == Dim::symbol(name));
    let is_needed = |parameter: &Ident| {
        let own = function.tensors().find(|(name, _)| *name == parameter);
        let others = || function.tensors().filter(|(name, _)| *name != parameter);
        own.is_some_and(|(_, ty)| {
            used.iter().any(|size| tells(ty, size) && !others().any(|(_, other)| tells(other, size)))
        })
    };
    parse::function::bound(function).into_iter().filter(|parameter| !is_needed(parameter)).collect()
}

/// Variables of those names, for a block of their own.
pub(crate) fn variables(unused: &[Unused]) -> TokenStream {
    if unused.is_empty() {
        return TokenStream::new();
    }
    let covers = covers(&unused.iter().map(|unused| unused.name.clone()).collect::<Vec<_>>());
    let variables = unused.iter().map(|Unused { name, levels }| quote!(#(#levels)* let #name = 0u8;));
    quote!({ #covers #(#variables)* })
}

/// Functions of those names, for a block where variables have them: no variable hides a static, as a kernel is; it hides a
/// function, which hides the static.
pub(crate) fn covers(names: &[Ident]) -> TokenStream {
    let mut known = BTreeSet::new();
    let covers = names.iter().filter(|name| known.insert(name.to_string()));
    quote!(#(#[allow(dead_code, non_snake_case, clippy::all)] fn #covers() {})*)
}

/// The same beside an item with those attributes.
pub(crate) fn beside(attrs: &[Attribute], unused: &[Unused]) -> Option<TokenStream> {
    let variables = variables(unused);
    let levels = attrs.iter().filter(|attr| is_level(attr));
    (!unused.is_empty()).then(|| quote!(#(#levels)* const _: fn() = || #variables;))
}

/// Whether the attribute says which lints speak.
pub(crate) fn is_level(attr: &Attribute) -> bool {
    ["allow", "expect", "warn", "deny", "forbid"].iter().any(|level| attr.path().is_ident(level))
}

struct Uses {
    /// Scope by scope: what is bound, and whether it has been used.
    scopes: Vec<Vec<(Unused, bool)>>,
    /// The levels of lints around this place.
    levels: Vec<Attribute>,
    unused: Vec<Unused>,
}

impl Uses {
    fn bind(&mut self, name: &Ident) {
        if let Some(scope) = self.scopes.last_mut() {
            let unused = Unused { name: name.clone(), levels: self.levels.clone() };
            scope.push((unused, name.to_string().starts_with('_')));
        }
    }

    fn used(&mut self, name: &Ident) {
        let bound = self.scopes.iter_mut().rev().flat_map(|scope| scope.iter_mut().rev());
        if let Some((_, used)) = bound.into_iter().find(|(bound, _)| bound.name == *name) {
            *used = true;
        }
    }

    fn close(&mut self) {
        let scope = self.scopes.pop().unwrap_or_default();
        self.unused.extend(scope.into_iter().filter(|(_, used)| !used).map(|(name, _)| name));
    }

    fn scope(&mut self, visit: impl FnOnce(&mut Self)) {
        self.scopes.push(Vec::new());
        visit(self);
        self.close();
    }

    /// Visits what has these attributes.
    fn under(&mut self, attrs: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let outside = self.levels.len();
        self.levels.extend(attrs.iter().filter(|attr| is_level(attr) || adds_notes(attr)).cloned());
        visit(self);
        self.levels.truncate(outside);
    }

    fn words(&mut self, tokens: TokenStream) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Ident(word) => self.used(&word),
                proc_macro2::TokenTree::Group(group) => self.words(group.stream()),
                _ => {}
            }
        }
    }

    /// What is assigned is not read by that; the indices of an element are.
    fn assigned(&mut self, place: &Expr) {
        match place {
            Expr::Path(_) => {}
            Expr::Paren(inner) => self.assigned(&inner.expr),
            other => self.visit_expr(other),
        }
    }
}

impl<'ast> Visit<'ast> for Uses {
    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        // In a pattern `None` is a value.
        if !pattern.ident.to_string().starts_with(char::is_uppercase) {
            self.bind(&pattern.ident);
        }
        visit::visit_pat_ident(self, pattern);
    }

    /// Each case binds the same variables.
    fn visit_pat_or(&mut self, either: &'ast syn::PatOr) {
        either.cases.first().into_iter().for_each(|case| self.visit_pat(case));
    }

    /// A variable is there from the next statement on.
    fn visit_local(&mut self, local: &'ast syn::Local) {
        self.under(&local.attrs, |this| {
            if let Some(init) = &local.init {
                this.visit_local_init(init);
            }
            this.visit_pat(&local.pat);
        });
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.scope(|this| visit::visit_block(this, block));
    }

    fn visit_expr_for_loop(&mut self, each: &'ast syn::ExprForLoop) {
        self.visit_expr(&each.expr);
        self.under(&each.attrs, |this| {
            this.scope(|this| {
                this.visit_pat(&each.pat);
                this.visit_block(&each.body);
            });
        });
    }

    /// A variable is there once what it is bound to has been read, as far as the branch goes.
    fn visit_expr_if(&mut self, branch: &'ast syn::ExprIf) {
        self.scope(|this| {
            this.visit_expr(&branch.cond);
            this.visit_block(&branch.then_branch);
        });
        if let Some((_, otherwise)) = &branch.else_branch {
            self.visit_expr(otherwise);
        }
    }

    fn visit_expr_let(&mut self, bound: &'ast syn::ExprLet) {
        self.visit_expr(&bound.expr);
        self.visit_pat(&bound.pat);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.under(&arm.attrs, |this| this.scope(|this| visit::visit_arm(this, arm)));
    }

    /// The indices of a closure are used, or an error says that they are not.
    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.scope(|this| {
            closure.inputs.iter().for_each(|input| this.visit_pat(input));
            if let Some(scope) = this.scopes.last_mut() {
                scope.iter_mut().for_each(|(_, used)| *used = true);
            }
            this.visit_expr(&closure.body);
        });
    }

    fn visit_expr_assign(&mut self, assign: &'ast syn::ExprAssign) {
        self.visit_expr(&assign.right);
        self.assigned(&assign.left);
    }

    fn visit_expr_binary(&mut self, binary: &'ast syn::ExprBinary) {
        if crate::lower::is_assignment(&binary.op) {
            self.visit_expr(&binary.right);
            self.assigned(&binary.left);
        } else {
            visit::visit_expr_binary(self, binary);
        }
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        if let Some(name) = path.path.get_ident() {
            self.used(name);
        }
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.words(call.tokens.clone());
    }
}
