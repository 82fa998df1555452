//! Convolutions of the host device: forward, input gradient and weight gradient of `NCHW` images and `OIHW` weights.
//!
//! All three are matrix products over *patches*: the matrix with a row for every tap `(channel, i, j)` of the kernel and
//! a column for every output position. With `W` the weight as `[o, taps]`, `P` the patches of one image and `G` the
//! output gradient as `[o, positions]`:
//!
//! - forward: `Y = W·P`;
//! - weight gradient: `∂W = Σ G·Pᵀ` over the images;
//! - input gradient: `∂P = Wᵀ·G`, every element added to the input element that it was copied from.
//!
//! Patches are made for one image and as many output rows as stay in a core's cache, in scratch memory that the thread
//! keeps, or for several images of few positions, beside each other ([`beside`]). Threads share the images, or each
//! product of several; the weight gradient adds partial sums in the order of the images, so results repeat bit for bit
//! on the same number of threads. A 1 × 1 kernel with stride 1 needs no patches: the image is the matrix.

mod beside;
mod patches;
#[cfg(test)]
mod tests;

use super::matmul::{
    MatMulDescriptor, ProductError, ProductResult, Real, Scalar, add_lost, add_part, threads_for, transpose,
};
use super::pool;
use crate::device::dispatch::ConvShapes;
use netcl_kernels::graph::ConvKind;
use patches::Window;
use std::ops::Range;

/// Elements of patches that are made at a time: half of a core's second-level cache in `f32`.
const BLOCK: usize = 1 << 17;

/// Products of a weight gradient that are added up as they are.
const TOGETHER: usize = 16;

/// One of the three convolutions. `first` and `second` are, as `kind` says: input and weight, output gradient and
/// weight, or input and output gradient, all row-major without gaps; `out` is overwritten. Slices may be longer than the
/// sizes need; what follows is left alone.
///
/// `threads` is how many may work on it at once, 0 for all of rayon's current pool.
///
/// # Errors
/// [`ProductError::Shape`] if the sizes contradict each other or a slice is shorter than they say.
pub(crate) fn conv2d<T: Scalar>(
    kind: ConvKind,
    shapes: &ConvShapes,
    first: &[T],
    second: &[T],
    out: &mut [T],
    threads: usize,
) -> ProductResult {
    let conv = Conv::new(shapes)?;
    let [input, weight, output] = conv.lengths()?;
    let expected = match kind {
        ConvKind::Forward => [("input", input), ("weight", weight), ("output", output)],
        ConvKind::InputGrad => [("output gradient", output), ("weight", weight), ("input gradient", input)],
        ConvKind::WeightGrad => [("input", input), ("output gradient", output), ("weight gradient", weight)],
    };
    for ((name, expected), found) in expected.into_iter().zip([first.len(), second.len(), out.len()]) {
        if found < expected {
            return Err(ProductError::Shape(format!("the {name} has {found} elements, expected {expected}")));
        }
    }
    let [(_, first_len), (_, second_len), (_, out_len)] = expected;
    let (first, second, out) = (&first[..first_len], &second[..second_len], &mut out[..out_len]);
    if input == 0 || weight == 0 || output == 0 {
        out.fill(T::default());
        return Ok(());
    }
    let threads = threads_for(output.saturating_mul(conv.taps), threads);
    if let (Some(first), Some(second)) = (T::as_wide(first), T::as_wide(second)) {
        if let Some(out) = T::as_wide_mut(out) {
            conv.run(kind, first, second, out, threads);
        }
        return Ok(());
    }
    T::Wide::scratch(first.len() + second.len() + out.len(), |scratch| {
        let (wide_first, rest) = scratch.split_at_mut(first.len());
        let (wide_second, wide_out) = rest.split_at_mut(second.len());
        T::widen(first, wide_first);
        T::widen(second, wide_second);
        conv.run(kind, wide_first, wide_second, wide_out, threads);
        T::narrow(wide_out, out);
    });
    Ok(())
}

/// A convolution whose sizes agree.
#[derive(Clone, Copy, Debug)]
struct Conv {
    images: usize,
    groups: usize,
    /// Input channels of a group.
    channels: usize,
    /// Output channels of a group.
    outputs: usize,
    /// Rows of the patches: `channels · kh · kw`.
    taps: usize,
    /// Output positions: `oh · ow`.
    positions: usize,
    window: Window,
}

impl Conv {
    fn new(shapes: &ConvShapes) -> ProductResult<Conv> {
        let &ConvShapes { n, c, h, w, o, kh, kw, oh, ow, geometry } = shapes;
        let wrong = |text: String| Err(ProductError::Shape(text));
        let size = |value: u64| usize::try_from(value).unwrap_or(usize::MAX);
        let groups = size(geometry.groups);
        if groups == 0 || c % groups != 0 || o % groups != 0 {
            return wrong(format!("{c} input and {o} output channels do not divide into {groups} groups"));
        }
        let [stride, padding, dilation] = [geometry.stride, geometry.padding, geometry.dilation].map(|p| p.map(size));
        if stride.contains(&0) || dilation.contains(&0) {
            return wrong(format!("stride {stride:?} and dilation {dilation:?} must be at least 1"));
        }
        for (axis, (name, input, kernel, output)) in
            [("height", h, kh, oh), ("width", w, kw, ow)].into_iter().enumerate()
        {
            // (input + 2·padding - dilation·(kernel - 1) - 1) / stride + 1, or 0 where the kernel does not fit.
            let sizes = || {
                let padded = input.checked_add(padding[axis].checked_mul(2)?)?;
                let reach = dilation[axis].checked_mul(kernel.saturating_sub(1))?.checked_add(1)?;
                Some(padded.checked_sub(reach).map_or(0, |free| free / stride[axis] + 1))
            };
            if sizes().filter(|_| isize::try_from(padding[axis]).is_ok()) != Some(output) {
                return wrong(format!(
                    "{name} {output} of the output does not follow from input {input}, kernel {kernel}, stride {}, \
                     padding {} and dilation {}",
                    stride[axis], padding[axis], dilation[axis]
                ));
            }
        }
        let (channels, outputs) = (c / groups, o / groups);
        let product = |factors: &[usize]| factors.iter().try_fold(1usize, |all, &factor| all.checked_mul(factor));
        match (product(&[channels, kh, kw]), product(&[oh, ow])) {
            (Some(taps), Some(positions)) => {
                let window = Window { input: [h, w], kernel: [kh, kw], output: [oh, ow], stride, padding, dilation };
                Ok(Conv { images: n, groups, channels, outputs, taps, positions, window })
            }
            _ => wrong("the sizes do not fit this machine's memory".to_owned()),
        }
    }

    /// Elements of input, weight and output.
    fn lengths(&self) -> ProductResult<[usize; 3]> {
        let [h, w] = self.window.input;
        let product = |factors: &[usize]| factors.iter().try_fold(1usize, |all, &factor| all.checked_mul(factor));
        let lengths = (
            product(&[self.images, self.groups, self.channels, h, w]),
            product(&[self.groups, self.outputs, self.taps]),
            product(&[self.images, self.groups, self.outputs, self.positions]),
        );
        match lengths {
            (Some(input), Some(weight), Some(output)) => Ok([input, weight, output]),
            _ => Err(ProductError::Shape("the sizes do not fit this machine's memory".to_owned())),
        }
    }

    fn run<T: Real>(&self, kind: ConvKind, first: &[T], second: &[T], out: &mut [T], threads: usize) {
        match kind {
            ConvKind::Forward => self.forward(first, second, out, threads),
            ConvKind::InputGrad => self.input_grad(first, second, out, threads),
            ConvKind::WeightGrad => self.weight_grad(first, second, out, threads),
        }
    }

    /// Elements of one group of one input image.
    fn input_group(&self) -> usize {
        self.channels * self.window.input[0] * self.window.input[1]
    }

    /// Output rows whose patches are made at a time.
    fn block_rows(&self) -> usize {
        (BLOCK / (self.taps * self.window.output[1])).clamp(1, self.window.output[0])
    }

    /// The blocks of output rows, each with its range of positions.
    fn blocks(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let [height, width] = self.window.output;
        let step = self.block_rows();
        (0..height).step_by(step).map(move |start| {
            let rows = start..(start + step).min(height);
            (rows.clone(), rows.start * width..rows.end * width)
        })
    }

    /// Scratch elements for one block of patches.
    fn patch_elements(&self) -> usize {
        if self.window.is_pointwise() { 0 } else { self.taps * self.block_rows() * self.window.output[1] }
    }

    fn forward<T: Real>(&self, input: &[T], weight: &[T], out: &mut [T], threads: usize) {
        if self.beside() > 1 {
            return self.forward_beside(input, weight, out, threads);
        }
        let unit = self.outputs * self.positions;
        shared(out, unit, threads, &|first, out, threads| {
            T::scratch(self.patch_elements(), |scratch| {
                for (index, out) in out.chunks_exact_mut(unit).enumerate() {
                    let image = chunk(input, first + index, self.input_group());
                    let weight = chunk(weight, (first + index) % self.groups, self.outputs * self.taps);
                    if self.window.is_pointwise() {
                        let sizes = [self.outputs, self.positions, self.taps];
                        let strides = [self.taps, 1, self.positions, 1, self.positions, 1];
                        MatMulDescriptor::matrix(sizes, strides).run(weight, image, out, false, threads);
                        continue;
                    }
                    for (rows, positions) in self.blocks() {
                        let width = positions.len();
                        let patches = &mut scratch[..self.taps * width];
                        self.window.gather(image, rows, (0, width), patches, threads);
                        let strides = [self.taps, 1, width, 1, self.positions, 1];
                        MatMulDescriptor::matrix([self.outputs, width, self.taps], strides).run(
                            weight,
                            patches,
                            &mut out[positions.start..],
                            false,
                            threads,
                        );
                    }
                }
            });
        });
    }

    fn input_grad<T: Real>(&self, grad: &[T], weight: &[T], out: &mut [T], threads: usize) {
        if self.beside() > 1 {
            return self.input_grad_beside(grad, weight, out, threads);
        }
        let unit = self.input_group();
        T::scratch(weight.len(), |transposed| {
            // As `[taps, o]` per group the library reads the weight without packing it anew for every image.
            for (to, from) in
                transposed.chunks_exact_mut(self.outputs * self.taps).zip(weight.chunks_exact(self.outputs * self.taps))
            {
                transpose(from, self.taps, to, self.outputs, 1);
            }
            let weight = &*transposed;
            shared(out, unit, threads, &|first, out, threads| {
                T::scratch(self.patch_elements(), |scratch| {
                    for (index, out) in out.chunks_exact_mut(unit).enumerate() {
                        let grad = chunk(grad, first + index, self.outputs * self.positions);
                        let weight = chunk(weight, (first + index) % self.groups, self.outputs * self.taps);
                        if self.window.is_pointwise() {
                            let sizes = [self.taps, self.positions, self.outputs];
                            let strides = [self.outputs, 1, self.positions, 1, self.positions, 1];
                            MatMulDescriptor::matrix(sizes, strides).run(weight, grad, out, false, threads);
                            continue;
                        }
                        out.fill(T::ZERO);
                        for (rows, positions) in self.blocks() {
                            let width = positions.len();
                            let patches = &mut scratch[..self.taps * width];
                            let strides = [self.outputs, 1, self.positions, 1, width, 1];
                            MatMulDescriptor::matrix([self.taps, width, self.outputs], strides).run(
                                weight,
                                &grad[positions.start..],
                                patches,
                                false,
                                threads,
                            );
                            self.window.scatter(patches, rows, (0, width), out, threads);
                        }
                    }
                });
            });
        });
    }

    fn weight_grad<T: Real>(&self, input: &[T], grad: &[T], out: &mut [T], threads: usize) {
        if self.beside() > 1 {
            return self.weight_grad_beside(input, grad, out, threads);
        }
        let len = out.len();
        let parts = threads.min(self.images);
        // Each part is kept as `[taps, o]` per group: then the library packs the small gradient, not the patches.
        T::scratch(parts * len, |sums| {
            shared(sums, len, threads, &|first, sums, threads| {
                for (index, sums) in sums.chunks_exact_mut(len).enumerate() {
                    let part = first + index;
                    let images = self.images * part / parts..self.images * (part + 1) / parts;
                    self.weight_grad_part(input, grad, images, sums, threads);
                }
            });
            let size = self.outputs * self.taps;
            let (total, others) = sums.split_at_mut(len);
            for other in others.chunks_exact(len) {
                for (total, &other) in total.iter_mut().zip(other) {
                    *total += other;
                }
            }
            for (to, from) in out.chunks_exact_mut(size).zip(total.chunks_exact(size)) {
                transpose(from, self.outputs, to, self.taps, 1);
            }
        });
    }

    /// Sums of the weight gradient over `images`.
    fn weight_grad_part<T: Real>(&self, input: &[T], grad: &[T], images: Range<usize>, sums: &mut [T], threads: usize) {
        let size = self.outputs * self.taps;
        T::scratch(self.patch_elements() + 2 * size, |scratch| {
            let (scratch, rest) = scratch.split_at_mut(self.patch_elements());
            for (group, total) in sums.chunks_exact_mut(size).enumerate() {
                let parts = images.clone().flat_map(|image| self.parts().map(move |part| (image, part)));
                compensated(total, rest, parts, |(image, (rows, positions)), to, add| {
                    let (index, width) = (image * self.groups + group, positions.len());
                    let image = chunk(input, index, self.input_group());
                    let grad = &chunk(grad, index, self.outputs * self.positions)[positions.start..];
                    let strides = [width, 1, 1, self.positions, self.outputs, 1];
                    let product = MatMulDescriptor::matrix([self.taps, self.outputs, width], strides);
                    if self.window.is_pointwise() {
                        product.run(image, grad, to, add, threads);
                    } else {
                        let patches = &mut scratch[..self.taps * width];
                        self.window.gather(image, rows, (0, width), patches, threads);
                        product.run(patches, grad, to, add, threads);
                    }
                });
            }
        });
    }

    /// The parts of an image whose patches are made at a time; an image whose patches are itself is one.
    fn parts(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let whole = self.window.is_pointwise().then(|| (0..self.window.output[0], 0..self.positions));
        let blocks = whole.is_none().then(|| self.blocks());
        whole.into_iter().chain(blocks.into_iter().flatten())
    }
}

/// The sum of products of all `parts`: `product(part, to, add)` writes one, or adds it. Those of [`TOGETHER`] at a time are added to
/// the total, which keeps what that loses: there may be very many. `scratch` has twice as many elements as `total`.
fn compensated<T: Real, P>(
    total: &mut [T],
    scratch: &mut [T],
    parts: impl Iterator<Item = P>,
    mut product: impl FnMut(P, &mut [T], bool),
) {
    let (own, lost) = scratch.split_at_mut(total.len());
    let mut products = 0;
    let mut add_own = |total: &mut [T], own: &[T], is_first: bool| {
        if is_first {
            lost.fill(T::ZERO);
        }
        for ((total, lost), &own) in total.iter_mut().zip(lost.iter_mut()).zip(own) {
            add_part(total, lost, own);
        }
    };
    for part in parts {
        let to = if products < TOGETHER { &mut *total } else { &mut *own };
        product(part, to, products % TOGETHER > 0);
        products += 1;
        if products > TOGETHER && products.is_multiple_of(TOGETHER) {
            add_own(total, own, products == 2 * TOGETHER);
        }
    }
    if products <= TOGETHER {
        return;
    }
    if !products.is_multiple_of(TOGETHER) {
        add_own(total, own, products < 2 * TOGETHER);
    }
    total.iter_mut().zip(lost.iter()).for_each(|(total, &lost)| add_lost(total, lost));
}

/// The `index`-th piece of `len` elements.
fn chunk<T>(data: &[T], index: usize, len: usize) -> &[T] {
    &data[index * len..(index + 1) * len]
}

/// What is done to some of the units that threads share: the first one's number, the units, threads left for each.
type Share<'a, T> = dyn Fn(usize, &mut [T], usize) + Sync + 'a;

/// Lets threads share the units of `out`: `body(first unit, its units, threads left for each)`.
fn shared<T: Send>(out: &mut [T], unit: usize, threads: usize, body: &Share<'_, T>) {
    let units = out.len() / unit;
    if threads == 1 || units == 1 {
        return body(0, out, threads);
    }
    // Some more parts than threads, so that one which is held up does not hold up all.
    let per_part = units.div_ceil(threads * 4).max(1);
    pool::share(out.chunks_mut(per_part * unit), &|part, out| body(part * per_part, out, threads.div_ceil(units)));
}
