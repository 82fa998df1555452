//! Reductions of long rows in two launches: over parts of the rows, and over what these give.

use super::{Rewriter, dim};
use crate::dim::{Dim, Shape};
use crate::dtype::Literal;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, NodeId, Op, ReduceOp};
use crate::span::Result;

/// How reduced axes become parts.
#[derive(Debug, PartialEq, Eq)]
struct Cut {
    /// Axes of which each place is in other parts than the next.
    apart: Vec<usize>,
    /// The axis inside those that is cut, and how many of its places a part has.
    split: Option<(usize, u64)>,
}

/// Which of `axes` to cut so that a part has about `part` elements; `None` where one part has everything. Outer axes come
/// first: what lies inside them stays in one piece of memory.
fn cut(sizes: &[u64], axes: &[usize], part: u64) -> Option<Cut> {
    let mut cut = Cut { apart: Vec::new(), split: None };
    for &axis in axes.iter().filter(|axis| sizes[**axis] != 1) {
        let inner = axes.iter().filter(|own| **own > axis);
        let inside = inner.fold(1, |product: u64, &own| product.saturating_mul(sizes[own]));
        if inside > part {
            cut.apart.push(axis);
            continue;
        }
        let each = (part / inside.max(1)).max(1);
        cut.split = (sizes[axis].div_ceil(each) > 1).then_some((axis, each));
        break;
    }
    (!cut.apart.is_empty() || cut.split.is_some()).then_some(cut)
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
        let sizes: Vec<u64> = self.b.shape(source).0.iter().map(|size| size.likely(self.sizes)).collect();
        let Some(Cut { apart, split }) = cut(&sizes, axes, part) else {
            let whole = self.b.reduce(op, source, axes, false)?;
            self.prefer(whole, None);
            return Ok(whole);
        };
        let mut own: Vec<usize> = axes.iter().filter(|axis| !apart.contains(axis)).copied().collect();
        let mut counted = apart;
        let mut view = source;
        if let Some((split, each)) = split {
            view = self.split_axis(op, source, split, each)?;
            let moved = |axis: usize| if axis >= split { axis + 1 } else { axis };
            own = own.into_iter().map(moved).collect();
            counted.push(split);
        }
        let partial = self.b.reduce(op, view, &own, false)?;
        self.prefer(partial, None);
        let left = |axis: usize| axis - own.iter().filter(|own| **own < axis).count();
        let counted: Vec<usize> = counted.into_iter().map(left).collect();
        let total = self.b.reduce(op, partial, &counted, false)?;
        self.prefer(total, None);
        Ok(total)
    }

    /// The tensor with the axis `split` as two: which part of `each` places, and which place in it. Behind the last place `op`
    /// finds what changes nothing.
    fn split_axis(&mut self, op: ReduceOp, source: NodeId, split: usize, each: u64) -> Result<NodeId> {
        let (shape, dtype) = (self.b.shape(source).clone(), self.b.dtype(source));
        let mut sizes = shape.0.clone();
        sizes[split] = shape[split].ceil_div(each);
        sizes.insert(split + 1, dim(each));
        let sizes = Shape(sizes);
        let index = (0..shape.rank()).map(|axis| match axis == split {
            true => AxisIndex { terms: vec![(split, each as i64), (split + 1, 1)], ..AxisIndex::fixed(0) },
            false => AxisIndex::axis(if axis > split { axis + 1 } else { axis }),
        });
        let view = self.b.view(source, sizes.clone(), index.collect())?;
        let whole = shape[split].as_constant().is_some_and(|size| size % each as i64 == 0);
        if whole || op == ReduceOp::Sum {
            return Ok(view);
        }
        // Outside, a view reads zero, which only sums leave out by themselves.
        let outside = self.b.push(Op::Constant(op.neutral(dtype)), sizes.clone(), dtype);
        let inside = self.inside(&sizes, split, each, &shape[split])?;
        self.b.select(inside, view, outside)
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
    use super::{Cut, cut};

    #[test]
    fn parts_have_about_as_many_elements_as_asked_for() {
        let apart = |apart: &[usize], split| Some(Cut { apart: apart.to_vec(), split });
        assert_eq!(cut(&[1, 100_000], &[0, 1], 4096), apart(&[], Some((1, 4096))));
        assert_eq!(cut(&[3, 100_000], &[0, 1], 4096), apart(&[0], Some((1, 4096))));
        assert_eq!(cut(&[3, 100_000], &[1], 4096), apart(&[], Some((1, 4096))));
        assert_eq!(cut(&[64, 32, 3136], &[0, 2], 4096), apart(&[], Some((0, 1))));
        assert_eq!(cut(&[2, 3000], &[0, 1], 4096), apart(&[], Some((0, 1))), "no part is larger than asked for");
        assert_eq!(cut(&[2, 5000, 7], &[0, 1], 5000), apart(&[], Some((0, 1))));
        assert_eq!(cut(&[7, 4097, 1], &[0, 1, 2], 4096), apart(&[0], Some((1, 4096))));
        assert_eq!(cut(&[1, 64], &[0, 1], 4096), None);
        assert_eq!(cut(&[0, 64], &[0, 1], 4096), None);
        assert_eq!(cut(&[u64::MAX, u64::MAX], &[0, 1], 4096), apart(&[0], Some((1, 4096))));
    }
}
