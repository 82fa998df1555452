//! What the algorithms share: where they run, and how their kernels get their types and launch.

use super::combine::Combining;
use super::host::MappedElements;
use crate::device::{Device, DeviceKind, DeviceProfile};
use crate::error::{Error, Result};
use crate::expression::{Expression, computed_in, opencl};
use crate::launch::{self, Argument};
use crate::recording;
use crate::tensor::Tensor;
use netcl_hal::device::kernels::{DeviceKernel, KernelCompiler, KernelSource};
use netcl_hal::recent::Recent;
use netcl_kernels::dtype::DType;
use netcl_kernels::emit::{bf16_from_float, storage_type};
use netcl_kernels::kir::Geometry;
use netcl_kernels::kir::Kernel;
use std::sync::{Arc, Mutex, PoisonError};

/// Elements that a thread of the host takes at a time.
pub(super) const CHUNK: usize = 1 << 14;

/// What was made for the arguments of earlier calls: parsed expressions, and the macros that kernels get of them.
pub(super) type Made<K, V> = Mutex<Recent<(K, Arc<V>)>>;

/// How many are kept of each.
pub(super) const KEPT: usize = 64;

/// The value whose key fits, or else what `make` gives.
pub(super) fn made<K, V>(
    known: &Made<K, V>,
    fits: impl Fn(&K) -> bool,
    make: impl FnOnce() -> Result<(K, V)>,
) -> Result<Arc<V>> {
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, value)) = lock().find(|(key, _)| fits(key)) {
        return Ok(value.clone());
    }
    let (key, value) = make()?;
    let value = Arc::new(value);
    lock().add((key, value.clone()));
    Ok(value)
}

/// Where an algorithm runs.
pub(super) enum ExecutionSpace<'a> {
    Host,
    /// Where OpenCL C is built and runs.
    Device(&'a dyn KernelCompiler),
}

/// Where `operation` runs on a device whose memory its tensors are in. Nowhere while the host is recorded: a replay would
/// leave it out.
pub(super) fn place<'a>(operation: &str, device: &'a Device) -> Result<ExecutionSpace<'a>> {
    match (device.backend().kernels(), device.profile().kind) {
        (Some(compiler), _) => Ok(ExecutionSpace::Device(compiler)),
        (None, DeviceKind::Host) if recording::is_active(device.backend()) => Err(device.unrecordable(
            operation,
            "what algorithms compute on the host cannot be recorded; record tensor operations and `kernel!`s there, or \
             record on an OpenCL device",
        )),
        (None, DeviceKind::Host) => Ok(ExecutionSpace::Host),
        (None, _) => Err(Error::Unsupported {
            function: operation.to_owned(),
            device: device.to_string(),
            problem: "it computes nothing, and what algorithms do depends on the elements; use `Device::host()`"
                .to_owned(),
        }),
    }
}

/// Fails while the device is recorded: to be called where the elements decide on a size. A replay has other elements, and
/// the sizes of the recording.
pub(super) fn sized_by_elements(operation: &str, device: &Device) -> Result<()> {
    if !recording::is_active(device.backend()) {
        return Ok(());
    }
    let problem = "the size of its result depends on the elements, which are others at a replay; call it after the \
                   recording has ended, or keep the size by multiplying with the mask instead";
    Err(device.unrecordable(operation, problem))
}

/// The inputs' common device, type and shape.
pub(super) fn alike<'a>(operation: &'static str, inputs: &[&'a Tensor]) -> Result<&'a Tensor> {
    checked(inputs)?;
    let Some((&first, others)) = inputs.split_first() else {
        let message = "it needs at least one input, whose shape the result has".to_owned();
        return Err(Error::Shape { operation, message });
    };
    for (position, other) in others.iter().enumerate() {
        if other.dtype() != first.dtype() {
            return Err(Error::DType { operation, expected: first.dtype(), found: other.dtype() });
        }
        same_place(operation, first, other, position + 1)?;
    }
    Ok(first)
}

/// Fails unless all could be computed.
pub(super) fn checked(inputs: &[&Tensor]) -> Result<()> {
    inputs.iter().try_for_each(|input| input.region().map(drop))
}

/// Their memory, as arguments of a kernel.
pub(super) fn arguments<'a>(inputs: &[&'a Tensor]) -> Result<Vec<Argument<'a>>> {
    inputs.iter().map(|input| Ok(Argument::Memory(input.region()?))).collect()
}

/// Fails unless both have one shape and one device.
pub(super) fn same_place(operation: &'static str, first: &Tensor, other: &Tensor, position: usize) -> Result<()> {
    checked(&[first, other])?;
    if other.shape() != first.shape() {
        let message = format!("expects inputs of one shape, found {:?} and {:?}", first.shape(), other.shape());
        return Err(Error::Shape { operation, message });
    }
    if other.device() != first.device() {
        return Err(first.device().mismatch(operation, format!("input {position}"), other.device()));
    }
    Ok(())
}

/// How many elements, where they are numbered in 32 bits.
pub(super) fn count32(operation: &'static str, tensor: &Tensor) -> Result<u32> {
    checked(&[tensor])?;
    u32::try_from(tensor.elements()).ok().filter(|&count| count < 1 << 31).ok_or_else(|| Error::Shape {
        operation,
        message: format!("expects fewer than 2^31 elements, found the shape {:?}", tensor.shape()),
    })
}

/// Fails where kernels of the device cannot compute with elements of this type.
pub(super) fn computable(operation: &str, device: &Device, dtype: DType) -> Result<()> {
    if dtype == DType::F64 && !device.profile().fp64 {
        return Err(Error::Unsupported {
            function: operation.to_owned(),
            device: device.to_string(),
            problem: "its kernels cannot use f64; `cast` to f32".to_owned(),
        });
    }
    Ok(())
}

/// What kernels over elements of `dtype` get: functions of the expression and the operator, whose products and sums are rounded
/// one by one as on the host, and macros. Elements are read as `v0`, `v1`, … and written: `T`, `INPUTS`, `VALUE`, `LOAD_FOUR`,
/// `FOUR`, `OUT`, `PUT`; values are combined: `COMBINE`, `NEUTRAL`.
///
/// # Errors
///
/// None that a user can cause: those of [`crate::expression::opencl`].
pub(super) fn head(elements: MappedElements<'_>, combining: Option<&Combining>) -> Result<String> {
    let MappedElements { dtype, inputs, expression } = elements;
    let names = Expression::variables(inputs);
    let mapped = expression.map(|expression| expression.function("map_value", &names));
    let functions: Vec<Kernel> =
        mapped.into_iter().chain(combining.into_iter().flat_map(Combining::functions)).collect();
    let mut text = "#pragma OPENCL FP_CONTRACT OFF\n".to_owned();
    if dtype == DType::F64 {
        text.push_str("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    }
    text.push_str(&opencl(&functions)?);
    text.push_str(&element_macros(elements));
    if combining.is_some() {
        text.push_str("#define COMBINE(a, b) combine_two((a), (b))\n#define NEUTRAL neutral_value()\n");
    }
    Ok(text)
}

/// How elements are read, four at a time too, and written.
fn element_macros(MappedElements { dtype, inputs, expression }: MappedElements<'_>) -> String {
    let names = Expression::variables(inputs);
    let stored = storage_type(dtype);
    // An element as it is stored, as a number.
    let number = |element: String| match dtype {
        DType::BF16 => format!("as_float((uint){element} << 16)"),
        _ => element,
    };
    let read = |name: &String| match dtype {
        DType::F16 => format!("vload_half((i), {name})"),
        _ => number(format!("{name}[i]")),
    };
    let reads: Vec<String> = names.iter().map(read).collect();
    let parameters: Vec<String> = names.iter().map(|name| format!("__global const {stored}* {name},")).collect();
    // Buffers start where the widest vectors may.
    let load = |name: &String| match dtype {
        DType::F16 => format!("const float4 name##_{name} = vloada_half4((i), {name})"),
        _ => format!("const {stored}4 name##_{name} = ((__global const {stored}4*){name})[i]"),
    };
    let loads: Vec<String> = names.iter().map(load).collect();
    let fours: Vec<String> = names.iter().map(|name| number(format!("name##_{name}.s##k"))).collect();
    let of = |elements: &[String]| {
        let function = if expression.is_some() { "map_value" } else { "" };
        format!("{function}({})", elements.join(", "))
    };
    let (helper, put) = match dtype {
        DType::F16 => (String::new(), "vstore_half((v), (i), (p))"),
        DType::BF16 => (bf16_from_float(), "((p)[i] = netcl_bf16_from_float(v))"),
        _ => (String::new(), "((p)[i] = (v))"),
    };
    format!(
        "{helper}#define T {}\n#define INPUTS {}\n#define VALUE(i) {}\n#define LOAD_FOUR(name, i) {}\n\
         #define FOUR(name, k) {}\n#define OUT {stored}\n#define PUT(p, i, v) {put}\n",
        storage_type(computed_in(dtype)),
        parameters.join(" "),
        of(&reads),
        loads.join("; "),
        of(&fours),
    )
}

/// The largest power of two up to `wanted` that a work-group may have.
pub(super) fn group(profile: &DeviceProfile, wanted: usize) -> usize {
    let most = profile.max_work_group.min(profile.max_work_items[0]).max(1);
    1 << wanted.min(most).ilog2()
}

/// Work-groups that keep every compute unit busy, where each loops over its share.
pub(super) fn busy_groups(profile: &DeviceProfile, items: usize, group: usize) -> usize {
    items.div_ceil(group).clamp(1, (profile.compute_units as usize * 8).clamp(1, 2048))
}

/// The text of a kernel file after some macros.
pub(super) struct Source {
    macros: Arc<str>,
    file: &'static str,
}

/// The text of a kernel file after these macros.
pub(super) fn source(macros: impl Into<Arc<str>>, file: &'static str) -> Source {
    Source { macros: macros.into(), file }
}

/// Makes a kernel of netcl's own, or takes one that was made before.
pub(super) fn kernel(
    compiler: &dyn KernelCompiler,
    entry: &'static str,
    source: &Source,
) -> Result<Box<dyn DeviceKernel>> {
    let (head, body) = (source.macros.clone(), source.file.into());
    Ok(compiler.kernel(KernelSource { entry: entry.into(), head, options: compiler.options().into(), body })?)
}

/// Launches `groups` work-groups of `group` items.
pub(super) fn launch(
    device: &Device,
    kernel: &dyn DeviceKernel,
    arguments: &[Argument<'_>],
    groups: usize,
    group: usize,
) -> Result<()> {
    let geometry = Geometry { dimensions: 1, global: [groups * group, 1, 1], local: Some([group, 1, 1]) };
    launch::launch(device, kernel, arguments.iter().copied(), &geometry)
}

/// Launches at least `items` work-items, none for none.
pub(super) fn launch_over(
    device: &Device,
    kernel: &dyn DeviceKernel,
    arguments: &[Argument<'_>],
    items: usize,
) -> Result<()> {
    if items == 0 {
        return Ok(());
    }
    let group = group(device.profile(), 256).min(kernel.limits()?.work_group);
    launch(device, kernel, arguments, items.div_ceil(group), group)
}
