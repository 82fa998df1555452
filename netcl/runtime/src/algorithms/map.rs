//! A result for each element.

use super::common::{self, CHUNK, Place, Source, with_number};
use super::recent::RecentlyUsed;
use crate::device::Device;
use crate::error::Result;
use crate::expression::{Evaluator, Expression, Number};
use crate::launch::Argument;
use crate::tensor::Tensor;
use crate::tensor::vector;
use netcl_hal::device::kernels::KernelCompiler;
use netcl_hal::host::pool;
use netcl_kernels::dtype::DType;
use std::sync::Arc;

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
    run("algorithms::map", expression, inputs, dtype)
}

/// Where `expression` is not 0, as a tensor of truth values in the inputs' shape: a mask for [`super::compact`].
///
/// # Errors
///
/// Those of [`map`].
pub fn matching(expression: &str, inputs: &[&Tensor]) -> Result<Tensor> {
    run("algorithms::matching", expression, inputs, DType::Bool)
}

/// An expression for inputs of some type, and what kernels get of it.
struct Mapping {
    expression: Expression,
    source: Source,
}

/// What tells mappings apart: the expression, how many inputs of which type, the type of the result.
type Asked = (String, usize, DType, DType);

fn mapping(expression: &str, inputs: usize, dtype: DType, result: DType) -> Result<Arc<Mapping>> {
    static RECENT: RecentlyUsed<Asked, Mapping> = RecentlyUsed::new();
    let rest = (inputs, dtype, result);
    let fits = |known: &Asked| known.0 == expression && (known.1, known.2, known.3) == rest;
    RECENT.get(fits, || {
        let asked = (expression.to_owned(), inputs, dtype, result);
        let expression = Expression::parse(expression, &Expression::variables(inputs), dtype)?;
        let mut macros = common::element_macros(dtype, inputs, Some(&expression));
        if result == DType::Bool {
            macros.push_str("#undef OUT\n#undef PUT\n#define OUT uchar\n#define PUT(p, i, v) ((p)[i] = (v) != 0)\n");
        }
        Ok((asked, Mapping { expression, source: common::source(macros, include_str!("map.cl")) }))
    })
}

fn run(operation: &'static str, expression: &str, inputs: &[&Tensor], result: DType) -> Result<Tensor> {
    let first = common::alike(operation, inputs)?;
    let mapping = mapping(expression, inputs.len(), first.dtype(), result)?;
    match common::place(operation, first.device())? {
        Place::Host => {
            with_number!(operation, first.dtype(), T => on_host::<T>(&mapping.expression, inputs, result))
        }
        Place::Device(compiler) => on_opencl(operation, compiler, &mapping.source, inputs, result),
    }
}

fn on_host<T: Number>(expression: &Expression, inputs: &[&Tensor], result: DType) -> Result<Tensor> {
    let (device, shape) = (inputs[0].device(), inputs[0].shape());
    let values: Vec<Vec<T>> = inputs.iter().map(|input| common::load(input)).collect::<Result<_>>()?;
    let results = values_of(device, expression, &values, inputs[0].elements())?;
    if result == DType::Bool {
        let truths = vector::collect(device, results.len(), results.iter().copied().map(Number::holds))?;
        return Tensor::from_slice(device, &truths, shape);
    }
    common::store(device, &results, shape, result)
}

/// The results for all elements, by all threads.
pub(super) fn values_of<T: Number>(
    device: &Device,
    expression: &Expression,
    inputs: &[Vec<T>],
    count: usize,
) -> Result<Vec<T>> {
    let mut results = vector::zeros::<T>(device, count)?;
    pool::share(results.chunks_mut(CHUNK), &|chunk, results| {
        let start = chunk * CHUNK;
        let inputs: Vec<&[T]> = inputs.iter().map(|input| &input[start..start + results.len()]).collect();
        let mut written = 0;
        Evaluator::new(expression).run(&inputs, results.len(), |block| {
            results[written..written + block.len()].copy_from_slice(block);
            written += block.len();
        });
    });
    Ok(results)
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
    let mut arguments: Vec<Argument<'_>> = inputs.iter().map(|input| Argument::Memory(input.region())).collect();
    arguments.extend([Argument::Memory(out.region()), Argument::Bytes(&count)]);
    common::launch_over(device, &*kernel, &arguments, n.div_ceil(4))?;
    Ok(out)
}
