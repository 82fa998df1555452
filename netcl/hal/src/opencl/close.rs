//! The end of a device: its last handle is gone.
//!
//! Copies in flight use host memory, and NVIDIA's 580.159.04 crashes if a program is released while one of its kernels
//! runs, so what a device keeps goes when its work is done. Who drops the last handle may be the one that the work waits
//! for, such as the owner of a [`crate::event::UserEvent`] or a driver's own thread in a callback; so a thread of its own waits.

use super::exit;
use super::shared::{DeviceResources, Shared};
use crate::process;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

/// A device that is done within this time is closed by who dropped it.
const AT_ONCE: Duration = Duration::from_millis(20);

impl Drop for Shared {
    fn drop(&mut self) {
        // SAFETY: taken out here and nowhere else, and not used afterwards.
        let parts = unsafe { ManuallyDrop::take(&mut self.parts) };
        if process::is_forked() {
            // All of it is the parent's, locks that its threads may have held at the fork among it.
            std::mem::forget(parts);
        } else if !self.is_closing {
            close(parts);
        }
    }
}

fn close(parts: DeviceResources) {
    match parts.finish_until(Instant::now() + AT_ONCE) {
        // What its copies used goes with it.
        Ok(true) => {}
        Ok(false) => close_later(parts),
        // To leak what copies may use is the safe way.
        Err(_) => parts.transfers.leak(),
    }
}

fn close_later(parts: DeviceResources) {
    let name = parts.profile.name.clone();
    let shared = Arc::new(Shared { parts: ManuallyDrop::new(parts), is_closing: true });
    let waited = exit::remember_closing(&shared);
    let own = shared.clone();
    let thread = thread::Builder::new().name("netcl: closing".to_owned()).spawn(move || {
        if own.finish().is_err() {
            own.transfers.leak();
        }
        drop(own);
        drop(waited);
    });
    if let Err(error) = thread {
        tracing::warn!(%error, device = name, "a device that still computes stays open");
        std::mem::forget(shared);
    }
}
