//! Prefixes of a sequence.

use super::combine::{Combine, Combining, Operator};
use super::common::{self, CHUNK, Place, with_number};
use crate::device::Device;
use crate::device::opencl::OpenCl;
use crate::device::opencl::kernel::Set;
use crate::error::Result;
use crate::expression::Number;
use crate::memory::BufferHandle;
use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;
use netcl_kernels::plan::Target;
use rayon::prelude::*;

/// Whether a prefix has the element at whose place it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scan {
    /// It has: the first result is the first element.
    Inclusive,
    /// It ends before: the first result is the neutral element.
    Exclusive,
}

/// What the elements up to each one make, in row-major order; of `x`'s type and shape. Does not wait for the device.
///
/// The operands' order is kept, so that `combine` need not be commutative. Where the parentheses are put depends on the
/// device and the number of elements alone: floats may differ between devices by rounding, and do not between runs.
///
/// ```
/// use netcl::algorithms::{Operator, Scan, scan};
/// let x = netcl::Tensor::from_slice(&netcl::Device::auto()?, &[3i32, 1, 4], &[3])?;
/// assert_eq!(scan(Operator::Sum, Scan::Inclusive, &x)?.to_vec::<i32>()?, [3, 4, 8]);
/// assert_eq!(scan(Operator::Sum, Scan::Exclusive, &x)?.to_vec::<i32>()?, [0, 3, 4]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// [`crate::Error::Expression`] if an expression is wrong or the type is none that expressions are for.
pub fn scan(combine: impl Into<Combine>, kind: Scan, x: &Tensor) -> Result<Tensor> {
    let operation = "algorithms::scan";
    let combining = combine.into().parse(x.dtype())?;
    match common::place(operation, x.device())? {
        Place::Host => with_number!(operation, x.dtype(), T => on_host::<T>(&combining, kind, x)),
        Place::OpenCl(opencl) => {
            common::computable(operation, x.device(), x.dtype())?;
            let out = Tensor::uninitialised("scan", x.device(), x.shape(), x.dtype())?;
            let macros = common::element_macros(x.dtype(), 1, None) + &combining.macros();
            let job = Job { device: x.device(), opencl, macros: &macros, kind, value: x.dtype().compute().size() };
            job.run(x.region(), out.region(), x.elements())?;
            Ok(out)
        }
    }
}

fn on_host<T: Number>(combining: &Combining, kind: Scan, x: &Tensor) -> Result<Tensor> {
    let mut values: Vec<T> = common::load(x)?;
    let totals: Vec<T> = values
        .par_chunks(CHUNK)
        .map(|chunk| {
            let mut evaluator = combining.evaluator();
            chunk[1..].iter().fold(chunk[0], |sum, &value| evaluator.one(&[sum, value]))
        })
        .collect();
    let mut evaluator = combining.evaluator();
    let mut sum = combining.neutral();
    let mut before = Vec::with_capacity(totals.len());
    for total in totals {
        before.push(sum);
        sum = evaluator.one(&[sum, total]);
    }
    values.par_chunks_mut(CHUNK).zip(before).for_each(|(chunk, before)| {
        let mut evaluator = combining.evaluator();
        let mut sum = before;
        for value in chunk {
            let with = evaluator.one(&[sum, *value]);
            *value = if kind == Scan::Exclusive { sum } else { with };
            sum = with;
        }
    });
    common::store(x.device(), &values, x.shape(), x.dtype())
}

/// A scan on an OpenCL device.
pub(super) struct Job<'a> {
    pub(super) device: &'a Device,
    pub(super) opencl: &'a OpenCl,
    /// What `scan.cl` is told of elements and operator.
    pub(super) macros: &'a str,
    pub(super) kind: Scan,
    /// Bytes of a value.
    pub(super) value: usize,
}

impl Job<'_> {
    /// Scans the first `n` elements.
    pub(super) fn run(&self, x: &BufferHandle, out: &BufferHandle, n: usize) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        let profile = self.device.profile();
        // Of wide values fewer, so that as many groups fit a compute unit.
        let (group, mut items) = if profile.target == Target::Gpu { (256, 64 / self.value) } else { (16, 256) };
        let group = common::group(profile, group);
        let bytes = |items: usize| (group * items + 3 * group) * self.value;
        while items > 1 && bytes(items) as u64 > profile.local_memory.usable {
            items /= 2;
        }
        let exclusive = u32::from(self.kind == Scan::Exclusive);
        let macros =
            format!("{}#define EXCLUSIVE {exclusive}\n#define GROUP {group}\n#define ITEMS {items}\n", self.macros);
        let text = common::source(macros, include_str!("scan.cl"));
        let kernel = |entry: &'static str| common::kernel(self.opencl, entry, &text);
        let tiles = n.div_ceil(group * items);
        let parts = self.device.allocate(tiles * self.value)?;
        let (count, tile_count) = ((n as u64).to_ne_bytes(), (tiles as u64).to_ne_bytes());
        if tiles > 1 {
            let arguments = [Set::Memory(x), Set::Memory(&parts), Set::Bytes(&count)];
            common::launch(self.device, &kernel("scan_tiles")?, &arguments, tiles, group)?;
            let arguments = [Set::Memory(&parts), Set::Bytes(&tile_count)];
            common::launch(self.device, &kernel("scan_parts")?, &arguments, 1, group)?;
        }
        let arguments = [Set::Memory(x), Set::Memory(&parts), Set::Memory(out), Set::Bytes(&count)];
        common::launch(self.device, &kernel("scan_write")?, &arguments, tiles, group)
    }
}

/// The places of what is counted: exclusive sums of `n` numbers, or of truth values.
pub(super) fn places(
    device: &Device,
    opencl: &OpenCl,
    counts: &BufferHandle,
    dtype: DType,
    out: &BufferHandle,
    n: usize,
) -> Result<()> {
    let mut macros = common::element_macros(DType::U32, 1, None);
    if dtype == DType::Bool {
        macros.push_str("#undef INPUTS\n#undef VALUE\n#define INPUTS __global const uchar* v0,\n");
        macros.push_str("#define VALUE(i) (v0[i] != 0)\n");
    }
    macros.push_str(&Combine::from(Operator::Sum).parse(DType::U32)?.macros());
    Job { device, opencl, macros: &macros, kind: Scan::Exclusive, value: 4 }.run(counts, out, n)
}
