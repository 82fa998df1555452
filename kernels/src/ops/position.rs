//! Positions that are no sizes: the elements at `(t + 1) % T` or `min(t + 1, T - 1)` along an axis, where `t` is a loop's round.

use super::args;
use super::inside::{SURE, divisor, has};
use super::numbered::numbered;
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, NodeId};
use crate::span::{Diagnostic, Result};

/// How often the divisor may be in a position for which views are chosen among.
const FEW: i64 = 8;

/// A position along an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Position {
    /// A size.
    At(Dim),
    /// The remainder of the one by the other.
    Remainder(Dim, Dim),
    /// The smaller of both.
    Least(Box<[Position; 2]>),
    /// The greater of both.
    Greatest(Box<[Position; 2]>),
}

/// The elements of `x` at `position` along `axis`, which disappears. For each size that the position may be it is a view of its own,
/// and the position chooses among these: so a loop's gradient is that of the parts which rounds read, as it is for other positions. A
/// remainder that goes around more often than a few times is looked up as a number.
///
/// # Errors
///
/// If the position may be negative, or is not sure to be inside the axis.
pub fn get_at(b: &mut Builder, x: NodeId, axis: i64, position: &Position) -> Result<NodeId> {
    let source = b.shape(x).clone();
    let axis = args::axis("get", &source, axis)?;
    let mut shape = source.clone();
    shape.0.remove(axis);
    let reader = Reader { x, axis, size: source[axis].clone(), shape };
    let problem = |b: &Builder, end: &str| {
        Diagnostic::new(format!("`get` takes position {} along axis {axis} of {source}, {end}", shown(b, position)))
    };
    if !reader.ends_inside(b, position) {
        if let Position::Remainder(_, by) = position {
            let has = has(b, x, axis);
            let message = format!("`get` takes positions below {by} along axis {axis} of {source}, which {has}");
            return Err(Diagnostic::new(message)
                .hint(format!("`% {}` goes around along that axis; {SURE}", divisor(&reader.size))));
        }
        let size = &reader.size;
        let hint = format!("`min(.., {size} - 1)` ends at the last one");
        return Err(problem(b, &format!("which {}", has(b, x, axis))).hint(hint));
    }
    if !reader.begins_inside(b, position) {
        let hint = match position {
            Position::Remainder(_, by) => {
                format!("add `{by}` once more before `%`: what it goes into is at least 0 whatever the sizes are")
            }
            _ => "`max(.., 0)` starts at the first one".to_string(),
        };
        return Err(problem(b, "which may be negative").hint(hint));
    }
    reader.read(b, position).map(|(part, _)| part)
}

/// What is read, and along which axis.
struct Reader {
    x: NodeId,
    axis: usize,
    size: Dim,
    /// Of what is read.
    shape: Shape,
}

impl Reader {
    /// Whether the position is less than the size.
    fn ends_inside(&self, b: &Builder, position: &Position) -> bool {
        let inside = |last: Dim| b.is_never_negative(&(self.size.clone() - last));
        match position {
            Position::At(at) => inside(at.clone() + Dim::constant(1)),
            Position::Remainder(_, by) => inside(by.clone()),
            Position::Least(both) => both.iter().any(|one| self.ends_inside(b, one)),
            Position::Greatest(both) => both.iter().all(|one| self.ends_inside(b, one)),
        }
    }

    /// Whether the position is at least 0.
    fn begins_inside(&self, b: &Builder, position: &Position) -> bool {
        match position {
            Position::At(of) | Position::Remainder(of, _) => b.is_never_negative(of),
            Position::Least(both) => both.iter().all(|one| self.begins_inside(b, one)),
            Position::Greatest(both) => both.iter().any(|one| self.begins_inside(b, one)),
        }
    }

    /// The elements at the size `at`: zeros where that is outside.
    fn view(&self, b: &mut Builder, at: Dim) -> Result<NodeId> {
        let own = |axis: usize| AxisIndex::axis(axis - usize::from(axis > self.axis));
        let mut index: Vec<AxisIndex> = (0..=self.shape.rank()).map(own).collect();
        index[self.axis] = AxisIndex::fixed(at);
        b.view(self.x, self.shape.clone(), index)
    }

    /// The elements there, and the position.
    fn read(&self, b: &mut Builder, position: &Position) -> Result<(NodeId, NodeId)> {
        match position {
            Position::At(at) => Ok((self.view(b, at.clone())?, b.dim(at, DType::I32)?)),
            Position::Remainder(of, by) => {
                let times = |count: i64| by.clone() * Dim::constant(count);
                let (position, divisor) = (b.dim(of, DType::I32)?, b.dim(by, DType::I32)?);
                let Some(last) = quotients(b, of, by).map(|count| count - 1) else {
                    let number = b.binary(BinaryOp::Rem, position, divisor)?;
                    return Ok((numbered(b, self.x, self.axis, number)?, number));
                };
                let mut part = self.view(b, of.clone() - times(last))?;
                for quotient in (0..last).rev() {
                    let here = self.view(b, of.clone() - times(quotient))?;
                    let end = b.dim(&times(quotient + 1), DType::I32)?;
                    let is_there = b.compare(CompareOp::Lt, position, end)?;
                    part = b.select(is_there, here, part)?;
                }
                Ok((part, b.binary(BinaryOp::Rem, position, divisor)?))
            }
            Position::Least(both) => self.either(b, both, (CompareOp::Lt, BinaryOp::Min)),
            Position::Greatest(both) => self.either(b, both, (CompareOp::Gt, BinaryOp::Max)),
        }
    }

    fn either(
        &self,
        b: &mut Builder,
        [one, other]: &[Position; 2],
        (compare, choose): (CompareOp, BinaryOp),
    ) -> Result<(NodeId, NodeId)> {
        let ((part, at), (rest, other)) = (self.read(b, one)?, self.read(b, other)?);
        let is_there = b.compare(compare, at, other)?;
        Ok((b.select(is_there, part, rest)?, b.binary(choose, at, other)?))
    }
}

/// How many quotients there may be of `of`, which is not negative, by `by`, from 0 on, where these are few.
fn quotients(b: &Builder, of: &Dim, by: &Dim) -> Option<i64> {
    (1..=FEW).find(|count| b.is_never_negative(&(by.clone() * Dim::constant(*count) - of.clone() - Dim::constant(1))))
}

/// As the user writes it.
fn shown(b: &Builder, position: &Position) -> String {
    let pair = |name: &str, both: &[Position; 2]| format!("{name}({}, {})", shown(b, &both[0]), shown(b, &both[1]));
    match position {
        Position::At(at) => b.in_rounds(at).to_string(),
        Position::Remainder(of, by) => format!("({}) % {}", b.in_rounds(of), divisor(by)),
        Position::Least(both) => pair("min", both),
        Position::Greatest(both) => pair("max", both),
    }
}
