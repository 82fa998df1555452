//! Sequences of commands that the driver keeps: `cl_khr_command_buffer`.
//!
//! The loader does not export the extension's functions, so they are asked of the platform. Commands wait for one
//! another in the order in which they are added, as in the device's queue.

use super::kernel::KernelObject;
use super::pending::Pending;
use super::queue_progress::COMPUTING;
use super::shared::{Shared, own};
use crate::device::commands::CommandBuffer;
use crate::device::memory::Region;
use crate::device::quirks::Avoid;
use crate::error::Result;
use crate::process;
use crate::profile::{self, Command, Lane};
use netcl_kernels::kir::Geometry;
use opencl3::error_codes::CL_INVALID_OPERATION;
use opencl3::types::{cl_command_queue, cl_event, cl_int, cl_kernel, cl_mem, cl_uint, cl_ulong};
use std::any::Any;
use std::ffi::{CStr, c_void};
use std::ptr::{null, null_mut};
use std::sync::Arc;

type Handle = *mut c_void;
type SyncPoint = cl_uint;

// The extension's functions (OpenCL extension specification, `cl_khr_command_buffer`). What they call properties is
// not used here.
type Create = unsafe extern "C" fn(cl_uint, *const cl_command_queue, *const cl_ulong, *mut cl_int) -> Handle;
type OfBuffer = unsafe extern "C" fn(Handle) -> cl_int;
type Enqueue =
    unsafe extern "C" fn(cl_uint, *mut cl_command_queue, Handle, cl_uint, *const cl_event, *mut cl_event) -> cl_int;
type CommandKernel = unsafe extern "C" fn(
    Handle,
    cl_command_queue,
    *const cl_ulong,
    cl_kernel,
    cl_uint,
    *const usize,
    *const usize,
    *const usize,
    cl_uint,
    *const SyncPoint,
    *mut SyncPoint,
    *mut Handle,
) -> cl_int;
type CommandCopy = unsafe extern "C" fn(
    Handle,
    cl_command_queue,
    *const cl_ulong,
    cl_mem,
    cl_mem,
    usize,
    usize,
    usize,
    cl_uint,
    *const SyncPoint,
    *mut SyncPoint,
    *mut Handle,
) -> cl_int;
type CommandFill = unsafe extern "C" fn(
    Handle,
    cl_command_queue,
    *const cl_ulong,
    cl_mem,
    *const c_void,
    usize,
    usize,
    usize,
    cl_uint,
    *const SyncPoint,
    *mut SyncPoint,
    *mut Handle,
) -> cl_int;

const CL_COMMAND_BUFFER_FLAGS_KHR: cl_ulong = 0x1293;
const CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR: cl_ulong = 1;
const CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR: cl_uint = 0x12A9;
const CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR: cl_ulong = 4;
const CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR: cl_uint = 0x12AA;

/// A sequence of commands that the driver keeps. The kernels and the memory of its commands are kept by its owner.
pub(super) struct ClCommands {
    handle: Handle,
    functions: Functions,
    /// Of the last command.
    last: Option<SyncPoint>,
    shared: Arc<Shared>,
}

// SAFETY: an object of the driver's, whose functions may be called from any thread (OpenCL 3.0, appendix A); those that
// change it take `&mut self`.
unsafe impl Send for ClCommands {}

#[derive(Clone, Copy)]
struct Functions {
    create: Create,
    finalize: OfBuffer,
    release: OfBuffer,
    enqueue: Enqueue,
    kernel: CommandKernel,
    copy: CommandCopy,
    fill: CommandFill,
}

impl Functions {
    /// `None` if the platform lacks one.
    fn of(shared: &Shared) -> Option<Functions> {
        let platform = shared.device.get().platform().ok()?;
        let runtime = cl3::load_library().as_ref().ok()?;
        let find = |name: &CStr| {
            let found = runtime.clGetExtensionFunctionAddressForPlatform(platform, name.as_ptr())?;
            (!found.is_null()).then_some(found)
        };
        macro_rules! function {
            ($name:literal as $type:ty) => {{
                let found = find($name)?;
                // SAFETY: the platform's function of that name, which the extension gives this type; not null.
                unsafe { std::mem::transmute::<*mut c_void, $type>(found) }
            }};
        }
        Some(Functions {
            create: function!(c"clCreateCommandBufferKHR" as Create),
            finalize: function!(c"clFinalizeCommandBufferKHR" as OfBuffer),
            release: function!(c"clReleaseCommandBufferKHR" as OfBuffer),
            enqueue: function!(c"clEnqueueCommandBufferKHR" as Enqueue),
            kernel: function!(c"clCommandNDRangeKernelKHR" as CommandKernel),
            copy: function!(c"clCommandCopyBufferKHR" as CommandCopy),
            fill: function!(c"clCommandFillBufferKHR" as CommandFill),
        })
    }
}

impl ClCommands {
    /// An empty one; `None` where the driver has none that are of use.
    pub(super) fn new(shared: &Arc<Shared>) -> Result<Option<ClCommands>> {
        let profile = &shared.profile;
        if !profile.command_buffers || profile.avoids(Avoid::CommandBuffers) {
            return Ok(None);
        }
        ClCommands::anyway(shared)
    }

    /// As [`ClCommands::new`], also where they are of no use.
    pub(super) fn anyway(shared: &Arc<Shared>) -> Result<Option<ClCommands>> {
        let word = |name: cl_uint| {
            let bytes = shared.device.get().get_data(name).unwrap_or_default();
            bytes.try_into().map(cl_ulong::from_ne_bytes).ok()
        };
        let again = |capabilities| capabilities & CL_COMMAND_BUFFER_CAPABILITY_SIMULTANEOUS_USE_KHR != 0;
        // Replays follow each other without waiting, in the queue that there is.
        if !word(CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR).is_some_and(again)
            || word(CL_DEVICE_COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES_KHR) != Some(0)
        {
            return Ok(None);
        }
        let Some(functions) = Functions::of(shared) else { return Ok(None) };
        let queue = shared.queue.queue.get();
        let properties = [CL_COMMAND_BUFFER_FLAGS_KHR, CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR, 0];
        let mut code = 0;
        // SAFETY: one live queue, and a list of properties that ends with 0.
        let handle = unsafe { (functions.create)(1, &queue, properties.as_ptr(), &mut code) };
        if code != 0 || handle.is_null() {
            return Err(shared.error("clCreateCommandBufferKHR", code));
        }
        Ok(Some(ClCommands { handle, functions, last: None, shared: shared.clone() }))
    }

    /// The recording as this backend made it.
    pub(super) fn of(commands: &mut dyn CommandBuffer) -> Option<&mut ClCommands> {
        (commands as &mut dyn Any).downcast_mut()
    }

    /// Adds a launch.
    ///
    /// # Safety
    ///
    /// As [`DeviceResources::enqueue`]; the kernel object and its memory live as long as the buffer.
    pub(super) unsafe fn kernel(&mut self, kernel: &KernelObject, geometry: &Geometry, label: &str) -> Result<()> {
        let (dimensions, global) = (geometry.dimensions as cl_uint, geometry.global.as_ptr());
        let local = geometry.local.as_ref().map_or(null(), |local| local.as_ptr());
        let function = self.functions.kernel;
        self.add(&format!("clCommandNDRangeKernelKHR of `{label}`"), |handle, count, list, point| {
            // SAFETY: handle and kernel are alive, and the sizes have as many entries as there are dimensions; without a
            // queue the buffer's own is meant. The rest is the caller's promise.
            unsafe {
                function(
                    handle,
                    null_mut(),
                    null(),
                    kernel.raw(),
                    dimensions,
                    null(),
                    global,
                    local,
                    count,
                    list,
                    point,
                    null_mut(),
                )
            }
        })
    }

    fn add(
        &mut self,
        operation: &str,
        command: impl FnOnce(Handle, cl_uint, *const SyncPoint, *mut SyncPoint) -> cl_int,
    ) -> Result<()> {
        let mut point = 0;
        let (count, list) = self.last.as_ref().map_or((0, null()), |last| (1, std::ptr::from_ref(last)));
        match command(self.handle, count, list, &raw mut point) {
            0 => {
                self.last = Some(point);
                Ok(())
            }
            code => Err(self.shared.error(operation, code)),
        }
    }
}

impl CommandBuffer for ClCommands {
    fn copy(&mut self, from: &Region, to: &Region, bytes: usize) -> Result<()> {
        let (from, to) = (own(from.memory())?.raw(), own(to.memory())?.raw());
        let function = self.functions.copy;
        self.add("clCommandCopyBufferKHR", |handle, count, list, point| {
            // SAFETY: all are alive, at least `bytes` long and distinct (`BufferHandle::copy_to`).
            unsafe { function(handle, null_mut(), null(), from, to, 0, 0, bytes, count, list, point, null_mut()) }
        })
    }

    fn zero(&mut self, region: &Region) -> Result<()> {
        let (target, function) = (own(region.memory())?.raw(), self.functions.fill);
        for (start, size, width) in self.shared.fills(region.bytes()) {
            let pattern = [0u8; 16];
            self.add("clCommandFillBufferKHR", |handle, count, list, point| {
                let pattern = pattern.as_ptr().cast();
                // SAFETY: both are alive; the pattern is copied; offset and size are multiples of its width and inside
                // (`DeviceResources::fills`).
                unsafe {
                    function(
                        handle,
                        null_mut(),
                        null(),
                        target,
                        pattern,
                        width,
                        start,
                        size,
                        count,
                        list,
                        point,
                        null_mut(),
                    )
                }
            })?;
        }
        Ok(())
    }

    fn finalize(&mut self) -> Result<()> {
        // SAFETY: a live command buffer.
        match unsafe { (self.functions.finalize)(self.handle) } {
            0 => Ok(()),
            code => Err(self.shared.error("clFinalizeCommandBufferKHR", code)),
        }
    }

    fn enqueue(&self) -> Result<()> {
        if self.last.is_none() {
            return Ok(());
        }
        let _turn = self.shared.in_turn().map_err(|code| self.shared.error("clEnqueueCommandBufferKHR", code))?;
        let marked = profile::mark();
        let mut event: cl_event = null_mut();
        let wanted = if marked.is_some() { &raw mut event } else { null_mut() };
        // SAFETY: a live command buffer, finalized, whose own queue is used; nothing is waited for, and an event has a place.
        match unsafe { (self.functions.enqueue)(0, null_mut(), self.handle, 0, null(), wanted) } {
            0 => {
                self.shared.count();
                if let Some(marked) = marked {
                    // Its commands have no events of their own.
                    let command = Command { name: "a recording".into(), ..Command::default() };
                    let event = self.shared.event(Pending::new(event), COMPUTING);
                    profile::enqueued(&self.shared.tracks, Lane::Compute, command, event, marked);
                }
                Ok(())
            }
            code => Err(self.shared.error("clEnqueueCommandBufferKHR", code)),
        }
    }
}

impl Drop for ClCommands {
    fn drop(&mut self) {
        // SAFETY: made by `anyway`, released once.
        if !process::is_forked() && unsafe { (self.functions.release)(self.handle) } == CL_INVALID_OPERATION {
            tracing::warn!("clReleaseCommandBufferKHR");
        }
    }
}
