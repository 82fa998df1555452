//! A result for each element.

use super::common::{self, ExecutionSpace, KEPT, Made, Source};
use super::host::{self, MappedElements};
use crate::error::Result;
use crate::expression::Expression;
use crate::launch::Argument;
use crate::memory::BufferHandle;
use crate::tensor::Tensor;
use netcl_hal::device::kernels::KernelCompiler;
use netcl_hal::recent::Recent;
use netcl_kernels::dtype::DType;
use std::sync::{Arc, Mutex};

/// The result of `expression` for the elements `v0`, `v1`, … of `inputs`, which are of one type and shape; the result has
/// both. Does not wait for the device.
///
/// ```
/// use netcl::{Device, Tensor, algorithms};
/// let x = Tensor::from_slice(&Device::auto()?, &[1.0f32, -2.0], &[2])?;
/// assert_eq!(algorithms::map("v0 < 0 ? -v0 : 2 * v0", &[&x])?.to_vec::<f32>()?, [2.0, 2.0]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// [`crate::Error::Expression`] if the expression is wrong or the type is none that expressions are for;
/// [`crate::Error::Shape`] if there are no inputs or their shapes differ; [`crate::Error::DType`] if their types do;
/// [`crate::Error::DeviceMismatch`] if they are of several devices; those of [every algorithm](crate::algorithms#errors).
pub fn map(expression: &str, inputs: &[&Tensor]) -> Result<Tensor> {
    let dtype = common::alike("algorithms::map", inputs)?.dtype();
    Ok(run("algorithms::map", expression, inputs, dtype)?.computed_by("algorithms::map", inputs))
}

/// Where `expression` is not 0, as a tensor of truth values in the inputs' shape: a mask for [`super::compact`].
///
/// # Errors
///
/// Those of [`map`].
pub fn matching(expression: &str, inputs: &[&Tensor]) -> Result<Tensor> {
    run("algorithms::matching", expression, inputs, DType::Bool)
}

/// An expression for inputs of some type, ready to run.
enum Mapping {
    Host(host::Map),
    OpenCl(Source),
}

/// What tells mappings apart: the expression, how many inputs of which type, the type of the result, and whether it is for the host.
type MapKey = (String, usize, DType, DType, bool);

fn mapping(expression: &str, inputs: &[&Tensor], result: DType, on_host: bool) -> Result<Arc<Mapping>> {
    static MADE: Made<MapKey, Mapping> = Mutex::new(Recent::new(KEPT));
    let (device, dtype, inputs) = (inputs[0].device(), inputs[0].dtype(), inputs.len());
    let rest = (inputs, dtype, result, on_host);
    let fits = |known: &MapKey| known.0 == expression && (known.1, known.2, known.3, known.4) == rest;
    common::made(&MADE, fits, || {
        let asked = (expression.to_owned(), inputs, dtype, result, on_host);
        let expression = Expression::parse(expression, &Expression::variables(inputs), dtype)?;
        let elements = MappedElements { dtype, inputs, expression: Some(&expression) };
        if on_host {
            return Ok((asked, Mapping::Host(host::Map::new(device, elements, result)?)));
        }
        let mut head = common::head(elements, None)?;
        if result == DType::Bool {
            head.push_str("#undef OUT\n#undef PUT\n#define OUT uchar\n#define PUT(p, i, v) ((p)[i] = (v) != 0)\n");
        }
        Ok((asked, Mapping::OpenCl(common::source(head, include_str!("map.cl")))))
    })
}

fn run(operation: &'static str, expression: &str, inputs: &[&Tensor], result: DType) -> Result<Tensor> {
    let first = common::alike(operation, inputs)?;
    let (device, n) = (first.device(), first.elements());
    let place = common::place(operation, device);
    let mapping = mapping(expression, inputs, result, matches!(place, Ok(ExecutionSpace::Host)))?;
    match (&*mapping, place?) {
        (Mapping::OpenCl(source), ExecutionSpace::Device(compiler)) => {
            on_opencl(operation, compiler, source, inputs, result)
        }
        (Mapping::Host(map), _) => {
            let out = Tensor::uninitialised("map", device, first.shape(), result)?;
            let reads: Vec<&BufferHandle> = inputs.iter().map(|input| input.region()).collect::<Result<_>>()?;
            map.run(operation, &reads, out.region()?, n)?;
            Ok(out)
        }
        (Mapping::OpenCl(_), ExecutionSpace::Host) => unreachable!("a mapping is made for its place"),
    }
}

fn on_opencl(
    operation: &str,
    compiler: &dyn KernelCompiler,
    source: &Source,
    inputs: &[&Tensor],
    result: DType,
) -> Result<Tensor> {
    let (device, dtype, n) = (inputs[0].device(), inputs[0].dtype(), inputs[0].elements());
    common::computable(operation, device, dtype)?;
    let kernel = common::kernel(compiler, "map_elements", source)?;
    let out = Tensor::uninitialised("map", device, inputs[0].shape(), result)?;
    let count = (n as u64).to_ne_bytes();
    let mut arguments = common::arguments(inputs)?;
    arguments.extend([Argument::Memory(out.region()?), Argument::Bytes(&count)]);
    common::launch_over(device, &*kernel, &arguments, n.div_ceil(4))?;
    Ok(out)
}
