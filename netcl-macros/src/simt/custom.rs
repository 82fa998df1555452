//! SIMT-form kernels as nodes of graphs, for bodies that call them.

use super::choices::instances as choices;
use super::plan::{copy, fill};
use super::signature::{Signature, signature};
use crate::ast::{ArgDecl, ArgType, Launched, LaunchedInstance, TensorType, Unit};
use crate::diag::Diag;
use crate::parse::{name, text};
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{Custom, CustomInput, CustomResult};
use netcl_kernels::kir::Kernel;
use std::cell::LazyCell;
use std::sync::Arc;
use syn::ItemFn;

/// The kernel `item`, whose names mean what `scope` says. What is wrong with it has been reported where it stands.
pub(crate) fn launched(item: ItemFn, scope: Unit) -> Launched {
    Launched { instances: LazyCell::new(Box::new(move || instances(&item, &scope))) }
}

fn instances(item: &ItemFn, scope: &Unit) -> Vec<LaunchedInstance> {
    let silent = Diag::new();
    let all = choices(&silent, item);
    let all = all.into_iter().filter_map(|(item, _)| {
        let signature = signature(&silent, &item, &scope.constants);
        let lowered = super::lower(&silent, scope, &signature)?;
        let mut custom = custom(&signature, &lowered.zeroed, lowered.kernel);
        let path = signature.gradient.as_ref().map(text);
        let given = path.as_ref().and_then(|path| scope.kernels.get(path));
        custom.gradient = given.and_then(|given| gradient(&custom, given));
        let inputs = signature.args.iter().filter(|arg| arg.is_input());
        Some(LaunchedInstance {
            name: signature.name.clone(),
            inputs: inputs.map(|arg| ArgDecl { name: arg.name.clone(), ty: arg.ty.clone() }).collect(),
            kernel: Arc::new(custom),
            is_unsafe: signature.is_unsafe(),
            indexed_gradient: path.is_some_and(|path| scope.callables.contains_key(&path)),
        })
    });
    let all = all.collect();
    silent.dismiss();
    all
}

fn custom(signature: &Signature, zeroed: &[bool], kernel: Kernel) -> Custom {
    let shape = |ty: &TensorType| Shape(ty.dims.iter().map(|dim| dim.dim.clone()).collect());
    let (mut inputs, mut results, mut kernels) = (Vec::new(), Vec::new(), Vec::new());
    for arg in &signature.args {
        let name = name(&arg.name);
        match (&arg.ty, arg.result) {
            // Whoever passes it may go on with what it was.
            (ArgType::Tensor(ty), Some(_)) if arg.in_place => {
                let before = before(signature, &name);
                kernels.push(copy(signature, (&before, &name), ty));
                inputs.push(CustomInput { name: before, dtype: ty.dtype, shape: Some(shape(ty)) });
                results.push(CustomResult { name, dtype: ty.dtype, shape: shape(ty) });
            }
            (ArgType::Tensor(ty), Some(position)) => {
                if zeroed.get(position).copied().unwrap_or(false) {
                    kernels.push(fill(signature, &name, ty));
                }
                results.push(CustomResult { name, dtype: ty.dtype, shape: shape(ty) });
            }
            (ArgType::Tensor(ty), None) => {
                inputs.push(CustomInput { name, dtype: ty.dtype, shape: Some(shape(ty)) });
            }
            (ArgType::Scalar(dtype), _) => inputs.push(CustomInput { name, dtype: *dtype, shape: None }),
            // No kernel in this form has one.
            (ArgType::Plain(_) | ArgType::Enum(_), _) => {}
        }
    }
    kernels.push(kernel);
    let (name, symbols) = (name(&signature.name), signature.symbols());
    Custom { name, symbols, inputs, results, kernels, gradient: None, derivative: None }
}

/// What the result `name` starts as, by a name that nothing else has.
fn before(signature: &Signature, name: &str) -> String {
    let taken = |own: &String| signature.args.iter().any(|arg| crate::parse::name(&arg.name) == *own);
    let mut own = format!("{name}_before");
    while taken(&own) || signature.symbols().iter().any(|symbol| symbol.name() == own) {
        own.push('_');
    }
    own
}

/// The kernel `given` as the gradient of `of`, for the same element types.
fn gradient(of: &Custom, given: &Launched) -> Option<Arc<Custom>> {
    let floats = |own: &&CustomResult| own.dtype.is_float();
    let cotangents = of.results.iter().filter(floats).map(|own| (own.dtype, true));
    let takes: Vec<(DType, bool)> =
        of.inputs.iter().map(|own| (own.dtype, own.shape.is_some())).chain(cotangents).collect();
    let gives: Vec<DType> = of.differentiable().map(|position| of.inputs[position].dtype).collect();
    let fits = |own: &Custom| {
        own.inputs.iter().map(|own| (own.dtype, own.shape.is_some())).eq(takes.iter().copied())
            && own.results.iter().map(|own| own.dtype).eq(gives.iter().copied())
    };
    given.instances.iter().map(|own| own.kernel.clone()).find(|own| fits(own))
}
