//! All elements combined to one.

use super::combine::{Combine, Combining};
use super::common::{self, CHUNK, Place, Source, with_number};
use super::map::values_of;
use super::recent::RecentlyUsed;
use crate::error::Result;
use crate::expression::{Expression, Number, computed_in};
use crate::launch::Argument;
use crate::tensor::Tensor;
use netcl_hal::device::kernels::KernelCompiler;
use netcl_hal::host::pool;
use netcl_kernels::dtype::DType;
use netcl_kernels::plan::Target;
use std::sync::Arc;

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
    run("algorithms::reduce", &combine.into(), None, &[x])
}

/// The results of `expression` for the elements of `inputs`, combined, without storing them: a dot product is
/// `map_reduce("v0 * v1", Operator::Sum, &[&x, &y])`.
///
/// # Errors
///
/// Those of [`super::map`] and [`reduce`].
pub fn map_reduce(expression: &str, combine: impl Into<Combine>, inputs: &[&Tensor]) -> Result<Tensor> {
    common::alike("algorithms::map_reduce", inputs)?;
    run("algorithms::map_reduce", &combine.into(), Some(expression), inputs)
}

/// How elements become one, and what kernels get of it.
struct Reduction {
    combining: Combining,
    expression: Option<Expression>,
    source: Source,
}

/// What tells reductions apart: the operator, the expression, how many inputs of which type, the size of work-groups.
type Asked = (Combine, Option<String>, usize, DType, usize);

fn reduction(
    combine: &Combine,
    expression: Option<&str>,
    inputs: usize,
    dtype: DType,
    group: usize,
) -> Result<Arc<Reduction>> {
    static RECENT: RecentlyUsed<Asked, Reduction> = RecentlyUsed::new();
    let rest = (inputs, dtype, group);
    let fits =
        |known: &Asked| (known.2, known.3, known.4) == rest && known.0 == *combine && known.1.as_deref() == expression;
    RECENT.get(fits, || {
        let asked = (combine.clone(), expression.map(str::to_owned), inputs, dtype, group);
        let combining = combine.parse(dtype)?;
        let parse = |expression| Expression::parse(expression, &Expression::variables(inputs), dtype);
        let expression = expression.map(parse).transpose()?;
        let elements = common::element_macros(dtype, inputs, expression.as_ref());
        let macros = format!("{elements}{}#define GROUP {group}\n", combining.macros());
        let source = common::source(macros, include_str!("reduce.cl"));
        Ok((asked, Reduction { combining, expression, source }))
    })
}

fn run(operation: &'static str, combine: &Combine, expression: Option<&str>, inputs: &[&Tensor]) -> Result<Tensor> {
    let (device, dtype) = (inputs[0].device(), inputs[0].dtype());
    let place = common::place(operation, device)?;
    let profile = device.profile();
    let group = common::group(profile, if profile.target == Target::Gpu { 256 } else { 64 });
    let reduction = reduction(combine, expression, inputs.len(), dtype, group)?;
    match place {
        Place::Host => with_number!(operation, dtype, T => {
            on_host::<T>(&reduction.combining, reduction.expression.as_ref(), inputs)
        }),
        Place::Device(compiler) => on_opencl(operation, compiler, &reduction.source, group, inputs),
    }
}

fn on_host<T: Number>(combining: &Combining, expression: Option<&Expression>, inputs: &[&Tensor]) -> Result<Tensor> {
    let mut values: Vec<Vec<T>> = inputs.iter().map(|input| common::load(input)).collect::<Result<_>>()?;
    let values = match expression {
        Some(expression) => values_of(inputs[0].device(), expression, &values, inputs[0].elements())?,
        None => values.swap_remove(0),
    };
    let mut parts = vec![combining.neutral(); values.len().div_ceil(CHUNK)];
    pool::share(parts.iter_mut().zip(values.chunks(CHUNK)), &|_, (part, chunk)| *part = total(combining, chunk));
    common::store(inputs[0].device(), &[total(combining, &parts)], &[], inputs[0].dtype())
}

/// Halves again and again: blocks of values are combined at once, and rounding errors grow with the logarithm alone.
fn total<T: Number>(combining: &Combining, values: &[T]) -> T {
    let mut evaluator = combining.evaluator();
    let mut values = values.to_vec();
    while values.len() > 1 {
        let half = values.len() / 2;
        let mut sums = Vec::with_capacity(values.len() - half);
        evaluator.run(&[&values[..half], &values[half..2 * half]], half, |block| sums.extend_from_slice(block));
        sums.extend_from_slice(&values[2 * half..]);
        values = sums;
    }
    let neutral = combining.neutral();
    values.first().map_or(neutral, |&value| evaluator.one(&[neutral, value]))
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
    let mut arguments: Vec<Argument<'_>> = inputs.iter().map(|input| Argument::Memory(input.region())).collect();
    arguments.extend([Argument::Memory(&parts), Argument::Bytes(&count)]);
    common::launch(device, &*common::kernel(compiler, "reduce_parts", source)?, &arguments, groups, group)?;
    let arguments = [Argument::Memory(&parts), Argument::Memory(out.region()), Argument::Bytes(&part_count)];
    common::launch(device, &*common::kernel(compiler, "reduce_last", source)?, &arguments, 1, group)?;
    Ok(out)
}
