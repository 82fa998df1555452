//! Reductions of long rows in two launches: over parts of the rows, and over what these give.

use super::{Rewriter, dim};
use crate::dim::{Dim, Shape};
use crate::dtype::Literal;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, NodeId, Op, ReduceOp};
use crate::span::Result;

/// Which of `axes` to cut, and how many of its places a part has, so that it has at most `part` elements where one place has
/// no more; `None` where one part has everything.
fn cut(sizes: &[u64], axes: &[usize], part: u64) -> Option<(usize, u64)> {
    let inside = |axis: usize| {
        let inner = axes.iter().filter(|own| **own > axis);
        inner.fold(1, |product: u64, &own| product.saturating_mul(sizes[own]))
    };
    let each = |axis: usize| (part / inside(axis).max(1)).max(1);
    let parts = |axis: usize| sizes[axis].div_ceil(each(axis));
    // The axis that gives most parts; of several the outermost: what lies inside it stays in one piece of memory.
    let cuts = axes.iter().rev().copied().filter(|axis| parts(*axis) > 1);
    cuts.max_by_key(|axis| parts(*axis)).map(|axis| (axis, each(axis)))
}

impl Rewriter<'_> {
    /// The reduction of `source` over `axes`, about `part` elements by each work-group of the first launch. What the parts
    /// of a sum or product of half precision give is not rounded to it: the whole is.
    pub(super) fn reduce_in_parts(
        &mut self,
        op: ReduceOp,
        source: NodeId,
        axes: &[usize],
        part: u64,
    ) -> Result<NodeId> {
        let own = self.b.dtype(source);
        if own == own.compute() || !matches!(op, ReduceOp::Sum | ReduceOp::Prod) {
            return self.parts(op, source, axes, part);
        }
        let elements = self.b.cast(source, own.compute())?;
        let total = self.parts(op, elements, axes, part)?;
        self.b.cast(total, own)
    }

    fn parts(&mut self, op: ReduceOp, source: NodeId, axes: &[usize], part: u64) -> Result<NodeId> {
        let (shape, dtype) = (self.b.shape(source).clone(), self.b.dtype(source));
        let sizes: Vec<u64> = shape.0.iter().map(|size| size.likely(self.sizes)).collect();
        let Some((split, each)) = cut(&sizes, axes, part) else {
            let whole = self.b.reduce(op, source, axes, false)?;
            self.prefer(whole, None);
            return Ok(whole);
        };
        let parts = shape[split].ceil_div(each);
        // The axis becomes two: which part, and where in it.
        let mut sizes = shape.0.clone();
        sizes[split] = parts;
        sizes.insert(split + 1, dim(each));
        let sizes = Shape(sizes);
        let moved = |axis: usize| if axis > split { axis + 1 } else { axis };
        let index = (0..shape.rank()).map(|axis| match axis == split {
            true => AxisIndex { terms: vec![(split, each as i64), (split + 1, 1)], ..AxisIndex::fixed(0) },
            false => AxisIndex::axis(moved(axis)),
        });
        let mut view = self.b.view(source, sizes.clone(), index.collect())?;
        let whole = shape[split].as_constant().is_some_and(|size| size % each as i64 == 0);
        if !whole && op != ReduceOp::Sum {
            // Outside, a view reads zero, which only sums leave out by themselves.
            let outside = self.b.push(Op::Constant(op.neutral(dtype)), sizes.clone(), dtype);
            let inside = self.inside(&sizes, split, each, &shape[split])?;
            view = self.b.select(inside, view, outside)?;
        }
        let own: Vec<usize> =
            axes.iter().filter(|axis| **axis != split).map(|&axis| moved(axis)).chain([split + 1]).collect();
        let partial = self.b.reduce(op, view, &own, false)?;
        self.prefer(partial, None);
        let kept = axes.iter().filter(|axis| **axis < split).count();
        let total = self.b.reduce(op, partial, &[split - kept], false)?;
        self.prefer(total, None);
        Ok(total)
    }

    /// Where the place `out[split] · each + out[split + 1]` is below `size`.
    fn inside(&mut self, sizes: &Shape, split: usize, each: u64, size: &Dim) -> Result<NodeId> {
        let dtype = self.width.dtype();
        let [part, place] = [split, split + 1].map(|axis| self.b.iota(sizes, axis, dtype));
        let each = self.b.push(Op::Constant(Literal::Int(each as i64, dtype)), sizes.clone(), dtype);
        let start = self.b.binary(BinaryOp::Mul, part?, each)?;
        let place = self.b.binary(BinaryOp::Add, start, place?)?;
        let size = self.b.dim(size, dtype)?;
        let size = self.b.broadcast_to(size, sizes)?;
        self.b.compare(CompareOp::Lt, place, size)
    }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn an_axis_with_one_part_is_not_cut() {
        assert_eq!(cut(&[1, 100_000], &[0, 1], 4096), Some((1, 4096)));
        assert_eq!(cut(&[3, 100_000], &[0, 1], 4096), Some((1, 4096)));
        assert_eq!(cut(&[3, 100_000], &[1], 4096), Some((1, 4096)));
        assert_eq!(cut(&[64, 32, 3136], &[0, 2], 4096), Some((0, 1)));
        assert_eq!(cut(&[2, 3000], &[0, 1], 4096), Some((0, 1)), "no part is larger than asked for");
        assert_eq!(cut(&[1, 64], &[0, 1], 4096), None);
        assert_eq!(cut(&[0, 64], &[0, 1], 4096), None);
        assert_eq!(cut(&[u64::MAX, u64::MAX], &[0, 1], 4096), Some((0, 1)));
    }
}
