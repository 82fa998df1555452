//! What the algorithms share: where they run, and how their kernels get their types and launch.

use crate::device::geometry::Geometry;
use crate::device::opencl::OpenCl;
use crate::device::opencl::idle::Origin;
use crate::device::opencl::kernel::Set;
use crate::device::opencl::raw::ClKernel;
use crate::device::{Device, DeviceKind, DeviceProfile};
use crate::error::{Error, Result};
use crate::expression::{Expression, Number, type_name};
use crate::recording;
use crate::tensor::Tensor;
use half::f16;
use netcl_kernels::dtype::DType;
use std::sync::Arc;

/// Elements that a thread of the host takes at a time.
pub(super) const CHUNK: usize = 1 << 14;

/// Runs `$body` with the Rust type in which elements of `$dtype` are computed.
macro_rules! with_number {
    ($operation:expr, $dtype:expr, $number:ident => $body:expr) => {
        match $dtype.compute() {
            netcl_kernels::dtype::DType::I32 => {
                type $number = i32;
                $body
            }
            netcl_kernels::dtype::DType::U32 => {
                type $number = u32;
                $body
            }
            netcl_kernels::dtype::DType::I64 => {
                type $number = i64;
                $body
            }
            netcl_kernels::dtype::DType::F32 => {
                type $number = f32;
                $body
            }
            netcl_kernels::dtype::DType::F64 => {
                type $number = f64;
                $body
            }
            found => Err(crate::error::Error::DType {
                operation: $operation,
                expected: netcl_kernels::dtype::DType::F32,
                found,
            }),
        }
    };
}
pub(super) use with_number;

/// Where an algorithm runs.
pub(super) enum Place<'a> {
    Host,
    OpenCl(&'a OpenCl),
}

/// Where `operation` runs on a device whose memory its tensors are in. Nowhere while the host is recorded: a replay would
/// leave it out.
pub(super) fn place<'a>(operation: &str, device: &'a Device) -> Result<Place<'a>> {
    match (device.backend().as_opencl(), device.profile().kind) {
        (Some(opencl), _) => Ok(Place::OpenCl(opencl)),
        (None, DeviceKind::Host) if recording::is_active(device.backend()) => Err(device.unrecordable(
            operation,
            "what algorithms compute on the host cannot be recorded; record tensor operations and `kernel!`s there, or \
             record on an OpenCL device",
        )),
        (None, DeviceKind::Host) => Ok(Place::Host),
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

/// Fails unless both have one shape and one device.
pub(super) fn same_place(operation: &'static str, first: &Tensor, other: &Tensor, position: usize) -> Result<()> {
    if other.shape() != first.shape() {
        let message = format!("expects inputs of one shape, found {:?} and {:?}", first.shape(), other.shape());
        return Err(Error::Shape { operation, message });
    }
    if other.device() != first.device() {
        return Err(Error::DeviceMismatch {
            operation: operation.to_owned(),
            what: format!("input {position}"),
            expected: first.device().to_string(),
            found: other.device().to_string(),
        });
    }
    Ok(())
}

/// How many elements, where they are numbered in 32 bits.
pub(super) fn count32(operation: &'static str, tensor: &Tensor) -> Result<u32> {
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

/// Macros for elements of `dtype`, whose products and sums are rounded one by one as on the host; they are read as `v0`, `v1`, … and written: `T`, `INPUTS`, `VALUE`, `LOAD_FOUR`, `FOUR`,
/// `OUT`, `PUT`.
pub(super) fn element_macros(dtype: DType, inputs: usize, expression: Option<&Expression>) -> String {
    let half = dtype == DType::F16;
    let stored = if half { "half" } else { type_name(dtype) };
    let names = Expression::variables(inputs);
    let read = |name: &String| if half { format!("vload_half((i), {name})") } else { format!("{name}[i]") };
    let reads: Vec<String> = names.iter().map(read).collect();
    let parameters: Vec<String> = names.iter().map(|name| format!("__global const {stored}* {name},")).collect();
    let value = match expression {
        Some(_) => format!("map_value({})", reads.join(", ")),
        None => format!("({})", reads.join(", ")),
    };
    // Buffers start where the widest vectors may.
    let load = |name: &String| match (half, type_name(dtype)) {
        (true, _) => format!("const float4 name##_{name} = vloada_half4((i), {name})"),
        (false, wide) => format!("const {wide}4 name##_{name} = ((__global const {wide}4*){name})[i]"),
    };
    let loads: Vec<String> = names.iter().map(load).collect();
    let fours: Vec<String> = names.iter().map(|name| format!("name##_{name}.s##k")).collect();
    let four = match expression {
        Some(_) => format!("map_value({})", fours.join(", ")),
        None => format!("({})", fours.join(", ")),
    };
    let put = if half { "vstore_half((v), (i), (p))" } else { "((p)[i] = (v))" };
    format!(
        "#pragma OPENCL FP_CONTRACT OFF\n{}{}#define T {}\n#define INPUTS {}\n#define VALUE(i) {value}\n\
         #define LOAD_FOUR(name, i) {}\n#define FOUR(name, k) {four}\n#define OUT {stored}\n#define PUT(p, i, v) {put}\n",
        Expression::prelude(dtype),
        expression.map_or_else(String::new, |expression| expression.opencl("map_value", &names)),
        type_name(dtype),
        parameters.join(" "),
        loads.join("; "),
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
pub(super) fn kernel(opencl: &OpenCl, entry: &'static str, source: &Source) -> Result<ClKernel> {
    let (head, body) = (source.macros.clone(), source.file.into());
    opencl.kernel(Origin { entry: entry.into(), head, options: OpenCl::OPTIONS.into(), body })
}

/// Launches `groups` work-groups of `group` items.
pub(super) fn launch(
    device: &Device,
    kernel: &ClKernel,
    arguments: &[Set<'_>],
    groups: usize,
    group: usize,
) -> Result<()> {
    let geometry = Geometry { dimensions: 1, global: [groups * group, 1, 1], local: Some([group, 1, 1]) };
    kernel.launch(device, arguments.iter().copied(), &geometry)
}

/// Launches at least `items` work-items, none for none.
pub(super) fn launch_over(device: &Device, kernel: &ClKernel, arguments: &[Set<'_>], items: usize) -> Result<()> {
    if items == 0 {
        return Ok(());
    }
    let group = group(device.profile(), 256).min(kernel.limits()?.work_group);
    launch(device, kernel, arguments, items.div_ceil(group), group)
}

/// The elements as they are computed with.
pub(super) fn load<T: Number>(tensor: &Tensor) -> Result<Vec<T>> {
    if tensor.dtype() == DType::F16 {
        return Ok(tensor.to_vec::<f16>()?.into_iter().map(|value| T::of_float(value.to_f64())).collect());
    }
    tensor.to_vec()
}

/// A tensor of `dtype` with these elements.
pub(super) fn store<T: Number>(device: &Device, values: &[T], shape: &[usize], dtype: DType) -> Result<Tensor> {
    if dtype == DType::F16 {
        let halves: Vec<f16> = values.iter().map(|value| f16::from_f64(value.to_f64())).collect();
        return Tensor::from_slice(device, &halves, shape);
    }
    Tensor::from_slice(device, values, shape)
}
