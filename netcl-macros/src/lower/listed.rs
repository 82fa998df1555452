//! Which of what was compiled for each type of a list a call means: `#[types(T = [f32, f16])]`.

use super::{Lowering, Val};
use crate::ast::{ArgDecl, FunctionItem};
use crate::messages as m;
use crate::parse;
use netcl_kernels::dtype::DType;
use proc_macro2::Span;

impl<'a> Lowering<'a> {
    /// The function of a model, or what it was compiled as for the types that are passed.
    pub(super) fn variant(
        &mut self,
        function: &'a FunctionItem,
        values: &[Val<'a>],
        span: Span,
    ) -> Option<&'a FunctionItem> {
        if function.variants.is_empty() {
            return Some(function);
        }
        let (name, written) = (parse::name(&function.name), self.written.clone());
        let own = |(variant, _): &'a (FunctionItem, _)| variant.args.as_slice();
        let place = |position| written.place(position, span);
        self.listed(&name, (&function.variants, &own), values, &place).map(|(variant, _)| variant)
    }

    /// The one of the element types that are passed; where there is none, the first, which says what it takes.
    ///
    /// Rule: what is passed is of a type of the list. Wrong: `sum(x)` with `x: &Tensor<f64, N>`. `None` then.
    pub(super) fn listed<'i, T>(
        &mut self,
        name: &str,
        (instances, args): (&'i [T], &dyn Fn(&'i T) -> &'i [ArgDecl]),
        values: &[Val<'a>],
        place: &dyn Fn(usize) -> Span,
    ) -> Option<&'i T> {
        let passed = |value: &Val<'a>| match value {
            Val::Tensor(id) => Some(self.builder.dtype(*id)),
            _ => None,
        };
        let declared = |arg: &ArgDecl| arg.tensor().map(|ty| ty.dtype);
        let fits = |instance: &&'i T| {
            args(instance).iter().zip(values).all(|(arg, value)| match (declared(arg), passed(value)) {
                (Some(wanted), Some(found)) => wanted == found,
                _ => true,
            })
        };
        if let Some(found) = instances.iter().find(fits) {
            return Some(found);
        }
        let converted = |instance: &&'i T| {
            args(instance).iter().zip(values).all(|(arg, value)| match (declared(arg), passed(value)) {
                (Some(wanted), Some(found)) => {
                    wanted == found || wanted == DType::F32 && self.stands_for(found, wanted)
                }
                _ => true,
            })
        };
        if let Some(found) = instances.iter().find(converted) {
            return Some(found);
        }
        let first = instances.first()?;
        let wrong = args(first).iter().zip(values).enumerate().find_map(|(position, (arg, value))| {
            let found = passed(value)?;
            let mut listed: Vec<DType> = Vec::new();
            for dtype in instances.iter().filter_map(|own| args(own).get(position).and_then(declared)) {
                if !listed.contains(&dtype) {
                    listed.push(dtype);
                }
            }
            (listed.len() > 1 && !listed.contains(&found)).then_some((position, arg, listed, found))
        });
        let Some((position, arg, listed, found)) = wrong else { return Some(first) };
        let names: Vec<String> = listed.iter().map(DType::to_string).collect();
        let (all, own) = (parse::list(names.iter().map(String::as_str)), parse::name(&arg.name));
        self.report(place(position), &m::TYPE_LISTED, &[&name, &own, &all, &found, &listed[0], &found, &name]);
        None
    }
}
