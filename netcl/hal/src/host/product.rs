//! Products and convolutions: the calls of the library on host memory.

use super::conv;
use super::matmul::{self, ProductError, Scalar, Strided, StridedMut};
use super::memory::HostBuffer;
use super::pool;
use crate::device::dispatch::{Conv2d, ConvShapes, MatMul, Strides};
use half::{bf16, f16};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::ConvKind;

/// A product or convolution of the library.
#[derive(Clone, Debug)]
pub(crate) enum Product {
    MatMul(MatMul),
    Conv(Conv2d),
}

/// The operand's elements as the library reads them.
fn over<'a, T>(strides: &'a Strides, data: &'a [T]) -> Strided<'a, T> {
    Strided { data, start: strides.start, batch: &strides.batch, row: strides.row, column: strides.column }
}

impl Product {
    /// Runs it on the two operands and the result, on all threads where that pays. The caller has their locks.
    pub(crate) fn run(&self, buffers: [&HostBuffer; 3]) -> Result<(), String> {
        if matmul::pays(self.multiplications()) || pool::caller_is_ending() {
            pool::run(|| self.here(buffers))
        } else {
            self.here(buffers)
        }
    }

    /// About how many.
    fn multiplications(&self) -> usize {
        let product = |sizes: &[usize]| sizes.iter().fold(1usize, |product, &size| product.saturating_mul(size));
        match self {
            Product::MatMul(MatMul { batch, m, n, k, .. }) => product(batch).saturating_mul(product(&[*m, *n, *k])),
            Product::Conv(Conv2d { shapes: s, .. }) => product(&[s.n, s.o, s.oh, s.ow, s.c, s.kh, s.kw]),
        }
    }

    fn here(&self, buffers: [&HostBuffer; 3]) -> Result<(), String> {
        let dtype = match self {
            Product::MatMul(MatMul { dtype, .. }) | Product::Conv(Conv2d { dtype, .. }) => *dtype,
        };
        match dtype {
            DType::F32 => self.typed::<f32>(buffers),
            DType::F64 => self.typed::<f64>(buffers),
            DType::F16 => self.typed::<f16>(buffers),
            DType::BF16 => self.typed::<bf16>(buffers),
            DType::Bool | DType::U8 | DType::I32 | DType::U32 | DType::I64 => {
                Err(format!("the host has no products of {}; cast to a float type", dtype))
            }
        }
    }

    fn typed<T: Scalar>(&self, [a, b, c]: [&HostBuffer; 3]) -> Result<(), String> {
        let range = |buffer: &HostBuffer| (buffer.pointer() as usize, buffer.pointer() as usize + buffer.bytes());
        let apart = |buffer: &HostBuffer| range(buffer).1 <= range(c).0 || range(c).1 <= range(buffer).0;
        if !(apart(a) && apart(b)) {
            return Err("its result lies in the memory of an operand".to_owned());
        }
        // SAFETY: the pointers are valid for as many bytes and aligned for any element; the memory is initialised (it
        // was allocated zeroed) and any bytes are a float. `c` shares no byte with `a` and `b` (just checked). Nobody
        // writes these buffers meanwhile, nor reads `c`: a plan's steps run one after another, its scratch memory is its
        // own, and of all other memory the launch holds the locks (`access.rs`), for writing where it writes.
        let (a, b, c) = unsafe { (slice::<T>(a), slice::<T>(b), slice_mut::<T>(c)) };
        match self {
            Product::MatMul(MatMul { batch, m, n, k, a: of_a, b: of_b, c: of_c, .. }) => {
                let is_empty = [m, n, k].into_iter().chain(batch).any(|&size| size == 0);
                let start = match of_c.start {
                    inside if inside <= c.len() => inside,
                    // A part of a buffer without elements: nothing is written there.
                    _ if is_empty && c.is_empty() => 0,
                    outside => return Err(format!("its result starts at element {outside}, past its buffer")),
                };
                let (a, b) = (over(of_a, a), over(of_b, b));
                let c = StridedMut { data: &mut c[start..], batch: &of_c.batch, row: of_c.row, column: of_c.column };
                matmul::matmul(batch, *m, *n, *k, a, b, c, 0)
            }
            Product::Conv(Conv2d { kind, shapes, .. }) => {
                let [first, second, out] = lengths(*kind, shapes);
                let cut = |data: &[T], length: usize| length.min(data.len());
                let (first, second, out) = (cut(a, first), cut(b, second), cut(c, out));
                conv::conv2d(*kind, shapes, &a[..first], &b[..second], &mut c[..out], 0)
            }
        }
        .map_err(|error: ProductError| error.to_string())
    }
}

/// Elements of the two operands and of the result; buffers of a pool may be longer.
fn lengths(kind: ConvKind, s: &ConvShapes) -> [usize; 3] {
    let groups = (s.geometry.groups as usize).max(1);
    let input = s.n * s.c * s.h * s.w;
    let weight = s.o * (s.c / groups) * s.kh * s.kw;
    let output = s.n * s.o * s.oh * s.ow;
    match kind {
        ConvKind::Forward => [input, weight, output],
        ConvKind::InputGrad => [output, weight, input],
        ConvKind::WeightGrad => [input, output, weight],
    }
}

/// # Safety
///
/// Nobody writes the buffer while the slice is alive.
unsafe fn slice<T: Scalar>(buffer: &HostBuffer) -> &[T] {
    // SAFETY: see `typed`, the only caller.
    unsafe { std::slice::from_raw_parts(buffer.pointer().cast(), buffer.bytes() / size_of::<T>()) }
}

/// # Safety
///
/// Nobody reads or writes the buffer while the slice is alive.
#[allow(clippy::mut_from_ref, reason = "a buffer is shared memory; the caller has this one to itself")]
unsafe fn slice_mut<T: Scalar>(buffer: &HostBuffer) -> &mut [T] {
    // SAFETY: see `typed`, the only caller.
    unsafe { std::slice::from_raw_parts_mut(buffer.pointer().cast(), buffer.bytes() / size_of::<T>()) }
}
