//! Winograd's F(2×2, 3×3): tiles of 2×2 results of a 3×3 filter from 16 multiplications instead of 36.
//!
//! Along one axis, a filter `g` of 3 taps and 4 neighbouring pixels `d` give 2 results:
//!
//! ```text
//! m(0, w) = (d[w] - d[w + 2]) · g[2 w]                            w = 0, 1
//! m(1, w) = (d[2] ± d[1]) · (g[0] + g[2] ± g[1]) / 2              + for w = 0, - for w = 1
//! y[r]    = ± m(0, r) + m(1, 0) ± m(1, 1)                         + for r = 0, - for r = 1
//! ```
//!
//! which is the usual one with its products in an order in which every index is a sum of coordinates. Products are summed
//! over channels, so that each of the 4×4 is a matrix product: one batch of 16.
//!
//! The algorithm is that of Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks" (2015).

use super::{Rewriter, dim};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, ConvKind, ConvNode, NodeId};
use crate::span::{Diagnostic, Result};

/// `sum of coefficient · out[axis], + offset`.
fn sum(terms: &[(usize, i64)], offset: i64) -> AxisIndex {
    AxisIndex { terms: terms.to_vec(), offset: Dim::constant(offset), divisor: 1 }
}

impl Rewriter<'_> {
    /// A convolution with a 3×3 filter, stride and dilation 1 and one group, or its input's gradient, which is one with the
    /// filter turned.
    pub(super) fn winograd(&mut self, conv: ConvNode, out: &Shape) -> Result<NodeId> {
        let [images, weight] = conv.operands;
        let padding = conv.geometry.padding.map(|padding| padding as i64);
        match conv.kind {
            ConvKind::Forward => self.winograd_tiles(images, weight, padding, out),
            ConvKind::InputGrad => {
                let w = self.b.shape(weight).clone();
                let turned = Shape(vec![w[1].clone(), w[0].clone(), w[2].clone(), w[3].clone()]);
                let index = vec![AxisIndex::axis(1), AxisIndex::axis(0), sum(&[(2, -1)], 2), sum(&[(3, -1)], 2)];
                let weight = self.b.view(weight, turned, index)?;
                self.winograd_tiles(images, weight, padding.map(|padding| 2 - padding), out)
            }
            ConvKind::WeightGrad => {
                Err(Diagnostic::new("internal error: the weight's gradient has no Winograd form".to_string()))
            }
        }
    }

    /// `images [n, c, h, w]` with `filter [o, c, 3, 3]`; a negative padding cuts pixels off.
    fn winograd_tiles(&mut self, images: NodeId, filter: NodeId, padding: [i64; 2], out: &Shape) -> Result<NodeId> {
        let channels = self.b.shape(images)[1].clone();
        let [n, o] = [out[0].clone(), out[1].clone()];
        let [down, across] = [out[2].ceil_div(2), out[3].ceil_div(2)];
        let squares =
            |rest: &[&Dim]| Shape((0..4).map(|_| dim(2)).chain(rest.iter().map(|&dim| dim.clone())).collect());
        let left = self.filter_squares(filter, &squares(&[&o, &channels]))?;
        let right = self.pixel_squares(images, padding, &squares(&[&channels, &n, &down, &across]))?;
        self.store(left);
        self.store(right);
        let columns = n.clone() * down.clone() * across.clone();
        let left = self.b.reshape(left, Shape(vec![dim(16), o.clone(), channels.clone()]))?;
        let right = self.b.reshape(right, Shape(vec![dim(16), channels, columns]))?;
        let product = self.b.matmul(left, right)?;
        let product = self.b.reshape(product, squares(&[&o, &n, &down, &across]))?;
        let tiles = Shape(vec![n.clone(), o.clone(), down.clone(), dim(2), across.clone(), dim(2)]);
        let results = self.results(product, &tiles)?;
        let even = Shape(vec![n, o, down * dim(2), across * dim(2)]);
        let results = self.b.reshape(results, even)?;
        // A last row or column of odd size has no neighbour.
        self.b.view(results, out.clone(), (0..4).map(AxisIndex::axis).collect())
    }

    /// `[u, w, u', w', o, c]` of a filter.
    fn filter_squares(&mut self, filter: NodeId, shape: &Shape) -> Result<NodeId> {
        let taps = |w: usize| [sum(&[(w, 2)], 0), sum(&[], 0), sum(&[], 1), sum(&[], 2)];
        let columns = taps(3).map(|x| {
            let rows = taps(1).map(|y| {
                let index = vec![AxisIndex::axis(4), AxisIndex::axis(5), y, x.clone()];
                self.b.view(filter, shape.clone(), index)
            });
            self.filter_line(rows, shape, 0)
        });
        self.filter_line(columns, shape, 2)
    }

    /// Along axes `u` and `u + 1`, `taps` being `g[2 w]` and the three of them.
    fn filter_line(&mut self, taps: [Result<NodeId>; 4], shape: &Shape, u: usize) -> Result<NodeId> {
        let [outer, g0, g1, g2] = taps;
        let half = self.b.full(0.5, shape, self.dtype_of(&outer)?);
        let ends = self.b.binary(BinaryOp::Add, g0?, g2?)?;
        let middle = self.signed(g1?, u + 1)?;
        let inner = self.b.binary(BinaryOp::Add, ends, middle)?;
        let inner = self.b.binary(BinaryOp::Mul, inner, half)?;
        self.by_first(outer?, inner, u)
    }

    /// `[u, w, u', w', c, n, tile, tile']` of the images.
    fn pixel_squares(&mut self, images: NodeId, padding: [i64; 2], shape: &Shape) -> Result<NodeId> {
        let pixels = |w: usize, tile: usize, padding: i64| {
            let own = |offset: i64| sum(&[(w, 1), (tile, 2)], offset - padding);
            let fixed = |offset: i64| sum(&[(tile, 2)], offset - padding);
            [own(0), own(2), fixed(1), fixed(2)]
        };
        let columns = pixels(3, 7, padding[1]).map(|x| {
            let rows = pixels(1, 6, padding[0]).map(|y| {
                let index = vec![AxisIndex::axis(5), AxisIndex::axis(4), y, x.clone()];
                self.b.view(images, shape.clone(), index)
            });
            self.pixel_line(rows, 0)
        });
        self.pixel_line(columns, 2)
    }

    /// Along axes `u` and `u + 1`, `pixels` being `d[w]`, `d[w + 2]`, `d[1]` and `d[2]`.
    fn pixel_line(&mut self, pixels: [Result<NodeId>; 4], u: usize) -> Result<NodeId> {
        let [near, far, d1, d2] = pixels;
        let outer = self.b.binary(BinaryOp::Sub, near?, far?)?;
        let d1 = self.signed(d1?, u + 1)?;
        let inner = self.b.binary(BinaryOp::Add, d2?, d1)?;
        self.by_first(outer, inner, u)
    }

    /// `[n, o, tile, r, tile', r']` of the products `[u, w, u', w', o, n, tile, tile']`.
    fn results(&mut self, products: NodeId, shape: &Shape) -> Result<NodeId> {
        let read =
            |r: usize| [[sum(&[], 0), sum(&[(r, 1)], 0)], [sum(&[], 1), sum(&[], 0)], [sum(&[], 1), sum(&[], 1)]];
        let columns = read(5).map(|[u_across, w_across]| {
            let rows = read(3).map(|[u, w]| {
                let mut index = vec![u, w, u_across.clone(), w_across.clone()];
                index.extend([1, 0, 2, 4].map(AxisIndex::axis));
                self.b.view(products, shape.clone(), index)
            });
            self.result_line(rows, 3)
        });
        self.result_line(columns, 5)
    }

    /// Along axis `r`, `products` being `m(0, r)`, `m(1, 0)` and `m(1, 1)`.
    fn result_line(&mut self, products: [Result<NodeId>; 3], r: usize) -> Result<NodeId> {
        let [outer, first, second] = products;
        let signed = self.b.binary(BinaryOp::Add, outer?, second?)?;
        let signed = self.signed(signed, r)?;
        self.b.binary(BinaryOp::Add, signed, first?)
    }

    fn dtype_of(&self, id: &Result<NodeId>) -> Result<DType> {
        id.clone().map(|id| self.b.dtype(id))
    }

    /// `x`, negative where `axis` is 1.
    fn signed(&mut self, x: NodeId, axis: usize) -> Result<NodeId> {
        let (shape, dtype) = (self.b.shape(x).clone(), self.b.dtype(x));
        let position = self.b.iota(&shape, axis, dtype)?;
        let [one, two] = [1.0, 2.0].map(|value| self.b.full(value, &shape, dtype));
        let step = self.b.binary(BinaryOp::Mul, position, two)?;
        let sign = self.b.binary(BinaryOp::Sub, one, step)?;
        self.b.binary(BinaryOp::Mul, sign, x)
    }

    /// `outer` where `axis` is 0, `inner` where it is 1.
    fn by_first(&mut self, outer: NodeId, inner: NodeId, axis: usize) -> Result<NodeId> {
        let shape = self.b.shape(outer).clone();
        let position = self.b.iota(&shape, axis, DType::I32)?;
        let zero = self.b.full(0.0, &shape, DType::I32);
        let first = self.b.compare(CompareOp::Eq, position, zero)?;
        self.b.select(first, outer, inner)
    }
}
