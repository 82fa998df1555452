//! Convolutions as matrix products of written-down patches: each pixel is stored once for every tap that reads it.

use super::{Rewriter, constant, dim};
use crate::dim::{Dim, Shape, saturating_product};
use crate::dtype::DType;
use crate::graph::{AxisIndex, ConvGeometry, ConvKind, ConvNode, NodeId, Op, ReduceOp};
use crate::span::Result;

/// About how many pixels a part of a weight's gradient adds up: few weights leave most of a GPU idle otherwise.
const TERMS_OF_PART: u64 = 2048;

/// More parts than these take longer to add up than they save.
const MOST_PARTS: u64 = 64;

impl Rewriter<'_> {
    /// A convolution as a product of patches. `out` and `dtype` are those of the result.
    pub(super) fn im2col(&mut self, conv: ConvNode, (out, dtype): (&Shape, DType)) -> Result<NodeId> {
        let [first, second] = conv.operands;
        let result = match conv.kind {
            ConvKind::Forward => self.im2col_forward((first, second), conv.geometry, out)?,
            // A pixel is read by each tap once, so that its gradient is a convolution of its own.
            ConvKind::InputGrad if conv.geometry.stride == [1, 1] => {
                self.im2col_input_grad_unstrided((first, second), conv.geometry, out)?
            }
            ConvKind::InputGrad => self.im2col_input_grad((first, second), conv.geometry, out)?,
            ConvKind::WeightGrad => self.im2col_weight_grad((first, second), conv.geometry, out)?,
        };
        self.b.cast(result, dtype)
    }

    /// `a x b`, not rounded to half precision: what follows may add up.
    fn unrounded_product(&mut self, a: NodeId, b: NodeId) -> NodeId {
        let (left, right) = (self.b.shape(a), self.b.shape(b));
        let shape = Shape(vec![left[0].clone(), left[1].clone(), right[2].clone()]);
        let dtype = self.b.dtype(a).compute();
        self.b.push(Op::MatMul(a, b), shape, dtype)
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
        let own = out[1].floor_div(groups);
        let weight = self.b.reshape(weight, Shape(vec![dim(groups), own, product(&w.0[1..])]))?;
        let result = self.unrounded_product(weight, patches);
        self.images(result, out)
    }

    /// `dw = dy x patches(x)^T`, a sum over all pixels: in parts, each of which has some of the images.
    fn im2col_weight_grad(
        &mut self,
        (input, grad): (NodeId, NodeId),
        geometry: ConvGeometry,
        out: &Shape,
    ) -> Result<NodeId> {
        let dy = self.b.shape(grad).clone();
        let pixels = [dy[0].clone(), dy[2].clone(), dy[3].clone()];
        let likely = pixels.iter().map(|size| size.likely(self.sizes));
        let wanted = saturating_product(likely) / TERMS_OF_PART;
        let parts = wanted.min(dy[0].likely(self.sizes)).clamp(1, MOST_PARTS);
        let [input, grad] = match parts {
            1 => [input, grad],
            _ => [self.images_in_parts(input, parts)?, self.images_in_parts(grad, parts)?],
        };
        let dy = self.b.shape(grad).clone();
        let groups = geometry.groups * parts;
        let weight = Shape(std::iter::once(out[0].clone() * dim(parts)).chain(out.0[1..].iter().cloned()).collect());
        let pixels = [dy[0].clone(), dy[2].clone(), dy[3].clone()];
        let patches = self.patches(input, &weight, ConvGeometry { groups, ..geometry }, &pixels)?;
        let patches = self.b.transpose(patches)?;
        let grad = self.channels_first(grad, groups)?;
        let result = self.unrounded_product(grad, patches);
        let apart = Shape(std::iter::once(dim(parts)).chain(out.0.iter().cloned()).collect());
        let result = self.b.reshape(result, apart)?;
        match parts {
            1 => self.b.reshape(result, out.clone()),
            _ => self.add_parts(result, 0, self.b.dtype(result)),
        }
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
        let weight = self.b.reshape(weight, Shape(vec![dim(groups), dy[1].floor_div(groups), product(&w.0[1..])]))?;
        let weight = self.b.transpose(weight)?;
        let grad = self.channels_first(grad, groups)?;
        let patches = self.unrounded_product(weight, grad);
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

    /// `dx = w^T x patches(dy)`, for steps of one pixel: the taps that read a pixel are those of a window around it.
    fn im2col_input_grad_unstrided(
        &mut self,
        (grad, weight): (NodeId, NodeId),
        geometry: ConvGeometry,
        out: &Shape,
    ) -> Result<NodeId> {
        let ConvGeometry { padding, dilation, groups, .. } = geometry;
        let (dy, w) = (self.b.shape(grad).clone(), self.b.shape(weight).clone());
        let own = dy[1].floor_div(groups);
        // Output pixel y + padding - tap · dilation.
        let wrote = |axis: usize| AxisIndex {
            terms: vec![(2 + axis, -(dilation[axis] as i64)), (5 + axis, 1)],
            offset: dim(padding[axis]),
            divisor: 1,
        };
        let window = [own.clone(), w[2].clone(), w[3].clone()];
        let pixels = [out[0].clone(), out[2].clone(), out[3].clone()];
        let patches = self.stored_patches((grad, groups), &window, &pixels, [wrote(0), wrote(1)])?;
        let apart = Shape(vec![dim(groups), own, w[1].clone(), w[2].clone(), w[3].clone()]);
        let weight = self.b.reshape(weight, apart)?;
        let weight = self.b.permute(weight, &[0, 2, 1, 3, 4])?;
        self.store(weight);
        let weight = self.b.reshape(weight, Shape(vec![dim(groups), w[1].clone(), product(&window)]))?;
        let result = self.unrounded_product(weight, patches);
        self.images(result, out)
    }

    /// The patches of `[n, c, h, w]` for a weight of shape `w`, stored: `[groups, c / groups · kh · kw, n · oh · ow]`.
    fn patches(&mut self, input: NodeId, w: &Shape, geometry: ConvGeometry, pixels: &[Dim; 3]) -> Result<NodeId> {
        let ConvGeometry { stride, padding, dilation, groups } = geometry;
        let read = |axis: usize| AxisIndex {
            terms: vec![(2 + axis, dilation[axis] as i64), (5 + axis, stride[axis] as i64)],
            offset: Dim::constant(-(padding[axis] as i64)),
            divisor: 1,
        };
        self.stored_patches((input, groups), &w.0[1..], pixels, [read(0), read(1)])
    }

    /// What windows of `[channels of a group, kh, kw]` have of images in so many groups, stored and as a matrix for each group. The
    /// pixels of an image are at `[row, column]` over (group, channel, tap, tap, image, row, column).
    fn stored_patches(
        &mut self,
        (images, groups): (NodeId, u64),
        window: &[Dim],
        pixels: &[Dim; 3],
        [row, column]: [AxisIndex; 2],
    ) -> Result<NodeId> {
        let sizes = std::iter::once(dim(groups)).chain(window.iter().cloned()).chain(pixels.iter().cloned()).collect();
        let channel = match groups {
            1 => AxisIndex::axis(1),
            _ => AxisIndex { terms: vec![(0, constant(&window[0])?), (1, 1)], ..AxisIndex::fixed(0) },
        };
        let patches = self.b.view(images, Shape(sizes), vec![AxisIndex::axis(4), channel, row, column])?;
        self.store(patches);
        self.b.reshape(patches, Shape(vec![dim(groups), product(window), product(pixels)]))
    }

    /// Rows of channels, `[groups, o, n · h · w]`, as images of the shape `out`.
    fn images(&mut self, rows: NodeId, out: &Shape) -> Result<NodeId> {
        let channels_first = [1, 0, 2, 3].map(|axis| out[axis].clone());
        let rows = self.b.reshape(rows, Shape(channels_first.to_vec()))?;
        self.b.permute(rows, &[1, 0, 2, 3])
    }

    /// `[n, groups · o, h, w]` as `[groups, o, n · h · w]`.
    fn channels_first(&mut self, images: NodeId, groups: u64) -> Result<NodeId> {
        let shape = self.b.shape(images).clone();
        let turned = self.b.permute(images, &[1, 0, 2, 3])?;
        // Products read fastest where neighbours along the sum are neighbours in memory.
        self.store(turned);
        let columns = shape[0].clone() * shape[2].clone() * shape[3].clone();
        self.b.reshape(turned, Shape(vec![dim(groups), shape[1].floor_div(groups), columns]))
    }
}

fn product(sizes: &[Dim]) -> Dim {
    sizes.iter().cloned().fold(dim(1), |product, size| product * size)
}
