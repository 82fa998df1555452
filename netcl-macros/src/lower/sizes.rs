//! What a model's names of sizes mean where it is compiled.

use crate::ast::{ArgDecl, ArgType, DimToken, FunctionItem, ModelItem};
use netcl_kernels::dim::{Dim, Symbol};
use std::collections::{BTreeMap, BTreeSet};

/// A model's names of sizes in terms of those of the function that is compiled. The struct and the `impl` block may call
/// a parameter differently.
#[derive(Clone, Default)]
pub(crate) struct Sizes {
    /// The names that the struct's fields use.
    pub(crate) fields: BTreeMap<String, Dim>,
    /// The names that functions use.
    pub(crate) functions: BTreeMap<String, Dim>,
}

impl Sizes {
    /// Of the model that the function is of; its `impl` block gives `given` to the parameters.
    pub(crate) fn of(model: &ModelItem, given: &[Dim]) -> Sizes {
        Sizes::new(model, given, given, Dim::symbol)
    }

    /// Of the model that the function is of, for these numbers.
    pub(crate) fn closed(model: &ModelItem, given: &[Dim], numbers: &[Dim]) -> Sizes {
        Sizes::new(model, given, numbers, Dim::symbol)
    }

    /// Of a model that is a field of another, which gives it `sizes`.
    pub(crate) fn nested(model: &ModelItem, given: &[Dim], sizes: &[Dim]) -> Sizes {
        // Its `const` items are other items than the outer model's of the same name.
        Sizes::new(model, given, sizes, |name| Dim::symbol(&format!("{}_{name}", model.name)))
    }

    /// Of another block of the same model, which gives `given` to the parameters.
    pub(crate) fn in_block(&self, model: &ModelItem, given: &[Dim]) -> Sizes {
        let own = |(name, _): &(syn::Ident, Option<Dim>)| self.fields.get(&name.to_string()).cloned();
        let sizes: Vec<Dim> = model.parameters.iter().filter_map(own).collect();
        Sizes::new(model, given, &sizes, Dim::symbol)
    }

    fn new(model: &ModelItem, given: &[Dim], sizes: &[Dim], outside: impl Fn(&str) -> Dim) -> Sizes {
        let mut all = Sizes::default();
        for name in &model.consts {
            let name = crate::parse::name(name);
            all.functions.insert(name.clone(), outside(&name));
            all.fields.insert(name.clone(), outside(&name));
        }
        for (position, (name, default)) in model.parameters.iter().enumerate() {
            // A default is in terms of the parameters before. Where rustc reports that a size is missing, the name stands for it.
            let size = sizes.get(position).cloned().or_else(|| default.as_ref().map(|default| all.field(default)));
            let size = size.unwrap_or_else(|| Dim::symbol(&name.to_string()));
            if let Some(own) = given.get(position).and_then(symbol) {
                all.functions.insert(own, size.clone());
            }
            all.fields.insert(name.to_string(), size);
        }
        all
    }

    /// What functions call them.
    pub(crate) fn names(&self) -> BTreeSet<Symbol> {
        self.functions.keys().map(|name| Symbol::new(name)).collect()
    }

    /// A size of a field.
    pub(crate) fn field(&self, size: &Dim) -> Dim {
        crate::quotient::substitute(size, &self.fields)
    }
}

/// The name, if the size is nothing else.
pub(crate) fn symbol(dim: &Dim) -> Option<String> {
    let mut name = None;
    dim.visit_symbols(&mut |symbol| name = Some(symbol.name().to_string()));
    name.filter(|name| *dim == Dim::symbol(name))
}

/// The size that only this argument tells.
pub(super) fn told_by(function: &FunctionItem, arg: &ArgDecl) -> Option<String> {
    let named = |dims: &[DimToken]| {
        let mut names = BTreeSet::new();
        dims.iter().for_each(|token| token.dim.visit_symbols(&mut |symbol| names.extend([symbol.name().to_string()])));
        names
    };
    let of_argument = |arg: &ArgDecl| match &arg.ty {
        ArgType::Tensor(ty) => named(&ty.dims),
        _ => BTreeSet::new(),
    };
    let others = || function.args.iter().filter(|other| !std::ptr::eq(*other, arg));
    let known: BTreeSet<String> = others().flat_map(of_argument).collect();
    let wanted: BTreeSet<String> = function.results.iter().flat_map(|result| named(&result.dims)).collect();
    of_argument(arg).into_iter().find(|name| wanted.contains(name) && !known.contains(name))
}
