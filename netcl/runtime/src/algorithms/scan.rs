//! Prefixes of a sequence.

use super::combine::{Combine, Combining, Operator};
use super::common::{self, ExecutionSpace, KEPT, Made, Source};
use super::host::{self, MappedElements};
use crate::device::{Device, KernelStrategy};
use crate::error::Result;
use crate::expression::{Expression, computed_in};
use crate::launch::Argument;
use crate::memory::BufferHandle;
use crate::tensor::Tensor;
use netcl_hal::device::kernels::KernelCompiler;
use netcl_hal::recent::Recent;
use netcl_kernels::dtype::DType;
use netcl_kernels::plan::Target;
use std::sync::{Arc, Mutex};

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
/// Everything is combined with the neutral element first: a sum of -0.0 alone is 0.0.
///
/// # Errors
///
/// [`crate::Error::Expression`] if an expression is wrong or the type is none that expressions are for;
/// those of [every algorithm](crate::algorithms#errors).
pub fn scan(combine: impl Into<Combine>, kind: Scan, x: &Tensor) -> Result<Tensor> {
    Ok(run("algorithms::scan", &combine.into(), kind, None, &[x])?.computed_by("algorithms::scan", &[x]))
}

/// The prefixes of the results of `expression` for the elements of `inputs`, without storing these: how many positive elements
/// come before each one is `map_scan("v0 > 0", Operator::Sum, Scan::Exclusive, &[&x])`. Of the inputs' type and shape.
///
/// ```
/// use netcl::algorithms::{Operator, Scan, map_scan};
/// let x = netcl::Tensor::from_slice(&netcl::Device::auto()?, &[3i32, -1, 4], &[3])?;
/// assert_eq!(map_scan("v0 > 0", Operator::Sum, Scan::Exclusive, &[&x])?.to_vec::<i32>()?, [0, 1, 1]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// Those of [`super::map`] and [`scan`].
pub fn map_scan(expression: &str, combine: impl Into<Combine>, kind: Scan, inputs: &[&Tensor]) -> Result<Tensor> {
    common::alike("algorithms::map_scan", inputs)?;
    let prefixes = run("algorithms::map_scan", &combine.into(), kind, Some(expression), inputs)?;
    Ok(prefixes.computed_by("algorithms::map_scan", inputs))
}

fn run(
    operation: &'static str,
    combine: &Combine,
    kind: Scan,
    expression: Option<&str>,
    inputs: &[&Tensor],
) -> Result<Tensor> {
    let (device, shape, dtype) = (inputs[0].device(), inputs[0].shape(), inputs[0].dtype());
    let reads: Vec<&BufferHandle> = inputs.iter().map(|input| input.region()).collect::<Result<_>>()?;
    let n = inputs[0].elements();
    let compiler = match common::place(operation, device) {
        Ok(ExecutionSpace::Host) => {
            let prefixes = prefixes(combine, kind, expression, inputs)?;
            let out = Tensor::uninitialised("scan", device, shape, dtype)?;
            prefixes.run(operation, device, &reads, out.region()?, n)?;
            return Ok(out);
        }
        Ok(ExecutionSpace::Device(compiler)) => Ok(compiler),
        Err(error) => Err(error),
    };
    let (combining, expression) = parse(combine, expression, inputs.len(), dtype)?;
    let compiler = compiler?;
    common::computable(operation, device, dtype)?;
    let out = Tensor::uninitialised("scan", device, shape, dtype)?;
    let elements = MappedElements { dtype, inputs: inputs.len(), expression: expression.as_ref() };
    let macros = common::head(elements, Some(&combining))?;
    let job = Job { device, compiler, macros: &macros, kind, value: computed_in(dtype).size() };
    job.run(&reads, out.region()?, n)?;
    Ok(out)
}

fn parse(
    combine: &Combine,
    expression: Option<&str>,
    inputs: usize,
    dtype: DType,
) -> Result<(Combining, Option<Expression>)> {
    let parse = |expression| Expression::parse(expression, &Expression::variables(inputs), dtype);
    Ok((combine.parse(dtype)?, expression.map(parse).transpose()?))
}

/// What tells scans apart: the operator, the expression, how many inputs of which type, whether prefixes have their own element.
type ScanKey = (Combine, Option<String>, usize, DType, Scan);

/// The loops of a scan on the host.
fn prefixes(
    combine: &Combine,
    kind: Scan,
    expression: Option<&str>,
    inputs: &[&Tensor],
) -> Result<Arc<host::Prefixes>> {
    static MADE: Made<ScanKey, host::Prefixes> = Mutex::new(Recent::new(KEPT));
    let (device, dtype, inputs) = (inputs[0].device(), inputs[0].dtype(), inputs.len());
    let rest = (inputs, dtype, kind);
    let fits = |known: &ScanKey| {
        (known.2, known.3, known.4) == rest && known.0 == *combine && known.1.as_deref() == expression
    };
    common::made(&MADE, fits, || {
        let asked = (combine.clone(), expression.map(str::to_owned), inputs, dtype, kind);
        let (combining, expression) = parse(combine, expression, inputs, dtype)?;
        let elements = MappedElements { dtype, inputs, expression: expression.as_ref() };
        Ok((asked, host::Prefixes::new(device, elements, &combining, kind == Scan::Inclusive)?))
    })
}

/// A scan on an OpenCL device.
pub(super) struct Job<'a> {
    pub(super) device: &'a Device,
    pub(super) compiler: &'a dyn KernelCompiler,
    /// What `scan.cl` is told of elements and operator.
    pub(super) macros: &'a str,
    pub(super) kind: Scan,
    /// Bytes of a value.
    pub(super) value: usize,
}

/// How many launches a scan of several tiles takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Launches {
    /// Work-groups wait for those that began before them.
    One,
    /// No work-group waits for another.
    Three,
}

/// Kernels that are launched together, and built together: a driver may take seconds for those that are not wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kernels {
    /// `scan_write`, which all but a scan in one launch need, and a single tile alone.
    Write,
    /// `scan_tiles` and `scan_parts`, the same for both kinds of scan.
    Parts,
    /// `scan_once`.
    Once,
}

/// How a sequence is cut: work-items of a group, and elements of a work-item.
#[derive(Clone, Copy)]
struct Tiles {
    group: usize,
    items: usize,
}

impl Launches {
    fn on(device: &Device) -> Result<Launches> {
        let optimized = device.kernel_strategy()? == KernelStrategy::Optimized;
        Ok(if device.profile().independent_progress && optimized { Launches::One } else { Launches::Three })
    }
}

impl Job<'_> {
    /// Scans the first `n` elements.
    pub(super) fn run(&self, inputs: &[&BufferHandle], out: &BufferHandle, n: usize) -> Result<()> {
        self.run_in(Launches::on(self.device)?, inputs, out, n)
    }

    fn tiles(&self, launches: Launches) -> Tiles {
        let profile = self.device.profile();
        // Of wide values fewer, so that as many groups fit a compute unit. Where groups wait for others, larger tiles are
        // fewer that do, and more is under way beside them.
        let (group, mut items) = match (profile.target, launches) {
            (Target::Gpu, Launches::One) => (256, 128 / self.value),
            (Target::Gpu, Launches::Three) => (256, 64 / self.value),
            (_, _) => (16, 256),
        };
        let group = common::group(profile, group);
        let bytes = |items: usize| (group * items + 3 * group) * self.value;
        while items > 1 && bytes(items) as u64 > profile.local_memory.usable {
            items /= 2;
        }
        Tiles { group, items }
    }

    fn text(&self, kernels: Kernels, Tiles { group, items }: Tiles) -> Source {
        let macros = match (kernels, self.kind) {
            (Kernels::Parts, _) => "#define KERNELS PARTS\n",
            (Kernels::Write, Scan::Inclusive) => "#define KERNELS WRITE\n",
            (Kernels::Write, Scan::Exclusive) => "#define KERNELS WRITE\n#define EXCLUSIVE 1\n",
            (Kernels::Once, Scan::Inclusive) => "#define KERNELS ONCE\n",
            (Kernels::Once, Scan::Exclusive) => "#define KERNELS ONCE\n#define EXCLUSIVE 1\n",
        };
        let macros = format!("{}{macros}#define GROUP {group}\n#define ITEMS {items}\n", self.macros);
        common::source(macros, include_str!("scan.cl"))
    }

    fn run_in(&self, launches: Launches, inputs: &[&BufferHandle], out: &BufferHandle, n: usize) -> Result<()> {
        if n == 0 {
            return Ok(());
        }
        let cut = self.tiles(launches);
        let Tiles { group, items } = cut;
        let kernel = |kernels, entry| common::kernel(self.compiler, entry, &self.text(kernels, cut));
        let tiles = n.div_ceil(group * items);
        let (count, tile_count) = ((n as u64).to_ne_bytes(), (tiles as u64).to_ne_bytes());
        let inputs: Vec<Argument<'_>> = inputs.iter().map(|input| Argument::Memory(input)).collect();
        if tiles > 1 && launches == Launches::One {
            // A counter, what each tile makes, what comes before each block of `group` tiles.
            let words = 1 + (tiles + tiles / group + 1) * self.value / 2;
            let told = self.device.allocate(4 * words)?;
            told.zero()?;
            let arguments =
                of_inputs(&inputs, &[Argument::Memory(&told), Argument::Memory(out), Argument::Bytes(&count)]);
            return common::launch(self.device, &*kernel(Kernels::Once, "scan_once")?, &arguments, tiles, group);
        }
        let parts = self.device.allocate(tiles * self.value)?;
        if tiles > 1 {
            let arguments = of_inputs(&inputs, &[Argument::Memory(&parts), Argument::Bytes(&count)]);
            common::launch(self.device, &*kernel(Kernels::Parts, "scan_tiles")?, &arguments, tiles, group)?;
            let arguments = [Argument::Memory(&parts), Argument::Bytes(&tile_count)];
            common::launch(self.device, &*kernel(Kernels::Parts, "scan_parts")?, &arguments, 1, group)?;
        }
        let arguments = of_inputs(&inputs, &[Argument::Memory(&parts), Argument::Memory(out), Argument::Bytes(&count)]);
        common::launch(self.device, &*kernel(Kernels::Write, "scan_write")?, &arguments, tiles, group)
    }
}

/// The arguments of kernels that read inputs: these come first.
fn of_inputs<'a>(inputs: &[Argument<'a>], others: &[Argument<'a>]) -> Vec<Argument<'a>> {
    [inputs, others].concat()
}

/// The places of what is counted: exclusive sums of `n` numbers, or of truth values.
pub(super) fn places(
    device: &Device,
    compiler: &dyn KernelCompiler,
    counts: &BufferHandle,
    dtype: DType,
    out: &BufferHandle,
    n: usize,
) -> Result<()> {
    let sum = Combine::from(Operator::Sum).parse(DType::U32)?;
    let mut macros = common::head(MappedElements { dtype: DType::U32, inputs: 1, expression: None }, Some(&sum))?;
    if dtype == DType::Bool {
        macros.push_str("#undef INPUTS\n#undef VALUE\n#undef LOAD_FOUR\n#undef FOUR\n");
        macros.push_str("#define INPUTS __global const uchar* v0,\n#define VALUE(i) (v0[i] != 0)\n");
        macros.push_str("#define LOAD_FOUR(name, i) const uchar4 name##_v0 = ((__global const uchar4*)v0)[i]\n");
        macros.push_str("#define FOUR(name, k) (name##_v0.s##k != 0)\n");
    }
    Job { device, compiler, macros: &macros, kind: Scan::Exclusive, value: 4 }.run(&[counts], out, n)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Vendor;

    fn head() -> String {
        let sum = Combine::from(Operator::Sum).parse(DType::I64).unwrap();
        common::head(MappedElements { dtype: DType::I64, inputs: 1, expression: None }, Some(&sum)).unwrap()
    }

    #[test]
    fn no_kernel_is_built_that_is_not_launched() {
        for device in Device::all().into_iter().filter_map(|profile| Device::select(&profile.selector).ok()) {
            let Some(compiler) = device.backend().kernels() else { continue };
            let macros = head();
            let job = Job { device: &device, compiler, macros: &macros, kind: Scan::Inclusive, value: 8 };
            for (kernels, launches, built) in [
                (Kernels::Once, Launches::One, [true, false, false, false]),
                (Kernels::Parts, Launches::Three, [false, true, true, false]),
                (Kernels::Write, Launches::Three, [false, false, false, true]),
            ] {
                let text = job.text(kernels, job.tiles(launches));
                let has = |entry: &'static str| common::kernel(compiler, entry, &text).is_ok();
                let all = ["scan_once", "scan_tiles", "scan_parts", "scan_write"];
                assert_eq!(all.map(has), built, "{device}, {kernels:?}");
            }
        }
    }

    /// On every device, also where one launch is not the default: groups that began before others go on there too, or run
    /// first.
    #[test]
    fn one_launch_gives_the_same_as_three() {
        for device in Device::all().into_iter().filter_map(|profile| Device::select(&profile.selector).ok()) {
            let Some(compiler) = device.backend().kernels() else { continue };
            // Tiles have 4,096 elements or fewer of 4 bytes. A simulator takes minutes for many of them.
            let most = if device.profile().vendor == Vendor::Oclgrind { 5000 } else { usize::MAX };
            for n in [1usize, 4095, 4097, 70_001, (1 << 18) + 3].into_iter().filter(|&n| n <= most) {
                let values: Vec<i64> = (0..n as i64).map(|i| i * 7919 % 1000 - 300).collect();
                let x = Tensor::from_slice(&device, &values, &[n]).unwrap();
                let macros = head();
                for kind in [Scan::Inclusive, Scan::Exclusive] {
                    let job = Job { device: &device, compiler, macros: &macros, kind, value: 8 };
                    let [one, three] = [Launches::One, Launches::Three].map(|launches| {
                        let out = Tensor::uninitialised("scan", &device, &[n], DType::I64).unwrap();
                        job.run_in(launches, &[x.region().unwrap()], out.region().unwrap(), n).unwrap();
                        out.to_vec::<i64>().unwrap()
                    });
                    let mut sum = 0;
                    let mut expected = Vec::with_capacity(n);
                    for value in &values {
                        let before = sum;
                        sum += value;
                        expected.push(if kind == Scan::Exclusive { before } else { sum });
                    }
                    assert!(one == expected && three == expected, "{device}, {n}, {kind:?}");
                }
            }
        }
    }
}
