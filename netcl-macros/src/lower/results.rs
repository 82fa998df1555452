//! What a body gives, beside what its function declares.

use super::{Lowering, Val};
use crate::ast::{DimToken, FunctionItem, TensorType};
use crate::messages as m;
use netcl_kernels::dim::Shape;
use netcl_kernels::graph::{NodeId, OutputKind};
use proc_macro2::{Ident, TokenStream};

impl<'a> Lowering<'a> {
    /// Checks the body's value against the declared results and makes it the graph's outputs.
    pub(super) fn results(&mut self, function: &FunctionItem, value: Val<'a>) {
        if value.is_unknown() {
            return;
        }
        let name = &function.name;
        let fits = |value: &Val<'a>| {
            !function.composed.is_one() || matches!(value, Val::Tensor(_) | Val::Number(_) | Val::Dim(_))
        };
        let values = match super::parts::values(&function.composed, &value) {
            Some(values) if values.iter().all(fits) => {
                self.ask_structs(&function.composed, &value, &format!("`{name}` returns"), name.span());
                values
            }
            _ if self.lacks_fields(&function.composed, &value, name.span()) => return,
            _ => {
                let expected = function.composed.kind();
                let span = match function.results.as_slice() {
                    [one] if function.composed.is_one() => one.span,
                    _ => name.span(),
                };
                self.report(span, &m::RESULT_COUNT, &[name, &expected, &value.kind()]);
                return;
            }
        };
        for (position, (value, ty)) in values.into_iter().zip(&function.results).enumerate() {
            let Some(id) = self.tensor(value, Some(ty.dtype), ty.span) else { continue };
            if self.result(name, id, ty) {
                self.builder.output(OutputKind::Result(position), id);
            }
        }
    }

    pub(super) fn result(&mut self, name: &Ident, id: NodeId, ty: &TensorType) -> bool {
        let (shape, dtype) = (self.builder.shape(id).clone(), self.builder.dtype(id));
        if dtype != ty.dtype {
            self.report(ty.span, &m::RESULT_DTYPE, &[name, &ty.dtype, &dtype, &ty.dtype]);
            return false;
        }
        if shape.rank() != ty.dims.len() {
            let declared = Shape(ty.dims.iter().map(|dim| dim.dim.clone()).collect());
            let way = self.way().map(|way| format!(" where {way}")).unwrap_or_default();
            self.report(ty.span, &m::RESULT_SHAPE, &[name, &declared, &shape, &way]);
            return false;
        }
        let declares = format!("`{name}` returns");
        let differs = |axis: &usize| !self.has_size((id, *axis), &ty.dims[*axis].dim, &declares, "its body gives");
        let differing: Vec<usize> = (0..shape.rank()).filter(differs).collect();
        if let ([first, _, ..], None) = (differing.as_slice(), self.way()) {
            // One mistake gives several axes another size.
            let declared = Shape(ty.dims.iter().map(|dim| dim.dim.clone()).collect());
            let dims = ty.dims.iter().zip(&shape.0).map(|(token, dim)| DimToken { dim: dim.clone(), span: token.span });
            let given = TensorType { dtype, dims: dims.collect(), span: ty.span };
            let note = self.builder.origin_note(id, *first);
            self.report(ty.span, &m::RESULT_AXES, &[name, &declared, &shape, first, &shape[*first], &note, &given]);
            return false;
        }
        for &axis in &differing {
            let (dim, note) = (&ty.dims[axis], self.builder.origin_note(id, axis));
            match self.way() {
                Some(way) => self.report(dim.span, &m::RESULT_WAY, &[name, &dim.dim, &shape[axis], &note, &way]),
                None => self.report(dim.span, &m::RESULT_AXIS, &[name, &dim.dim, &shape[axis], &note, &shape[axis]]),
            };
        }
        differing.is_empty()
    }

    /// What holds on this way through the function's `if`s, where there are several.
    fn way(&self) -> Option<String> {
        let one = |(condition, holds): &(TokenStream, bool)| {
            let condition = crate::parse::text(condition);
            if *holds { format!("`{condition}` holds") } else { format!("`{condition}` does not hold") }
        };
        let all: Vec<String> = self.decisions.iter().map(one).collect();
        (!all.is_empty()).then(|| all.join(" and "))
    }
}
