//! Methods of Rust's numbers that mean something else than netcl's operation of that name, as in `lower::rust`: inside a
//! function of scalars they are Rust's, and `signum` is everywhere.

use super::{Simt, Val};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::{BinaryOp, CompareOp, UnaryOp};
use netcl_kernels::kir::ExprId;
use proc_macro2::Span;

impl Simt<'_> {
    /// `receiver.name(args)` as Rust means it; `None` where netcl's operation of that name means the same.
    pub(super) fn as_in_rust(&mut self, name: &str, receiver: &Val, args: &[Val], span: Span) -> Option<Val> {
        let function = !self.calls.is_empty();
        match (name, args) {
            ("signum", []) => self.function_of_float(Self::signum, receiver, span),
            ("round", []) if function => self.function_of_float(Self::round, receiver, span),
            ("max", [other]) if function => Some(self.either(BinaryOp::Max, receiver, other, span)),
            ("min", [other]) if function => Some(self.either(BinaryOp::Min, receiver, other, span)),
            _ => None,
        }
    }

    /// A function of floats; `None` of others.
    fn function_of_float(
        &mut self,
        computed: fn(&mut Self, ExprId, DType) -> ExprId,
        value: &Val,
        span: Span,
    ) -> Option<Val> {
        if matches!(value, Val::Number(crate::ast::Constant::Integer(_))) {
            return None;
        }
        let Some(id) = self.value(value.clone(), None, span) else { return Some(Val::Unknown) };
        let dtype = self.ty(id).dtype;
        if !dtype.is_float() {
            return None;
        }
        let x = self.builder.named("given", id);
        Some(Val::Expr(computed(self, x, dtype), None))
    }

    /// 1 above zero, -1 below, and the zeros have the sign that is written before them; NaN of NaN.
    fn signum(&mut self, x: ExprId, dtype: DType) -> ExprId {
        let [zero, one, minus, nothing] =
            [0.0, 1.0, -1.0, f64::NAN].map(|value| self.builder.literal(Literal::float(value, dtype)));
        let b = &mut self.builder;
        // Only its reciprocal tells -0 from 0; that of -inf is no smaller than 0.
        let inverse = b.unary(UnaryOp::Recip, x);
        let (turned, below) = (b.compare(CompareOp::Lt, inverse, zero), b.compare(CompareOp::Lt, x, zero));
        let negative = b.binary(BinaryOp::Or, below, turned);
        let sign = b.select(negative, minus, one);
        let number = b.compare(CompareOp::Eq, x, x);
        b.select(number, sign, nothing)
    }

    /// The nearest whole number, halves away from zero.
    fn round(&mut self, x: ExprId, dtype: DType) -> ExprId {
        let [zero, half, one] = [0.0, 0.5, 1.0].map(|value| self.builder.literal(Literal::float(value, dtype)));
        let b = &mut self.builder;
        let size = b.unary(UnaryOp::Abs, x);
        let size = b.named("size", size);
        let whole = b.unary(UnaryOp::Floor, size);
        let whole = b.named("whole", whole);
        let rest = b.binary(BinaryOp::Sub, size, whole);
        let (up, next) = (b.compare(CompareOp::Ge, rest, half), b.binary(BinaryOp::Add, whole, one));
        let nearest = b.select(up, next, whole);
        let nearest = b.named("nearest", nearest);
        let (negative, minus) = (b.compare(CompareOp::Lt, x, zero), b.unary(UnaryOp::Neg, nearest));
        let signed = b.select(negative, minus, nearest);
        // What is whole stays as it is: -0 and the infinities, whose rest is NaN.
        let same = b.compare(CompareOp::Eq, size, whole);
        b.select(same, x, signed)
    }

    /// The larger or the smaller of two; of a number and NaN the number.
    fn either(&mut self, op: BinaryOp, left: &Val, right: &Val, span: Span) -> Val {
        let Some((a, b)) = self.pair(left.clone(), right.clone(), span) else { return Val::Unknown };
        if self.ty(a) != self.ty(b) || !self.ty(a).dtype.is_float() {
            return self.function_of_two(op, left.clone(), right.clone(), span);
        }
        // Each is written down several times.
        let mut once = |value: &Val, id| if let Val::Number(_) = value { id } else { self.builder.named("given", id) };
        let (a, b) = (once(left, a), once(right, b));
        let mut result = self.builder.binary(op, a, b);
        // netcl's is NaN where either is.
        for (one, other) in [(b, a), (a, b)] {
            let nothing = self.builder.compare(CompareOp::Ne, one, one);
            result = self.builder.select(nothing, other, result);
        }
        Val::Expr(result, None)
    }
}
