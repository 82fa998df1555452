//! What everything made on one device shares.

use super::context::{ClContext, ClDevice, Queue};
use super::driver::Buffer;
use super::health::Health;
use super::in_flight::Transfers;
use super::kernel::KernelObject;
use super::memory::ClMemory;
use super::programs::Programs;
use super::queue_progress::QueueProgress;
use crate::device::backend::Backend;
use crate::device::kernels::KernelSource;
use crate::device::memory::{Memory, downcast};
use crate::device::profile::DeviceProfile;
use crate::device::queue::QueueOrder;
use crate::error::{Error, Result};
use crate::memory::PinnedBufferPool;
use crate::process::Live;
use crate::profile;
use crate::program::Counters;
use crate::recent::Recent;
use opencl3::types::cl_int;
use std::any::Any;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::sync::{Arc, Mutex, OnceLock};

/// One device's queue, in a context.
pub(crate) struct OpenCl {
    pub(super) shared: Arc<Shared>,
}

/// What everything made on the device keeps alive.
pub(super) struct Shared {
    /// Taken out by drop alone, which may leave it to a thread ([`super::close`]).
    pub(super) parts: ManuallyDrop<DeviceResources>,
    /// Whether that thread has it, and nothing is left to wait for.
    pub(super) is_closing: bool,
}

/// Dropped in this order.
pub(super) struct DeviceResources {
    pub(super) profile: DeviceProfile,
    pub(super) transfers: Arc<Transfers>,
    pub(super) pinned: PinnedBufferPool,
    /// Kernel objects that nobody uses now, by what they were made of: making one costs driver calls, and the program that it is of
    /// would be built or loaded again.
    pub(super) idle_kernels: Live<Mutex<Recent<(KernelSource, KernelObject)>>>,
    pub(super) programs: Live<Mutex<Programs>>,
    /// Where the first use of new buffers copies to.
    pub(super) sink: OnceLock<Live<Buffer>>,
    pub(super) counters: Counters,
    pub(super) health: Arc<Health>,
    pub(super) progress: QueueProgress,
    pub(super) order: QueueOrder,
    pub(super) queue: Arc<Queue>,
    pub(super) context: Arc<ClContext>,
    pub(super) device: ClDevice,
    /// Where what it does is recorded.
    pub(super) tracks: profile::DeviceTracks,
}

impl OpenCl {
    /// The OpenCL device that a backend is, if it is one.
    pub(super) fn of(backend: &dyn Backend) -> Option<&OpenCl> {
        (backend as &dyn Any).downcast_ref()
    }

    pub(super) fn is_in_context_of(&self, other: &OpenCl) -> bool {
        Arc::ptr_eq(&self.shared.context, &other.shared.context)
    }
}

impl Deref for Shared {
    type Target = DeviceResources;

    #[inline]
    fn deref(&self) -> &DeviceResources {
        &self.parts
    }
}

impl DeviceResources {
    /// The fills that set the first `bytes` of a buffer: start, size, and width of the pattern, which divides both.
    pub(super) fn fills(&self, bytes: usize) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        // Pieces start at multiples of the widest pattern.
        let piece = (self.profile.max_fill() & !15).max(16);
        (0..bytes).step_by(piece).map(move |start| {
            let size = piece.min(bytes - start);
            // The widest pattern that divides the size: some drivers fill byte by byte otherwise.
            (start, size, if size.is_multiple_of(16) { 16 } else { 1 })
        })
    }

    #[cold]
    pub(super) fn error(&self, operation: &str, code: cl_int) -> Error {
        self.health.error(operation, code)
    }
}

/// The memory as this backend made it.
pub(super) fn own(memory: &dyn Memory) -> Result<&ClMemory> {
    let foreign = || Error::Program { program: "device".into(), problem: "memory of another kind of device".into() };
    downcast(memory).ok_or_else(foreign)
}
