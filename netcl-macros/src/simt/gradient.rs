//! Rule: a gradient given by hand has the shapes of what it is of. Wrong: `dx: &mut Tensor<f32, { N + 1 }>` for
//! `x: &Tensor<f32, N>`. Of two kernels that stand side by side both shapes are known here; of others when they run.

use crate::ast::TensorType;
use crate::diag::Diag;
use crate::messages as m;
use crate::parse::constant::Constants;
use crate::parse::types;
use crate::words;
use netcl_kernels::dim::{Dim, Symbol};
use std::collections::BTreeMap;
use syn::{FnArg, Ident, ItemFn, Pat, ReturnType, Type};

/// Looks at each of these kernels whose gradient is another one of them.
pub(crate) fn judge(diag: &Diag, kernels: &[ItemFn]) {
    for kernel in kernels {
        let attr = kernel.attrs.iter().find(|attr| attr.path().is_ident(words::GRADIENT));
        let Some(name) = attr.and_then(|attr| attr.parse_args::<Ident>().ok()) else { continue };
        let Some(gradient) = kernels.iter().find(|other| other.sig.ident == name) else { continue };
        if let (Some(of), Some(by)) = (Shapes::of(kernel), Shapes::of(gradient)) {
            compare(diag, &of, &by, &name);
        }
    }
}

/// The kernel that is said to give the gradient of `item`.
pub(crate) fn path(item: &ItemFn) -> Option<syn::Path> {
    let attr = item.attrs.iter().find(|attr| attr.path().is_ident(words::GRADIENT))?;
    attr.parse_args::<syn::Path>().ok()
}

/// The tensors that a kernel takes and gives.
struct Shapes {
    inputs: Vec<(Ident, TensorType)>,
    results: Vec<TensorType>,
}

impl Shapes {
    /// `None` where not all is known, or something is wrong, which is said elsewhere.
    fn of(item: &ItemFn) -> Option<Shapes> {
        let silent = Diag::new();
        let tensor = |ty: &Type| types::tensor(&silent, ty, "", &Constants::new());
        let read = || {
            let mut shapes = Shapes { inputs: Vec::new(), results: Vec::new() };
            for input in &item.sig.inputs {
                let FnArg::Typed(typed) = input else { return None };
                let Pat::Ident(name) = &*typed.pat else { return None };
                match &*typed.ty {
                    ty if super::signature::is_in_place(typed) => {
                        shapes.inputs.push((name.ident.clone(), tensor(ty)?));
                        shapes.results.push(tensor(ty)?);
                    }
                    Type::Reference(reference) if reference.mutability.is_some() => {
                        shapes.results.push(tensor(&reference.elem)?);
                    }
                    Type::Reference(reference) => shapes.inputs.push((name.ident.clone(), tensor(&reference.elem)?)),
                    _ => {}
                }
            }
            match &item.sig.output {
                ReturnType::Type(_, ty) => match &**ty {
                    Type::Tuple(tuple) => {
                        for ty in &tuple.elems {
                            shapes.results.push(tensor(ty)?);
                        }
                    }
                    ty => shapes.results.push(tensor(ty)?),
                },
                ReturnType::Default => {}
            }
            Some(shapes)
        };
        let shapes = read();
        silent.dismiss();
        shapes
    }
}

fn compare(diag: &Diag, of: &Shapes, by: &Shapes, name: &Ident) {
    // What the gradient calls the sizes: its inputs are those of the kernel, and a cotangent of each result.
    let given = of.inputs.iter().map(|(_, ty)| ty).chain(of.results.iter().filter(|ty| ty.dtype.is_float()));
    let given: Vec<&TensorType> = given.collect();
    let wanted: Vec<_> = of.inputs.iter().filter(|(_, ty)| ty.dtype.is_float()).collect();
    if given.len() != by.inputs.len() || wanted.len() != by.results.len() {
        // rustc counts them.
        return;
    }
    let mut sizes: BTreeMap<Symbol, Dim> = BTreeMap::new();
    for ((_, own), ty) in by.inputs.iter().zip(given) {
        for (own, dim) in own.dims.iter().zip(&ty.dims) {
            let mut symbol = None;
            own.dim.visit_symbols(&mut |found| symbol = Some(found.clone()));
            if let Some(symbol) = symbol.filter(|symbol| own.dim == Dim::symbol(symbol.name())) {
                sizes.entry(symbol).or_insert_with(|| dim.dim.clone());
            }
        }
    }
    for (ty, (input, wanted)) in by.results.iter().zip(wanted) {
        let known = |dim: &Dim| dim.substitute(&|symbol| sizes.get(symbol).cloned());
        let fits = ty.dtype == wanted.dtype
            && ty.dims.len() == wanted.dims.len()
            && ty.dims.iter().zip(&wanted.dims).all(|(own, dim)| known(&own.dim) == dim.dim);
        if !fits {
            diag.report(ty.span, &m::SIMT_GRADIENT_SHAPE, &[name, input, &format!("`{ty}`"), &format!("`{wanted}`")]);
        }
    }
}
