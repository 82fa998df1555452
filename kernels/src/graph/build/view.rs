//! Views: which element of its source each element is. Permutations, broadcasts and reshapes among them.

use super::*;
use crate::equality::Equality;
use std::collections::BTreeMap;

impl Builder {
    /// `out[i] = source[index(i)]`; composes with a view below it where that stays affine.
    pub fn view(&mut self, source: NodeId, shape: Shape, index: Vec<AxisIndex>) -> Result<NodeId> {
        let rank = self.shape(source).rank();
        if index.len() != rank {
            return self.fail(format!(
                "a view of {} needs {rank} coordinates, found {}",
                self.shape(source),
                index.len()
            ));
        }
        for axis in &index {
            for (out, _) in &axis.terms {
                self.check_axis("view", &shape, *out)?;
            }
        }
        if self.literal {
            let dtype = self.dtype(source);
            return Ok(self.push(Op::View { source, index }, shape, dtype));
        }
        let identity = index.iter().enumerate().all(|(axis, index)| index.as_axis() == Some(axis));
        if identity && shape == *self.shape(source) {
            return Ok(source);
        }
        let dtype = self.dtype(source);
        match self.graph[source].op.clone() {
            Op::Constant(literal) if !self.may_be_outside(&index, self.shape(source), &shape) => {
                return Ok(self.push(Op::Constant(literal), shape, dtype));
            }
            Op::View { source: inner, index: below }
                if below.iter().all(|b| b.divisor == 1) && !self.may_be_outside(&index, self.shape(source), &shape) =>
            {
                if let Some(composed) = below.iter().map(|b| compose(b, &index)).collect::<Option<Vec<_>>>() {
                    return self.view(inner, shape, composed);
                }
            }
            _ => {}
        }
        Ok(self.push(Op::View { source, index }, shape, dtype))
    }

    /// The same without these axes of size 1.
    pub(crate) fn squeezed(&mut self, source: NodeId, axes: &[usize]) -> Result<NodeId> {
        if axes.is_empty() {
            return Ok(source);
        }
        let full = self.shape(source).clone();
        let kept: Vec<usize> = (0..full.rank()).filter(|axis| !axes.contains(axis)).collect();
        let index = (0..full.rank()).map(|axis| match kept.iter().position(|own| *own == axis) {
            Some(own) => AxisIndex::axis(own),
            None => AxisIndex::fixed(0),
        });
        let index = index.collect();
        self.view(source, Shape(kept.iter().map(|axis| full[*axis].clone()).collect()), index)
    }

    /// Whether a view with `index` may read outside `source`.
    fn may_be_outside(&self, index: &[AxisIndex], source: &Shape, out: &Shape) -> bool {
        index.iter().zip(&source.0).any(|(index, dim)| self.may_be_outside_axis(index, dim, out))
    }

    /// Whether a coordinate may lie outside an axis of `dim` elements, in a call that is not refused.
    pub(crate) fn may_be_outside_axis(&self, index: &AxisIndex, dim: &Dim, out: &Shape) -> bool {
        index.spare(dim, out).is_none_or(|spare| !spare.iter().all(|size| self.is_sure(size)))
    }

    /// Whether the size is at least 0, whatever its symbols are, in all rounds of the loops that are built.
    pub fn is_never_negative(&self, size: &Dim) -> bool {
        size.never_negative() || self.in_loops(size).never_negative() || self.is_never_negative_at_ends(size)
    }

    /// The axes in another order: `out[i0, i1, ..]` has `order[k]` of the source as its axis `k`.
    pub fn permute(&mut self, a: NodeId, order: &[usize]) -> Result<NodeId> {
        let source = self.shape(a).clone();
        let mut seen = order.to_vec();
        seen.sort();
        if !seen.iter().copied().eq(0..source.rank()) {
            let message = format!("`permute` of {source} expects each axis once, found {order:?}");
            let all: Vec<usize> = (0..source.rank()).rev().collect();
            return Err(Diagnostic::new(message)
                .hint(format!("the new order of all axes: {all:?} turns it round; `.transpose` exchanges two"))
                .at(self.span));
        }
        let shape = Shape(order.iter().map(|&axis| source[axis].clone()).collect());
        let index = (0..source.rank()).map(|axis| AxisIndex::axis(order.iter().position(|&o| o == axis).unwrap_or(0)));
        self.view(a, shape, index.collect())
    }

    /// Swaps the last two axes.
    pub fn transpose(&mut self, a: NodeId) -> Result<NodeId> {
        let rank = self.shape(a).rank();
        if rank < 2 {
            return self.fail(format!("`t` expects at least 2 axes, found {}", self.shape(a)));
        }
        let mut order: Vec<usize> = (0..rank).collect();
        order.swap(rank - 1, rank - 2);
        self.permute(a, &order)
    }

    /// Repeats `a` to `shape`: missing leading axes and axes of size 1 stretch.
    pub fn broadcast_to(&mut self, a: NodeId, shape: &Shape) -> Result<NodeId> {
        let source = self.shape(a).clone();
        if source == *shape {
            return Ok(a);
        }
        if source.rank() > shape.rank() {
            let message = format!("{source} does not broadcast to {shape}");
            return Err(Diagnostic::new(message)
                .hint("axes are added in front, and those of one element stretch: the result has as many axes, or more")
                .at(self.span));
        }
        let lead = shape.rank() - source.rank();
        let mut index = Vec::new();
        for (axis, dim) in source.0.iter().enumerate() {
            if *dim == shape[lead + axis] {
                index.push(AxisIndex::axis(lead + axis));
            } else if dim.is(1) {
                index.push(AxisIndex::fixed(0));
            } else {
                let note = self.origin_note(a, axis);
                let message = format!("{source}{note} does not broadcast to {shape}");
                let agreement = Agreement {
                    what: format!("{message}: axis {} is", lead + axis),
                    sizes: [dim.clone(), shape[lead + axis].clone()],
                    notes: [String::new(), String::new()],
                    joint: "against".to_string(),
                };
                if !self.agree(agreement) {
                    let wanted = &shape[lead + axis];
                    let hint = format!("axis {axis} has {dim}, and only an axis of one element stretches to {wanted}");
                    return Err(Diagnostic::new(message).hint(hint).at(self.span));
                }
                index.push(AxisIndex::axis(lead + axis));
            }
        }
        self.view(a, shape.clone(), index)
    }

    /// The shape both broadcast to.
    pub fn broadcast_shapes(&self, op: &str, a: Shape, b: Shape) -> Result<Shape> {
        let rank = a.rank().max(b.rank());
        let mut dims = Vec::with_capacity(rank);
        for axis in 0..rank {
            let side = |shape: &Shape| (axis + shape.rank()).checked_sub(rank).map(|axis| shape[axis].clone());
            dims.push(match (side(&a), side(&b)) {
                (Some(x), Some(y)) if x == y => x,
                (Some(x), Some(y)) if y.is(1) => x,
                (Some(x), Some(y)) if x.is(1) => y,
                (Some(x), None) | (None, Some(x)) => x,
                (Some(x), Some(y)) if x.equality(&y) != Equality::No => smaller(&x, &y),
                _ => {
                    return Err(Diagnostic::new(format!("`{op}` cannot combine shapes {a} and {b}"))
                        .hint("axes are compared from the last: sizes are equal, or one of them is 1")
                        .at(self.span));
                }
            });
        }
        Ok(Shape(dims))
    }

    pub(super) fn broadcast_pair(&mut self, op: &str, mut a: NodeId, mut b: NodeId) -> Result<(NodeId, NodeId)> {
        self.autocast(op, &mut [&mut a, &mut b])?;
        let (x, y) = (self.dtype(a), self.dtype(b));
        if x != y {
            return Err(Diagnostic::new(format!("`{op}` expects operands of one type, found {x} and {y}"))
                .hint("convert one of them with `.cast(..)`")
                .at(self.span));
        }
        let (sa, sb) = (self.shape(a).clone(), self.shape(b).clone());
        let shape = self.broadcast_shapes(op, sa.clone(), sb.clone()).map_err(|mut diagnostic| {
            // Say where the sizes that disagree came from.
            let rank = sa.rank().max(sb.rank());
            for axis in 0..sa.rank().min(sb.rank()) {
                let (xa, xb) = (sa.rank() - 1 - axis, sb.rank() - 1 - axis);
                if sa[xa].equality(&sb[xb]) == Equality::No && !sa[xa].is(1) && !sb[xb].is(1) {
                    diagnostic.message = format!(
                        "{}: axis {} is {}{} on the left and {}{} on the right",
                        diagnostic.message,
                        rank - 1 - axis,
                        sa[xa],
                        self.origin_note(a, xa),
                        sb[xb],
                        self.origin_note(b, xb)
                    );
                    break;
                }
            }
            diagnostic
        })?;
        for back in 1..=sa.rank().min(sb.rank()) {
            let (xa, xb) = (sa.rank() - back, sb.rank() - back);
            if !sa[xa].is(1) && !sb[xb].is(1) {
                let axis = shape.rank() - back;
                let what = format!("`{op}` cannot combine shapes {sa} and {sb}: axis {axis} is");
                self.agree_along([(a, xa), (b, xb)], &what, "on the left and on the right");
            }
        }
        Ok((self.broadcast_to(a, &shape)?, self.broadcast_to(b, &shape)?))
    }
}

impl AxisIndex {
    /// Whether the coordinate may fall outside `0..dim` (or between elements) for some position of `out`.
    pub fn may_be_outside(&self, dim: &Dim, out: &Shape) -> bool {
        self.spare(dim, out).is_none_or(|spare| spare.iter().any(|size| !size.never_negative()))
    }

    /// The least coordinate, and how far the greatest stays from the end: inside, neither is negative. None where that cannot be
    /// said.
    fn spare(&self, dim: &Dim, out: &Shape) -> Option<[Dim; 2]> {
        if self.divisor != 1 {
            return None;
        }
        let (mut low, mut high) = (self.offset.clone(), self.offset.clone());
        for (axis, coefficient) in &self.terms {
            let reach = (out[*axis].clone() - Dim::constant(1)) * Dim::constant(*coefficient);
            if *coefficient > 0 { high = high + reach } else { low = low + reach }
        }
        let spare = dim.clone() - Dim::constant(1) - high;
        Some([low, spare])
    }
}

/// `below` (over the middle coordinates) after `index` (middle over output coordinates); `None` if not affine, or with
/// coefficients beyond 64 bits.
fn compose(below: &AxisIndex, index: &[AxisIndex]) -> Option<AxisIndex> {
    let mut terms: BTreeMap<usize, i64> = BTreeMap::new();
    let mut offset = below.offset.clone();
    for (middle, coefficient) in &below.terms {
        let inner = &index[*middle];
        if inner.divisor != 1 {
            return None;
        }
        for (axis, c) in &inner.terms {
            let sum = terms.entry(*axis).or_default();
            *sum = c.checked_mul(*coefficient).and_then(|product| sum.checked_add(product))?;
        }
        offset = offset + inner.offset.clone() * Dim::constant(*coefficient);
    }
    let terms = terms.into_iter().filter(|(_, c)| *c != 0).collect();
    Some(AxisIndex { terms, offset, divisor: below.divisor })
}
