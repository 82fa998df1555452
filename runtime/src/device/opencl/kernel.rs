//! Kernel objects: what their arguments are set to, and how they are enqueued.
//!
//! This is the path of every launch: it allocates nothing, sets only the arguments that changed, and asks the driver for
//! no event.

use super::driver::{Kernel, Program};
use super::memory::ClMemory;
use super::{Parts, Shared};
use crate::device::geometry::Geometry;
use crate::device::kernels::{KernelArgument, KernelLimits};
use crate::device::memory::{Region, downcast};
use crate::device::process::Live;
use crate::error::Result;
use crate::profile;
use opencl3::error_codes::{
    CL_INVALID_KERNEL, CL_INVALID_MEM_OBJECT, DLOPEN_FUNCTION_NOT_AVAILABLE, DLOPEN_RUNTIME_LOAD_FAILED,
};
use opencl3::kernel::set_kernel_arg;
use opencl3::types::{cl_event, cl_int, cl_kernel, cl_mem};
use std::ptr::{null, null_mut};
use std::sync::Arc;

/// Values of up to this many bytes are compared with what was set before; a driver takes longer ones as fast.
const COMPARED: usize = 16;

/// The most arguments of a kernel: a driver that says more does not mean it.
const MOST_ARGUMENTS: u32 = 1 << 16;

/// What an argument was last set to.
#[derive(Clone, Copy, PartialEq)]
enum Last {
    /// Nothing, or something that is not compared.
    Unknown,
    /// The memory of that id: ids are never used twice, and whoever launches holds the memory.
    Memory(u64),
    Bytes(u8, [u8; COMPARED]),
    Local(usize),
}

impl Last {
    fn of(set: &KernelArgument<'_>) -> Last {
        match set {
            KernelArgument::Memory(region) => Last::Memory(region.id()),
            KernelArgument::Bytes(bytes) if bytes.len() <= COMPARED => {
                let mut own = [0; COMPARED];
                own[..bytes.len()].copy_from_slice(bytes);
                Last::Bytes(bytes.len() as u8, own)
            }
            KernelArgument::Bytes(_) => Last::Unknown,
            KernelArgument::Local(bytes) => Last::Local(*bytes),
        }
    }
}

/// A kernel object of its own. Dropped in this order.
pub(super) struct KernelObject {
    kernel: Live<Kernel>,
    last: Vec<Last>,
    /// What it allows, once somebody asked.
    pub(super) limits: Option<KernelLimits>,
    program: Arc<Program>,
}

impl KernelObject {
    /// The kernel `entry` of a built program.
    pub(super) fn new(shared: &Shared, program: &Arc<Program>, entry: &str) -> Result<KernelObject> {
        let fail = |operation: &str, code: cl_int| shared.error(&format!("{operation} for `{entry}`"), code);
        let kernel = Kernel::create(program, entry).map_err(|error| fail("clCreateKernel", error.0))?;
        let count = kernel.num_args().map_err(|error| fail("clGetKernelInfo", error.0))?;
        if count > MOST_ARGUMENTS {
            return Err(fail("clGetKernelInfo", CL_INVALID_KERNEL));
        }
        let last = vec![Last::Unknown; count as usize];
        Ok(KernelObject { kernel: Live::new(kernel), last, limits: None, program: program.clone() })
    }

    pub(super) fn program(&self) -> &Arc<Program> {
        &self.program
    }

    pub(super) fn get(&self) -> &Kernel {
        &self.kernel
    }

    pub(super) fn raw(&self) -> cl_kernel {
        self.kernel.get()
    }

    /// How many arguments it takes.
    pub(super) fn argument_count(&self) -> usize {
        self.last.len()
    }

    /// Sets an argument, unless it is set to that already.
    #[inline]
    pub(super) fn set(&mut self, index: usize, set: KernelArgument<'_>) -> Result<(), cl_int> {
        let wanted = Last::of(&set);
        if wanted != Last::Unknown && self.last.get(index) == Some(&wanted) {
            return Ok(());
        }
        // If it fails, nobody knows what is set.
        if let Some(last) = self.last.get_mut(index) {
            *last = Last::Unknown;
        }
        match set {
            KernelArgument::Memory(region) => self.set_memory(index, region)?,
            KernelArgument::Bytes(bytes) => {
                // SAFETY: as many bytes are read as there are, and copied (OpenCL 5.9.2); a size that is not the
                // parameter's is refused by the driver.
                unsafe { set_kernel_arg(self.raw(), index as u32, bytes.len(), bytes.as_ptr().cast()) }?;
            }
            KernelArgument::Local(bytes) => {
                // SAFETY: for local memory the size alone counts, and the pointer is null (OpenCL 5.9.2).
                unsafe { set_kernel_arg(self.raw(), index as u32, bytes, null()) }?;
            }
        }
        if let Some(last) = self.last.get_mut(index) {
            *last = wanted;
        }
        Ok(())
    }

    fn set_memory(&self, index: usize, region: &Region) -> Result<(), cl_int> {
        let raw: cl_mem = downcast::<ClMemory>(region.memory()).ok_or(CL_INVALID_MEM_OBJECT)?.raw();
        // SAFETY: a buffer argument is set from the address of a `cl_mem` (OpenCL 5.9.2); the value is copied.
        unsafe { set_kernel_arg(self.raw(), index as u32, size_of::<cl_mem>(), (&raw const raw).cast()) }
    }
}

impl Parts {
    /// Enqueues a kernel, which errors call `label`; does not wait for the device.
    ///
    /// # Safety
    ///
    /// The kernel is of this device's context, all its arguments are set, and with them it stays inside its buffers.
    #[inline]
    pub(super) unsafe fn enqueue(&self, kernel: &KernelObject, geometry: &Geometry, label: &str) -> Result<()> {
        let marked = profile::mark();
        let mut event: cl_event = null_mut();
        let wanted = if marked.is_some() { &raw mut event } else { null_mut() };
        let command = self.context.cutting.command();
        // SAFETY: kernel and queue are alive and of one context, and the sizes have as many entries as there are
        // dimensions (OpenCL 5.10); the rest is the caller's promise.
        let code = unsafe {
            enqueue_kernel(
                self.queue.queue.get(),
                kernel.raw(),
                geometry.dimensions as u32,
                geometry.global.as_ptr(),
                geometry.local.as_ref().map_or(null(), |local| local.as_ptr()),
                wanted,
            )
        };
        drop(command);
        if code != 0 {
            return Err(self.refused(geometry, label, code));
        }
        self.count();
        if let Some(marked) = marked {
            self.record_launch(kernel, geometry, label, event, marked);
        }
        Ok(())
    }

    #[cold]
    fn refused(&self, geometry: &Geometry, label: &str, code: cl_int) -> crate::Error {
        let operation = format!(
            "launching `{label}` with {:?} work-items in groups of {:?}",
            &geometry.global[..geometry.dimensions],
            geometry.local.map(|local| local[..geometry.dimensions].to_vec()),
        );
        self.health.moving_error(&operation, 0, code)
    }
}

/// `clEnqueueNDRangeKernel`, with an event only if there is a place for one: `opencl3` always has one made, which costs as
/// much as the rest of netcl's part of a launch.
///
/// # Safety
///
/// As the function of OpenCL 5.10.
#[inline]
unsafe fn enqueue_kernel(
    queue: opencl3::types::cl_command_queue,
    kernel: cl_kernel,
    dimensions: u32,
    global: *const usize,
    local: *const usize,
    event: *mut cl_event,
) -> cl_int {
    let Ok(runtime) = cl3::load_library() else {
        return DLOPEN_RUNTIME_LOAD_FAILED;
    };
    let code = runtime.clEnqueueNDRangeKernel(queue, kernel, dimensions, null(), global, local, 0, null(), event);
    code.unwrap_or(DLOPEN_FUNCTION_NOT_AVAILABLE)
}
