//! The driver's objects as netcl holds them, and what drivers say of them.
//!
//! `opencl3` has such types too. These differ where a driver fails or lies: an object whose release fails is logged and not a
//! panic in a destructor, which would end the process over a device that is gone; one that a driver does not give although
//! it says so is an error; and what a driver says about sizes is not believed beyond reason.

mod devices;
mod info;
mod objects;

pub(super) use devices::{Device, Platform, platforms};
pub(super) use objects::{Buffer, CommandQueue, Context, Event, Kernel, Program, SubDevice};

use opencl3::Result;
use opencl3::error_codes::ClError;
use opencl3::types::cl_int;

/// What a call gave, if it succeeded.
fn check(code: cl_int) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(ClError(code)) }
}
