//! Whole numbers that branches choose: they are of the type of what they are passed as, or compared with.

use super::arith::{Operator, operator};
use super::expected::Expected;
use super::marks::Untyped;
use super::{Lowering, Val};
use crate::ast::Helper;
use crate::parse;
use netcl_kernels::dtype::DType;
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

impl<'a> Lowering<'a> {
    /// The arguments of a function of scalars, whose types it says.
    pub(super) fn args_for(&mut self, helper: &Helper, args: &'a Punctuated<Expr, Token![,]>) -> Vec<Val<'a>> {
        let each = args.iter().enumerate().map(|(position, arg)| {
            let declared = helper.args.get(position).and_then(|(_, dtype)| Expected::result(*dtype));
            self.expected = declared.and_then(Expected::whole);
            self.expr(arg)
        });
        each.collect()
    }

    /// The value as a whole number of that type, if it has none of its own: branches have chosen it among numbers without one.
    pub(super) fn untyped_as(&mut self, value: Val<'a>, dtype: DType) -> Val<'a> {
        match value {
            Val::Tensor(id) => match self.marks.untyped.get(&id) {
                Some(Untyped::Written) if dtype.is_integer() => Val::Tensor(self.builder.cast(id, dtype).unwrap_or(id)),
                Some(Untyped::Computed) if dtype == DType::U32 => {
                    Val::Tensor(self.builder.cast(id, dtype).unwrap_or(id))
                }
                _ => Val::Tensor(id),
            },
            value => value,
        }
    }

    /// Both values, those without a type of their own of the other's.
    pub(super) fn of_one_type(&mut self, left: Val<'a>, right: Val<'a>) -> (Val<'a>, Val<'a>) {
        match (self.own_whole_type(&left), self.own_whole_type(&right)) {
            (Some(own), None) => (left, self.untyped_as(right, own)),
            (None, Some(own)) => (self.untyped_as(left, own), right),
            _ => (left, right),
        }
    }

    /// The type of a whole number, or of an element that is one, where something says it.
    pub(super) fn own_whole_type(&self, value: &Val<'_>) -> Option<DType> {
        match value {
            Val::Tensor(id) if self.is_element() && !self.marks.untyped.contains_key(id) => {
                Some(self.builder.dtype(*id)).filter(|dtype| dtype.is_integer())
            }
            value => value.whole_dtype(),
        }
    }

    /// What is known of the type of what these give together, if it has none.
    pub(super) fn untyped_of(&self, values: [&Val<'_>; 2]) -> Option<Untyped> {
        let of = |value: &Val<'_>| match value {
            Val::Tensor(id) => self.marks.untyped.get(id).copied(),
            Val::Dim(number) if number.ty.is_none() && number.as_constant().is_some() => Some(Untyped::Written),
            _ => None,
        };
        let [left, right] = values.map(of);
        let both = if left? == right? { left? } else { Untyped::Computed };
        (self.in_function() && self.is_element()).then_some(both)
    }

    /// Notes that the value has no type.
    pub(super) fn note_untyped(&mut self, value: &Val<'_>, untyped: Option<Untyped>) {
        if let (Val::Tensor(id), Some(untyped)) = (value, untyped) {
            self.marks.untyped.insert(*id, untyped);
        }
    }

    /// The type of whole numbers that a variable or a part of it has, which what is assigned to it has too.
    pub(super) fn assigned_as(&mut self, place: &'a Expr) -> Option<Expected<'a>> {
        let value = self.before_assignment(place)?;
        self.own_whole_type(&value).map(Expected::One)
    }

    /// The type of whole numbers that the value has, which what it is compared with has too.
    pub(super) fn compared_with(&self, value: &Val<'a>, written: &Expr) -> Option<Expected<'a>> {
        let dtype = match value {
            Val::Tensor(id) => Some(self.builder.dtype(*id)),
            Val::Dim(_) => self.whole_type(written),
            _ => None,
        };
        dtype.and_then(Expected::result).and_then(Expected::whole)
    }
}

/// Whether the value is chosen by branches, or computed of such a one: whole numbers are then of the type that is expected.
pub(super) fn is_chosen(expr: &Expr) -> bool {
    match parse::unparenthesized(expr) {
        Expr::If(_) | Expr::Match(_) | Expr::Block(_) => true,
        Expr::Unary(inner) => matches!(inner.op, syn::UnOp::Neg(_)) && is_chosen(&inner.expr),
        Expr::Binary(binary) => passes(&binary.op) && (is_chosen(&binary.left) || is_chosen(&binary.right)),
        _ => false,
    }
}

/// Whether both sides of an operator are what the whole is declared to be.
pub(super) fn passes(op: &syn::BinOp) -> bool {
    matches!(operator(op), Some(Operator::Binary(_)))
}
