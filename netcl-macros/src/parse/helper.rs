//! Functions of scalars.

use super::function::{form, plain_name};
use super::text;
use crate::ast::{Helper, Unit};
use crate::diag::Diag;
use crate::messages as m;
use netcl_kernels::dtype::DType;
use syn::spanned::Spanned;
use syn::{Block, FnArg, ReturnType, Signature, Type};

/// `#[netcl::function] fn gelu(x: f32) -> f32 { .. }`.
pub(crate) fn helper(diag: &Diag, sig: &Signature, body: &Block) -> Option<Helper> {
    let before = diag.count();
    form(diag, sig);
    let mut args = Vec::new();
    // Where the first is that is no scalar; one message says what all of them may be.
    let mut wrong = None;
    let mut receiver = false;
    for input in &sig.inputs {
        match input {
            FnArg::Receiver(given) => {
                diag.report(given.span(), &m::FUNCTION_RECEIVER, &[]);
                receiver = true;
            }
            FnArg::Typed(typed) => {
                let Some(name) = plain_name(diag, &typed.pat) else { continue };
                match scalar(&typed.ty) {
                    Some(dtype) => args.push((name, dtype)),
                    None => wrong = wrong.or(Some((typed.ty.span(), text(&typed.ty)))),
                }
            }
        }
    }
    let result = match &sig.output {
        ReturnType::Default => Err((sig.ident.span(), "()".to_string())),
        ReturnType::Type(_, ty) => scalar(ty).ok_or((ty.span(), text(ty))),
    };
    // Of a generic function it has been said that it is one.
    let wrong_argument = wrong.clone();
    let told = wrong.or_else(|| result.clone().err()).filter(|_| sig.generics.params.is_empty() && !receiver);
    if let Some((span, found)) = told {
        let several = wrong_argument.is_none()
            && matches!(&sig.output, ReturnType::Type(_, ty) if matches!(&**ty, Type::Tuple(parts) if parts.elems.len() > 1));
        let instead = if several { ONE_RESULT } else { PLAIN_TYPES };
        diag.report(span, &m::FUNCTION_TYPE, &[&found, &instead]);
    }
    let result = result.ok()?;
    // Its own name is known inside it, for the message about recursion.
    let scope = Unit { own: Some(super::name(&sig.ident)), in_rust: true, ..Unit::default() };
    (diag.count() == before).then(|| Helper { name: sig.ident.clone(), args, result, body: body.clone(), scope })
}

/// What arguments and results of functions are.
pub(crate) const PLAIN_TYPES: &str =
    "use `f32`, `i32`, `u32` or `bool` arguments and result, or `&Tensor<f32, N>` and `Tensor<f32, N>`";

/// What to write where a function of scalars gives several.
const ONE_RESULT: &str =
    "it has one result: write a function for each of the values; one of tensors may give a tuple of them";

fn scalar(ty: &Type) -> Option<DType> {
    let known = match ty {
        Type::Path(path) => path.path.get_ident().map(ToString::to_string),
        _ => None,
    };
    match known.as_deref() {
        Some("f32") => Some(DType::F32),
        Some("i32") => Some(DType::I32),
        Some("u32") => Some(DType::U32),
        Some("bool") => Some(DType::Bool),
        _ => None,
    }
}
