//! Programs built before they are needed, side by side.

use crate::device::{Device, process, side_by_side};
use crate::error::Result;
use crate::executor::function::Function;

/// Builds what the functions need on the device; the first error, by the functions' order, is given when all are done.
///
/// A driver that cannot be trusted to build from several threads is given one program at a time all the same
/// (`device/opencl/build.rs`); plans are read side by side there, too.
pub(crate) fn all(functions: &[&Function], device: &Device) -> Result<()> {
    process::check()?;
    side_by_side::each(functions.len(), |position| functions[position].prepare(device)).map(drop)
}
