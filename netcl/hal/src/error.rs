//! What can go wrong at the machine.

use crate::memory::PoolStats;
use std::path::PathBuf;
use std::sync::Arc;

/// The result of everything here that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What a driver, the system or the environment says.
///
/// `netcl::Error` has each of these as a variant of its own, with the same fields and the same [`text`]. `Debug` prints what
/// `Display` does.
#[derive(Clone, thiserror::Error)]
pub enum Error {
    /// The device has no memory left.
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
        /// What the kernels belong to.
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

    /// The device does not work any more.
    #[error(fmt = text::lost)]
    Lost {
        /// The device.
        device: String,
        /// What first failed.
        operation: String,
        /// OpenCL's name for the error.
        code: String,
    },

    /// This process was forked from one that had used a device.
    #[error("{}", text::FORKED)]
    Forked,

    /// A user event was failed, or dropped before it was completed.
    #[error(fmt = text::event)]
    Event {
        /// What its owner said.
        reason: String,
    },

    /// A wait was ended by an interrupt.
    #[error("{}", text::INTERRUPTED)]
    Interrupted,

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
        source: Arc<std::io::Error>,
    },

    /// A single kernel cannot be made so.
    #[error(fmt = text::kernel)]
    Kernel {
        /// The kernel.
        kernel: String,
        /// What is wrong with it.
        problem: String,
    },

    /// A program's dispatches do not hold together: a defect of who made them.
    #[error(fmt = text::program)]
    Program {
        /// What it was made for.
        program: String,
        /// What does not hold.
        problem: String,
    },

    /// The device cannot do what the program needs.
    #[error(fmt = text::unsupported)]
    Unsupported {
        /// The program.
        program: String,
        /// The device.
        device: String,
        /// What is missing, and what to do.
        problem: String,
    },
}

impl Error {
    /// Whether a command that failed so may do when memory is freed. Drivers say "out of resources" of other things, too.
    pub fn may_want_memory(&self) -> bool {
        match self {
            Error::OutOfMemory { .. } => true,
            Error::Driver { code, .. } => code == "CL_OUT_OF_RESOURCES",
            _ => false,
        }
    }
}

impl std::fmt::Debug for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// What the errors say: those of this crate, and those that the layer above makes of them.
pub mod text {
    use crate::memory::PoolStats;
    use std::fmt::{Formatter, Result};
    use std::io;
    use std::path::Path;

    /// [`super::Error::Forked`].
    pub const FORKED: &str = "this process was forked after netcl had used a device, and drivers do not survive that; fork \
        before the first use of netcl, or start a new process";

    /// [`super::Error::Interrupted`].
    pub const INTERRUPTED: &str = "the wait was interrupted, and the device goes on computing; wait again (after \
        `Interrupt::reset`), or drop what is not needed any more";

    /// [`super::Error::OutOfMemory`].
    pub fn out_of_memory(device: &str, requested: &usize, pool: &PoolStats, f: &mut Formatter<'_>) -> Result {
        write!(f, "out of memory on {device}: ")?;
        match requested {
            0 => write!(f, "a command found none")?,
            bytes => write!(f, "{bytes} bytes wanted")?,
        }
        write!(f, "; {pool}. Use a smaller batch, drop tensors that are not needed, or pick another device")
    }

    /// [`super::Error::Build`].
    pub fn build(device: &str, program: &str, log: &str, source_text: &str, f: &mut Formatter<'_>) -> Result {
        write!(f, "{device} cannot build the kernels of `{program}`:\n{log}\nsource:\n{source_text}")
    }

    /// [`super::Error::Driver`].
    pub fn driver(device: &str, operation: &str, code: &str, f: &mut Formatter<'_>) -> Result {
        write!(f, "{device}: {operation} failed with {code}")
    }

    /// [`super::Error::Lost`].
    pub fn lost(device: &str, operation: &str, code: &str, f: &mut Formatter<'_>) -> Result {
        write!(
            f,
            "{device} is lost: {operation} failed with {code}; start the process again, or go on with another device"
        )
    }

    /// [`super::Error::Event`].
    pub fn event(reason: &str, f: &mut Formatter<'_>) -> Result {
        write!(f, "a user event failed: {reason}")
    }

    /// [`super::Error::Config`].
    pub fn config(variable: &str, value: &str, accepted: &str, f: &mut Formatter<'_>) -> Result {
        write!(f, "the environment variable {variable} is `{value}`; accepted: {accepted}")
    }

    /// [`super::Error::Io`].
    pub fn io(action: &str, path: &Path, source: &io::Error, f: &mut Formatter<'_>) -> Result {
        write!(f, "cannot {action} {}: {source}", path.display())
    }

    /// [`super::Error::Kernel`].
    pub fn kernel(kernel: &str, problem: &str, f: &mut Formatter<'_>) -> Result {
        write!(f, "kernel `{kernel}`: {problem}")
    }

    /// [`super::Error::Program`], which above is that of a plan.
    pub fn program(program: &str, problem: &str, f: &mut Formatter<'_>) -> Result {
        write!(f, "`{program}`: the plan is unusable: {problem}")
    }

    /// [`super::Error::Unsupported`].
    pub fn unsupported(program: &str, device: &str, problem: &str, f: &mut Formatter<'_>) -> Result {
        write!(f, "`{program}` cannot run on {device}: {problem}")
    }
}
