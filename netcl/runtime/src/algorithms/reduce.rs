//! All elements combined to one.

use super::combine::Combine;
use super::common::{self, ExecutionSpace, KEPT, Made, Source};
use super::host::{self, MappedElements};
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

/// All elements of `x` combined, as a tensor of shape `[]` and the same type; of no elements the neutral one. Does not wait
/// for the device.
///
/// Values are combined in the elements' type (`f32` for half precision, `i32` for `u8`) in an order that depends on the device and the
/// number of elements alone: floats may differ between devices by rounding, and do not between runs.
///
/// ```
/// use netcl::algorithms::{Operator, reduce};
/// let x = netcl::Tensor::from_slice(&netcl::Device::auto()?, &[1i32, 2, 3], &[3])?;
/// assert_eq!(reduce(Operator::Sum, &x)?.item::<i32>()?, 6);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// [`crate::Error::Expression`] if an expression is wrong or the type is none that expressions are for;
/// those of [every algorithm](crate::algorithms#errors).
pub fn reduce(combine: impl Into<Combine>, x: &Tensor) -> Result<Tensor> {
    Ok(run("algorithms::reduce", &combine.into(), None, &[x])?.computed_by("algorithms::reduce", &[x]))
}

/// The results of `expression` for the elements of `inputs`, combined, without storing them: a dot product is
/// `map_reduce("v0 * v1", Operator::Sum, &[&x, &y])`.
///
/// # Errors
///
/// Those of [`super::map`] and [`reduce`].
pub fn map_reduce(expression: &str, combine: impl Into<Combine>, inputs: &[&Tensor]) -> Result<Tensor> {
    common::alike("algorithms::map_reduce", inputs)?;
    let reduced = run("algorithms::map_reduce", &combine.into(), Some(expression), inputs)?;
    Ok(reduced.computed_by("algorithms::map_reduce", inputs))
}

/// How elements become one, ready to run.
enum Reduction {
    Host(host::Reduce),
    OpenCl(Source),
}

/// What tells reductions apart: the operator, the expression, how many inputs of which type, the size of work-groups; of the
/// host's there is none.
type ReductionKey = (Combine, Option<String>, usize, DType, Option<usize>);

fn reduction(
    combine: &Combine,
    expression: Option<&str>,
    inputs: &[&Tensor],
    group: Option<usize>,
) -> Result<Arc<Reduction>> {
    static MADE: Made<ReductionKey, Reduction> = Mutex::new(Recent::new(KEPT));
    let (device, dtype, inputs) = (inputs[0].device(), inputs[0].dtype(), inputs.len());
    let rest = (inputs, dtype, group);
    let fits = |known: &ReductionKey| {
        (known.2, known.3, known.4) == rest && known.0 == *combine && known.1.as_deref() == expression
    };
    common::made(&MADE, fits, || {
        let asked = (combine.clone(), expression.map(str::to_owned), inputs, dtype, group);
        let combining = combine.parse(dtype)?;
        let parse = |expression| Expression::parse(expression, &Expression::variables(inputs), dtype);
        let expression = expression.map(parse).transpose()?;
        let elements = MappedElements { dtype, inputs, expression: expression.as_ref() };
        let Some(group) = group else {
            return Ok((asked, Reduction::Host(host::Reduce::new(device, elements, &combining)?)));
        };
        let head = format!("{}#define GROUP {group}\n", common::head(elements, Some(&combining))?);
        Ok((asked, Reduction::OpenCl(common::source(head, include_str!("reduce.cl")))))
    })
}

fn run(operation: &'static str, combine: &Combine, expression: Option<&str>, inputs: &[&Tensor]) -> Result<Tensor> {
    let device = inputs[0].device();
    let place = common::place(operation, device)?;
    let profile = device.profile();
    let group = match place {
        ExecutionSpace::Host => None,
        ExecutionSpace::Device(_) => Some(common::group(profile, if profile.target == Target::Gpu { 256 } else { 64 })),
    };
    let reduction = reduction(combine, expression, inputs, group)?;
    match (&*reduction, place, group) {
        (Reduction::OpenCl(source), ExecutionSpace::Device(compiler), Some(group)) => {
            on_opencl(operation, compiler, source, group, inputs)
        }
        (Reduction::Host(reduce), ..) => {
            let out = Tensor::uninitialised("reduce", device, &[], inputs[0].dtype())?;
            let reads: Vec<&BufferHandle> = inputs.iter().map(|input| input.region()).collect::<Result<_>>()?;
            reduce.run(operation, device, &reads, out.region()?, inputs[0].elements())?;
            Ok(out)
        }
        (Reduction::OpenCl(_), ..) => unreachable!("a reduction is made for its place"),
    }
}

fn on_opencl(
    operation: &str,
    compiler: &dyn KernelCompiler,
    source: &Source,
    group: usize,
    inputs: &[&Tensor],
) -> Result<Tensor> {
    let (device, dtype, n) = (inputs[0].device(), inputs[0].dtype(), inputs[0].elements());
    common::computable(operation, device, dtype)?;
    let profile = device.profile();
    let groups = common::busy_groups(profile, n, group);
    let parts = device.allocate(groups * computed_in(dtype).size())?;
    let out = Tensor::uninitialised("reduce", device, &[], dtype)?;
    let (count, part_count) = ((n as u64).to_ne_bytes(), (groups as u32).to_ne_bytes());
    let mut arguments = common::arguments(inputs)?;
    arguments.extend([Argument::Memory(&parts), Argument::Bytes(&count)]);
    common::launch(device, &*common::kernel(compiler, "reduce_parts", source)?, &arguments, groups, group)?;
    let arguments = [Argument::Memory(&parts), Argument::Memory(out.region()?), Argument::Bytes(&part_count)];
    common::launch(device, &*common::kernel(compiler, "reduce_last", source)?, &arguments, 1, group)?;
    Ok(out)
}
