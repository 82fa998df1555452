//! Positions along an axis that are no sizes: `(t + 1) % T`, `min(t + 1, T - 1)`, where `t` is a loop's round. As values they are
//! numbers; what they are made of is kept beside these.

use super::arith::{Operator, Places};
use super::size_arithmetic::product;
use super::value::{Integer, WholeNumber, unsigned};
use super::whole;
use super::{Lowering, Val};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{BinaryOp, NodeId, UnaryOp};
use netcl_kernels::ops::Position;
use proc_macro2::Span;

/// Whether it is one of Euclid's divisions, by zero.
fn divides_by_zero(name: &str, args: &[Val<'_>]) -> bool {
    name.ends_with("_euclid") && args.iter().any(|by| matches!(by, Val::Dim(by) if by.is(0)))
}

/// The size without its type, as the exact number that it is.
fn untyped<'a>(value: &Val<'a>) -> Val<'a> {
    match value {
        Val::Dim(number) => number.size.clone().into(),
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

    /// That number in a type.
    pub(super) fn exact_as(&mut self, value: &Val<'a>, dtype: DType) -> Option<NodeId> {
        let exact = self.exact(value)?;
        self.builder.cast(exact, dtype).ok()
    }

    /// A whole number of a type, exact where it is computed of sizes.
    fn whole_as(&mut self, value: &Val<'a>, dtype: DType, span: Span) -> Option<NodeId> {
        match self.exact(value) {
            Some(_) => self.exact_as(value, dtype),
            None => self.tensor(value.clone(), Some(dtype), span),
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
        if met.is_integer() { self.exact_as(&Val::Tensor(id), met).unwrap_or(id) } else { id }
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
            Operator::Binary(BinaryOp::Mul) => sizes().and_then(|(a, b)| product(&a, &b)).map(Position::At),
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
        let known = |value: &Val<'a>| matches!(value, Val::Dim(size) if size.as_constant().is_some());
        let all = || std::iter::once(receiver).chain(args);
        // By what a loop carries as well, where positions and sizes are divided.
        let divides =
            name.ends_with("_euclid") && (self.position(receiver).is_some() || self.exact(receiver).is_some());
        if self.axes.is_some()
            || self.elementwise
            || divides_by_zero(name, args)
            || all().all(known)
            || !all().all(|value| {
                self.position(value).is_some() || self.exact(value).is_some() || divides && self.is_one_whole(value)
            })
        {
            return None;
        }
        let sizes = all().all(|value| matches!(value, Val::Dim(_)) || self.exact(value).is_some());
        let op = |this: &mut Self, op: BinaryOp, left: Val<'a>, right: &Val<'a>| {
            this.operate(Operator::Binary(op), name, left, right.clone(), Places::all(span))
        };
        match (name, args) {
            ("min", [other]) => Some(op(self, BinaryOp::Min, receiver.clone(), other)),
            ("max", [other]) => Some(op(self, BinaryOp::Max, receiver.clone(), other)),
            // In 64 bits, and then of the type that they have.
            ("saturating_sub", [other]) if sizes && !receiver.is_signed() => {
                let difference = op(self, BinaryOp::Sub, untyped(receiver), &untyped(other));
                let above = op(self, BinaryOp::Max, difference, &Val::from(Dim::default()));
                Some(self.of_type_of_wholes(above, receiver.whole_dtype()))
            }
            ("abs_diff", [other]) if sizes => {
                let difference = op(self, BinaryOp::Sub, untyped(receiver), &untyped(other));
                let negative = op(self, BinaryOp::Sub, untyped(other), &untyped(receiver));
                let apart = op(self, BinaryOp::Max, difference, &negative);
                Some(self.of_type_of_wholes(apart, receiver.whole_dtype().map(unsigned)))
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
                self.of_euclid(name, receiver, by, span)
            }
            ("div_euclid", [by]) => self.of_euclid(name, receiver, by, span),
            _ => None,
        }
    }

    /// Whether all of them are sizes, indices and what is computed of these.
    pub(super) fn are_whole(&self, receiver: &Val<'a>, args: &[Val<'a>]) -> bool {
        let is_whole = |value: &Val<'a>| matches!(value, Val::Dim(_) | Val::Index(_)) || self.exact(value).is_some();
        std::iter::once(receiver).chain(args).all(is_whole)
    }

    /// What Rust's methods of whole numbers give of indices and of what is computed of sizes: whole numbers. In functions of tensors the
    /// others than `pow` are those of positions.
    pub(super) fn method_of_wholes(
        &mut self,
        name: &str,
        receiver: &Val<'a>,
        args: &[Val<'a>],
        span: Span,
    ) -> Option<Val<'a>> {
        let all = || std::iter::once(receiver).chain(args);
        let is_known = |value: &Val<'a>| matches!(value, Val::Dim(size) if size.as_constant().is_some());
        if self.indexing || divides_by_zero(name, args) || all().all(is_known) || !self.are_whole(receiver, args) {
            return None;
        }
        if let ("pow", [Val::Dim(power)]) = (name, args) {
            let power = u32::try_from(power.as_constant()?).ok()?;
            return Some(self.whole_power(receiver.clone(), power, span));
        }
        let of_one = match name {
            "abs" => Some(UnaryOp::Abs),
            "signum" => Some(UnaryOp::Sign),
            "clamp" | "rem_euclid" | "div_euclid" => None,
            _ => return None,
        };
        if !self.is_element() && name != "signum" {
            return None;
        }
        // What is kept inside is an index still.
        let axes = self.axes.as_deref().unwrap_or_default();
        let inside = self.kept_in_round(name, receiver, args).or_else(|| whole::of_index(name, receiver, args, axes));
        if inside.is_some() {
            return inside;
        }
        let typed = all().find_map(Val::whole_dtype);
        // As a number an index is of 32 bits.
        let of_index = all().any(|value| matches!(value, Val::Index(_)));
        let dtype = typed.unwrap_or(if of_index { DType::I32 } else { DType::I64 });
        let mut operands = Vec::new();
        for value in all() {
            operands.push(Val::Tensor(self.whole_as(value, dtype, span)?));
        }
        let value = match of_one {
            Some(op) => self.function_of_one(op, operands.swap_remove(0), span),
            None => self.composed(name, &operands[0], &operands[1..], span)?,
        };
        Some(if typed.is_some() { value } else { self.as_exact(value) })
    }

    /// Euclid's remainder or quotient of whole numbers, of the type that they have; of sizes exact.
    fn of_euclid(&mut self, name: &str, receiver: &Val<'a>, by: &Val<'a>, span: Span) -> Option<Val<'a>> {
        let of_elements = |value: &Val<'a>| match value {
            Val::Tensor(id) if self.exact(value).is_none() => Some(self.builder.dtype(*id)),
            value => value.whole_dtype(),
        };
        let typed = of_elements(receiver).or_else(|| of_elements(by));
        let whole = |this: &mut Self, value: &Val<'a>| {
            this.whole_as(value, value.whole_dtype().or(typed).unwrap_or(DType::I64), span)
        };
        let (of, by) = (whole(self, receiver)?, whole(self, by)?);
        let value = self.composed(name, &Val::Tensor(of), &[Val::Tensor(by)], span)?;
        Some(if typed.is_some() { value } else { self.as_exact(value) })
    }

    /// A size or an index as a number that is computed, in its type or exact.
    pub(super) fn whole_number(&mut self, value: &Val<'a>, span: Span) -> Option<Val<'a>> {
        let typed = value.whole_dtype();
        let id = self.whole_as(value, typed.unwrap_or(DType::I64), span)?;
        Some(if typed.is_some() { Val::Tensor(id) } else { self.as_exact(Val::Tensor(id)) })
    }

    /// A whole number that is computed of sizes or indices, as a number that is a float until it meets whole ones.
    pub(super) fn as_exact(&mut self, value: Val<'a>) -> Val<'a> {
        let Val::Tensor(whole) = value else { return value };
        let [float, exact] = [DType::F32, DType::I64].map(|dtype| self.builder.cast(whole, dtype));
        let (Ok(float), Ok(exact)) = (float, exact) else { return value };
        self.marks.exact.insert(float, exact);
        Val::Tensor(float)
    }

    /// What is computed of sizes, of the type that they have.
    fn of_type_of_wholes(&mut self, value: Val<'a>, dtype: Option<DType>) -> Val<'a> {
        match (dtype, value) {
            (Some(dtype), Val::Dim(number)) => Val::Dim(WholeNumber { ty: Some(Integer::Of(dtype)), ..number }),
            (Some(dtype), value) => self.exact_as(&value, dtype).map_or(value, Val::Tensor),
            (None, value) => value,
        }
    }
}
