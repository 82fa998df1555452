//! Programs built before they are needed, side by side.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::function::Function;
use netcl_hal::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Builds what the functions need on the device; the first error, by the functions' order, is given when all are done.
///
/// A driver that cannot be trusted to build from several threads is given one program at a time all the same
/// (`device/opencl/build.rs`); plans are read side by side there, too.
pub(crate) fn all(functions: &[&Function], device: &Device) -> Result<()> {
    process::check()?;
    let next = AtomicUsize::new(0);
    let failed = Mutex::new(None::<(usize, Error)>);
    let work = || {
        loop {
            let position = next.fetch_add(1, Ordering::Relaxed);
            let Some(function) = functions.get(position) else { return };
            if let Err(error) = function.prepare(device) {
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(before, _)| position < *before) {
                    *failed = Some((position, error));
                }
            }
        }
    };
    // The calling thread is one of them.
    let others = thread::available_parallelism().map_or(1, usize::from).min(functions.len()).saturating_sub(1);
    thread::scope(|scope| {
        for number in 0..others {
            let builder = thread::Builder::new().name(format!("netcl-build-{number}"));
            if let Err(error) = builder.spawn_scoped(scope, work) {
                tracing::debug!(%error, "no thread to build with");
            }
        }
        work();
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), |(_, error)| Err(error))
}
