//! Elementwise functions and operators of OpenCL C.

use super::opencl_expr::*;
use super::opencl_stmt::Body;
use super::opencl_types::{c_type, mask_type};
use crate::dtype::{DType, Literal};
use crate::graph::{BinaryOp, CompareOp, UnaryOp};
use crate::kir::*;

impl Body<'_, '_> {
    pub(super) fn unary(&mut self, id: ExprId, op: UnaryOp, a: ExprId) -> ExprText {
        match self.function_of(self.ty(id), op) {
            Some(name) => self.call(&name, a),
            None => self.prefix(id, op, a),
        }
    }

    /// What no function computes.
    fn prefix(&mut self, id: ExprId, op: UnaryOp, a: ExprId) -> ExprText {
        let ty = self.ty(id);
        match op {
            UnaryOp::Neg if ty.dtype.is_float() || ty.lanes > 1 => {
                let a = at_least(self.text(a), UNARY);
                // `--x` would decrement.
                text(UNARY, if a.starts_with('-') { format!("-({a})") } else { format!("-{a}") })
            }
            UnaryOp::Neg => self.integer(id),
            UnaryOp::Not if ty.dtype == DType::Bool && ty.lanes == 1 => self.negated(a),
            UnaryOp::Not => {
                let not = format!("~{}", at_least(self.text(a), UNARY));
                if ty == ValueType::scalar(DType::U8) { text(UNARY, format!("(uchar){not}")) } else { text(UNARY, not) }
            }
            UnaryOp::Recip => {
                let one = if ty.dtype == DType::F64 { "1.0" } else { "1.0f" };
                let a = at_least(self.text(a), UNARY);
                text(PRODUCT, format!("{one} / {a}"))
            }
            UnaryOp::Sign => {
                let one = if ty.lanes == 1 && ty.dtype == DType::U32 { "1u" } else { &format!("({})(1)", c_type(ty)) };
                let a = self.value(a);
                primary(format!("min({a}, {one})"))
            }
            // The absolute value of what is never negative.
            _ => self.text(a),
        }
    }

    pub(super) fn binary(&mut self, id: ExprId, op: BinaryOp, a: ExprId, b: ExprId) -> ExprText {
        use BinaryOp::*;
        let ty = self.ty(id);
        let float = ty.dtype.is_float();
        match op {
            Add | Sub | Mul if !float && ty.lanes == 1 => self.integer(id),
            Add => self.infix(SUM, SUM, PRODUCT, a, "+", b),
            Sub => self.infix(SUM, SUM, PRODUCT, a, "-", b),
            Mul if !float || self.zero_beside(a, b).is_none() => self.infix(PRODUCT, PRODUCT, UNARY, a, "*", b),
            Div if float && (self.float_zero(b).is_none() || self.is_constant(a)) => {
                self.infix(PRODUCT, PRODUCT, UNARY, a, "/", b)
            }
            Max | Min if float => {
                let helper = self.program.extremum(op, ty);
                // The helper folds to one comparison where its second operand is a constant.
                let swapped = self.is_constant(a) && !self.is_constant(b);
                if swapped { self.call_two(&helper, b, a) } else { self.call_two(&helper, a, b) }
            }
            _ => self.other_binary(ty, op, a, b),
        }
    }

    fn other_binary(&mut self, ty: ValueType, op: BinaryOp, a: ExprId, b: ExprId) -> ExprText {
        use BinaryOp::*;
        match op {
            Mul => {
                let (x, negative) = self.zero_beside(a, b).unwrap_or((a, false));
                let helper = self.program.times_zero(ty, negative);
                self.call(&helper, x)
            }
            Div if ty.dtype.is_float() => {
                let negative = self.float_zero(b) == Some(true);
                let helper = self.program.divide_by_zero(ty, negative);
                self.call(&helper, a)
            }
            Div | Rem if !ty.dtype.is_float() => {
                if !self.divides_safely(b) {
                    let helper = self.program.divide(op, ty);
                    return self.call_two(&helper, a, b);
                }
                let quotient = self.infix(PRODUCT, PRODUCT, UNARY, a, if op == Div { "/" } else { "%" }, b);
                self.narrow(ty, quotient)
            }
            And | Or | Xor if ty == ValueType::scalar(DType::Bool) => match op {
                And => self.chain(AND, EQUALITY, a, "&&", b),
                Or => self.chain(OR, EQUALITY, a, "||", b),
                _ => self.infix(EQUALITY, RELATION, RELATION, a, "!=", b),
            },
            And => {
                let bits = self.chain(BIT_AND, UNARY, a, "&", b);
                self.narrow(ty, bits)
            }
            Or => {
                let bits = self.chain(BIT_OR, UNARY, a, "|", b);
                self.narrow(ty, bits)
            }
            Xor => {
                let bits = self.chain(BIT_XOR, UNARY, a, "^", b);
                self.narrow(ty, bits)
            }
            Shl => self.shift("<<", a, b),
            Shr => self.shift(">>", a, b),
            Rem if ty.lanes > 1 && ty.dtype == DType::F64 => {
                let helper = self.program.remainder(ty);
                self.call_two(&helper, a, b)
            }
            Rem => self.call_two("fmod", a, b),
            Pow => self.call_two("pow", a, b),
            Atan2 => self.call_two("atan2", a, b),
            Max => self.call_two("max", a, b),
            Min => self.call_two("min", a, b),
            Add | Sub | Div => unreachable!("an operator of C"),
        }
    }

    /// Bytes compute as `int`: back to a byte.
    pub(super) fn narrow(&self, ty: ValueType, result: ExprText) -> ExprText {
        if ty == ValueType::scalar(DType::U8) {
            return text(UNARY, format!("(uchar){}", at_least(result, UNARY)));
        }
        result
    }

    /// Whether an integer division needs no helper: the divisor is known to be neither 0 nor, where signed, -1.
    ///
    /// A guard around the division is no reason: some drivers compute both sides of a condition, and a division by zero
    /// ends the process on processors that trap.
    fn divides_safely(&self, divisor: ExprId) -> bool {
        let unsigned = matches!(self.ty(divisor).dtype, DType::U8 | DType::U32);
        match *self.expr(divisor) {
            Expr::Literal(Literal::Int(value, _)) => !(-1..=0).contains(&value),
            Expr::Splat(a, _) => self.divides_safely(a),
            // `y == 0 ? 1 : y`, as schedules write it.
            Expr::Select(condition, then, otherwise) if unsigned => {
                let zero = |id: ExprId| matches!(self.expr(id), Expr::Literal(literal) if literal.is(0.0));
                let excludes = matches!(*self.expr(condition), Expr::Compare(CompareOp::Eq, a, b)
                    if zero(b) && self.same(a, otherwise));
                excludes && self.is_positive(then)
            }
            _ => self.is_positive(divisor),
        }
    }

    fn is_positive(&self, id: ExprId) -> bool {
        self.smallest(id).is_some_and(|least| least > 0)
    }

    /// The smallest value of an integer that is a size: made of small literals from 0 on, symbols and sizes of the index space.
    pub(super) fn smallest(&self, id: ExprId) -> Option<i64> {
        match self.expr(id) {
            Expr::Literal(Literal::Int(value, _)) => Some(*value).filter(|value| (0..=SMALL).contains(value)),
            Expr::Var(var) => self.least_vars[var.0 as usize],
            Expr::Param(param) => match self.verified.kernel().params[param.0 as usize].kind {
                ParamKind::Symbol | ParamKind::Size | ParamKind::WideSize => Some(1),
                _ => None,
            },
            Expr::WorkItem(
                WorkItem::GlobalSize | WorkItem::LocalSize | WorkItem::NumGroups | WorkItem::SubGroupSize,
                _,
            ) => Some(1),
            Expr::Binary(BinaryOp::Div, a, b) => match self.expr(*b) {
                Expr::Literal(Literal::Int(divisor @ 1.., _)) => Some(self.smallest(*a)? / divisor),
                _ => None,
            },
            Expr::Binary(op, a, b) => {
                let (a, b) = (self.smallest(*a), self.smallest(*b));
                match op {
                    BinaryOp::Add => Some(a?.saturating_add(b?)),
                    BinaryOp::Mul => Some(a?.saturating_mul(b?)),
                    BinaryOp::Max => a.max(b),
                    _ => None,
                }
            }
            Expr::Cast(DType::I32 | DType::I64, a) => self.smallest(*a),
            _ => None,
        }
    }

    /// Whether a literal zero is negative; `None` of what is no zero.
    fn float_zero(&self, id: ExprId) -> Option<bool> {
        match *self.expr(id) {
            Expr::Literal(literal) if literal.is(0.0) => Some(literal.as_f64().is_sign_negative()),
            Expr::Splat(a, _) => self.float_zero(a),
            _ => None,
        }
    }

    /// The factor beside a literal zero, and whether that is negative; `None` of two literals, too.
    fn zero_beside(&self, a: ExprId, b: ExprId) -> Option<(ExprId, bool)> {
        match (self.float_zero(a), self.float_zero(b)) {
            (None, Some(negative)) if !self.is_constant(a) => Some((a, negative)),
            (Some(negative), None) if !self.is_constant(b) => Some((b, negative)),
            _ => None,
        }
    }

    fn is_constant(&self, id: ExprId) -> bool {
        match self.expr(id) {
            Expr::Literal(_) => true,
            Expr::Splat(a, _) => matches!(self.expr(*a), Expr::Literal(_)),
            _ => false,
        }
    }

    /// `a op b` where the left side needs `left` and the right side `right`.
    fn infix(&mut self, level: u8, left: u8, right: u8, a: ExprId, op: &str, b: ExprId) -> ExprText {
        let (a, b) = self.pair(a, b);
        text(level, format!("{} {op} {}", at_least(a, left), at_least(b, right)))
    }

    /// `a op b op c` without parentheses; anything else that binds less than `inner` gets them.
    pub(super) fn chain(&mut self, level: u8, inner: u8, a: ExprId, op: &str, b: ExprId) -> ExprText {
        let (a, b) = self.pair(a, b);
        let a = if a.level == level { a.code } else { at_least(a, inner) };
        text(level, format!("{a} {op} {}", at_least(b, inner)))
    }

    /// Two operands of one type: beside a vector a scalar needs no splat, beside a value a literal needs no suffix.
    pub(super) fn pair(&mut self, a: ExprId, b: ExprId) -> (ExprText, ExprText) {
        let wide = matches!(self.ty(a).dtype, DType::F32 | DType::F64 | DType::I32 | DType::U32 | DType::I64);
        let scalar = |own: &Self, id: ExprId| match *own.expr(id) {
            Expr::Splat(a, _) if wide => Some(a),
            _ => None,
        };
        match (scalar(self, a), scalar(self, b)) {
            (Some(x), None) => (self.text(x), self.text(b)),
            (None, Some(y)) => (self.text(a), self.text(y)),
            _ => (self.beside(a, b), self.beside(b, a)),
        }
    }

    /// `a`, next to `b` in an operation that gives both the same type.
    pub(super) fn beside(&mut self, a: ExprId, b: ExprId) -> ExprText {
        match (self.expr(a), self.expr(b)) {
            (Expr::Literal(_), Expr::Literal(_)) => self.text(a),
            (Expr::Literal(literal @ Literal::Int(value, DType::U32 | DType::U8 | DType::I64)), _)
                if (0..=0x7fff_ffff).contains(value) =>
            {
                primary(bare(*literal))
            }
            _ => self.text(a),
        }
    }

    /// Scalar integer `+`, `-`, `*`, negation: in the unsigned type where it could overflow a signed one.
    pub(super) fn integer(&mut self, id: ExprId) -> ExprText {
        let ty = self.ty(id);
        let signed = matches!(ty.dtype, DType::I32 | DType::I64) && ty.lanes == 1;
        // Addresses are `int`: of 64 bits are a user's numbers, and sizes in formulas.
        let fits = self.reach(id).is_some_and(|reach| reach <= i64::MAX as u128);
        if !signed || fits || (ty.dtype == DType::I32 && self.is_index(id)) {
            let result = match *self.expr(id) {
                Expr::Unary(_, a) => {
                    let a = at_least(self.text(a), UNARY);
                    text(UNARY, if a.starts_with('-') { format!("-({a})") } else { format!("-{a}") })
                }
                Expr::Binary(BinaryOp::Add, a, b) => self.infix(SUM, SUM, PRODUCT, a, "+", b),
                Expr::Binary(BinaryOp::Sub, a, b) => self.infix(SUM, SUM, PRODUCT, a, "-", b),
                Expr::MulAdd(a, b, c) => {
                    let product = self.infix(PRODUCT, PRODUCT, UNARY, a, "*", b);
                    let c = at_least(self.beside(c, a), PRODUCT);
                    text(SUM, format!("{} + {c}", product.code))
                }
                Expr::Binary(_, a, b) => self.infix(PRODUCT, PRODUCT, UNARY, a, "*", b),
                _ => self.text(id),
            };
            return self.narrow(ty, result);
        }
        let sum = self.unsigned(id).0;
        text(UNARY, format!("({})({})", c_type(ty), sum.code))
    }

    /// The most that an integer of 64 bits made of narrower ones is away from 0; `None` of those that are loaded or passed.
    fn reach(&self, id: ExprId) -> Option<u128> {
        if self.ty(id) != ValueType::scalar(DType::I64) {
            return None;
        }
        match *self.expr(id) {
            Expr::Literal(Literal::Int(value, _)) => Some(value.unsigned_abs().into()),
            Expr::Cast(_, a) => match (self.ty(a).dtype, self.expr(a)) {
                (DType::I32, Expr::Param(_)) if self.smallest(a).is_some() => Some(i32::MAX as u128),
                (DType::I32, _) => Some(1 << 31),
                (DType::Bool | DType::U8 | DType::U32, _) => Some(u32::MAX.into()),
                _ => None,
            },
            Expr::Unary(UnaryOp::Neg, a) => self.reach(a),
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub, a, b) => self.reach(a)?.checked_add(self.reach(b)?),
            Expr::Binary(BinaryOp::Mul, a, b) => self.reach(a)?.checked_mul(self.reach(b)?),
            Expr::Binary(BinaryOp::Div, a, b) => match *self.expr(b) {
                Expr::Literal(Literal::Int(divisor, _)) => self.reach(a)?.checked_div(divisor.unsigned_abs().into()),
                _ => self.reach(a),
            },
            Expr::Binary(BinaryOp::Rem, a, _) => self.reach(a),
            _ => None,
        }
    }

    /// The same in the unsigned type; whether it is of that type already.
    pub(super) fn unsigned(&mut self, id: ExprId) -> (ExprText, bool) {
        let (name, suffix) = if self.ty(id).dtype == DType::I64 { ("ulong", "UL") } else { ("uint", "u") };
        let both = |own: &mut Self, a: ExprId, b: ExprId, level: u8, sign: &str| {
            let ((a, known), (b, other)) = (own.unsigned(a), own.unsigned(b));
            let a = if known || other { a } else { text(UNARY, format!("({name}){}", at_least(a, UNARY))) };
            text(level, format!("{} {sign} {}", at_least(a, level), at_least(b, level + 1)))
        };
        match *self.expr(id) {
            Expr::Literal(Literal::Int(value, dtype)) => {
                let bits = if dtype == DType::I64 { value as u64 } else { u64::from(value as u32) };
                (primary(format!("{bits}{suffix}")), true)
            }
            Expr::Binary(BinaryOp::Add, a, b) => (both(self, a, b, SUM, "+"), true),
            Expr::Binary(BinaryOp::Sub, a, b) => (both(self, a, b, SUM, "-"), true),
            Expr::Binary(BinaryOp::Mul, a, b) => (both(self, a, b, PRODUCT, "*"), true),
            Expr::MulAdd(a, b, c) => {
                let product = both(self, a, b, PRODUCT, "*");
                let c = at_least(self.unsigned(c).0, PRODUCT);
                (text(SUM, format!("{} + {c}", product.code)), true)
            }
            Expr::Unary(UnaryOp::Neg, a) => {
                let a = at_least(self.unsigned(a).0, PRODUCT);
                (text(SUM, format!("0{suffix} - {a}")), true)
            }
            _ => (self.text(id), false),
        }
    }

    fn shift(&mut self, sign: &str, a: ExprId, b: ExprId) -> ExprText {
        let ty = self.ty(a);
        if ty == ValueType::scalar(DType::U8) {
            // Bytes shift as `int`: OpenCL would take the count modulo 32.
            let (a, b) = (at_least(self.text(a), UNARY), at_least(self.text(b), UNARY));
            return text(UNARY, format!("(uchar)({a} {sign} ({b} & 7))"));
        }
        let (a, b) = (self.text(a), self.pair(b, a).0);
        text(SHIFT, format!("{} {sign} {}", at_least(a, UNARY), at_least(b, UNARY)))
    }

    pub(super) fn compare(&mut self, op: CompareOp, a: ExprId, b: ExprId) -> ExprText {
        let (level, sign) = match op {
            CompareOp::Eq => (EQUALITY, "=="),
            CompareOp::Ne => (EQUALITY, "!="),
            CompareOp::Lt => (RELATION, "<"),
            CompareOp::Le => (RELATION, "<="),
            CompareOp::Gt => (RELATION, ">"),
            CompareOp::Ge => (RELATION, ">="),
        };
        let ty = self.ty(a);
        let comparison = match (self.expr(a), self.expr(b)) {
            // No id is negative: it needs no cast beside a literal.
            (Expr::WorkItem(item, dimension), Expr::Literal(Literal::Int(..))) => {
                let (id, b) = (self.work_item(*item, *dimension), self.initialiser(b));
                text(level, format!("{id} {sign} {b}"))
            }
            _ => self.infix(level, SUM, SUM, a, sign, b),
        };
        if ty.lanes > 1 && !mask_type(ty).starts_with("int") {
            return primary(format!("convert_int{}({})", ty.lanes, comparison.code));
        }
        comparison
    }

    /// `!condition`: the opposite comparison where there is one (floats have none, for NaN's sake).
    pub(super) fn negated(&mut self, condition: ExprId) -> ExprText {
        match *self.expr(condition) {
            Expr::Compare(op, a, b) => {
                let opposite = match op {
                    CompareOp::Eq => CompareOp::Ne,
                    CompareOp::Ne => CompareOp::Eq,
                    _ if self.ty(a).dtype.is_float() => {
                        return text(UNARY, format!("!({})", self.value(condition)));
                    }
                    CompareOp::Lt => CompareOp::Ge,
                    CompareOp::Le => CompareOp::Gt,
                    CompareOp::Gt => CompareOp::Le,
                    CompareOp::Ge => CompareOp::Lt,
                };
                self.compare(opposite, a, b)
            }
            Expr::Param(param) => text(EQUALITY, format!("{} == 0", self.params[param.0 as usize])),
            _ => text(UNARY, format!("!{}", at_least(self.text(condition), UNARY))),
        }
    }

    /// Whether two expressions are the same, node by node.
    pub(super) fn same(&self, a: ExprId, b: ExprId) -> bool {
        if a == b {
            return true;
        }
        let (mut left, mut right) = (Vec::new(), Vec::new());
        self.expr(a).visit_operands(&mut |id| left.push(id));
        self.expr(b).visit_operands(&mut |id| right.push(id));
        left.len() == right.len()
            && {
                let bare = |id: ExprId| self.expr(id).clone().map_operands(&mut |_| ExprId(0));
                bare(a) == bare(b)
            }
            && left.iter().zip(&right).all(|(&a, &b)| self.same(a, b))
    }

    /// `= value`, or `+= y` where the value is what stands in `place` plus `y`, and so on.
    pub(super) fn update(&mut self, value: ExprId, is_place: impl Fn(&Self, ExprId) -> bool) -> String {
        let ty = self.ty(value);
        let native = ty.dtype.is_float() || ty.dtype == DType::U32 || (ty.lanes > 1 && ty.dtype != DType::Bool);
        let (sign, a, b) = match *self.expr(value) {
            Expr::Binary(BinaryOp::Add, a, b) if native => ("+", a, b),
            Expr::Binary(BinaryOp::Sub, a, b) if native => ("-", a, b),
            Expr::Binary(BinaryOp::Mul, a, b) if native => ("*", a, b),
            Expr::Binary(BinaryOp::Div, a, b) if ty.dtype.is_float() => ("/", a, b),
            Expr::Binary(BinaryOp::And, a, b) if ty.dtype == DType::U32 => ("&", a, b),
            Expr::Binary(BinaryOp::Or, a, b) if ty.dtype == DType::U32 => ("|", a, b),
            Expr::Binary(BinaryOp::Xor, a, b) if ty.dtype == DType::U32 => ("^", a, b),
            Expr::Binary(BinaryOp::Shl, a, b) if ty == ValueType::scalar(DType::U32) => ("<<", a, b),
            Expr::Binary(BinaryOp::Shr, a, b) if ty == ValueType::scalar(DType::U32) => (">>", a, b),
            _ => return format!("= {}", self.initialiser(value)),
        };
        if !is_place(self, a) {
            return format!("= {}", self.initialiser(value));
        }
        format!("{sign}= {}", self.initialiser(b))
    }

    /// Whether `a` as `dtype` is a number that was computed in the unsigned type because it may wrap.
    fn wraps(&self, dtype: DType, a: ExprId) -> bool {
        dtype == DType::I32
            && self.ty(a).dtype == DType::U32
            && matches!(self.expr(a), Expr::Binary(..) | Expr::MulAdd(..))
    }

    /// Whether a value is index arithmetic: made of ids, sizes, loop counters and small constants.
    pub(super) fn is_index(&self, id: ExprId) -> bool {
        let own = match self.expr(id) {
            Expr::Literal(Literal::Int(value, _)) => (-SMALL..=SMALL).contains(value),
            Expr::Binary(BinaryOp::Shl, ..) => false,
            Expr::WorkItem(..) | Expr::Binary(..) | Expr::MulAdd(..) | Expr::Compare(..) | Expr::Select(..) => true,
            Expr::Param(param) => {
                let kind = &self.verified.kernel().params[param.0 as usize].kind;
                matches!(kind, ParamKind::Symbol | ParamKind::Size | ParamKind::Position(_))
            }
            Expr::Var(var) => self.index_vars[var.0 as usize],
            Expr::Unary(op, _) => matches!(op, UnaryOp::Neg | UnaryOp::Not),
            Expr::Cast(dtype, a) => dtype.is_integer() && !self.ty(*a).dtype.is_float() && !self.wraps(*dtype, *a),
            Expr::Literal(_)
            | Expr::Bitcast(..)
            | Expr::Load { .. }
            | Expr::LoadArray { .. }
            | Expr::Splat(..)
            | Expr::LaneIds(..)
            | Expr::Lane(..)
            | Expr::Horizontal(..)
            | Expr::Philox { .. }
            | Expr::SubGroup(..)
            | Expr::Call(..) => false,
        };
        let mut all = own;
        if own {
            self.expr(id).visit_operands(&mut |operand| all = all && self.is_index(operand));
        }
        all
    }
}
