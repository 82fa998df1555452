//! Launches of single kernels: those whose OpenCL C users bring, and netcl's hand-written algorithms.

#![allow(unsafe_code, reason = "OpenCL C is run as it is written: nothing checks what it does")]

use crate::device::Device;
use crate::error::Result;
use crate::memory::BufferHandle;
use crate::recording::{self, Step};
use netcl_hal::device::commands::CommandBuffer;
use netcl_hal::device::kernels::{DeviceKernel, KernelArgument, RecordedLaunch};
use netcl_kernels::kir::Geometry;
use smallvec::SmallVec;

/// What an argument of a launch is.
#[derive(Clone, Copy)]
pub(crate) enum Argument<'a> {
    Memory(&'a BufferHandle),
    Bytes(&'a [u8]),
    /// Bytes of local memory.
    Local(usize),
}

impl<'a> Argument<'a> {
    fn of_device(self) -> KernelArgument<'a> {
        match self {
            Argument::Memory(memory) => KernelArgument::Memory(memory.region()),
            Argument::Bytes(bytes) => KernelArgument::Bytes(bytes),
            Argument::Local(bytes) => KernelArgument::Local(bytes),
        }
    }

    fn memory(self) -> Option<&'a BufferHandle> {
        match self {
            Argument::Memory(memory) => Some(memory),
            Argument::Bytes(_) | Argument::Local(_) => None,
        }
    }
}

/// Launches a kernel on `device`, whose it is, and does not wait for that. The kernel is netcl's own or vouched for: it stays
/// inside what it is given.
pub(crate) fn launch<'a>(
    device: &Device,
    kernel: &dyn DeviceKernel,
    arguments: impl Iterator<Item = Argument<'a>> + Clone,
    geometry: &Geometry,
) -> Result<()> {
    // Nobody says which of them it writes to.
    arguments.clone().filter_map(Argument::memory).for_each(BufferHandle::before_write);
    arguments.clone().filter_map(Argument::memory).try_for_each(BufferHandle::settle)?;
    let of_device: SmallVec<[KernelArgument<'_>; 8]> = arguments.clone().map(Argument::of_device).collect();
    // SAFETY: `RawKernel` compares the arguments' number with the kernel's; netcl's own calls are tested. That the kernel
    // stays inside its memory is vouched for by who calls `RawKernel::launch`, and of netcl's own by their tests.
    unsafe { kernel.launch(&of_device, geometry) }?;
    device.count_launches(1);
    if recording::is_active(device.backend()) {
        let memory = arguments.filter_map(Argument::memory).cloned().collect();
        recording::push(Box::new(Recorded { launch: kernel.record(&of_device, geometry)?, memory }));
    }
    Ok(())
}

/// A launch that is repeated, with the memory that it uses. Dropped in this order.
struct Recorded {
    launch: Box<dyn RecordedLaunch>,
    memory: Vec<BufferHandle>,
}

impl Step for Recorded {
    fn repeat(&mut self) -> Result<()> {
        self.memory.iter().for_each(BufferHandle::before_write);
        self.memory.iter().try_for_each(BufferHandle::settle)?;
        // SAFETY: it was launched so before, with memory that is held here.
        Ok(unsafe { self.launch.launch() }?)
    }

    fn launches(&self) -> u64 {
        1
    }

    fn encode(&self, into: &mut dyn CommandBuffer) -> Result<bool> {
        // SAFETY: as above; who replays holds the memory of all steps.
        Ok(unsafe { self.launch.encode(into) }?)
    }

    fn visit_memory(&self, visit: &mut dyn FnMut(&BufferHandle)) {
        self.memory.iter().for_each(visit);
    }
}
