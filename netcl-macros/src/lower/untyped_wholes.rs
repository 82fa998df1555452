//! Whole numbers of a list that an index reads, `w[k]` of `let w = [7, 4]`. Which of them it is only the running kernel knows, and they
//! are of the type of what they meet all the same, as those are that stand in the text: whole numbers where they meet each other,
//! floats beside floats.

use super::{Lowering, Val};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::NodeId;
use proc_macro2::Span;
use syn::spanned::Spanned;

impl<'a> Lowering<'a> {
    /// The first type of whole numbers that has all of them; `None` where they are not all whole, or not all numbers.
    pub(super) fn type_of_wholes(&self, values: &[Val<'a>]) -> Option<DType> {
        let mut types = vec![DType::I32, DType::U32, DType::I64];
        self.keep_types(values, &mut types).then(|| types.first().copied())?
    }

    fn keep_types(&self, values: &[Val<'a>], types: &mut Vec<DType>) -> bool {
        !values.is_empty()
            && values.iter().all(|value| match value {
                Val::Dim(size) => {
                    types.retain(|dtype| size.as_constant().is_none_or(|value| dtype.holds(value)));
                    true
                }
                // Of a list in a list.
                Val::Tensor(id) if self.is_untyped(value) => {
                    types.retain(|dtype| *dtype >= self.builder.dtype(*id));
                    true
                }
                Val::List(items) => self.keep_types(items, types),
                _ => false,
            })
    }

    /// Whether it is one of them, or computed of them alone.
    pub(super) fn is_untyped(&self, value: &Val<'_>) -> bool {
        matches!(value, Val::Tensor(id) if self.untyped_wholes.contains(id))
    }

    /// Notes that `result` is computed of `operands`: a whole number without a type where all of them are.
    pub(super) fn note_untyped(&mut self, result: &Val<'_>, untyped: bool) {
        if let (Val::Tensor(id), true) = (result, untyped) {
            self.untyped_wholes.insert(*id);
        }
    }

    /// Whether all are whole numbers without a type, and one of them is read by an index.
    pub(super) fn are_untyped(&self, values: [&Val<'_>; 2]) -> bool {
        let whole = |value: &&Val<'_>| self.is_untyped(value) || matches!(value, Val::Dim(_) | Val::Index(_));
        values.iter().all(whole) && values.iter().any(|value| self.is_untyped(value))
    }

    /// The number in the type of what it meets.
    pub(super) fn met_by(&mut self, id: NodeId, dtype: DType, span: Span) -> Option<NodeId> {
        if dtype == DType::Bool || dtype == self.builder.dtype(id) || !self.untyped_wholes.contains(&id) {
            return Some(id);
        }
        self.at(span);
        let result = self.builder.cast(id, dtype);
        match self.check(result, span) {
            Val::Tensor(id) => Some(id),
            _ => None,
        }
    }

    /// The sides of an operator, of which one has a suffix, `w[k] + 1u32`: the other one is of its type.
    pub(super) fn met_by_suffix(
        &mut self,
        binary: &syn::ExprBinary,
        left: Val<'a>,
        right: Val<'a>,
    ) -> (Val<'a>, Val<'a>) {
        let span = binary.op.span();
        let is_shift = matches!(
            binary.op,
            syn::BinOp::Shl(_) | syn::BinOp::ShlAssign(_) | syn::BinOp::Shr(_) | syn::BinOp::ShrAssign(_)
        );
        let mut side = |value: Val<'a>, other: (&syn::Expr, bool)| match (&value, other) {
            (Val::Tensor(id), (written, true)) if self.untyped_wholes.contains(id) && !is_shift => {
                match self.whole_type(written) {
                    Some(own) => self.met_by(*id, own, span).map_or(Val::Unknown, Val::Tensor),
                    None => value,
                }
            }
            _ => value,
        };
        let known = [&left, &right].map(|value| matches!(value, Val::Dim(_)));
        (side(left, (&binary.right, known[1])), side(right, (&binary.left, known[0])))
    }

    /// The values of an operation, of which those without a type are of the first type that another has.
    pub(super) fn met_by_each_other(&mut self, values: Vec<Val<'a>>, span: Span) -> Vec<Val<'a>> {
        let typed = values.iter().find_map(|value| match value {
            Val::Tensor(id) if !self.is_untyped(value) => {
                Some(self.builder.dtype(*id)).filter(|dtype| *dtype != DType::Bool)
            }
            Val::Number(number) => Some(number.ty.unwrap_or(DType::F32)),
            _ => None,
        });
        let Some(dtype) = typed else { return values };
        let met = values.into_iter().map(|value| match value {
            Val::Tensor(id) => self.met_by(id, dtype, span).map_or(Val::Unknown, Val::Tensor),
            value => value,
        });
        met.collect()
    }
}
