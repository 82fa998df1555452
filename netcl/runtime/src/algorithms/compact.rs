//! Picking elements.

use super::common::{self, ExecutionSpace, Source};
use super::scan::places;
use crate::error::{Error, Result};
use crate::launch::Argument;
use crate::memory::BufferHandle;
use crate::tensor::{Tensor, vector};
use netcl_hal::device::kernels::KernelCompiler;
use netcl_kernels::dtype::DType;

/// The elements of `x` where `mask` is true, in row-major order, as a tensor with one axis. `x` may be of any type. Waits for
/// the device, since the result's shape depends on the mask's elements.
///
/// ```
/// use netcl::algorithms::{compact, matching};
/// let x = netcl::Tensor::from_slice(&netcl::Device::auto()?, &[3i32, -1, 4], &[3])?;
/// assert_eq!(compact(&x, &matching("v0 > 0", &[&x])?)?.to_vec::<i32>()?, [3, 4]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// [`Error::DType`] if `mask` is not of truth values; [`Error::Shape`] if the shapes differ or there are 2^31 elements or
/// more; [`Error::DeviceMismatch`]; [`Error::Unsupported`] while the device is recorded ([`crate::Device::record`]), as a
/// replay cannot change the result's size; those of [every algorithm](crate::algorithms#errors).
pub fn compact(x: &Tensor, mask: &Tensor) -> Result<Tensor> {
    let operation = "algorithms::compact";
    common::same_place(operation, x, mask, 1)?;
    let count = checked(operation, mask)?;
    common::sized_by_elements(operation, x.device())?;
    let kept = match common::place(operation, x.device())? {
        ExecutionSpace::Host => {
            let (bytes, size) = (x.to_bytes()?, x.dtype().size());
            let truths = mask.to_vec::<bool>()?;
            let elements = bytes.chunks_exact(size).zip(&truths).filter(|(_, kept)| **kept);
            let kept = elements.flat_map(|(element, _)| element.iter().copied());
            let kept: Vec<u8> = vector::collect(x.device(), number_of(&truths) * size, kept)?;
            Tensor::from_bytes(x.device(), &kept, &[kept.len() / size], x.dtype())
        }
        ExecutionSpace::Device(compiler) => pick(compiler, mask, Some(x), count),
    };
    Ok(kept?.computed_by(operation, &[x, mask]))
}

/// Where `mask` is true: positions in row-major order (u32), as a tensor with one axis. Waits for the device.
///
/// # Errors
///
/// Those of [`compact`].
pub fn positions(mask: &Tensor) -> Result<Tensor> {
    let operation = "algorithms::positions";
    let count = checked(operation, mask)?;
    common::sized_by_elements(operation, mask.device())?;
    match common::place(operation, mask.device())? {
        ExecutionSpace::Host => {
            let truths = mask.to_vec::<bool>()?;
            let kept = (0..count).zip(&truths).filter(|(_, kept)| **kept).map(|(i, _)| i);
            let kept: Vec<u32> = vector::collect(mask.device(), number_of(&truths), kept)?;
            Tensor::from_slice(mask.device(), &kept, &[kept.len()])
        }
        ExecutionSpace::Device(compiler) => pick(compiler, mask, None, count),
    }
}

/// How many are kept.
fn number_of(truths: &[bool]) -> usize {
    truths.iter().filter(|kept| **kept).count()
}

fn checked(operation: &'static str, mask: &Tensor) -> Result<u32> {
    if mask.dtype() != DType::Bool {
        return Err(Error::DType { operation, expected: DType::Bool, found: mask.dtype() });
    }
    common::count32(operation, mask)
}

/// The kernels that pick elements of a type, or else positions: only those that are launched, as a driver may take long for
/// each.
fn picking(values: Option<DType>) -> Source {
    let macros = match values {
        Some(dtype) => as_unsigned(dtype),
        None => "#define INPUTS\n#define VALUE(i) (i)\n".to_owned(),
    };
    common::source(macros, include_str!("compact.cl"))
}

fn gathering(dtype: DType) -> Source {
    common::source(as_unsigned(dtype), include_str!("gather.cl"))
}

/// Elements are moved as unsigned integers of their size.
fn as_unsigned(dtype: DType) -> String {
    let element = match dtype.size() {
        1 => "uchar",
        2 => "ushort",
        4 => "uint",
        _ => "ulong",
    };
    format!("#define ELEMENT {element}\n")
}

fn pick(compiler: &dyn KernelCompiler, mask: &Tensor, values: Option<&Tensor>, count: u32) -> Result<Tensor> {
    let (device, n) = (mask.device(), mask.elements());
    let dtype = values.map_or(DType::U32, Tensor::dtype);
    if n == 0 {
        return Tensor::uninitialised("compact", device, &[0], dtype);
    }
    let text = picking(values.map(Tensor::dtype));
    let where_to: BufferHandle = device.allocate(n * 4)?;
    places(device, compiler, mask.region()?, DType::Bool, &where_to, n)?;
    let count = count.to_ne_bytes();
    let total = Tensor::uninitialised("compact", device, &[], DType::U32)?;
    let arguments = [
        Argument::Memory(mask.region()?),
        Argument::Memory(&where_to),
        Argument::Memory(total.region()?),
        Argument::Bytes(&count),
    ];
    common::launch_over(device, &*common::kernel(compiler, "count_kept", &text)?, &arguments, 1)?;
    let kept = total.item::<u32>()?;
    let out = Tensor::uninitialised("compact", device, &[kept as usize], dtype)?;
    let kept = kept.to_ne_bytes();
    let [_, where_to, _, count] = arguments;
    let to = [where_to, Argument::Memory(out.region()?), count, Argument::Bytes(&kept)];
    let arguments: Vec<Argument<'_>> =
        values.map(Tensor::region).transpose()?.map(Argument::Memory).into_iter().chain(to).collect();
    common::launch_over(device, &*common::kernel(compiler, "keep_elements", &text)?, &arguments, n)?;
    Ok(out)
}

/// `values[positions]`; the positions (u32) are netcl's own. Those of a recorded sort may be written to during a replay: 0
/// for what is not inside then.
pub(super) fn gather(values: &Tensor, positions: &Tensor) -> Result<Tensor> {
    let device = values.device();
    let ExecutionSpace::Device(compiler) = common::place("algorithms::sort_by_key", device)? else {
        let (bytes, size) = (values.to_bytes()?, values.dtype().size());
        let list = positions.to_vec::<u32>()?;
        let elements = list.iter().flat_map(|&position| &bytes[position as usize * size..][..size]);
        let out: Vec<u8> = vector::collect(device, list.len() * size, elements.copied())?;
        return Tensor::from_bytes(device, &out, positions.shape(), values.dtype());
    };
    let out = Tensor::uninitialised("compact", device, positions.shape(), values.dtype())?;
    let count = (positions.elements() as u32).to_ne_bytes();
    let kernel = common::kernel(compiler, "gather_elements", &gathering(values.dtype()))?;
    let arguments = [
        Argument::Memory(values.region()?),
        Argument::Memory(positions.region()?),
        Argument::Memory(out.region()?),
        Argument::Bytes(&count),
    ];
    common::launch_over(device, &*kernel, &arguments, positions.elements())?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;

    #[test]
    fn no_kernel_is_built_that_is_not_launched() {
        for device in Device::all().into_iter().filter_map(|profile| Device::select(&profile.selector).ok()) {
            let Some(compiler) = device.backend().kernels() else { continue };
            for (text, built) in [
                (picking(Some(DType::F32)), [true, true, false]),
                (picking(None), [true, true, false]),
                (gathering(DType::F32), [false, false, true]),
            ] {
                let has = |entry: &'static str| common::kernel(compiler, entry, &text).is_ok();
                assert_eq!(["keep_elements", "count_kept", "gather_elements"].map(has), built, "{device}");
            }
        }
    }
}
