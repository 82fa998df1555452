//! Methods of Rust's numbers that mean something else than netcl's operation of that name.
//!
//! A function of scalars is Rust as well: whoever calls it gets what a kernel computes with it. So inside one these
//! methods are Rust's, infinities, NaN and the sign of zero included. `signum` is a name of Rust's alone (netcl's is
//! `sign`) and means the same everywhere.

use super::arith::{Operator, Places, number, typed};
use super::{Affine, Lowering, Val};
use crate::messages as m;
use crate::number::ConstFloat;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{BinaryOp, CompareOp, NodeId, UnaryOp};
use netcl_kernels::span::Result;
use proc_macro2::Span;

/// A function of a float that is known, and its nodes.
type FloatFunction<'a> = (fn(f64) -> f64, fn(&mut Lowering<'a>, NodeId) -> Result<NodeId>);

impl<'a> Lowering<'a> {
    /// `receiver.name(args)` as Rust means it; `None` where netcl's operation of that name means the same. With `function`
    /// it is written as Rust alone: in a function of scalars, or with Rust's path.
    pub(super) fn as_in_rust(
        &mut self,
        name: &str,
        receiver: &Val<'a>,
        args: &[Val<'a>],
        (function, span): (bool, Span),
    ) -> Option<Val<'a>> {
        if let ("rem_euclid" | "div_euclid", Val::Dim(_) | Val::Index(_), [Val::Dim(divisor)]) = (name, receiver, args)
            && divisor.is(0)
        {
            return Some(self.report(span, &m::KERNEL_BY_ZERO, &[&name]));
        }
        if let Some(value) = super::whole::method(name, receiver, args) {
            return Some(value);
        }
        if let Some(value) = self.kept_in_round(name, receiver, args) {
            return Some(value);
        }
        let axes = self.axes.as_deref().unwrap_or_default();
        let known = match receiver {
            Val::Dim(size) if self.indexing => Val::Index(Affine::fixed(size.size.clone())),
            receiver => receiver.clone(),
        };
        if let Some(value) = super::whole::of_index(name, &known, args, axes) {
            return Some(value);
        }
        if let ("rem_euclid" | "div_euclid", Val::Index(_), [divisor @ Val::Dim(_)], true) =
            (name, receiver, args, self.indexing)
        {
            // Of whole numbers, and not of the floats that an index is beside floats.
            let [Some(whole), Some(divisor)] =
                [receiver, divisor].map(|value| self.tensor(value.clone(), Some(DType::I32), span))
            else {
                return Some(Val::Unknown);
            };
            return self.composed(name, &Val::Tensor(whole), &[Val::Tensor(divisor)], span);
        }
        if (self.axes.is_some() || self.elementwise)
            && let Some(value) = self.composed(name, receiver, args, span)
        {
            return Some(value);
        }
        match (name, args) {
            // Of a whole number that a float holds: 0 at 0.
            ("signum", []) if self.chosen_whole(receiver).is_some() => {
                Some(self.function_of_one(UnaryOp::Sign, receiver.clone(), span))
            }
            ("signum", []) => Some(self.function_of_float((f64::signum, Self::signum), receiver, span)),
            ("round", []) if function => Some(self.function_of_float((f64::round, Self::round), receiver, span)),
            ("round_ties_even", []) if function => {
                let even = |this: &mut Self, x| this.builder.unary(UnaryOp::Round, x);
                Some(self.function_of_float((f64::round_ties_even, even), receiver, span))
            }
            ("max", [other]) if function => Some(self.either((BinaryOp::Max, f64::max), receiver, other, span)),
            ("min", [other]) if function => Some(self.either((BinaryOp::Min, f64::min), receiver, other, span)),
            // A root is NaN of -inf, where the power is not.
            ("powf", [Val::Number(exponent)]) if function && exponent.value.abs() == 0.5 => {
                let power = Operator::Binary(BinaryOp::Pow);
                Some(self.operate(power, name, receiver.clone(), args[0].clone(), Places::all(span)))
            }
            ("powi", [exponent @ Val::Tensor(id)])
                if self.builder.dtype(*id).is_float() && self.chosen_whole(exponent).is_none() =>
            {
                let dtype = self.builder.dtype(*id);
                Some(self.report(span, &m::POWER_OF_FRACTION, &[&dtype, &".."]))
            }
            ("powi", [Val::Tensor(exponent)]) if function || self.axes.is_some() => {
                let dtype = match receiver {
                    Val::Tensor(id) => self.builder.dtype(*id),
                    _ => DType::F32,
                };
                self.at(span);
                let exponent = self.builder.cast(*exponent, if dtype.is_float() { dtype } else { DType::F32 });
                let (power, exponent) = (Operator::Binary(BinaryOp::Pow), self.check(exponent, span));
                Some(self.operate(power, name, receiver.clone(), exponent, Places::all(span)))
            }
            _ => None,
        }
    }

    /// A function of a float that is known or is to be computed. Of integers there is `signum` alone, netcl's `sign`.
    fn function_of_float(&mut self, (known, computed): FloatFunction<'a>, value: &Val<'a>, span: Span) -> Val<'a> {
        if let Val::Number(number) = value {
            let result = ConstFloat::computed(&[*number], number.ty, |x| Some(known(x[0])));
            return result.map_or(Val::Unknown, Val::Number);
        }
        let Some(id) = self.tensor(value.clone(), Some(DType::I32), span) else { return Val::Unknown };
        self.at(span);
        let float = self.builder.dtype(id).is_float();
        let result = if float { computed(self, id) } else { self.builder.unary(UnaryOp::Sign, id) };
        self.check(result, span)
    }

    /// The larger or the smaller of two; of a number and NaN the number.
    fn either(
        &mut self,
        (op, known): (BinaryOp, fn(f64, f64) -> f64),
        left: &Val<'a>,
        right: &Val<'a>,
        span: Span,
    ) -> Val<'a> {
        if let (Val::Number(a), Val::Number(b)) = (left, right) {
            let ty = typed(left).or(typed(right));
            let result = ConstFloat::computed(&[*a, *b], ty, |x| Some(known(x[0], x[1])));
            return result.map_or(Val::Unknown, Val::Number);
        }
        let chosen = self.operate(Operator::Binary(op), op.name(), left.clone(), right.clone(), Places::all(span));
        let Val::Tensor(mut chosen) = chosen else { return chosen };
        let dtype = self.builder.dtype(chosen);
        if !dtype.is_float() {
            return Val::Tensor(chosen);
        }
        // netcl's is NaN where either is.
        for (one, other) in [(right, left), (left, right)] {
            if number(one).is_some_and(|one| !one.value.is_nan()) {
                continue;
            }
            let (one, other) =
                (self.tensor(one.clone(), Some(dtype), span), self.tensor(other.clone(), Some(dtype), span));
            let (Some(one), Some(other)) = (one, other) else { return Val::Unknown };
            let result = self.builder.compare(CompareOp::Ne, one, one);
            let result = result.and_then(|nothing| self.builder.select(nothing, other, chosen));
            match self.check(result, span) {
                Val::Tensor(id) => chosen = id,
                other => return other,
            }
        }
        Val::Tensor(chosen)
    }

    /// 1 above zero, -1 below, and the zeros have the sign that is written before them; NaN of NaN.
    fn signum(&mut self, x: NodeId) -> Result<NodeId> {
        let dtype = self.builder.dtype(x);
        let [zero, one, minus, nothing] = [0.0, 1.0, -1.0, f64::NAN].map(|value| self.builder.constant(value, dtype));
        // Only its reciprocal tells -0 from 0; that of -inf is no smaller than 0.
        let inverse = self.builder.unary(UnaryOp::Recip, x)?;
        let turned = self.builder.compare(CompareOp::Lt, inverse, zero)?;
        let below = self.builder.compare(CompareOp::Lt, x, zero)?;
        let negative = self.builder.binary(BinaryOp::Or, below, turned)?;
        let sign = self.builder.select(negative, minus, one)?;
        let number = self.builder.compare(CompareOp::Eq, x, x)?;
        self.builder.select(number, sign, nothing)
    }

    /// The nearest whole number, halves away from zero. Its gradient is zero, as that of every rounding.
    fn round(&mut self, x: NodeId) -> Result<NodeId> {
        let dtype = self.builder.dtype(x);
        let x = self.builder.detach(x);
        let [zero, half, one] = [0.0, 0.5, 1.0].map(|value| self.builder.constant(value, dtype));
        let size = self.builder.unary(UnaryOp::Abs, x)?;
        let whole = self.builder.unary(UnaryOp::Floor, size)?;
        // Exact: adding a half before the floor would round 0.49999997 up.
        let rest = self.builder.binary(BinaryOp::Sub, size, whole)?;
        let up = self.builder.compare(CompareOp::Ge, rest, half)?;
        let next = self.builder.binary(BinaryOp::Add, whole, one)?;
        let nearest = self.builder.select(up, next, whole)?;
        let negative = self.builder.compare(CompareOp::Lt, x, zero)?;
        let minus = self.builder.unary(UnaryOp::Neg, nearest)?;
        let signed = self.builder.select(negative, minus, nearest)?;
        // What is whole stays as it is: -0 and the infinities, whose rest is NaN.
        let same = self.builder.compare(CompareOp::Eq, size, whole)?;
        self.builder.select(same, x, signed)
    }
}
