//! What code made by netcl's macros calls, and `netcl` itself. Not for people; changes without notice.

pub use crate::function::{Function, FunctionSource, NamedInstance, OpenFunction, PlainArgument, PlanSource};
pub use crate::gradient_check::gradients as check_gradients;
pub use crate::model::{Gradients, Model, ModelCore, Module, ModuleField, Part, Schema, Seed, Variants, Whole};
pub use crate::optim::progress::Progress;
pub use crate::optim::rules::Rules;
pub use crate::optim::saved::squares;
pub use crate::optim::scaling::ScalingRules;
pub use crate::optim::settings::{accept, not_negative};
pub use crate::optim::update::Update;
pub use netcl_hal::device::scalar::Scalar;
pub use netcl_hal::host::NativeEntry;
pub use netcl_hal::host::exports as host;
pub use netcl_kernels as kernels;

/// What the plans of these functions do on devices of that kind: launches, bytes, memory.
///
/// # Errors
///
/// [`crate::Error::Plan`] if there is no plan for that kind of device, or its text cannot be read.
pub fn report(functions: &[&[Function]], target: crate::Target) -> crate::Result<String> {
    let mut text = String::new();
    for function in functions.iter().copied().flatten() {
        text.push_str(&function.report(target, &crate::report::BATCHES)?);
    }
    Ok(text)
}

/// An argument of a kernel as it is now, for a gradient that is asked for later.
pub fn as_it_is(tensor: &crate::Tensor) -> crate::Result<crate::Tensor> {
    tensor.as_it_is()
}

/// An argument that a kernel changes in place: itself where nobody else has its memory, or else a copy.
///
/// # Errors
///
/// Those of [`crate::Tensor::copy`].
pub fn taken(tensor: crate::Tensor) -> crate::Result<crate::Tensor> {
    tensor.taken()
}

/// That what the kernel given as a gradient gives has the shape and the type of the input that it is of.
///
/// # Errors
///
/// [`crate::Error::Shape`] otherwise.
pub fn gradient_fits(of: &'static str, input: &crate::Tensor, gradient: &crate::Tensor) -> crate::Result<()> {
    if (input.shape(), input.dtype()) == (gradient.shape(), gradient.dtype()) {
        return Ok(());
    }
    let text = |tensor: &crate::Tensor| format!("{} {:?}", tensor.dtype(), tensor.shape());
    let message = format!("the gradient of `{of}` is {}, but that is {}", text(gradient), text(input));
    Err(crate::Error::Shape { operation: "pullback", message })
}

/// A number that a condition over plain arguments computes.
///
/// # Errors
///
/// [`crate::Error::Condition`] if there is none.
pub fn plain(function: &'static str, expression: &'static str, value: Option<usize>) -> crate::Result<usize> {
    value.ok_or(crate::Error::Condition { function, expression })
}

/// What is said of an argument whose elements are of none of the types that the function was compiled for.
pub fn unlisted(
    function: &'static str,
    argument: &'static str,
    given: &crate::Tensor,
    listed: &[crate::DType],
) -> crate::Error {
    let listed: Vec<String> = listed.iter().map(ToString::to_string).collect();
    crate::Error::Argument {
        function: function.to_owned(),
        argument: argument.to_owned(),
        expected: listed.join(" or "),
        found: format!(
            "{} {:?}; convert it with `cast`, or add that to the list of its `#[types(..)]`",
            given.dtype(),
            given.shape()
        ),
    }
}

/// Builds what these functions need on the device, on as many threads as there are processors.
///
/// # Errors
///
/// [`crate::Error::Plan`], [`crate::Error::Build`] and [`crate::Error::Driver`] of the first that cannot be built.
pub fn prepare(functions: &[&[Function]], device: &crate::Device) -> crate::Result<()> {
    let functions: Vec<&Function> = functions.iter().copied().flatten().collect();
    crate::function::prepare::all(&functions, device)
}

/// What runs for these functions on devices of that kind: OpenCL C, or the host's kernels in the IR's text form.
///
/// # Errors
///
/// [`crate::Error::Plan`] if there is no plan for that kind of device, or its text cannot be read.
pub fn source(functions: &[&[Function]], target: crate::Target) -> crate::Result<String> {
    let mut text = String::new();
    for function in functions.iter().copied().flatten() {
        text.push_str(&function.plan(target)?.listing());
    }
    Ok(text)
}

/// Measures the tasks of these functions on a device for those sizes of their symbols.
///
/// # Errors
///
/// Those of [`crate::Device::tune`]; [`crate::Error::Sizes`] if a symbol has no size, [`crate::Error::Setting`] if a size
/// has no symbol.
pub fn tune(
    functions: &[&[Function]],
    device: &crate::Device,
    sizes: &[(&str, u64)],
    options: &crate::select::TuneOptions<'_>,
) -> crate::Result<Vec<crate::select::Tuning>> {
    crate::select::tune(functions, device, sizes, options)
}
