//! Images of few positions: the patches of several stand beside each other in one matrix `[taps, images · positions]`.
//!
//! The matrix of one such image is narrow, a column for each position, and its product would read all of a large weight for these
//! few columns, as often as there are images.

use super::{BLOCK, Conv, chunk};
use crate::host::matmul::{MatMulDescriptor, Real};
use std::ops::Range;

/// From how many positions on an image's patches are a matrix of their own.
const WIDE: usize = 128;

/// From how many elements on a group's weight is worth reading seldom.
const LARGE: usize = 1 << 14;

/// Columns that the patches of several images have at most.
const COLUMNS: usize = 256;

impl Conv {
    /// How many images stand beside each other; with 1 each is a matrix of its own.
    pub(super) fn beside(&self) -> usize {
        if self.positions >= WIDE || self.outputs * self.taps < LARGE {
            return 1;
        }
        let columns = (8 * BLOCK / self.taps).min(COLUMNS);
        (columns / self.positions).clamp(1, self.images)
    }

    /// The images that stand beside each other.
    fn batches(&self) -> impl Iterator<Item = Range<usize>> {
        let (step, images) = (self.beside(), self.images);
        (0..images).step_by(step).map(move |start| start..(start + step).min(images))
    }

    /// The same for each group.
    fn batches_of_groups(&self) -> impl Iterator<Item = (usize, Range<usize>)> {
        (0..self.groups).flat_map(|group| self.batches().map(move |images| (group, images)))
    }

    /// Columns of the matrices of as many images as stand beside each other.
    fn columns(&self) -> usize {
        self.beside() * self.positions
    }

    pub(super) fn forward_beside<T: Real>(&self, input: &[T], weight: &[T], out: &mut [T], threads: usize) {
        T::scratch(self.columns() * (self.taps + self.outputs), |scratch| {
            for (group, images) in self.batches_of_groups() {
                let width = images.len() * self.positions;
                let (patches, rest) = scratch.split_at_mut(self.taps * width);
                let found = &mut rest[..self.outputs * width];
                self.patches_beside(input, group, images.clone(), patches, threads);
                let weight = chunk(weight, group, self.outputs * self.taps);
                let product =
                    MatMulDescriptor::matrix([self.outputs, width, self.taps], [self.taps, 1, width, 1, width, 1]);
                product.run(weight, patches, found, false, threads);
                for (column, image) in images.enumerate() {
                    let unit = self.outputs * self.positions;
                    let own = &mut out[(image * self.groups + group) * unit..][..unit];
                    for (own, row) in own.chunks_exact_mut(self.positions).zip(found.chunks_exact(width)) {
                        own.copy_from_slice(&row[column * self.positions..][..self.positions]);
                    }
                }
            }
        });
    }

    pub(super) fn input_grad_beside<T: Real>(&self, grad: &[T], weight: &[T], out: &mut [T], threads: usize) {
        out.fill(T::ZERO);
        T::scratch(self.columns() * (self.taps + self.outputs), |scratch| {
            for (group, images) in self.batches_of_groups() {
                let width = images.len() * self.positions;
                let (patches, rest) = scratch.split_at_mut(self.taps * width);
                let grads = &mut rest[..self.outputs * width];
                self.grads_beside(grad, group, images.clone(), grads);
                let weight = chunk(weight, group, self.outputs * self.taps);
                let product =
                    MatMulDescriptor::matrix([self.taps, width, self.outputs], [1, self.taps, width, 1, width, 1]);
                product.run(weight, grads, patches, false, threads);
                for (column, image) in images.enumerate() {
                    let unit = self.input_group();
                    let own = &mut out[(image * self.groups + group) * unit..][..unit];
                    let columns = (column * self.positions, width);
                    self.window.scatter(patches, 0..self.window.output[0], columns, own, threads);
                }
            }
        });
    }

    /// The weight gradient `[o, taps]` of each group.
    pub(super) fn weight_grad_beside<T: Real>(&self, input: &[T], grad: &[T], out: &mut [T], threads: usize) {
        let size = self.outputs * self.taps;
        T::scratch(self.columns() * (self.taps + self.outputs) + 2 * size, |scratch| {
            let (sums, scratch) = scratch.split_at_mut(2 * size);
            for (group, total) in out.chunks_exact_mut(size).enumerate() {
                super::compensated(total, sums, self.batches(), |images, to, add| {
                    let width = images.len() * self.positions;
                    let (patches, rest) = scratch.split_at_mut(self.taps * width);
                    let grads = &mut rest[..self.outputs * width];
                    self.patches_beside(input, group, images.clone(), patches, threads);
                    self.grads_beside(grad, group, images, grads);
                    let product =
                        MatMulDescriptor::matrix([self.outputs, self.taps, width], [width, 1, 1, width, self.taps, 1]);
                    product.run(grads, patches, to, add, threads);
                });
            }
        });
    }

    /// `patches[tap, image, position]` of a group of these images.
    fn patches_beside<T: Real>(
        &self,
        input: &[T],
        group: usize,
        images: Range<usize>,
        patches: &mut [T],
        threads: usize,
    ) {
        let width = images.len() * self.positions;
        for (column, image) in images.enumerate() {
            let image = chunk(input, image * self.groups + group, self.input_group());
            let columns = (column * self.positions, width);
            self.window.gather(image, 0..self.window.output[0], columns, patches, threads);
        }
    }

    /// `grads[output, image, position]` of a group of these images.
    fn grads_beside<T: Real>(&self, grad: &[T], group: usize, images: Range<usize>, grads: &mut [T]) {
        let width = images.len() * self.positions;
        for (column, image) in images.enumerate() {
            let grad = chunk(grad, image * self.groups + group, self.outputs * self.positions);
            for (to, from) in grads.chunks_exact_mut(width).zip(grad.chunks_exact(self.positions)) {
                to[column * self.positions..][..self.positions].copy_from_slice(from);
            }
        }
    }
}
