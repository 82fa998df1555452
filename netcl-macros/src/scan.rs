//! Which names in a body have to be looked up elsewhere before it can be compiled.

use crate::chain::{ItemKind, Need};
use crate::lower::{called_for_effect, is_builtin, is_no_function_of_scalars, is_of_tensors, is_rust_method};
use crate::parse::constant::Constants;
use crate::parse::{self, function, items};
use crate::{foreign, words};
use netcl_kernels::dim::Symbol;
use proc_macro2::Ident;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Block, Expr, FnArg, GenericArgument, ImplItem, ItemImpl, Path, Signature, Type};

/// What `block`, the body of `sig`, uses of other items: constants, then functions other than those that need no declaration
/// (`known`).
pub(crate) fn needs(sig: &Signature, block: &Block, known: fn(&str) -> bool) -> Vec<Need> {
    let constants = constants_of(sig, block, &Constants::new(), &BTreeSet::new());
    let constants = constants.into_iter().map(|path| Need { kind: ItemKind::Constant, path });
    let functions = calls(sig, block, known).into_iter().map(|path| Need { kind: ItemKind::Function, path });
    constants.chain(functions).collect()
}

/// The structs of tensors that a signature names.
pub(crate) fn structs(sig: &Signature) -> impl Iterator<Item = Need> {
    parse::parts::structs(sig).into_iter().map(|path| Need { kind: ItemKind::Struct, path })
}

/// The structs of tensors that an `impl` block's compiled functions take and give.
pub(crate) fn structs_of(item: &ItemImpl) -> Vec<Need> {
    compiled(item).flat_map(|f| structs(&f.sig)).collect()
}

/// The same without itself: a function that calls itself is spoken of where its body is looked at.
pub(crate) fn needs_of_others(sig: &Signature, block: &Block, known: fn(&str) -> bool) -> Vec<Need> {
    let itself = |need: &Need| need.kind == ItemKind::Function && need.path.is_ident(&sig.ident);
    needs(sig, block, known).into_iter().filter(|need| !itself(need)).collect()
}

/// Functions that are called by path in `block`, the body of `sig`, other than those that need no declaration (`known`).
fn calls(sig: &Signature, block: &Block, known: fn(&str) -> bool) -> Vec<Path> {
    Uses::of(sig, block, known, BTreeSet::new()).functions
}

/// The operations that `block`, the body of `sig`, calls by their names alone (`known`), so that a function might be meant.
pub(crate) fn operations(sig: &Signature, block: &Block, known: fn(&str) -> bool) -> Vec<Ident> {
    Uses::of(sig, block, known, BTreeSet::new()).operations
}

/// The same of an `impl` block's compiled functions.
pub(crate) fn operations_of(item: &ItemImpl) -> Vec<Ident> {
    let mut known = BTreeSet::new();
    let all = compiled(item).flat_map(|f| operations(&f.sig, &f.block, is_known_to_tensors));
    all.filter(|name| known.insert(parse::name(name))).collect()
}

/// The functions of scalars that an `impl` block's compiled functions call: not those of the block's own type, which it knows.
pub(crate) fn helper_paths(item: &ItemImpl) -> Vec<Path> {
    let own = match &*item.self_ty {
        Type::Path(ty) => ty.path.segments.last().map(|last| &last.ident),
        _ => None,
    };
    let is_own = |path: &Path| path.segments.len() == 2 && parse::type_of(path).is_some_and(|ty| Some(ty) == own);
    let mut found = Vec::new();
    for path in compiled(item).flat_map(|f| calls(&f.sig, &f.block, is_known_to_tensors)) {
        if !found.contains(&path) && !is_own(&path) {
            found.push(path);
        }
    }
    found
}

/// Whether bodies of whole tensors call it without a declaration.
pub(crate) fn is_known_to_tensors(name: &str) -> bool {
    is_builtin(name) || name == words::GRAD
}

fn compiled(item: &ItemImpl) -> impl Iterator<Item = &syn::ImplItemFn> {
    item.items.iter().filter_map(|item| match item {
        ImplItem::Fn(f) if !function::is_ordinary(&f.attrs, &f.sig) => Some(f),
        _ => None,
    })
}

/// What a body names that is none of its own variables.
struct Uses {
    /// Whether a function needs no declaration.
    known: fn(&str) -> bool,
    functions: Vec<Path>,
    /// Operations that are called as functions are.
    operations: Vec<Ident>,
    constants: Vec<Path>,
    /// Names that are variables where the visit is, scope by scope.
    bound: Vec<BTreeSet<String>>,
    /// Whether the visit is in a pattern that a value may not fit, where a name in capitals is a constant's.
    compared: bool,
}

impl Uses {
    /// Of a function's body, where `symbols` are no constants.
    fn of(sig: &Signature, block: &Block, known: fn(&str) -> bool, symbols: BTreeSet<String>) -> Uses {
        let mut uses = Uses {
            known,
            functions: Vec::new(),
            operations: Vec::new(),
            constants: Vec::new(),
            bound: vec![symbols],
            compared: false,
        };
        // Sizes in the arguments' types are looked at by [`Dims`].
        for input in &sig.inputs {
            if let FnArg::Typed(input) = input {
                uses.visit_pat(&input.pat);
            }
        }
        uses.visit_block(block);
        uses
    }

    fn scope(&mut self, visit: impl FnOnce(&mut Self)) {
        self.bound.push(BTreeSet::new());
        visit(self);
        self.bound.pop();
    }

    /// Visits a pattern that a value may not fit.
    fn compared(&mut self, pattern: &syn::Pat) {
        let outside = std::mem::replace(&mut self.compared, true);
        self.visit_pat(pattern);
        self.compared = outside;
    }

    fn is_bound(&self, name: &str) -> bool {
        self.bound.iter().any(|scope| scope.contains(name))
    }

    fn constant(&mut self, path: &Path) {
        let name = parse::constant::name(path).unwrap_or_default();
        let capital = name.len() > 1 && name.chars().all(|c| c.is_uppercase() || c.is_numeric() || c == '_');
        let foreign = path.segments.first().is_some_and(|first| first.ident != "Self" && first.ident != "DType");
        if capital
            && foreign
            && parse::standard::value(path).is_none()
            && name.starts_with(char::is_uppercase)
            && !(path.segments.len() == 1 && self.is_bound(&name))
            && !self.constants.contains(path)
        {
            self.constants.push(path.clone());
        }
    }
}

impl<'ast> Visit<'ast> for Uses {
    fn visit_item(&mut self, _: &'ast syn::Item) {}

    /// `local!([f32; TILE])`.
    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        let mut ty = call.parse_body::<syn::TypeArray>().map(syn::Type::Array);
        while let Ok(syn::Type::Array(array)) = ty {
            if let Expr::Path(length) = &array.len {
                self.constant(&length.path);
            }
            ty = Ok(*array.elem);
        }
    }

    /// `W[0]`: sizes have no elements, so a name of one letter is no size here.
    fn visit_expr_index(&mut self, index: &'ast syn::ExprIndex) {
        if let Expr::Path(path) = &*index.expr
            && let Some(name) = path.path.get_ident().map(parse::name)
            && name.chars().all(char::is_uppercase)
            && !self.is_bound(&name)
            && !self.constants.contains(&path.path)
        {
            self.constants.push(path.path.clone());
        }
        visit::visit_expr_index(self, index);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        self.constant(&path.path);
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        if let Some((_, inner)) = &pattern.subpat {
            self.visit_pat(inner);
        }
        if self.compared && pattern.ident.to_string().starts_with(char::is_uppercase) {
            self.constant(&pattern.ident.clone().into());
        } else if let Some(scope) = self.bound.last_mut() {
            scope.insert(parse::name(&pattern.ident));
        }
    }

    fn visit_block(&mut self, block: &'ast Block) {
        self.scope(|this| {
            // What a body declares is not known outside of it; the item is refused where it stands.
            this.bound.last_mut().into_iter().for_each(|scope| scope.extend(items::declared(block)));
            visit::visit_block(this, block);
        });
    }

    /// A variable is there from the next statement on: `let gelu = gelu(x)` calls the function.
    fn visit_local(&mut self, local: &'ast syn::Local) {
        if let Some(init) = &local.init {
            self.visit_local_init(init);
        }
        match local.init.as_ref().is_some_and(|init| init.diverge.is_some()) {
            true => self.compared(&local.pat),
            false => self.visit_pat(&local.pat),
        }
    }

    fn visit_expr_let(&mut self, chosen: &'ast syn::ExprLet) {
        self.visit_expr(&chosen.expr);
        self.compared(&chosen.pat);
    }

    fn visit_expr_closure(&mut self, closure: &'ast syn::ExprClosure) {
        self.scope(|this| visit::visit_expr_closure(this, closure));
    }

    fn visit_expr_for_loop(&mut self, each: &'ast syn::ExprForLoop) {
        self.visit_expr(&each.expr);
        self.scope(|this| {
            this.visit_pat(&each.pat);
            this.visit_block(&each.body);
        });
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.scope(|this| {
            this.compared(&arm.pat);
            this.visit_expr(&arm.body);
        });
    }

    /// What is called for what it does is refused, whatever function is meant.
    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        match (called_for_effect(statement), statement) {
            (Some(name), syn::Stmt::Expr(Expr::Call(call), _)) if !self.is_bound(&parse::name(name)) => {
                call.args.iter().for_each(|arg| self.visit_expr(arg));
            }
            _ => visit::visit_stmt(self, statement),
        }
    }

    fn visit_expr_call(&mut self, call: &'ast syn::ExprCall) {
        if let Expr::Path(path) = &*call.func
            && path.qself.is_none()
            && let Some(last) = path.path.segments.last()
        {
            let single = path.path.segments.len() == 1;
            let name = parse::name(&last.ident);
            // A variant of an enum and the value of a struct start with a capital; functions do not.
            let capital = name.starts_with(char::is_uppercase);
            if single
                && (self.known)(&name)
                && !self.is_bound(&name)
                && !is_no_function_of_scalars(call)
                && !self.operations.contains(&last.ident)
            {
                self.operations.push(last.ident.clone());
            }
            let wanted = match parse::type_of(&path.path) {
                // Whatever it is called and given: the type says whether it has such a function.
                Some(ty) => !parse::reserved::is_known_type(ty),
                None => {
                    !is_no_function_of_scalars(call)
                        && !is_of_tensors(call, &name)
                        && !is_rust_method(&path.path)
                        && !(single
                            && ((self.known)(&name)
                                || self.is_bound(&name)
                                || matches!(name.as_str(), "self" | "super")))
                }
            };
            // Rust's own library has none of ours, and neither have other frameworks.
            let first = path.path.segments.first().filter(|_| !single).map(|first| &first.ident);
            let of_rust = first.is_some_and(|first| ["std", "core", "alloc"].iter().any(|own| first == own));
            if wanted
                && !capital
                && !of_rust
                && !foreign::is_module_path(&path.path)
                && !self.functions.contains(&parse::plain(&path.path))
            {
                self.functions.push(parse::plain(&path.path));
            }
        }
        // What a call gives is called by nobody, and is spoken of.
        if let Expr::Call(_) = &*call.func {
            call.args.iter().for_each(|arg| self.visit_expr(arg));
            return;
        }
        visit::visit_expr_call(self, call);
    }
}

/// The constants that an `impl` block's compiled functions use: capital names in bodies that no argument's type binds,
/// and single names in braces in types (`Tensor<f32, N, { HIDDEN }>`). Not the names of the model's `sizes`.
pub(crate) fn constant_paths(item: &ItemImpl, sizes: &BTreeSet<Symbol>) -> Vec<Path> {
    let mut own = Constants::new();
    parse::model::impl_constants(item, &mut own);
    let mut found: Vec<Path> = Vec::new();
    for path in compiled(item).flat_map(|f| constants_of(&f.sig, &f.block, &own, sizes)) {
        if !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// The same for one function, each once.
fn constants_of(sig: &Signature, block: &Block, own: &Constants, sizes: &BTreeSet<Symbol>) -> Vec<Path> {
    let mut types = Dims { bare: sizes.iter().map(|size| size.name().to_string()).collect(), braced: Vec::new() };
    types.visit_signature(sig);
    // `Block::<{ WIDTH * 2 }>::twice(x)`.
    let mut inside = Dims { bare: BTreeSet::new(), braced: Vec::new() };
    inside.visit_block(block);
    types.braced.extend(inside.braced);
    types.braced.retain(|path| path.get_ident().is_none_or(|ident| !types.bare.contains(&ident.to_string())));
    let named = Uses::of(sig, block, |_| true, types.bare).constants;
    let mut found: Vec<Path> = Vec::new();
    for path in types.braced.into_iter().chain(named) {
        if !own.contains_key(&parse::constant::key(&path)) && !found.contains(&path) {
            found.push(path);
        }
    }
    found
}

/// Names in tensor types: bare ones are symbols, single ones in braces are constants.
struct Dims {
    bare: BTreeSet<String>,
    braced: Vec<Path>,
}

impl<'ast> Visit<'ast> for Dims {
    fn visit_generic_argument(&mut self, argument: &'ast GenericArgument) {
        match argument {
            GenericArgument::Type(Type::Path(path)) => {
                if let Some(ident) = path.path.get_ident() {
                    self.bare.insert(ident.to_string());
                }
            }
            GenericArgument::Const(expr) => parse::constant::braced_paths(expr, &Constants::new(), &mut self.braced),
            _ => {}
        }
        visit::visit_generic_argument(self, argument);
    }

    /// `&[Tensor<f32, N>; COUNT]`.
    fn visit_type_array(&mut self, array: &'ast syn::TypeArray) {
        parse::constant::unknown_paths(&array.len, &Constants::new(), &mut self.braced);
        visit::visit_type_array(self, array);
    }
}

/// Whether compiled functions of the block call a function of their model that neither is in the block nor named as one of
/// `fields` is.
pub(crate) fn calls_others(item: &ItemImpl, fields: &BTreeSet<String>) -> bool {
    struct Called(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Called {
        fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
            if matches!(&*call.receiver, Expr::Path(path) if path.path.is_ident("self")) {
                self.0.insert(parse::name(&call.method));
            }
            visit::visit_expr_method_call(self, call);
        }
    }
    let own = item.items.iter().filter_map(|item| match item {
        ImplItem::Fn(f) => Some(parse::name(&f.sig.ident)),
        _ => None,
    });
    let known: BTreeSet<String> = own.chain(fields.iter().cloned()).collect();
    let mut called = Called(BTreeSet::new());
    compiled(item).for_each(|f| called.visit_block(&f.block));
    !called.0.is_subset(&known)
}

/// The block without what is ordinary Rust in it.
pub(crate) fn without_ordinary(item: &ItemImpl) -> ItemImpl {
    let mut item = item.clone();
    item.items.retain(|item| match item {
        ImplItem::Fn(f) => !function::is_ordinary(&f.attrs, &f.sig),
        ImplItem::Const(_) => true,
        _ => false,
    });
    item
}
