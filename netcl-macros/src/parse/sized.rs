//! Structs of tensors with sizes behind their names, which stand in their fields.

use super::{compiled, function, text, types};
use crate::diag::Diag;
use crate::messages as m;
use syn::{Expr, FnArg, GenericArgument, Generics, ImplItem, ItemImpl, PathArguments, ReturnType, Signature, Type};

/// Rule: sizes stand in a struct of tensors, not behind its name. Wrong: `state: &State<N>`. Each is reported, and meant without.
pub(crate) fn meant(diag: &Diag, block: &mut ItemImpl) {
    for item in &mut block.items {
        let ImplItem::Fn(f) = item else { continue };
        let mut meant = f.clone();
        let found = without_sizes(&mut meant.sig, &block.generics);
        // Rust's own functions have structs with parameters.
        if !function::is_ordinary(&f.attrs, &f.sig) || compiled::is_meant(&meant) {
            report(diag, &found);
            *f = meant;
        }
    }
}

/// The same of a function beside models.
pub(crate) fn meant_beside(diag: &Diag, sig: &mut Signature) {
    let mut meant = sig.clone();
    let found = without_sizes(&mut meant, &Generics::default());
    if function::is_of_tensors(&meant) {
        report(diag, &found);
        *sig = meant;
    }
}

fn report(diag: &Diag, found: &[Type]) {
    for ty in found {
        let mut without = ty.clone();
        if let Type::Path(path) = &mut without {
            path.path = super::without_arguments(&path.path);
        }
        diag.report(syn::spanned::Spanned::span(ty), &m::SIZED_STRUCT, &[&text(ty), &text(&without)]);
    }
}

/// Leaves the sizes out; gives the types that had some.
fn without_sizes(sig: &mut Signature, outer: &Generics) -> Vec<Type> {
    let own = |generics: &Generics| {
        let names = generics.params.iter().filter_map(|parameter| match parameter {
            syn::GenericParam::Type(given) => Some(given.ident.to_string()),
            syn::GenericParam::Const(given) => Some(given.ident.to_string()),
            syn::GenericParam::Lifetime(_) => None,
        });
        names.collect::<Vec<_>>()
    };
    let types = outer.type_params().chain(sig.generics.type_params()).map(|given| given.ident.to_string()).collect();
    let mut sized = Sized { own: own(&sig.generics), types, found: Vec::new() };
    for input in &mut sig.inputs {
        if let FnArg::Typed(typed) = input {
            sized.leave_out(&mut typed.ty);
        }
    }
    if let ReturnType::Type(_, ty) = &mut sig.output {
        sized.leave_out(ty);
    }
    sized.found
}

struct Sized {
    /// Parameters of the function itself, which are others' mistakes.
    own: Vec<String>,
    /// Parameters that are types.
    types: Vec<String>,
    found: Vec<Type>,
}

impl Sized {
    fn is_size(&self, argument: &GenericArgument) -> bool {
        match argument {
            GenericArgument::Const(Expr::Lit(_) | Expr::Block(_)) => true,
            GenericArgument::Type(Type::Path(path)) => path.path.get_ident().is_some_and(|name| {
                let name = name.to_string();
                let capital = name.chars().all(|c| c.is_uppercase() || c.is_numeric() || c == '_');
                capital && !self.own.contains(&name) && !self.types.contains(&name)
            }),
            _ => false,
        }
    }

    fn leave_out(&mut self, ty: &mut Type) {
        match ty {
            Type::Reference(inner) => self.leave_out(&mut inner.elem),
            Type::Paren(inner) => self.leave_out(&mut inner.elem),
            Type::Group(inner) => self.leave_out(&mut inner.elem),
            Type::Array(inner) => self.leave_out(&mut inner.elem),
            Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(|ty| self.leave_out(ty)),
            Type::Path(path) => {
                let Some(PathArguments::AngleBracketed(given)) = path.path.segments.last().map(|last| &last.arguments)
                else {
                    return;
                };
                if given.args.is_empty() || !given.args.iter().all(|argument| self.is_size(argument)) {
                    return;
                }
                let mut without = path.clone();
                without.path = super::without_arguments(&path.path);
                let without = Type::Path(without);
                if types::user_enum(&without).is_some() && !is_of_rust(&without) {
                    self.found.push(std::mem::replace(ty, without));
                }
            }
            _ => {}
        }
    }
}

/// What holds others in Rust.
fn is_of_rust(ty: &Type) -> bool {
    ["Option", "Result", "Box", "Rc", "Arc", "Cow"].iter().any(|name| text(ty) == *name)
}
