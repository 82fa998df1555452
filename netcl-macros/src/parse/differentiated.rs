//! What a body asks derivatives in.

use super::{names_in, unparenthesized};
use crate::words;
use quote::ToTokens;
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{
    Block, Expr, ExprAssign, ExprCall, ExprClosure, ExprForLoop, ExprLet, ExprMatch, ExprMethodCall, Local, LocalInit,
    Pat,
};

type NameSet = BTreeSet<String>;

/// The names in what stands behind the value in each `grad(value, x)`, and those that they are other names of, or of parts of.
pub(crate) fn names(body: &Block) -> NameSet {
    let mut found = GradCalls::default();
    found.visit_block(body);
    let GradCalls { mut names, mut renamed, closures, calls } = found;
    if names.is_empty() {
        return names;
    }
    for (closure, given) in calls {
        if let Some(inputs) = closures.get(&closure) {
            renamed.push((inputs.clone(), given));
        }
    }
    loop {
        let before = names.len();
        for (new, old) in &renamed {
            if !new.is_disjoint(&names) {
                names.extend(old.iter().cloned());
            }
        }
        if names.len() == before {
            return names;
        }
    }
}

#[derive(Default)]
struct GradCalls {
    names: NameSet,
    /// `let turned = &h;`, `for x in &pair.0`: the new names, and the variables that they may be parts of.
    renamed: Vec<(NameSet, NameSet)>,
    /// The inputs of `let f = |x| ..`.
    closures: BTreeMap<String, NameSet>,
    /// `f(h)`, and what it is called with.
    calls: Vec<(String, NameSet)>,
}

impl GradCalls {
    fn rename(&mut self, new: &dyn ToTokens, old: NameSet) {
        self.renamed.push((names_in(new.to_token_stream()), old));
    }

    fn call_closure(&mut self, closure: &ExprClosure, given: NameSet) {
        closure.inputs.iter().for_each(|input| self.rename(input, given.clone()));
    }
}

impl<'ast> Visit<'ast> for GradCalls {
    fn visit_expr_call(&mut self, call: &'ast ExprCall) {
        match unparenthesized(&call.func) {
            Expr::Path(path) if path.path.is_ident(words::GRAD) => {
                self.names.extend(call.args.iter().skip(1).flat_map(|wrt| names_in(wrt.to_token_stream())));
            }
            Expr::Path(path) => {
                if let Some(name) = path.path.get_ident() {
                    self.calls.push((super::name(name), variables(&call.args)));
                }
            }
            Expr::Closure(closure) => self.call_closure(closure, variables(&call.args)),
            _ => {}
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_method_call(&mut self, call: &'ast ExprMethodCall) {
        let receiver = variables([&*call.receiver]);
        for arg in &call.args {
            match arg {
                Expr::Closure(closure) => self.call_closure(closure, receiver.clone()),
                // `list.push(x)`
                arg => self.rename(&call.receiver, variables([arg])),
            }
        }
        visit::visit_expr_method_call(self, call);
    }

    fn visit_local(&mut self, local: &'ast Local) {
        if let Some(LocalInit { expr, .. }) = &local.init {
            if let (Pat::Ident(own), Expr::Closure(closure)) = (&local.pat, &**expr) {
                self.closures.insert(super::name(&own.ident), names_in(closure.inputs.to_token_stream()));
            }
            self.rename(&local.pat, variables([&**expr]));
        }
        visit::visit_local(self, local);
    }

    fn visit_expr_assign(&mut self, assign: &'ast ExprAssign) {
        self.rename(&assign.left, variables([&*assign.right]));
        visit::visit_expr_assign(self, assign);
    }

    fn visit_expr_for_loop(&mut self, rounds: &'ast ExprForLoop) {
        self.rename(&rounds.pat, variables([&*rounds.expr]));
        visit::visit_expr_for_loop(self, rounds);
    }

    fn visit_expr_let(&mut self, taken: &'ast ExprLet) {
        self.rename(&taken.pat, variables([&*taken.expr]));
        visit::visit_expr_let(self, taken);
    }

    fn visit_expr_match(&mut self, taken: &'ast ExprMatch) {
        taken.arms.iter().for_each(|arm| self.rename(&arm.pat, variables([&*taken.expr])));
        visit::visit_expr_match(self, taken);
    }
}

/// The variables that something is, or is a part or an element of.
fn variables<'e>(all: impl IntoIterator<Item = &'e Expr>) -> NameSet {
    let mut found = NameSet::new();
    let mut rest: Vec<&Expr> = all.into_iter().collect();
    while let Some(expr) = rest.pop() {
        match unparenthesized(expr) {
            Expr::Path(path) => found.extend(path.path.get_ident().map(super::name)),
            Expr::Reference(inner) => rest.push(&inner.expr),
            Expr::Field(field) => rest.push(&field.base),
            Expr::Index(index) => rest.push(&index.expr),
            // `list.iter()`, `maybe.unwrap()`
            Expr::MethodCall(call) => rest.push(&call.receiver),
            Expr::Tuple(tuple) => rest.extend(&tuple.elems),
            Expr::Array(array) => rest.extend(&array.elems),
            Expr::Struct(given) => rest.extend(given.fields.iter().map(|field| &field.expr)),
            // `Some(x)`
            Expr::Call(call) if matches!(&*call.func, Expr::Path(path) if path.path.is_ident("Some")) => {
                rest.extend(&call.args);
            }
            _ => {}
        }
    }
    found
}
