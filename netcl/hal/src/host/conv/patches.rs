//! From images to patches and back.

use crate::host::matmul::Real;
use crate::host::pool;
use std::ops::Range;

/// How a kernel moves over one channel, `[height, width]`; the output's size follows from the others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) input: [usize; 2],
    pub(super) kernel: [usize; 2],
    pub(super) output: [usize; 2],
    pub(super) stride: [usize; 2],
    pub(super) padding: [usize; 2],
    pub(super) dilation: [usize; 2],
}

impl Window {
    /// Whether output positions are input positions: then an image is its own matrix of patches.
    pub(super) fn is_pointwise(&self) -> bool {
        self.kernel == [1, 1] && self.stride == [1, 1] && self.padding == [0, 0]
    }

    /// `patches[channel, i, j, row, x] = image[channel, row·stride + i·dilation - padding, ..]`, 0 outside of the image.
    /// `rows` are output rows; the patches' columns begin at the first of `columns` of a matrix that has as many as the second.
    pub(super) fn gather<T: Real>(
        &self,
        image: &[T],
        rows: Range<usize>,
        columns: (usize, usize),
        patches: &mut [T],
        threads: usize,
    ) {
        let [plane, taps] = self.channel_lengths(columns.1);
        if threads > 1 {
            pool::share(patches.chunks_exact_mut(taps).zip(image.chunks_exact(plane)), &|_, (patches, image)| {
                self.gather_channel(image, rows.clone(), columns, patches);
            });
        } else {
            for (patches, image) in patches.chunks_exact_mut(taps).zip(image.chunks_exact(plane)) {
                self.gather_channel(image, rows.clone(), columns, patches);
            }
        }
    }

    /// Adds every element of `patches` to where [`Window::gather`] would have taken it from.
    pub(super) fn scatter<T: Real>(
        &self,
        patches: &[T],
        rows: Range<usize>,
        columns: (usize, usize),
        image: &mut [T],
        threads: usize,
    ) {
        let [plane, taps] = self.channel_lengths(columns.1);
        if threads > 1 {
            pool::share(image.chunks_exact_mut(plane).zip(patches.chunks_exact(taps)), &|_, (image, patches)| {
                self.scatter_channel(patches, rows.clone(), columns, image);
            });
        } else {
            for (image, patches) in image.chunks_exact_mut(plane).zip(patches.chunks_exact(taps)) {
                self.scatter_channel(patches, rows.clone(), columns, image);
            }
        }
    }

    /// Elements of one channel, and of its rows in a matrix of so many columns.
    fn channel_lengths(&self, columns: usize) -> [usize; 2] {
        let plane = self.input[0] * self.input[1];
        [plane, self.kernel[0] * self.kernel[1] * columns]
    }

    fn gather_channel<T: Real>(
        &self,
        image: &[T],
        rows: Range<usize>,
        (first, columns): (usize, usize),
        patches: &mut [T],
    ) {
        let width = self.output[1];
        for (tap, patches) in patches.chunks_exact_mut(columns).enumerate() {
            let patches = &mut patches[first..][..rows.len() * width];
            let (i, j) = (tap / self.kernel[1], tap % self.kernel[1]);
            let inside = self.inside(1, j);
            for (row, patches) in rows.clone().zip(patches.chunks_exact_mut(width)) {
                let Some(line) = self.line(row, i).filter(|_| !inside.is_empty()) else {
                    patches.fill(T::ZERO);
                    continue;
                };
                let from = line + inside.start * self.stride[1] + j * self.dilation[1] - self.padding[1];
                if inside.len() < width {
                    patches[..inside.start].fill(T::ZERO);
                    patches[inside.end..].fill(T::ZERO);
                }
                let patches = &mut patches[inside.clone()];
                if self.stride[1] == 1 {
                    copy(&image[from..from + patches.len()], patches);
                } else {
                    for (to, &value) in patches.iter_mut().zip(image[from..].iter().step_by(self.stride[1])) {
                        *to = value;
                    }
                }
            }
        }
    }

    fn scatter_channel<T: Real>(
        &self,
        patches: &[T],
        rows: Range<usize>,
        (first, columns): (usize, usize),
        image: &mut [T],
    ) {
        let width = self.output[1];
        for (tap, patches) in patches.chunks_exact(columns).enumerate() {
            let patches = &patches[first..][..rows.len() * width];
            let (i, j) = (tap / self.kernel[1], tap % self.kernel[1]);
            let inside = self.inside(1, j);
            if inside.is_empty() {
                continue;
            }
            for (row, patches) in rows.clone().zip(patches.chunks_exact(width)) {
                let Some(line) = self.line(row, i) else { continue };
                let to = line + inside.start * self.stride[1] + j * self.dilation[1] - self.padding[1];
                let patches = &patches[inside.clone()];
                if self.stride[1] == 1 {
                    for (to, &value) in image[to..to + patches.len()].iter_mut().zip(patches) {
                        *to += value;
                    }
                } else {
                    for (to, &value) in image[to..].iter_mut().step_by(self.stride[1]).zip(patches) {
                        *to += value;
                    }
                }
            }
        }
    }

    /// The output positions along `axis` whose input position for kernel element `tap` is inside of the image.
    fn inside(&self, axis: usize, tap: usize) -> Range<usize> {
        let (stride, shift) = (self.stride[axis], tap * self.dilation[axis]);
        let start = self.padding[axis].saturating_sub(shift).div_ceil(stride);
        let end = (self.input[axis] + self.padding[axis]).saturating_sub(shift).div_ceil(stride).min(self.output[axis]);
        start.min(end)..end
    }

    /// Where the input line of output row `row` and kernel row `i` starts in its channel, if it is inside.
    fn line(&self, row: usize, i: usize) -> Option<usize> {
        let line = (row * self.stride[0] + i * self.dilation[0]).checked_sub(self.padding[0])?;
        (line < self.input[0]).then_some(line * self.input[1])
    }
}

/// Copies by eights, the last eight overlapping: the lines of small images are too short to pay for a call of `memcpy`
/// each, which is what the compiler makes of a plain loop.
#[inline(always)]
fn copy<T: Copy>(from: &[T], to: &mut [T]) {
    if (8..=64).contains(&to.len()) {
        for (to, from) in to.as_chunks_mut::<8>().0.iter_mut().zip(from.as_chunks::<8>().0) {
            *to = *from;
        }
        if let (Some(to), Some(from)) = (to.last_chunk_mut::<8>(), from.last_chunk::<8>()) {
            *to = *from;
        }
    } else {
        to.copy_from_slice(from);
    }
}
