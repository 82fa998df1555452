//! Where a cotangent counts: what `if` and `select` leave of it.
//!
//! The branch of an `if` that is not taken contributes nothing, whatever its derivative is there. A rule only multiplies
//! the branch's cotangent, which is zero, by that derivative: `0 / 0` and `0 * inf` are NaN. So each cotangent knows the
//! conditions under which it counts, and is set to zero elsewhere as soon as it meets another one, leaves the elements
//! that the conditions speak of, or is asked for; not before, so that a chain of rules costs one `select`.

use super::maths::Maths;
use super::view::view_adjoint;
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId, Op, ReduceOp, UnaryOp};
use crate::span::Result;

/// A truth value for each element, and which of the two it is to be.
type Literal = (NodeId, bool);

/// Conditions on the elements of one shape: one of several lists holds wholly. The lists are sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Predicate(Vec<Vec<Literal>>);

impl Predicate {
    /// Where `condition` is `wanted`.
    pub(super) fn of(condition: NodeId, wanted: bool) -> Predicate {
        Predicate(vec![vec![(condition, wanted)]])
    }

    /// Where this holds and `condition` is `wanted`.
    pub(super) fn and(mut self, condition: NodeId, wanted: bool) -> Predicate {
        for list in &mut self.0 {
            if let Err(place) = list.binary_search(&(condition, wanted)) {
                list.insert(place, (condition, wanted));
            }
        }
        self
    }

    /// Where either holds; `None` is everywhere.
    pub(super) fn or(mut self, other: Predicate) -> Option<Predicate> {
        for list in other.0 {
            self.add(list)?;
        }
        Some(self)
    }

    /// Adds a list, without keeping what follows from others; `None` if they hold everywhere.
    fn add(&mut self, mut list: Vec<Literal>) -> Option<()> {
        if self.0.iter().any(|known| known.iter().all(|literal| list.contains(literal))) {
            return Some(());
        }
        // With a condition or without it is whether or not.
        let turned = |list: &[Literal], at: usize| {
            let mut turned = list.to_vec();
            turned[at].1 = !turned[at].1;
            turned
        };
        for at in 0..list.len() {
            if let Some(place) = self.0.iter().position(|known| *known == turned(&list, at)) {
                self.0.remove(place);
                list.remove(at);
                return if list.is_empty() { None } else { self.add(list) };
            }
        }
        self.0.retain(|known| !list.iter().all(|literal| known.contains(literal)));
        self.0.push(list);
        Some(())
    }

    /// The truth value of each element.
    pub(super) fn mask(&self, builder: &mut Builder) -> Result<NodeId> {
        let mut any = None;
        for list in &self.0 {
            let mut all = None;
            for &(condition, wanted) in list {
                let literal = if wanted { condition } else { builder.unary(UnaryOp::Not, condition)? };
                all = Some(join(builder, BinaryOp::And, all, literal)?);
            }
            if let Some(all) = all {
                any = Some(join(builder, BinaryOp::Or, any, all)?);
            }
        }
        Ok(any.expect("a guard has conditions"))
    }

    /// `value` where this holds, 0 elsewhere.
    fn apply(&self, builder: &mut Builder, value: NodeId) -> Result<NodeId> {
        let (shape, dtype) = (builder.shape(value).clone(), builder.dtype(value));
        let zero = builder.full(0.0, &shape, dtype);
        let [list] = self.0.as_slice() else {
            let mask = self.mask(builder)?;
            return builder.select(mask, value, zero);
        };
        let mut value = value;
        for &(condition, wanted) in list {
            let (then, otherwise) = if wanted { (value, zero) } else { (zero, value) };
            value = builder.select(condition, then, otherwise)?;
        }
        Ok(value)
    }
}

fn join(builder: &mut Builder, op: BinaryOp, before: Option<NodeId>, literal: NodeId) -> Result<NodeId> {
    match before {
        Some(before) => builder.binary(op, before, literal),
        None => Ok(literal),
    }
}

/// The cotangent of a node so far.
#[derive(Clone, Debug)]
pub(super) struct Cotangent {
    pub(super) value: NodeId,
    /// Where it counts; `None` is everywhere.
    pub(super) guard: Option<Predicate>,
    /// Whether it may be something else than zero where it does not count.
    pub(super) open: bool,
}

impl Cotangent {
    /// One that counts everywhere.
    pub(super) fn everywhere(value: NodeId) -> Cotangent {
        Cotangent { value, guard: None, open: false }
    }

    /// The same, zero where it does not count.
    pub(super) fn closed(self, builder: &mut Builder) -> Result<Cotangent> {
        let value = match &self.guard {
            Some(guard) if self.open => guard.apply(builder, self.value)?,
            _ => self.value,
        };
        Ok(Cotangent { value, open: false, ..self })
    }

    /// Both together.
    pub(super) fn plus(self, builder: &mut Builder, other: Cotangent) -> Result<Cotangent> {
        if self.guard == other.guard {
            let value = builder.binary(BinaryOp::Add, self.value, other.value)?;
            return Ok(Cotangent { value, open: self.open || other.open, ..self });
        }
        let (a, b) = (self.closed(builder)?, other.closed(builder)?);
        let value = builder.binary(BinaryOp::Add, a.value, b.value)?;
        let guard = a.guard.zip(b.guard).and_then(|(a, b)| a.or(b));
        Ok(Cotangent { value, guard, open: false })
    }
}

/// Where the contribution number `number` to the cotangent of `operand` counts, and whether it is open, if `cotangent` is
/// that of `id`.
pub(super) fn passed(
    builder: &mut Builder,
    id: NodeId,
    (operand, number): (NodeId, usize),
    cotangent: &Cotangent,
) -> Result<(Option<Predicate>, bool)> {
    let op = builder.node(id).op.clone();
    if let Op::Select(condition, then, _) = op {
        let wanted = operand == then && number == 0;
        let guard = match &cotangent.guard {
            Some(guard) => guard.clone().and(condition, wanted),
            None => Predicate::of(condition, wanted),
        };
        return Ok((Some(guard), cotangent.open));
    }
    let Some(guard) = &cotangent.guard else { return Ok((None, false)) };
    if op.is_elementwise() {
        return Ok((Some(guard.clone()), cotangent.open || !keeps_zero(builder, &op, operand)));
    }
    let mask = guard.mask(builder)?;
    let (moved, open) = match op {
        Op::Reshape(x) => {
            let shape = builder.shape(x).clone();
            (builder.reshape(mask, shape)?, false)
        }
        Op::Reduce { op, source, axes } => (Maths(builder).spread(mask, source, &axes)?, op == ReduceOp::Prod),
        // An element counts where any of its copies does.
        Op::View { source, index } => {
            let shape = builder.shape(source).clone();
            let ones = builder.cast(mask, DType::F32)?;
            let counts = view_adjoint(builder, ones, &shape, &index)?;
            let zero = builder.full(0.0, &shape, DType::F32);
            (builder.compare(CompareOp::Gt, counts, zero)?, false)
        }
        // A sum over elements on either side of the condition counts everywhere.
        _ => return Ok((None, false)),
    };
    Ok((Some(Predicate::of(moved, true)), open))
}

/// Whether the rule makes 0 of a cotangent of 0, whatever the operands are.
fn keeps_zero(builder: &Builder, op: &Op, operand: NodeId) -> bool {
    let number = |id: NodeId| builder.uniform(id).map(|value| value.as_f64()).filter(|value| value.is_finite());
    match *op {
        Op::Cast(_) | Op::Unary(UnaryOp::Neg, _) => true,
        Op::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Max | BinaryOp::Min, ..) => true,
        Op::Binary(BinaryOp::Rem, a, b) => operand == a && a != b,
        Op::Binary(BinaryOp::Mul, a, b) => number(if operand == a { b } else { a }).is_some(),
        Op::Binary(BinaryOp::Div, a, b) => operand == a && number(b).is_some_and(|b| b != 0.0),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_join() {
        let [a, b] = [NodeId(0), NodeId(1)];
        let of = Predicate::of;
        assert_eq!(of(a, true).or(of(a, false)), None, "whether or not");
        assert_eq!(of(a, true).or(of(a, true).and(b, true)), Some(of(a, true)), "the narrower follows");
        assert_eq!(of(a, true).and(b, true).or(of(a, true)), Some(of(a, true)));
        assert_eq!(of(b, true).and(a, true).or(of(a, false).and(b, true)), Some(of(b, true)), "whatever `a` is");
        let apart = of(a, true).or(of(b, false)).expect("not everywhere");
        assert_eq!(apart, Predicate(vec![vec![(a, true)], vec![(b, false)]]));
    }
}
