//! Between which numbers an integer lies, as far as the text tells: an index that cannot leave what it indexes needs no check.
//!
//! Kernels' integers wrap. A range is that of the value after wrapping: where a result may leave its type, nothing is known of
//! it. Only variables that nothing assigns to have a range of their own.

use super::state::{Interval, Simt};
use netcl_kernels::dim::INDEX_LIMIT;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::{BinaryOp, CompareOp, UnaryOp};
use netcl_kernels::kir::{Expr, ExprId, ParamKind, VarId, WorkItem};

/// What holds of any value of the type.
fn all(dtype: DType) -> Interval {
    let numbers = || dtype.whole_range().unwrap_or((i64::MIN, i64::MAX));
    if dtype == DType::Bool { (0, 1) } else { numbers() }
}

/// The range if the type holds it: else the value may have wrapped.
fn held(dtype: DType, low: Option<i64>, high: Option<i64>) -> Option<Interval> {
    let (least, most) = all(dtype);
    let range = (low?, high?);
    (least <= range.0 && range.1 <= most).then_some(range)
}

impl Simt<'_> {
    /// Notes that the variable is `value` wherever it is read.
    pub(super) fn stays(&mut self, var: VarId, value: ExprId) {
        let range = self.range(value);
        self.ranges.insert(var, range);
    }

    /// Notes the values of a loop's counter.
    pub(super) fn counts(&mut self, var: VarId, start: ExprId, end: ExprId) {
        let (start, end) = (self.range(start), self.range(end));
        self.ranges.insert(var, (start.0, end.1.saturating_sub(1).max(start.0)));
    }

    /// Between which values an integer lies, whatever the kernel is given.
    pub(super) fn range(&self, id: ExprId) -> Interval {
        let ty = self.ty(id);
        if ty.lanes > 1 || !ty.dtype.is_integer() {
            return all(ty.dtype);
        }
        self.told(id, ty.dtype).unwrap_or(all(ty.dtype))
    }

    fn told(&self, id: ExprId, dtype: DType) -> Option<Interval> {
        let kernel = self.builder.kernel();
        match *kernel.expr(id) {
            Expr::Literal(Literal::Int(value, _)) => Some((value, value)),
            Expr::Var(var) => self.ranges.get(&var).copied(),
            // Every axis is that of a tensor.
            Expr::Param(param) if kernel.params[param.0 as usize].kind == ParamKind::Symbol => {
                Some((1, INDEX_LIMIT as i64))
            }
            Expr::WorkItem(item, dimension) => self.of_item(item, dimension),
            Expr::Binary(op, a, b) => combined(op, self.range(a), self.range(b), dtype),
            Expr::MulAdd(a, b, c) => {
                let product = combined(BinaryOp::Mul, self.range(a), self.range(b), dtype)?;
                combined(BinaryOp::Add, product, self.range(c), dtype)
            }
            Expr::Select(_, a, b) => {
                let (a, b) = (self.range(a), self.range(b));
                Some((a.0.min(b.0), a.1.max(b.1)))
            }
            Expr::Cast(_, a) if self.ty(a).dtype.is_integer() || self.ty(a).dtype == DType::Bool => {
                let (low, high) = self.range(a);
                held(dtype, Some(low), Some(high))
            }
            _ => None,
        }
    }

    /// Ids and sizes that the launch's `local` tells.
    fn of_item(&self, item: WorkItem, dimension: u8) -> Option<Interval> {
        let local = &self.builder.kernel().launch.local;
        let items: i64 = local.iter().map(|&size| i64::from(size)).product();
        let size = i64::from(*local.get(usize::from(dimension))?);
        match item {
            WorkItem::LocalId => Some((0, size - 1)),
            WorkItem::LocalSize => Some((size, size)),
            // A sub-group is part of a work-group.
            WorkItem::SubGroupLane | WorkItem::SubGroupId => Some((0, items - 1)),
            WorkItem::SubGroupSize => Some((1, items)),
            _ => None,
        }
    }

    /// Notes what holds where the condition does, or does not. Give [`Simt::forget`] the result.
    pub(super) fn learn(&mut self, condition: ExprId, holds: bool) -> usize {
        let before = self.facts.len();
        self.facts_of(condition, holds);
        before
    }

    /// Notes that `less` is below `more`.
    pub(super) fn learn_below(&mut self, less: ExprId, more: ExprId) -> usize {
        let before = self.facts.len();
        if self.is_fixed(less) && self.is_fixed(more) {
            self.facts.push((less, more));
        }
        before
    }

    /// Forgets what was learnt since.
    pub(super) fn forget(&mut self, before: usize) {
        self.facts.truncate(before);
    }

    fn facts_of(&mut self, condition: ExprId, holds: bool) {
        let is = |this: &Self, id: ExprId, value: bool| matches!(this.builder.kernel().expr(id), Expr::Literal(Literal::Bool(known)) if *known == value);
        match *self.builder.kernel().expr(condition) {
            Expr::Compare(op, a, b) => match (op, holds) {
                (CompareOp::Lt, true) | (CompareOp::Ge, false) => drop(self.learn_below(a, b)),
                (CompareOp::Gt, true) | (CompareOp::Le, false) => drop(self.learn_below(b, a)),
                // `(a < b) == false`, as a negation is written.
                (CompareOp::Eq, _) if is(self, b, false) => self.facts_of(a, !holds),
                _ => {}
            },
            Expr::Unary(UnaryOp::Not, a) => self.facts_of(a, !holds),
            // `a && b` and `a || b` are choices.
            Expr::Select(a, b, no) if holds && is(self, no, false) => {
                self.facts_of(a, true);
                self.facts_of(b, true);
            }
            Expr::Select(a, yes, b) if !holds && is(self, yes, true) => {
                self.facts_of(a, false);
                self.facts_of(b, false);
            }
            _ => {}
        }
    }

    /// Whether the expression has one value throughout: made of literals, sizes, ids and variables that nothing assigns to.
    fn is_fixed(&self, id: ExprId) -> bool {
        let expr = self.builder.kernel().expr(id);
        let own = match expr {
            Expr::Literal(_) | Expr::Param(_) | Expr::WorkItem(..) => true,
            Expr::Var(var) => self.ranges.contains_key(var),
            Expr::Binary(..) | Expr::MulAdd(..) | Expr::Cast(..) => true,
            _ => false,
        };
        own && expr.operands().into_iter().all(|operand| self.is_fixed(operand))
    }
}

fn combined(op: BinaryOp, a: Interval, b: Interval, dtype: DType) -> Option<Interval> {
    let positive = a.0 >= 0 && b.0 >= 0;
    match op {
        BinaryOp::Add => held(dtype, a.0.checked_add(b.0), a.1.checked_add(b.1)),
        BinaryOp::Sub => held(dtype, a.0.checked_sub(b.1), a.1.checked_sub(b.0)),
        BinaryOp::Mul if positive => held(dtype, a.0.checked_mul(b.0), a.1.checked_mul(b.1)),
        // Zero where the divisor is.
        BinaryOp::Div if positive && b.0 > 0 => Some((a.0 / b.1, a.1 / b.0)),
        BinaryOp::Div if positive => Some((0, a.1)),
        BinaryOp::Rem if positive => Some((0, a.1.min((b.1 - 1).max(0)))),
        BinaryOp::Max => Some((a.0.max(b.0), a.1.max(b.1))),
        BinaryOp::Min => Some((a.0.min(b.0), a.1.min(b.1))),
        // No bit but those of a side that is not negative.
        BinaryOp::And if positive => Some((0, a.1.min(b.1))),
        BinaryOp::And if a.0 >= 0 => Some((0, a.1)),
        BinaryOp::And if b.0 >= 0 => Some((0, b.1)),
        BinaryOp::Or | BinaryOp::Xor if positive => {
            let bits = 64 - a.1.max(b.1).leading_zeros();
            held(dtype, Some(0), 1i64.checked_shl(bits).and_then(|power| power.checked_sub(1)))
        }
        BinaryOp::Shl => shifted(true, a, b, dtype),
        BinaryOp::Shr => shifted(false, a, b, dtype),
        _ => None,
    }
}

fn shifted(left: bool, a: Interval, count: Interval, dtype: DType) -> Option<Interval> {
    // The count is taken modulo the width.
    let width = i64::from(dtype.size() as u32) * 8;
    if a.0 < 0 {
        return None;
    }
    let known = count.0 >= 0 && count.1 < width;
    match (left, known) {
        (false, true) => Some((a.0 >> count.1, a.1 >> count.0)),
        (false, false) => Some((0, a.1)),
        (true, true) => held(
            dtype,
            a.0.checked_mul(1i64.checked_shl(count.0 as u32)?),
            a.1.checked_mul(1i64.checked_shl(count.1 as u32)?),
        ),
        (true, false) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOP: i64 = u32::MAX as i64;

    #[test]
    fn what_may_wrap_is_not_known() {
        let unsigned = |op, a, b| combined(op, a, b, DType::U32);
        assert_eq!(unsigned(BinaryOp::Add, (0, 63), (0, 1)), Some((0, 64)));
        assert_eq!(unsigned(BinaryOp::Add, (0, TOP), (0, 1)), None);
        assert_eq!(unsigned(BinaryOp::Sub, (8, 63), (1, 8)), Some((0, 62)));
        assert_eq!(unsigned(BinaryOp::Sub, (0, 63), (1, 1)), None, "0 - 1");
        assert_eq!(unsigned(BinaryOp::Mul, (0, 1 << 16), (0, 1 << 15)), Some((0, 1 << 31)));
        assert_eq!(unsigned(BinaryOp::Mul, (0, 1 << 16), (0, 1 << 16)), None);
        assert_eq!(combined(BinaryOp::Mul, (0, 1 << 16), (0, 1 << 15), DType::I32), None);
        assert_eq!(combined(BinaryOp::Mul, (-2, 2), (0, 3), DType::I32), None, "left to the check");
        assert_eq!(combined(BinaryOp::Sub, (0, 63), (1, 1), DType::I32), Some((-1, 62)));
    }

    #[test]
    fn quotients_and_remainders_of_what_is_not_negative() {
        let unsigned = |op, a, b| combined(op, a, b, DType::U32);
        assert_eq!(unsigned(BinaryOp::Rem, (0, TOP), (64, 64)), Some((0, 63)));
        assert_eq!(unsigned(BinaryOp::Rem, (0, 5), (64, 64)), Some((0, 5)));
        assert_eq!(unsigned(BinaryOp::Rem, (0, 5), (0, 0)), Some((0, 0)), "zero by zero");
        assert_eq!(unsigned(BinaryOp::Div, (0, 63), (2, 8)), Some((0, 31)));
        assert_eq!(unsigned(BinaryOp::Div, (3, 63), (0, 8)), Some((0, 63)), "zero by zero, else no more than it was");
        assert_eq!(combined(BinaryOp::Rem, (-1, 5), (64, 64), DType::I32), None);
        assert_eq!(combined(BinaryOp::And, (-9, 9), (0, 63), DType::I32), Some((0, 63)));
        assert_eq!(combined(BinaryOp::Or, (0, 5), (0, 8), DType::I32), Some((0, 15)));
        assert_eq!(combined(BinaryOp::Xor, (-1, 5), (0, 8), DType::I32), None);
    }

    #[test]
    fn shifts_by_what_is_known() {
        let unsigned = |left, a, count| shifted(left, a, count, DType::U32);
        assert_eq!(unsigned(false, (0, TOP), (26, 26)), Some((0, 63)));
        assert_eq!(unsigned(false, (16, 63), (0, 33)), Some((0, 63)), "33 is 1");
        assert_eq!(unsigned(true, (0, 7), (3, 3)), Some((0, 56)));
        assert_eq!(unsigned(true, (0, 7), (0, 30)), None);
        assert_eq!(unsigned(true, (0, 7), (32, 32)), None);
    }
}
