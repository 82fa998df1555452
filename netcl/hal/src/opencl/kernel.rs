//! Kernel objects, and what their arguments are set to: only those that changed are set again.

use super::driver::{Kernel, Program};
use super::health::Health;
use super::memory::ClMemory;
use crate::device::kernels::{KernelArgument, KernelLimits};
use crate::device::memory::{Region, downcast};
use crate::error::Result;
use crate::process::Live;
use opencl3::error_codes::{CL_INVALID_KERNEL, CL_INVALID_MEM_OBJECT};
use opencl3::kernel::set_kernel_arg;
use opencl3::types::{cl_int, cl_kernel, cl_mem};
use std::ptr::null;
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
    pub(super) fn new(health: &Health, program: &Arc<Program>, entry: &str) -> Result<KernelObject> {
        let fail = |operation: &str, code: cl_int| health.error(&format!("{operation} for `{entry}`"), code);
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

    /// Whether an argument is set that is local memory.
    pub(super) fn has_local(&self) -> bool {
        self.last.iter().any(|last| matches!(last, Last::Local(_)))
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
