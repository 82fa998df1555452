//! Long sums in parts: a product or convolution whose result has few tiles but whose sums are long leaves most of a GPU
//! idle. Its parts along the sum become products of their own, in one launch, and their results are added in a second
//! one: always in the same order, without atomics.

use super::{Rewriter, constant, dim};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::{AxisIndex, ConvGeometry, ConvKind, ConvNode, NodeId, Op, ReduceOp};
use crate::span::Result;
use crate::variant::KernelConfig;

impl Rewriter<'_> {
    /// `a x b`, of that type, as `parts` products over parts of the sum.
    pub(super) fn split_product(
        &mut self,
        [a, b]: [NodeId; 2],
        dtype: DType,
        parts: u64,
        rest: KernelConfig,
    ) -> Result<NodeId> {
        let (left, right) = (self.b.shape(a).clone(), self.b.shape(b).clone());
        // Rounded to half precision, the parts would lose what their sum needs.
        let unrounded = dtype.compute();
        let rank = left.rank();
        let each = left[rank - 1].ceil_div(parts);
        let with = |rows: &Dim, columns: &Dim| {
            let inner = [dim(parts), rows.clone(), columns.clone()];
            Shape(left.0[..rank - 2].iter().cloned().chain(inner).collect())
        };
        // Neighbouring terms stay together where the length is known. Where it is not, the parts take turns: a symbol
        // cannot be the factor of a coordinate.
        let along = |inner: usize| {
            let (part, inner) = match each.as_constant() {
                Some(each) => ((rank - 2, each), (inner, 1)),
                None => ((rank - 2, 1), (inner, parts as i64)),
            };
            AxisIndex { terms: vec![part, inner], ..AxisIndex::fixed(0) }
        };
        let outer = || (0..rank - 2).map(AxisIndex::axis);
        let index = outer().chain([AxisIndex::axis(rank - 1), along(rank)]).collect();
        let a = self.b.view(a, with(&left[rank - 2], &each), index)?;
        let index = outer().chain([along(rank - 1), AxisIndex::axis(rank)]).collect();
        let b = self.b.view(b, with(&each, &right[rank - 1]), index)?;
        let partial = self.b.push(Op::MatMul(a, b), with(&left[rank - 2], &right[rank - 1]), unrounded);
        self.prefer(partial, Some(rest));
        self.add_parts(partial, rank - 2, dtype)
    }

    /// A convolution as one with `parts` times as many groups, each of which adds up a part of the sum: of the images for
    /// the weight's gradient, of the channels for the others. `out` and `dtype` are those of the result.
    pub(super) fn split_conv(
        &mut self,
        conv: ConvNode,
        (out, dtype): (&Shape, DType),
        parts: u64,
        rest: KernelConfig,
    ) -> Result<NodeId> {
        let [first, second] = conv.operands;
        let groups = conv.geometry.groups;
        let operands = match conv.kind {
            ConvKind::Forward => [first, self.channels_in_parts(second, groups, parts)?],
            // Each group of a weight's rows is a part of the sum as it stands.
            ConvKind::InputGrad => [first, second],
            ConvKind::WeightGrad => [self.images_in_parts(first, parts)?, self.images_in_parts(second, parts)?],
        };
        let geometry = ConvGeometry { groups: groups * parts, ..conv.geometry };
        let new = ConvNode { operands, geometry, ..conv }.op();
        if conv.kind == ConvKind::WeightGrad {
            let apart = Shape(std::iter::once(dim(parts)).chain(out.0.iter().cloned()).collect());
            let flat = std::iter::once(dim(parts) * out[0].clone()).chain(out.0[1..].iter().cloned()).collect();
            let partial = self.part(new, Shape(flat), rest);
            let partial = self.b.reshape(partial, apart)?;
            return self.add_parts(partial, 0, dtype);
        }
        // The result has [n, groups, parts, channels of a group, h, w].
        let (images, pixels) = (out[0].clone(), &out.0[2..]);
        let flat = [images.clone(), out[1].clone() * dim(parts)].into_iter().chain(pixels.iter().cloned()).collect();
        let partial = self.part(new, Shape(flat), rest);
        if groups == 1 {
            // The sum is the result as it stands, so that rounding it is part of its kernel.
            let apart = [images, dim(parts), out[1].clone()].into_iter().chain(pixels.iter().cloned());
            let apart = self.b.reshape(partial, Shape(apart.collect()))?;
            return self.add_parts(apart, 1, dtype);
        }
        let apart = [images, dim(groups), dim(parts), out[1].floor_div(groups)];
        let apart = self.b.reshape(partial, Shape(apart.into_iter().chain(pixels.iter().cloned()).collect()))?;
        let sum = self.add_parts(apart, 2, dtype)?;
        self.b.reshape(sum, out.clone())
    }

    fn part(&mut self, op: Op, shape: Shape, rest: KernelConfig) -> NodeId {
        let dtype = op.operands().first().map_or(DType::F32, |operand| self.b.dtype(*operand));
        let partial = self.b.push(op, shape, dtype.compute());
        self.prefer(partial, Some(rest));
        partial
    }

    /// A weight `[groups · out, parts · in, kh, kw]` as `[groups · parts · out, in, kh, kw]`.
    fn channels_in_parts(&mut self, weight: NodeId, groups: u64, parts: u64) -> Result<NodeId> {
        let w = self.b.shape(weight).clone();
        let (own, depth) = (w[0].floor_div(groups), w[1].floor_div(parts));
        let taps = w.0[2..].iter().cloned();
        let ordered = [dim(groups), dim(parts), own.clone(), depth.clone()].into_iter().chain(taps.clone()).collect();
        let channel = AxisIndex { terms: vec![(0, constant(&own)?), (2, 1)], ..AxisIndex::fixed(0) };
        let term = AxisIndex { terms: vec![(1, constant(&depth)?), (3, 1)], ..AxisIndex::fixed(0) };
        let weight =
            self.b.view(weight, Shape(ordered), vec![channel, term, AxisIndex::axis(4), AxisIndex::axis(5)])?;
        let flat = [w[0].clone() * dim(parts), depth].into_iter().chain(taps).collect();
        self.b.reshape(weight, Shape(flat))
    }

    /// Images `[n, c, h, w]` as `[n / parts, parts · c, h, w]`: neighbouring images go to different parts, so that memory
    /// stays as it is. Where `n` is no multiple, images of zeros fill up.
    pub(super) fn images_in_parts(&mut self, images: NodeId, parts: u64) -> Result<NodeId> {
        let shape = self.b.shape(images).clone();
        let each = shape[0].ceil_div(parts);
        let rest = || shape.0[1..].iter().cloned();
        let padded = std::iter::once(each.clone() * dim(parts)).chain(rest()).collect();
        let padded = self.b.view(images, Shape(padded), (0..shape.rank()).map(AxisIndex::axis).collect())?;
        let together = [each, dim(parts) * shape[1].clone()].into_iter().chain(shape.0[2..].iter().cloned());
        self.b.reshape(padded, Shape(together.collect()))
    }

    /// The sum of the parts, rounded once.
    pub(super) fn add_parts(&mut self, partial: NodeId, axis: usize, dtype: DType) -> Result<NodeId> {
        let sum = self.b.reduce(ReduceOp::Sum, partial, &[axis], false)?;
        self.prefer(sum, None);
        self.b.cast(sum, dtype)
    }
}
