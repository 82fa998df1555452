//! Counting elements.

use super::common::{self, CHUNK, ExecutionSpace};
use crate::error::{Error, Result};
use crate::launch::Argument;
use crate::tensor::vector;
use crate::tensor::{Element, Tensor};
use half::{bf16, f16};
use netcl_hal::host::pool;
use netcl_kernels::dtype::DType;
use std::sync::{Mutex, PoisonError};

/// Counts of more bins are made in global memory: more would leave no local memory for a second work-group.
const LOCAL_BINS: usize = 2048;

/// How many elements of `x` (f32, f16 or bf16) fall into each of `bins` equal bins from `low` to `high`, as u32 of shape `[bins]`. The last
/// bin includes `high`; elements outside, and NaN, are in none. An element's bin is `(x - low) * (bins / (high - low))` in f32,
/// rounded down: the same on every device. Does not wait for the device.
///
/// f32 holds every f16 and bf16. It does not hold every f64 and integer, whose bins near their ends would be others than one
/// expects: `cast` says that this is wanted; [`bincount`] counts integers.
///
/// ```
/// use netcl::algorithms::histogram;
/// let x = netcl::Tensor::from_slice(&netcl::Device::auto()?, &[0.0f32, 0.1, 0.9, 1.0, 7.0], &[5])?;
/// assert_eq!(histogram(&x, 2, 0.0, 1.0)?.to_vec::<u32>()?, [2, 2]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::DType`] if the elements are of another type; [`Error::Shape`] if there are no bins or 2^31 and more of bins or elements, or
/// the ends are not finite and ascending; those of [every algorithm](crate::algorithms#errors).
pub fn histogram(x: &Tensor, bins: usize, low: f32, high: f32) -> Result<Tensor> {
    let operation = "algorithms::histogram";
    if bins == 0 {
        return Err(Error::Shape { operation, message: "expects at least 1 bin, found 0".to_owned() });
    }
    let scale = bins as f32 / (high - low);
    // `high - low` may overflow; a scale that rounds to nothing would put all into one bin.
    if !(low.is_finite() && high.is_finite() && low < high && scale.is_normal()) {
        let message = if low.is_finite() && high.is_finite() && low < high {
            format!(
                "bins of ({high} - {low}) / {bins} have no size in f32: choose ends that are further apart, or nearer"
            )
        } else {
            format!("expects finite ends, the lower one first, found {low} and {high} for {bins} bins")
        };
        return Err(Error::Shape { operation, message });
    }
    let bin_of = move |value: f32| {
        let inside = value >= low && value <= high;
        if inside { (((value - low) * scale) as usize).min(bins - 1) } else { usize::MAX }
    };
    let macros = |element: &str, get: &str| {
        format!(
            "#define ELEMENT {element}\n#define GET(p, i) {get}\n\
             #define PARAMETERS , const float low, const float high, const float scale\n\
             #define BIN(x) bin_of_float((x), low, high, scale, bins)\n"
        )
    };
    let parameters = [low, high, scale];
    match x.dtype() {
        DType::F32 => count(operation, x, bins, &macros("float", "((p)[i])"), &parameters, bin_of),
        DType::F16 => {
            let macros = macros("half", "vload_half((i), (p))");
            count(operation, x, bins, &macros, &parameters, move |value: f16| bin_of(value.to_f32()))
        }
        DType::BF16 => {
            let macros = macros("ushort", "as_float((uint)(p)[i] << 16)");
            count(operation, x, bins, &macros, &parameters, move |value: bf16| bin_of(value.to_f32()))
        }
        found => Err(Error::DType { operation, expected: DType::F32, found }),
    }
}

/// How many elements of `x` (u8, i32, u32 or i64) are 0, 1, …, `bins - 1`, as u32 of shape `[bins]`; negative and larger ones are
/// not counted. Does not wait for the device.
///
/// # Errors
///
/// [`Error::DType`] if the elements are of another type; [`Error::Shape`] if there are no bins or 2^31 and more of bins or
/// elements; those of [every algorithm](crate::algorithms#errors).
pub fn bincount(x: &Tensor, bins: usize) -> Result<Tensor> {
    let operation = "algorithms::bincount";
    // A negative number is none of fewer than 2^31 bins, whether its bits are read without a sign or it is turned into one.
    let macros = |element: &str, bin: &str| {
        format!("#define ELEMENT {element}\n#define GET(p, i) ((p)[i])\n#define PARAMETERS\n#define BIN(x) {bin}\n")
    };
    let narrow = |element: &str| macros(element, "((uint)(x))");
    match x.dtype() {
        DType::U8 => count(operation, x, bins, &narrow("uchar"), &[], |value: u8| value.into()),
        DType::U32 => count(operation, x, bins, &narrow("uint"), &[], |value: u32| value as usize),
        DType::I32 => count(operation, x, bins, &narrow("int"), &[], |value: i32| value as usize),
        DType::I64 => {
            let macros = macros("ulong", "((x) < bins ? (uint)(x) : bins)");
            count(operation, x, bins, &macros, &[], |value: i64| usize::try_from(value).unwrap_or(usize::MAX))
        }
        found => Err(Error::DType { operation, expected: DType::U32, found }),
    }
}

fn count<T: Element>(
    operation: &'static str,
    x: &Tensor,
    bins: usize,
    macros: &str,
    parameters: &[f32],
    bin_of: impl Fn(T) -> usize + Sync,
) -> Result<Tensor> {
    count_by(operation, x, bins, macros, parameters, &|| {
        let zeros = || vector::zeros::<u32>(x.device(), bins);
        let values = x.to_vec::<T>()?;
        let counted = |values: &[T], mut counts: Vec<u32>| {
            for &value in values {
                if let Some(count) = counts.get_mut(bin_of(value)) {
                    *count += 1;
                }
            }
            counts
        };
        // Each share's counts take as much as the result: few and long shares where there are many bins.
        let share = CHUNK.max(bins);
        if values.len() <= share {
            return zeros().map(|zeros| counted(&values, zeros));
        }
        let counts = Mutex::new(zeros());
        pool::share(values.chunks(share), &|_, values| {
            let own = zeros().map(|zeros| counted(values, zeros));
            let mut counts = counts.lock().unwrap_or_else(PoisonError::into_inner);
            match (&mut *counts, own) {
                (Ok(counts), Ok(own)) => counts.iter_mut().zip(own).for_each(|(count, own)| *count += own),
                (Ok(_), Err(error)) => *counts = Err(error),
                (Err(_), _) => {}
            }
        });
        counts.into_inner().unwrap_or_else(PoisonError::into_inner)
    })
}

/// Counts by the kernel, or by `on_host`.
fn count_by(
    operation: &'static str,
    x: &Tensor,
    bins: usize,
    macros: &str,
    parameters: &[f32],
    on_host: &dyn Fn() -> Result<Vec<u32>>,
) -> Result<Tensor> {
    common::count32(operation, x)?;
    let Some(bins32) = u32::try_from(bins).ok().filter(|bins| (1..1 << 31).contains(bins)) else {
        let message = format!("expects 1 to 2^31 - 1 bins, found {bins}");
        return Err(Error::Shape { operation, message });
    };
    let device = x.device();
    let compiler = match common::place(operation, device)? {
        ExecutionSpace::Device(compiler) => compiler,
        ExecutionSpace::Host => return Tensor::from_slice(device, &on_host()?, &[bins]),
    };
    let counts = Tensor::zeros(device, &[bins], DType::U32)?;
    if x.elements() == 0 {
        return Ok(counts);
    }
    let local = bins <= LOCAL_BINS && (bins * 4) as u64 <= device.profile().local_memory.reported;
    let macros = format!("#define LOCAL {}\n{macros}", u32::from(local));
    let kernel = common::kernel(compiler, "count_bins", &common::source(macros, include_str!("histogram.cl")))?;
    let group = common::group(device.profile(), 256).min(kernel.limits()?.work_group);
    let groups = common::busy_groups(device.profile(), x.elements(), group);
    let (n, bins32) = ((x.elements() as u64).to_ne_bytes(), bins32.to_ne_bytes());
    let parameters: Vec<[u8; 4]> = parameters.iter().map(|parameter| parameter.to_ne_bytes()).collect();
    let mut arguments = vec![
        Argument::Memory(x.region()?),
        Argument::Memory(counts.region()?),
        Argument::Local(if local { bins * 4 } else { 4 }),
        Argument::Bytes(&n),
        Argument::Bytes(&bins32),
    ];
    arguments.extend(parameters.iter().map(|parameter| Argument::Bytes(parameter)));
    common::launch(device, &*kernel, &arguments, groups, group)?;
    Ok(counts)
}
