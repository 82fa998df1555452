//! Convolutions as matrix products of written-down patches: each pixel is stored once for every tap that reads it.

use super::{Rewriter, constant, dim};
use crate::dim::{Dim, Shape};
use crate::graph::{AxisIndex, ConvGeometry, ConvKind, ConvNode, NodeId, ReduceOp};
use crate::span::Result;

impl Rewriter<'_> {
    /// A convolution as a product of patches. `out` is the result's shape.
    pub(super) fn im2col(&mut self, conv: ConvNode, out: &Shape) -> Result<NodeId> {
        let [first, second] = conv.operands;
        match conv.kind {
            ConvKind::Forward => self.im2col_forward((first, second), conv.geometry, out),
            ConvKind::InputGrad => self.im2col_input_grad((first, second), conv.geometry, out),
            ConvKind::WeightGrad => self.im2col_weight_grad((first, second), conv.geometry, out),
        }
    }

    /// `y = w x patches(x)`.
    fn im2col_forward(
        &mut self,
        (input, weight): (NodeId, NodeId),
        geometry: ConvGeometry,
        out: &Shape,
    ) -> Result<NodeId> {
        let groups = geometry.groups;
        let w = self.b.shape(weight).clone();
        let pixels = [out[0].clone(), out[2].clone(), out[3].clone()];
        let patches = self.patches(input, &w, geometry, &pixels)?;
        let terms = w.0[1..].iter().cloned().fold(dim(1), |product, size| product * size);
        let own = out[1].floor_div(groups);
        let weight = self.b.reshape(weight, Shape(vec![dim(groups), own, terms]))?;
        let product = self.b.matmul(weight, patches)?;
        let channels_first = [out[1].clone()].into_iter().chain(pixels).collect();
        let product = self.b.reshape(product, Shape(channels_first))?;
        self.b.permute(product, &[1, 0, 2, 3])
    }

    /// `dw = dy x patches(x)^T`.
    fn im2col_weight_grad(
        &mut self,
        (input, grad): (NodeId, NodeId),
        geometry: ConvGeometry,
        out: &Shape,
    ) -> Result<NodeId> {
        let dy = self.b.shape(grad).clone();
        let pixels = [dy[0].clone(), dy[2].clone(), dy[3].clone()];
        let patches = self.patches(input, out, geometry, &pixels)?;
        let patches = self.b.transpose(patches)?;
        let grad = self.channels_first(grad, geometry.groups)?;
        let product = self.b.matmul(grad, patches)?;
        self.b.reshape(product, out.clone())
    }

    /// `dx[pixel]` is the sum of `w^T x dy` over the taps that read the pixel.
    fn im2col_input_grad(
        &mut self,
        (grad, weight): (NodeId, NodeId),
        geometry: ConvGeometry,
        out: &Shape,
    ) -> Result<NodeId> {
        let ConvGeometry { stride, padding, dilation, groups } = geometry;
        let (dy, w) = (self.b.shape(grad).clone(), self.b.shape(weight).clone());
        let terms = w.0[1..].iter().cloned().fold(dim(1), |product, size| product * size);
        let weight = self.b.reshape(weight, Shape(vec![dim(groups), dy[1].floor_div(groups), terms]))?;
        let weight = self.b.transpose(weight)?;
        let grad = self.channels_first(grad, groups)?;
        let patches = self.b.matmul(weight, grad)?;
        let sizes =
            [dim(groups), w[1].clone(), w[2].clone(), w[3].clone(), dy[0].clone(), dy[2].clone(), dy[3].clone()];
        let patches = self.b.reshape(patches, Shape(sizes.to_vec()))?;
        // [n, groups, channels, h, w, kh, kw]: output pixel (y + padding - tap · dilation) / stride, if that is one.
        let own =
            [out[0].clone(), dim(groups), w[1].clone(), out[2].clone(), out[3].clone(), w[2].clone(), w[3].clone()];
        let wrote = |axis: usize| AxisIndex {
            terms: vec![(3 + axis, 1), (5 + axis, -(dilation[axis] as i64))],
            offset: dim(padding[axis]),
            divisor: stride[axis],
        };
        let mut index: Vec<AxisIndex> = [1, 2, 5, 6, 0].into_iter().map(AxisIndex::axis).collect();
        index.extend([wrote(0), wrote(1)]);
        let read = self.b.view(patches, Shape(own.to_vec()), index)?;
        let sum = self.b.reduce(ReduceOp::Sum, read, &[5, 6], false)?;
        self.b.reshape(sum, out.clone())
    }

    /// The patches of `[n, c, h, w]` for a weight of shape `w`, stored: `[groups, c / groups · kh · kw, n · oh · ow]`.
    fn patches(&mut self, input: NodeId, w: &Shape, geometry: ConvGeometry, pixels: &[Dim; 3]) -> Result<NodeId> {
        let ConvGeometry { stride, padding, dilation, groups } = geometry;
        // [groups, channels, kh, kw, n, oh, ow]
        let sizes: Vec<Dim> =
            std::iter::once(dim(groups)).chain(w.0[1..].iter().cloned()).chain(pixels.iter().cloned()).collect();
        let channel = match groups {
            1 => AxisIndex::axis(1),
            _ => AxisIndex { terms: vec![(0, constant(&w[1])?), (1, 1)], ..AxisIndex::fixed(0) },
        };
        let read = |axis: usize| AxisIndex {
            terms: vec![(2 + axis, dilation[axis] as i64), (5 + axis, stride[axis] as i64)],
            offset: Dim::constant(-(padding[axis] as i64)),
            divisor: 1,
        };
        let index = vec![AxisIndex::axis(4), channel, read(0), read(1)];
        let patches = self.b.view(input, Shape(sizes), index)?;
        self.store(patches);
        let product = |sizes: &[Dim]| sizes.iter().cloned().fold(dim(1), |product, size| product * size);
        self.b.reshape(patches, Shape(vec![dim(groups), product(&w.0[1..]), product(pixels)]))
    }

    /// `[n, groups · o, h, w]` as `[groups, o, n · h · w]`.
    fn channels_first(&mut self, images: NodeId, groups: u64) -> Result<NodeId> {
        let shape = self.b.shape(images).clone();
        let turned = self.b.permute(images, &[1, 0, 2, 3])?;
        let columns = shape[0].clone() * shape[2].clone() * shape[3].clone();
        self.b.reshape(turned, Shape(vec![dim(groups), shape[1].floor_div(groups), columns]))
    }
}
