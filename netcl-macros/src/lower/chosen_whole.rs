//! Whole numbers without a type that a branch has chosen, an index from a list, or that a loop carries. They are of the elements'
//! type before it is known what they meet; where that does not hold what Rust's whole numbers would give, it is an error.

use super::arith::Operator;
use super::value::ChosenWhole;
use super::{Lowering, Val};
use crate::messages as m;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{BinaryOp, CompareOp, NodeId};
use netcl_kernels::span;
use proc_macro2::Span;

/// The functions that give whole numbers of whole numbers.
const OF_WHOLES: [&str; 8] = ["abs", "signum", "clamp", "max", "min", "rem_euclid", "div_euclid", "pow"];

impl<'a> Lowering<'a> {
    /// How the value is held, if it is such a number.
    pub(super) fn chosen_whole(&self, value: &Val<'_>) -> Option<ChosenWhole> {
        match value {
            Val::Tensor(id) => self.marks.chosen_wholes.get(id).copied(),
            _ => None,
        }
    }

    /// How what is computed of these values is held, if they are such numbers and others that are known.
    pub(super) fn chosen_of<'v>(&self, values: impl IntoIterator<Item = &'v Val<'a>>) -> Option<ChosenWhole>
    where
        'a: 'v,
    {
        let mut of = None;
        for value in values {
            match self.chosen_whole(value) {
                None if !matches!(value, Val::Dim(_) | Val::Index(_)) => return None,
                chosen => of = of.max(chosen),
            }
        }
        of
    }

    /// Notes that the value is such a number, where what it is made of are some.
    pub(super) fn note_chosen_whole(&mut self, value: &Val<'_>, of: Option<ChosenWhole>) {
        if let (Val::Tensor(id), Some(chosen)) = (value, of) {
            // `W[k] - 0` is `W[k]`.
            self.marks.chosen_wholes.entry(*id).or_insert(chosen);
        }
    }

    /// Notes that these are such numbers where those are.
    pub(super) fn note_chosen_of(&mut self, values: &[NodeId], of: &[NodeId]) {
        for (value, of) in values.iter().zip(of) {
            self.note_chosen_whole(&Val::Tensor(*value), self.marks.chosen_wholes.get(of).copied());
        }
    }

    /// Whether whole numbers of that type give others than Rust's somewhere.
    pub(super) fn differ_in(&self, dtype: DType) -> bool {
        self.axes.is_some() && (dtype.is_float() || matches!(dtype, DType::U8 | DType::U32))
    }

    /// How the operator's result is held. Rule: it is what Rust's whole numbers give. Wrong: `W[k] / 2` where these are floats,
    /// `(W[k] - 8) / 2` where they are of `u32`.
    pub(super) fn chosen_by_operator(
        &mut self,
        op: Operator,
        text: &str,
        operands: [&Val<'a>; 2],
        span: Span,
    ) -> Result<Option<ChosenWhole>, Val<'a>> {
        use BinaryOp::{Add, And, Div, Mul, Or, Rem, Shl, Sub, Xor};
        let (Some(chosen), Some(dtype)) = (self.chosen_of(operands), self.first_type(operands)) else {
            return Ok(None);
        };
        let below = dtype.is_integer() && operands.iter().any(|operand| self.may_be_below_zero(operand));
        let chosen = if below { ChosenWhole::Wrapped } else { chosen };
        match op {
            Operator::Binary(Div | Rem) if dtype.is_float() => Err(self.report(span, &m::WHOLE_QUOTIENT, &[&text])),
            Operator::Binary(Add | Mul) if dtype == DType::U8 => Ok(Some(ChosenWhole::Wrapped)),
            Operator::Binary(Sub | Shl) if dtype.is_integer() => Ok(Some(ChosenWhole::Wrapped)),
            Operator::Binary(Add | Sub | Mul | And | Or | Xor) => Ok(Some(chosen)),
            _ if chosen == ChosenWhole::Wrapped => Err(self.report(span, &m::WHOLE_WRAPPED, &[&text, &dtype])),
            Operator::Binary(_) => Ok(Some(chosen)),
            Operator::Compare(_) => Ok(None),
        }
    }

    /// Whether a size or an index may be below zero, where types without a sign go round.
    fn may_be_below_zero(&self, value: &Val<'a>) -> bool {
        match value {
            Val::Dim(size) => !self.never_negative(size),
            Val::Index(index) => {
                let axes = self.axes.as_deref().unwrap_or_default();
                !self.never_negative(&index.range_within(axes, &self.ends).0)
            }
            _ => false,
        }
    }

    /// How what a reduction gives is held. Wrong: `max(0..2, |k| W[k] - 6)` of `u32`.
    pub(super) fn chosen_by_reduction(
        &mut self,
        name: &str,
        id: NodeId,
        span: Span,
    ) -> Result<Option<ChosenWhole>, Val<'a>> {
        let Some(chosen) = self.marks.chosen_wholes.get(&id).copied() else { return Ok(None) };
        let dtype = self.builder.dtype(id);
        match name {
            "sum" | "prod" if dtype == DType::U8 => Ok(Some(ChosenWhole::Wrapped)),
            "sum" | "prod" => Ok(Some(chosen)),
            _ if chosen == ChosenWhole::Wrapped => Err(self.report(span, &m::WHOLE_WRAPPED, &[&name, &dtype])),
            "max" | "min" => Ok(Some(chosen)),
            // A mean is a fraction, a position one of another thing.
            _ => Ok(None),
        }
    }

    /// How its negative is held, if it is such a number.
    pub(super) fn chosen_by_negation(&self, id: NodeId) -> Option<ChosenWhole> {
        let own = self.marks.chosen_wholes.get(&id).copied()?;
        Some(if self.builder.dtype(id).is_float() { own } else { ChosenWhole::Wrapped })
    }

    /// The negative of the number, where it is 0 without a sign, which whole numbers that floats hold have not. Not as `0 - x`, of which
    /// some drivers make `-x`.
    pub(super) fn one_zero(&mut self, id: NodeId, negative: NodeId) -> span::Result<NodeId> {
        if !self.builder.dtype(id).is_float() {
            return Ok(negative);
        }
        let zero = self.builder.integer(0, self.builder.dtype(id))?;
        let is_zero = self.builder.compare(CompareOp::Eq, id, zero)?;
        self.builder.select(is_zero, zero, negative)
    }

    /// How a function's result is held, of those that give whole numbers of whole numbers.
    pub(super) fn chosen_by_function(
        &mut self,
        name: &str,
        operands: &[&Val<'a>],
        span: Span,
    ) -> Result<Option<ChosenWhole>, Val<'a>> {
        let operands = operands.iter().copied();
        if name == "clone" {
            return Ok(None);
        }
        match (self.chosen_of(operands.clone()), self.first_type(operands)) {
            (Some(ChosenWhole::Wrapped), Some(dtype)) => Err(self.report(span, &m::WHOLE_WRAPPED, &[&name, &dtype])),
            (chosen, _) => Ok(chosen.filter(|_| OF_WHOLES.contains(&name))),
        }
    }

    fn first_type<'v>(&self, values: impl IntoIterator<Item = &'v Val<'a>>) -> Option<DType>
    where
        'a: 'v,
    {
        values.into_iter().find_map(|value| match value {
            Val::Tensor(id) => Some(self.builder.dtype(*id)),
            _ => None,
        })
    }
}
