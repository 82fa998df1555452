//! What can go wrong, as values: every variant says what was given, what was expected and what to do.

mod words;

use crate::memory::PoolStats;
use netcl_hal as hal;
use netcl_hal::text;
use netcl_kernels::dtype::DType;
use netcl_kernels::span::Diagnostic;
use std::panic::Location;
use std::path::PathBuf;
use std::sync::Arc;
use words::{around, of};

/// The result of everything in netcl that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error.
///
/// `Debug` prints what `Display` does: it is what a `main` that returns [`Result`] shows, and `unwrap`.
///
/// # Errors of every device
///
/// What gives a device something to do, or waits for it, may fail in these ways, which are not told anew at each function:
///
/// | error | when |
/// |---|---|
/// | [`Error::Driver`] | the driver refuses |
/// | [`Error::OutOfMemory`] | it finds no memory for a buffer at its first use; netcl frees what it can and tries again before |
/// | [`Error::Lost`] | the device is gone, now or since an earlier call |
/// | [`Error::Forked`] | this is a forked child |
///
/// What was started before and fails later is told by the next call that waits for the device, or by the event that stands
/// for it, once: [`crate::Device::finish`].
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument of a compiled function has the wrong shape or element type.
    #[error("`{function}`: argument `{argument}` expects {expected}, found {found}")]
    Argument {
        /// The function, as the user wrote it (`Mlp::forward`).
        function: String,
        /// The argument's name.
        argument: String,
        /// Element type and shape, and where a symbol got its value from.
        expected: String,
        /// Element type and shape.
        found: String,
    },

    /// A compiled function got too many or too few arguments.
    #[error("`{function}` expects {expected} tensor arguments, found {found}")]
    ArgumentCount {
        /// The function.
        function: String,
        /// How many it has.
        expected: usize,
        /// How many were given.
        found: usize,
    },

    /// A compiled function got too many or too few numbers, or one of another type.
    #[error("`{function}` expects the scalars ({expected}), found ({found})")]
    Scalars {
        /// The function.
        function: String,
        /// Their types.
        expected: String,
        /// Their types.
        found: String,
    },

    /// A symbolic dimension became zero.
    #[error(
        "`{function}`: argument `{argument}` of shape {shape:?} makes `{symbol}` 0; pass at least one element along that \
         axis (skip empty batches)"
    )]
    Empty {
        /// The function.
        function: String,
        /// The argument's name.
        argument: String,
        /// Its shape.
        shape: Vec<usize>,
        /// The symbol.
        symbol: String,
    },

    /// A size that follows from the arguments is impossible.
    #[error("`{function}`: `{what}` would have the shape {shape} with {bindings}: {problem}")]
    Size {
        /// The function.
        function: String,
        /// The buffer.
        what: String,
        /// Symbolic.
        shape: String,
        /// The symbols' values.
        bindings: String,
        /// Negative, too large.
        problem: String,
    },

    /// The function cannot be computed with these sizes.
    #[error("`{function}` with {bindings}: {problem}")]
    Sizes {
        /// The function.
        function: String,
        /// The symbols' values.
        bindings: String,
        /// What does not fit, and what to do.
        problem: String,
    },

    /// Two things that must be on one device are not.
    #[error("`{operation}`: {what} is on {found}, expected {expected}; move it with `to_device`")]
    DeviceMismatch {
        /// The operation.
        operation: String,
        /// Argument, model or gradients.
        what: String,
        /// Where it should be.
        expected: String,
        /// Where it is.
        found: String,
    },

    /// Shapes that do not go together.
    #[error("`{operation}`: {message}")]
    Shape {
        /// The operation.
        operation: &'static str,
        /// Given, expected, what to do.
        message: String,
    },

    /// A wrong element type.
    #[error("`{operation}` expects {expected}, found {found}; convert it with `cast`")]
    DType {
        /// The operation.
        operation: &'static str,
        /// The type it works with.
        expected: DType,
        /// The type given.
        found: DType,
    },

    /// The device has no memory left, also after idle buffers were freed.
    #[error(fmt = text::out_of_memory)]
    OutOfMemory {
        /// The device.
        device: String,
        /// Bytes wanted; 0 of a kernel that ran without memory for its buffers, of which drivers do not say more.
        requested: usize,
        /// The pool when it failed, or all pools of the device where a command failed.
        pool: Box<PoolStats>,
    },

    /// The driver refused a kernel source.
    #[error(fmt = text::build)]
    Build {
        /// The device.
        device: String,
        /// The function they belong to.
        program: String,
        /// The driver's log.
        log: String,
        /// With line numbers.
        source_text: String,
    },

    /// The driver returned an error.
    #[error(fmt = text::driver)]
    Driver {
        /// The device.
        device: String,
        /// What was called, and for which kernel.
        operation: String,
        /// OpenCL's name for the error.
        code: String,
    },

    /// The device does not work any more: it was removed, reset, or a kernel has stopped it. Everything that is asked of
    /// it from then on is this error, and what is in its memory is gone; other devices, and what was read from it, are as
    /// they were.
    #[error(fmt = text::lost)]
    Lost {
        /// The device.
        device: String,
        /// What first failed.
        operation: String,
        /// OpenCL's name for the error.
        code: String,
    },

    /// This process was forked from one that had used a device: drivers do not work in the child.
    #[error("{}", text::FORKED)]
    Forked,

    /// A [`crate::UserEvent`] was failed, or dropped before it was completed.
    #[error(fmt = text::event)]
    Event {
        /// What its owner said.
        reason: String,
    },

    /// A wait was ended by a [`crate::Interrupt`]. The device goes on with what it was given.
    #[error("{}", text::INTERRUPTED)]
    Interrupted,

    /// No device fits.
    #[error(
        "no device {}; {hint}; found: {}",
        selector.as_ref().map_or("fits the condition".to_owned(), |selector| format!("`{selector}`")),
        if available.is_empty() { "none".to_owned() } else { available.join(", ") }
    )]
    NoDevice {
        /// What was asked for; none where that was a condition.
        selector: Option<String>,
        /// What may be asked for.
        hint: String,
        /// What there is.
        available: Vec<String>,
    },

    /// An environment variable has a value that is not understood.
    #[error(fmt = text::config)]
    Config {
        /// Its name.
        variable: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        accepted: &'static str,
    },

    /// A file cannot be read or written.
    #[error(fmt = text::io)]
    Io {
        /// `read`, `write`, `remove`, and of what where the file's name does not say it.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },

    /// A weight file is damaged or of another kind.
    #[error("{} is not a usable safetensors file: {problem}", path.display())]
    WeightFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },

    /// A weight file does not fit the model; nothing was loaded.
    #[error("the weights do not fit the model, nothing was loaded:\n{}", problems.join("\n"))]
    Weights {
        /// One line per tensor that is missing, unexpected, or of another shape or type.
        problems: Vec<String>,
    },

    /// An optimizer, a model and gradients that do not belong together.
    #[error("`{operation}`: {problem}")]
    Mismatch {
        /// The optimizer.
        operation: String,
        /// What does not fit, and what to do.
        problem: String,
    },

    /// A field of a model is no longer what the model was made with: a part that was assigned, swapped or taken out.
    #[error("`{model}`: {problem}")]
    Assigned {
        /// The type of the model.
        model: String,
        /// The field.
        field: String,
        /// What is in it, what the model computes with, and what to do.
        problem: String,
    },

    /// A setting has a value that makes no sense.
    #[error("`{operation}`: `{setting}` is {given}; accepted: {accepted}")]
    Setting {
        /// The optimizer, the data loader.
        operation: String,
        /// Its name.
        setting: &'static str,
        /// Its value.
        given: String,
        /// What it may be.
        accepted: &'static str,
    },

    /// A model has no parameter or state of that name.
    #[error("the model has no tensor `{path}`; it has: {}", available.join(", "))]
    UnknownParameter {
        /// The path asked for.
        path: String,
        /// The paths there are.
        available: Vec<String>,
    },

    /// A model's state was asked for its gradient.
    #[error("`{path}` is a state of the model, and states have no gradients; parameters have: {}", available.join(", "))]
    NoGradient {
        /// The state's path.
        path: String,
        /// The paths of the parameters.
        available: Vec<String>,
    },

    /// A compiled function's plan does not hold together; a defect of netcl or of hand-written text.
    #[error(fmt = text::program)]
    Plan {
        /// The function.
        function: String,
        /// What does not hold.
        problem: String,
    },

    /// A condition over plain arguments computes a number that `usize` does not hold.
    #[error(
        "a condition of `{function}` computes `{expression}`, which is no `usize` for these arguments; write it without, as \
             in `n > 1` for `n - 1 > 0`"
    )]
    Condition {
        /// The function.
        function: &'static str,
        /// What is computed.
        expression: &'static str,
    },

    /// A kernel's gradient is not that of differences.
    #[error(
        "`{function}`: the gradient in `{argument}` at element {position} is {vjp:e} by `vjp` and {differences:e} by \
         differences; where the function has a kink or a pole nearby, check it at other numbers"
    )]
    Gradient {
        /// The kernel.
        function: String,
        /// The argument's name.
        argument: String,
        /// The element, row-major.
        position: usize,
        /// By the kernel's `vjp`.
        vjp: f64,
        /// By differences.
        differences: f64,
    },

    /// A gradient was asked for that there is none of: nothing was recorded, it is of no number, or what it is of has changed.
    #[error("`{operation}`: {problem}")]
    Backward {
        /// What was called.
        operation: &'static str,
        /// Given, expected, what to do.
        problem: String,
    },

    /// A loss does not depend on something in which its gradient is asked for.
    #[error("the loss does not reach {what}: {reason}")]
    Unreached {
        /// The parameter, by its path, or the tensor.
        what: String,
        /// The operation that cut it off, or that nothing uses it.
        reason: String,
    },

    /// The device cannot do what the function needs.
    #[error(fmt = text::unsupported)]
    Unsupported {
        /// The function.
        function: String,
        /// The device.
        device: String,
        /// What is missing, and what to do.
        problem: String,
    },

    /// A raw kernel got too many or too few arguments.
    #[error("kernel `{kernel}` takes {expected} arguments ({parameters}), {found} were given")]
    KernelArgumentCount {
        /// The kernel.
        kernel: String,
        /// How many it has.
        expected: usize,
        /// How many were given.
        found: usize,
        /// What they are.
        parameters: String,
    },

    /// A raw kernel got an argument that its parameter does not take.
    #[error("kernel `{kernel}`: argument {position} expects {expected}, found {found}")]
    KernelArgument {
        /// The kernel.
        kernel: String,
        /// Counted from 0, as in `clSetKernelArg`.
        position: usize,
        /// The parameter, and what may be passed for it.
        expected: String,
        /// What was given.
        found: String,
    },

    /// A raw kernel cannot be made or launched so.
    #[error(fmt = text::kernel)]
    Kernel {
        /// The kernel.
        kernel: String,
        /// Given, expected, what to do.
        problem: String,
    },

    /// The text of an expression is wrong.
    #[error("the expression `{}` is wrong at column {column}: {problem}", around(expression, *column))]
    Expression {
        /// As it was given.
        expression: String,
        /// Where, counted from 1 in characters.
        column: usize,
        /// What was expected, and what is there.
        problem: String,
    },

    /// An operation on tensors could not be computed: the first of those that lead to a value.
    #[error("{cause}; this is `{operation}` of {operands} at {caller}")]
    Operation {
        /// The operation or layer.
        operation: String,
        /// Types, shapes and other arguments that it was given.
        operands: String,
        /// Where the program called it.
        caller: &'static Location<'static>,
        /// What is wrong.
        cause: Arc<Error>,
    },

    /// A graph made at run time is wrong.
    #[error("{}{diagnostic}", of(operation, diagnostic))]
    Graph {
        /// The operation.
        operation: String,
        /// What is wrong with it.
        diagnostic: Diagnostic,
    },
}

impl Error {
    /// What went wrong, without where: of [`Error::Operation`] its cause, of others themselves.
    pub fn cause(&self) -> &Error {
        match self {
            Error::Operation { cause, .. } => cause.cause(),
            other => other,
        }
    }

    /// What the compiler says of the graph of `operation`.
    pub(crate) fn graph(operation: &str, diagnostic: Diagnostic) -> Error {
        Error::Graph { operation: operation.to_owned(), diagnostic }
    }
}

/// What went wrong at the machine, as the variant of the same name.
impl From<hal::Error> for Error {
    fn from(error: hal::Error) -> Error {
        match error {
            hal::Error::OutOfMemory { device, requested, pool } => Error::OutOfMemory { device, requested, pool },
            hal::Error::Build { device, program, log, source_text } => {
                Error::Build { device, program, log, source_text }
            }
            hal::Error::Driver { device, operation, code } => Error::Driver { device, operation, code },
            hal::Error::Lost { device, operation, code } => Error::Lost { device, operation, code },
            hal::Error::Forked => Error::Forked,
            hal::Error::Event { reason } => Error::Event { reason },
            hal::Error::Interrupted => Error::Interrupted,
            hal::Error::Config { variable, value, accepted } => Error::Config { variable, value, accepted },
            hal::Error::Io { action, path, source } => {
                // The system's errors cannot be cloned.
                let source = Arc::try_unwrap(source).unwrap_or_else(|shared| hal::files::again(&shared));
                Error::Io { action, path, source }
            }
            hal::Error::Kernel { kernel, problem } => Error::Kernel { kernel, problem },
            hal::Error::Program { program, problem } => Error::Plan { function: program, problem },
            hal::Error::Unsupported { program, device, problem } => {
                Error::Unsupported { function: program, device, problem }
            }
        }
    }
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests;
