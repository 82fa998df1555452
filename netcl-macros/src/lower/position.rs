//! Positions along an axis that are no sizes: `(t + 1) % T`, `min(t + 1, T - 1)`, where `t` is a loop's round. As values they are
//! numbers; what they are made of is kept beside these.

use super::arith::{Operator, Places};
use super::value::Integer;
use super::{Lowering, Val};
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::{BinaryOp, NodeId, UnaryOp};
use netcl_kernels::ops::Position;
use proc_macro2::Span;

/// Whether it is of a type that has numbers below zero.
fn is_signed(value: &Val<'_>) -> bool {
    value.whole_dtype().is_some_and(|dtype| dtype.holds(-1))
}

/// The divisor with the sign that a remainder of Euclid's does not see.
fn positive<'a>(divisor: &Val<'a>) -> Val<'a> {
    match divisor {
        Val::Dim(number) if number.as_constant().is_some_and(|number| number < 0) => {
            Val::Dim(number.of_its_type(Dim::default() - number.size.clone()))
        }
        other => other.clone(),
    }
}

impl<'a> Lowering<'a> {
    /// The whole number that a value computed of sizes alone is.
    pub(super) fn exact(&self, value: &Val<'a>) -> Option<NodeId> {
        match value {
            Val::Tensor(id) => self.marks.exact.get(id).copied(),
            _ => None,
        }
    }

    /// The position that a value is.
    pub(super) fn position(&self, value: &Val<'a>) -> Option<Position> {
        match value {
            Val::Dim(size) => Some(Position::At(size.size.clone())),
            Val::Tensor(id) => self.marks.positions.get(id).cloned(),
            _ => None,
        }
    }

    /// What is computed of sizes, a float where nobody says what it is, in the type of the whole numbers that it meets.
    pub(super) fn position_beside(&mut self, id: NodeId, other: NodeId) -> NodeId {
        let met = self.builder.dtype(other);
        match self.marks.exact.get(&id).filter(|_| met.is_integer()) {
            Some(exact) => self.builder.cast(*exact, met).unwrap_or(id),
            None => id,
        }
    }

    /// The size that a value is, also one that is known as the number which it is, because of a `%` in it.
    pub(super) fn size(&self, value: &Val<'a>) -> Option<Dim> {
        match (value, self.position(value)?) {
            (Val::Dim(_), Position::At(size)) => Some(size),
            (_, Position::At(size)) => Some(size).filter(|size| !self.builder.is_in_loop(size)),
            // Rust's remainder is what is left by the floor where it is not negative.
            (_, Position::Remainder(of, by)) => {
                let divisor = u64::try_from(by.as_constant()?).ok().filter(|divisor| *divisor > 0)?;
                let known = !self.builder.is_in_loop(&of) && self.builder.is_never_negative(&of);
                known.then(|| of.clone() - of.floor_div(divisor) * by)
            }
            _ => None,
        }
    }

    /// The position that `left op right` is, where that is one.
    pub(super) fn position_of(&self, op: Operator, left: &Val<'a>, right: &Val<'a>) -> Option<Position> {
        let both = || Some(Box::new([self.position(left)?, self.position(right)?]));
        let sizes = || Some((self.size(left)?, self.size(right)?));
        match op {
            Operator::Binary(BinaryOp::Rem) => sizes().map(|(of, by)| Position::Remainder(of, by)),
            Operator::Binary(BinaryOp::Min) => both().map(Position::Least),
            Operator::Binary(BinaryOp::Max) => both().map(Position::Greatest),
            Operator::Binary(BinaryOp::Add) => sizes().map(|(a, b)| Position::At(a + b)),
            Operator::Binary(BinaryOp::Sub) => sizes().map(|(a, b)| Position::At(a - b)),
            Operator::Binary(BinaryOp::Mul) => sizes().map(|(a, b)| Position::At(a * b)),
            _ => None,
        }
    }

    /// `min`, `max`, `clamp`, `abs`, `rem_euclid` and `div_euclid` of positions, as methods.
    pub(super) fn position_method(
        &mut self,
        name: &str,
        receiver: &Val<'a>,
        args: &[Val<'a>],
        span: Span,
    ) -> Option<Val<'a>> {
        if let ("rem_euclid" | "div_euclid", [by @ Val::Tensor(id)]) = (name, args)
            && self.is_one_whole(by)
            && self.position(receiver).is_some()
        {
            let dtype = receiver.whole_dtype().unwrap_or(self.builder.dtype(*id));
            let whole = self.tensor(receiver.clone(), Some(dtype), span)?;
            let whole = self.position_beside(whole, *id);
            return self.composed(name, &Val::Tensor(whole), args, span);
        }
        let known = |value: &Val<'a>| matches!(value, Val::Dim(size) if size.as_constant().is_some());
        let all = || std::iter::once(receiver).chain(args);
        if self.axes.is_some()
            || self.elementwise
            || all().all(known)
            || !all().all(|value| self.position(value).is_some() || self.exact(value).is_some())
        {
            return None;
        }
        let op = |this: &mut Self, op: BinaryOp, left: Val<'a>, right: &Val<'a>| {
            this.operate(Operator::Binary(op), name, left, right.clone(), Places::all(span))
        };
        match (name, args) {
            ("min", [other]) => Some(op(self, BinaryOp::Min, receiver.clone(), other)),
            ("max", [other]) => Some(op(self, BinaryOp::Max, receiver.clone(), other)),
            ("saturating_sub", [other]) if !is_signed(receiver) => {
                let difference = op(self, BinaryOp::Sub, receiver.clone(), other);
                Some(op(self, BinaryOp::Max, difference, &Val::from(Dim::default())))
            }
            ("abs_diff", [other]) => {
                let difference = op(self, BinaryOp::Sub, receiver.clone(), other);
                let negative = op(self, BinaryOp::Sub, other.clone(), receiver);
                Some(op(self, BinaryOp::Max, difference, &negative))
            }
            ("clamp", [least, most]) => {
                let raised = op(self, BinaryOp::Max, receiver.clone(), least);
                Some(op(self, BinaryOp::Min, raised, most))
            }
            ("abs", []) => {
                let (Val::Dim(number), Some(Integer::Of(dtype))) = (receiver, receiver.integer()) else { return None };
                if number.as_constant().is_some() {
                    return None;
                }
                let id = self.tensor(receiver.clone(), Some(dtype), span)?;
                self.at(span);
                let result = self.builder.unary(UnaryOp::Abs, id);
                Some(self.check(result, span))
            }
            ("rem_euclid", [by]) => {
                // Rust's remainder is that of netcl's where it is not negative.
                if let (Val::Dim(of), Val::Dim(divisor)) = (receiver, by) {
                    let next = of.size.clone() + divisor.size.clone();
                    let not_negative =
                        [of.size.clone(), next].into_iter().find(|of| self.builder.is_never_negative(of));
                    if let Some(not_negative) = not_negative {
                        return Some(op(self, BinaryOp::Rem, Val::Dim(of.of_its_type(not_negative)), by));
                    }
                }
                let by = &positive(by);
                let rest = op(self, BinaryOp::Rem, receiver.clone(), by);
                let raised = op(self, BinaryOp::Add, rest, by);
                Some(op(self, BinaryOp::Rem, raised, by))
            }
            ("div_euclid", [by]) => {
                let rest = self.position_method("rem_euclid", receiver, args, span)?;
                let whole = op(self, BinaryOp::Sub, receiver.clone(), &rest);
                Some(op(self, BinaryOp::Div, whole, by))
            }
            _ => None,
        }
    }
}
