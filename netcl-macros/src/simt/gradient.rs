//! Rule: a gradient given by hand takes the inputs and cotangents, and gives gradients of the shapes of what they are of. Wrong: `dx: &mut Tensor<f32, { N + 1 }>` for
//! `x: &Tensor<f32, N>`. Of two kernels that stand side by side both shapes are known here; of others when they run.

use crate::ast::TensorType;
use crate::diag::Diag;
use crate::messages as m;
use crate::parse::constant::Constants;
use crate::parse::types;
use crate::words;
use netcl_kernels::dim::{Dim, Symbol};
use std::collections::{BTreeMap, BTreeSet};
use syn::{FnArg, Ident, ItemFn, Pat, ReturnType, Type};

/// Looks at each of these kernels whose gradient is another one of them; gives those whose gradient is of another form, which
/// rustc would speak of in words of netcl's insides.
pub(crate) fn judge(diag: &Diag, kernels: &[ItemFn]) -> BTreeSet<String> {
    let mut unfit = BTreeSet::new();
    for kernel in kernels {
        let attr = kernel.attrs.iter().find(|attr| attr.path().is_ident(words::GRADIENT));
        let Some(name) = attr.and_then(|attr| attr.parse_args::<Ident>().ok()) else { continue };
        let other = |other: &&ItemFn| other.sig.ident == name && other.sig.ident != kernel.sig.ident;
        let Some(gradient) = kernels.iter().find(other) else { continue };
        if let (Some(of), Some(by)) = (Shapes::of(kernel), Shapes::of(gradient))
            && !compare(diag, (&of, &kernel.sig.ident), (&by, gradient))
        {
            unfit.insert(crate::parse::name(&kernel.sig.ident));
        }
    }
    unfit
}

/// The kernel that is said to give the gradient of `item`.
pub(crate) fn path(item: &ItemFn) -> Option<syn::Path> {
    let attr = item.attrs.iter().find(|attr| attr.path().is_ident(words::GRADIENT))?;
    attr.parse_args::<syn::Path>().ok()
}

/// What a kernel takes and gives.
struct Shapes {
    /// The tensors that it reads.
    inputs: Vec<(Ident, TensorType)>,
    /// Its arguments but for results, by their names and types in the user's words; of tensors no more than that they are.
    taken: Vec<(String, String, bool)>,
    /// The tensors that it gives, by the names that they have.
    results: Vec<(Option<String>, TensorType)>,
}

impl Shapes {
    /// `None` where not all is known, or something is wrong, which is said elsewhere.
    fn of(item: &ItemFn) -> Option<Shapes> {
        let silent = Diag::new();
        let tensor = |ty: &Type| types::tensor(&silent, ty, "", &Constants::new());
        let read = || {
            let mut shapes = Shapes { inputs: Vec::new(), taken: Vec::new(), results: Vec::new() };
            for input in &item.sig.inputs {
                let FnArg::Typed(typed) = input else { return None };
                let Pat::Ident(name) = &*typed.pat else { return None };
                let own = crate::parse::name(&name.ident);
                let takes = |shapes: &mut Shapes, ty: &Type| {
                    let ty = tensor(ty)?;
                    shapes.taken.push((own.clone(), format!("&{ty}"), true));
                    shapes.inputs.push((name.ident.clone(), ty));
                    Some(())
                };
                match &*typed.ty {
                    ty if super::signature::is_in_place(typed) => {
                        takes(&mut shapes, ty)?;
                        shapes.results.push((Some(own), tensor(ty)?));
                    }
                    Type::Reference(reference) if reference.mutability.is_some() => {
                        shapes.results.push((Some(own), tensor(&reference.elem)?));
                    }
                    Type::Reference(reference) => takes(&mut shapes, &reference.elem)?,
                    ty => shapes.taken.push((own, crate::parse::text(ty), false)),
                }
            }
            match &item.sig.output {
                ReturnType::Type(_, ty) => match &**ty {
                    Type::Tuple(tuple) => {
                        for ty in &tuple.elems {
                            shapes.results.push((None, tensor(ty)?));
                        }
                    }
                    ty => shapes.results.push((None, tensor(ty)?)),
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

/// Whether the gradient takes and gives as much as it has to; what is wrong with that, or with what it gives, is reported.
fn compare(diag: &Diag, (of, kernel): (&Shapes, &Ident), (by, gradient): (&Shapes, &ItemFn)) -> bool {
    let name = &gradient.sig.ident;
    // What the gradient calls the sizes: its inputs are those of the kernel, and a cotangent of each result.
    let cotangents = of.results.iter().filter(|(_, ty)| ty.dtype.is_float());
    let given: Vec<&TensorType> =
        of.inputs.iter().map(|(_, ty)| ty).chain(cotangents.clone().map(|(_, ty)| ty)).collect();
    let wanted: Vec<_> = of.inputs.iter().filter(|(_, ty)| ty.dtype.is_float()).collect();
    let count = cotangents.clone().count();
    let cotangents = cotangents.enumerate().map(|(position, (name, ty))| {
        let name = match (name, count) {
            (Some(name), _) => format!("d{name}"),
            (None, 1) => "dy".to_string(),
            (None, _) => format!("dy{position}"),
        };
        (name, format!("&{ty}"), true)
    });
    let expected: Vec<(String, String, bool)> = of.taken.iter().cloned().chain(cotangents).collect();
    let same = |((_, own, tensor), (_, ty, given)): (&(String, String, bool), &(String, String, bool))| {
        tensor == given && (*tensor || own == ty)
    };
    // They are passed by their places: by the name of an input the author means that input.
    let is_elsewhere = |(position, (name, ..)): (usize, &(String, String, bool))| {
        let place = of.taken.iter().position(|(input, ..)| input == name);
        place.is_some_and(|place| place != position)
    };
    let exchanged = by.taken.iter().enumerate().any(is_elsewhere);
    let takes = expected.len() == by.taken.len() && expected.iter().zip(&by.taken).all(same) && !exchanged;
    if !takes || wanted.len() != by.results.len() {
        let names = |taken: &[(String, String, bool)]| taken.iter().map(|(name, ..)| name.clone()).collect::<Vec<_>>();
        let gradients: Vec<String> =
            wanted.iter().map(|(input, _)| format!("d{}", crate::parse::name(input))).collect();
        let own: Vec<String> = by.results.iter().filter_map(|(name, _)| name.clone()).collect();
        // Those of a kernel in index form have no names.
        let all = || by.results.iter().map(|(_, ty)| ty.to_string()).collect();
        let own = if own.len() == by.results.len() { own } else { all() };
        let both = |taken: Vec<String>, given: &[String]| {
            format!("takes ({}) and gives ({})", taken.join(", "), given.join(", "))
        };
        let (found, fitting) = (both(names(&by.taken), &own), both(names(&expected), &gradients));
        let args = expected.iter().map(|(name, ty, _)| format!("{name}: {ty}"));
        let types = wanted.iter().map(|(_, ty)| ty.to_string()).collect::<Vec<_>>();
        let instead = match (&gradient.sig.output, types.as_slice()) {
            (ReturnType::Default, _) => {
                let results = gradients.iter().zip(&types).map(|(name, ty)| format!("{name}: &mut {ty}"));
                format!("fn {name}({})", args.chain(results).collect::<Vec<_>>().join(", "))
            }
            (_, [one]) => format!("fn {name}({}) -> {one}", args.collect::<Vec<_>>().join(", ")),
            (_, types) => format!("fn {name}({}) -> ({})", args.collect::<Vec<_>>().join(", "), types.join(", ")),
        };
        diag.report(name.span(), &m::SIMT_GRADIENT_FORM, &[name, &found, kernel, &fitting, &instead]);
        return false;
    }
    for ((input, own), ty) in by.inputs.iter().zip(&given) {
        if own.dtype != ty.dtype {
            diag.report(own.span, &m::SIMT_GRADIENT_TYPE, &[name, input, &own.dtype, kernel, &ty.dtype]);
            return false;
        }
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
    for ((_, ty), (input, wanted)) in by.results.iter().zip(wanted) {
        let known = |dim: &Dim| dim.substitute(&|symbol| sizes.get(symbol).cloned());
        let fits = ty.dtype == wanted.dtype
            && ty.dims.len() == wanted.dims.len()
            && ty.dims.iter().zip(&wanted.dims).all(|(own, dim)| known(&own.dim) == dim.dim);
        if !fits {
            diag.report(ty.span, &m::SIMT_GRADIENT_SHAPE, &[name, input, &format!("`{ty}`"), &format!("`{wanted}`")]);
        }
    }
    true
}
