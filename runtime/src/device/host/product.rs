//! Library steps of plans: sizes and strides under given symbol values, and the calls on host memory.

use super::conv::{self, ConvShapes};
use super::matmul::{self, ProductError, Scalar, Strided, StridedMut};
use super::memory::HostBuffer;
use super::pool;
use half::{bf16, f16};
use netcl_kernels::dim::{Bindings, Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::ConvKind;
use netcl_kernels::plan::{Operand, Work};

/// A product or convolution whose sizes are known.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    kind: Kind,
    dtype: DType,
}

#[derive(Clone, Debug)]
enum Kind {
    MatMul { batch: Vec<usize>, m: usize, n: usize, k: usize, a: Strides, b: Strides, c: ResultStrides },
    Conv { kind: ConvKind, shapes: ConvShapes },
}

/// Of an operand that is read: negative along flipped axes.
#[derive(Clone, Debug)]
struct Strides {
    start: usize,
    batch: Vec<isize>,
    row: isize,
    column: isize,
}

impl Strides {
    fn over<'a, T>(&'a self, data: &'a [T]) -> Strided<'a, T> {
        Strided { data, start: self.start, batch: &self.batch, row: self.row, column: self.column }
    }
}

#[derive(Clone, Debug)]
struct ResultStrides {
    start: usize,
    batch: Vec<usize>,
    row: usize,
    column: usize,
}

impl Product {
    /// The step under `bindings`; `None` if it is no library step. The error says what has no value.
    pub(crate) fn new(work: &Work, bindings: Bindings<'_>) -> Option<Result<Product, String>> {
        match work {
            Work::MatMul { batch, m, n, k, a, b, c, dtype } => Some((|| {
                let (m, n, k) = (size(m, bindings)?, size(n, bindings)?, size(k, bindings)?);
                let (a, b) = (strides(a, bindings)?, strides(b, bindings)?);
                let c = ResultStrides {
                    start: size(&c.offset, bindings)?,
                    batch: sizes(&c.batch, bindings)?,
                    row: size(&c.row, bindings)?,
                    column: size(&c.column, bindings)?,
                };
                let kind = Kind::MatMul { batch: sizes(batch, bindings)?, m, n, k, a, b, c };
                Ok(Product { kind, dtype: *dtype })
            })()),
            Work::Conv2d { kind, input, weight, output, geometry, dtype } => Some((|| {
                let ([n, c, h, w], [o, _, kh, kw], [_, _, oh, ow]) =
                    (four(input, bindings)?, four(weight, bindings)?, four(output, bindings)?);
                let shapes = ConvShapes { n, c, h, w, o, kh, kw, oh, ow, geometry: *geometry };
                Ok(Product { kind: Kind::Conv { kind: *kind, shapes }, dtype: *dtype })
            })()),
            Work::Kernel { .. } | Work::Loop { .. } | Work::ScatterAdd { .. } => None,
        }
    }

    /// Runs it on the two operands and the result, on all threads where that pays. The caller has their locks.
    pub(crate) fn run(&self, buffers: [&HostBuffer; 3]) -> Result<(), String> {
        if matmul::pays(self.multiplications()) { pool::run(|| self.here(buffers)) } else { self.here(buffers) }
    }

    /// About how many.
    fn multiplications(&self) -> usize {
        let product = |sizes: &[usize]| sizes.iter().fold(1usize, |product, &size| product.saturating_mul(size));
        match &self.kind {
            Kind::MatMul { batch, m, n, k, .. } => product(batch).saturating_mul(product(&[*m, *n, *k])),
            Kind::Conv { shapes: s, .. } => product(&[s.n, s.o, s.oh, s.ow, s.c, s.kh, s.kw]),
        }
    }

    fn here(&self, buffers: [&HostBuffer; 3]) -> Result<(), String> {
        match self.dtype {
            DType::F32 => self.typed::<f32>(buffers),
            DType::F64 => self.typed::<f64>(buffers),
            DType::F16 => self.typed::<f16>(buffers),
            DType::BF16 => self.typed::<bf16>(buffers),
            DType::Bool | DType::U8 | DType::I32 | DType::U32 | DType::I64 => {
                Err(format!("the host has no products of {}; cast to a float type", self.dtype))
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
        match &self.kind {
            Kind::MatMul { batch, m, n, k, a: of_a, b: of_b, c: of_c } => {
                let is_empty = [m, n, k].into_iter().chain(batch).any(|&size| size == 0);
                let start = match of_c.start {
                    inside if inside <= c.len() => inside,
                    // A part of a buffer without elements: nothing is written there.
                    _ if is_empty && c.is_empty() => 0,
                    outside => return Err(format!("its result starts at element {outside}, past its buffer")),
                };
                let (a, b) = (of_a.over(a), of_b.over(b));
                let c = StridedMut { data: &mut c[start..], batch: &of_c.batch, row: of_c.row, column: of_c.column };
                matmul::matmul(batch, *m, *n, *k, a, b, c, 0)
            }
            Kind::Conv { kind, shapes } => {
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

fn strides(operand: &Operand, bindings: Bindings<'_>) -> Result<Strides, String> {
    let stride = |dim: &Dim| {
        let value = dim.evaluate(bindings).and_then(|value| isize::try_from(value).ok());
        value.ok_or_else(|| format!("the stride {dim} is not known or too large"))
    };
    Ok(Strides {
        start: size(&operand.offset, bindings)?,
        batch: operand.batch.iter().map(stride).collect::<Result<_, _>>()?,
        row: stride(&operand.row)?,
        column: stride(&operand.column)?,
    })
}

fn four(shape: &Shape, bindings: Bindings<'_>) -> Result<[usize; 4], String> {
    let list = sizes(&shape.0, bindings)?;
    list.try_into().map_err(|list: Vec<usize>| format!("a convolution has 4 axes, found {list:?}"))
}

fn sizes(dims: &[Dim], bindings: Bindings<'_>) -> Result<Vec<usize>, String> {
    dims.iter().map(|dim| size(dim, bindings)).collect()
}

fn size(dim: &Dim, bindings: Bindings<'_>) -> Result<usize, String> {
    let value = dim.evaluate(bindings).and_then(|value| usize::try_from(value).ok());
    value.ok_or_else(|| format!("{dim} is not known, negative or too large"))
}
