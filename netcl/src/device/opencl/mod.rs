//! Devices behind an OpenCL driver. The only place that calls OpenCL.
//!
//! One in-order queue per device: commands run in the order in which they were enqueued, so a buffer that was freed may
//! be handed out again while commands that use it are still waiting. A context is one device's, or is shared by the
//! parts of a device or by devices that were asked for together.
#![allow(unsafe_code, reason = "OpenCL is a C interface; every block says what it relies on")]

mod build;
mod context;
mod describe;
pub(crate) mod discover;
mod launch;
pub(crate) mod memory;
pub(crate) mod raw;
mod trial;

use crate::config;
use crate::device::backend::{AllocateError, Backend, Memory, Native, Program as BuiltProgram};
use crate::device::partition::Partition;
use crate::device::profile::DeviceProfile;
use crate::error::{Error, Result};
use crate::program::{Counters, ProgramStats};
use context::{ClContext, ClDevice};
use memory::ClMemory;
use netcl_kernels::plan::Plan;
use opencl3::command_queue::{
    CL_QUEUE_PROFILING_ENABLE, CommandQueue, enqueue_barrier_with_wait_list, enqueue_copy_buffer, enqueue_fill_buffer,
    enqueue_marker_with_wait_list, enqueue_migrate_mem_object, enqueue_read_buffer, enqueue_write_buffer,
};
use opencl3::error_codes::{
    CL_INVALID_BUFFER_SIZE, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, error_text,
};
use opencl3::event::Event;
use opencl3::memory::{Buffer, CL_MEM_READ_WRITE, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, ClMem};
use opencl3::types::{CL_BLOCKING, CL_NON_BLOCKING, cl_event, cl_int};
use std::collections::VecDeque;
use std::ptr::null;
use std::sync::{Arc, Mutex, PoisonError};

/// Writes up to this size are copied first and do not wait; larger ones wait, which costs less than the copy.
const STAGED_WRITE: usize = 64 << 20;
/// At most this much may be copied and not written yet.
const STAGED_TOTAL: usize = 256 << 20;

/// One device's queue, in a context.
pub(crate) struct OpenCl {
    shared: Arc<Shared>,
}

/// What everything made on the device keeps alive. Dropped in this order.
pub(super) struct Shared {
    profile: DeviceProfile,
    staged: Mutex<Staged>,
    programs: Mutex<build::Programs>,
    counters: Counters,
    queue: CommandQueue,
    context: Arc<ClContext>,
    device: ClDevice,
}

/// Sources of writes that the device has not done yet.
#[derive(Default)]
struct Staged {
    waiting: VecDeque<(Event, Vec<u8>)>,
    bytes: usize,
}

impl OpenCl {
    /// Opens a device in a context of its own and completes its profile.
    fn open(device: ClDevice, reported: &DeviceProfile) -> Result<OpenCl> {
        let context =
            ClContext::new(vec![device.clone()]).map_err(|error| driver_error(reported, "clCreateContext", error.0))?;
        let queue = new_queue(&context, &device, reported, config::get()?.profile_events)?;
        let profile = trial::capabilities(reported, &context, &queue).complete(reported);
        Ok(OpenCl::new(profile, queue, Arc::new(context), device))
    }

    /// Opens the devices of these once more, all in one context.
    pub(super) fn share(devices: &[&OpenCl]) -> Result<Vec<OpenCl>> {
        let members = devices.iter().map(|device| (device.shared.device.clone(), device.shared.profile.clone()));
        OpenCl::together(members.collect())
    }

    fn together(members: Vec<(ClDevice, DeviceProfile)>) -> Result<Vec<OpenCl>> {
        let devices = members.iter().map(|(device, _)| device.clone()).collect();
        let context = ClContext::new(devices).map_err(|error| {
            let names: Vec<&str> = members.iter().map(|(_, profile)| profile.name.as_str()).collect();
            driver_error(&members[0].1, &format!("clCreateContext for {}", names.join(", ")), error.0)
        })?;
        let context = Arc::new(context);
        let profile_events = config::get()?.profile_events;
        let open = |(device, profile): (ClDevice, DeviceProfile)| {
            let queue = new_queue(&context, &device, &profile, profile_events)?;
            Ok(OpenCl::new(profile, queue, context.clone(), device))
        };
        members.into_iter().map(open).collect()
    }

    fn new(profile: DeviceProfile, queue: CommandQueue, context: Arc<ClContext>, device: ClDevice) -> OpenCl {
        let shared = Shared {
            profile,
            staged: Mutex::default(),
            programs: Mutex::default(),
            counters: Counters::default(),
            queue,
            context,
            device,
        };
        OpenCl { shared: Arc::new(shared) }
    }

    pub(super) fn shares_context_with(&self, other: &OpenCl) -> bool {
        Arc::ptr_eq(&self.shared.context, &other.shared.context)
    }
}

fn new_queue(
    context: &ClContext,
    device: &ClDevice,
    profile: &DeviceProfile,
    profile_events: bool,
) -> Result<CommandQueue> {
    let properties = if profile_events { CL_QUEUE_PROFILING_ENABLE } else { 0 };
    // The 1.2 call: it is there on every version, and its in-order queue is all that is needed.
    // SAFETY: the device is one of the context's, whose member it is kept alive by (OpenCL 5.1).
    #[allow(deprecated, reason = "works on every OpenCL version")]
    let queue = unsafe { CommandQueue::create(context.get(), device.id(), properties) };
    queue.map_err(|error| driver_error(profile, "clCreateCommandQueue", error.0))
}

impl Backend for OpenCl {
    fn profile(&self) -> &DeviceProfile {
        &self.shared.profile
    }

    fn allocate(&self, bytes: usize) -> Result<Memory, AllocateError> {
        let shared = &*self.shared;
        let out_of_memory = |code: cl_int| match code {
            CL_MEM_OBJECT_ALLOCATION_FAILURE | CL_OUT_OF_RESOURCES | CL_OUT_OF_HOST_MEMORY | CL_INVALID_BUFFER_SIZE => {
                AllocateError::OutOfMemory
            }
            _ => AllocateError::Other(shared.error("clCreateBuffer", code)),
        };
        // SAFETY: no host pointer is passed (OpenCL 5.2.1), so the flags and the size are all that is read.
        let buffer =
            unsafe { Buffer::<u8>::create(shared.context.get(), CL_MEM_READ_WRITE, bytes, std::ptr::null_mut()) }
                .map_err(|error| out_of_memory(error.0))?;
        // Drivers may put allocation off to the first use, where failing is too late to free something.
        let objects = [buffer.get()];
        // SAFETY: one live buffer of this queue's context, whose content is undefined anyway (OpenCL 5.5.4).
        let event = unsafe {
            enqueue_migrate_mem_object(
                shared.queue.get(),
                1,
                objects.as_ptr(),
                CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED,
                0,
                null(),
            )
        };
        match event {
            Ok(event) => drop(Event::new(event)),
            Err(code) => return Err(out_of_memory(code)),
        }
        Ok(Memory::OpenCl(ClMemory::new(buffer, self.shared.context.clone())))
    }

    fn part(&self, parent: &Memory, offset: usize, bytes: usize) -> Result<Memory> {
        let parent = own(parent)?;
        // SAFETY: the region lies inside the parent and starts at a multiple of 512 bytes, above what any device asks
        // for (OpenCL 5.2.3); the parent is no sub-buffer itself: `Region::part` sees to all three.
        let buffer = unsafe { parent.buffer().create_sub_buffer(CL_MEM_READ_WRITE, offset, bytes) }
            .map_err(|error| self.shared.error("clCreateSubBuffer", error.0))?;
        Ok(Memory::OpenCl(ClMemory::new(buffer, self.shared.context.clone())))
    }

    fn write(&self, memory: &Memory, data: &[u8]) -> Result<()> {
        let target = own(memory)?.raw();
        let shared = &*self.shared;
        let mut staged = shared.staged.lock().unwrap_or_else(PoisonError::into_inner);
        staged.release_done();
        if data.len() > STAGED_WRITE {
            // SAFETY: a blocking write reads `data` only until it returns (OpenCL 5.2.2); the buffer is at least as
            // long, which `Region::write` sees to.
            let event = unsafe {
                enqueue_write_buffer(
                    shared.queue.get(),
                    target,
                    CL_BLOCKING,
                    0,
                    data.len(),
                    data.as_ptr().cast(),
                    0,
                    null(),
                )
            };
            return shared.done("clEnqueueWriteBuffer", event);
        }
        if staged.bytes + data.len() > STAGED_TOTAL {
            self.finish_locked(&mut staged)?;
        }
        let copy = data.to_vec();
        // SAFETY: `copy`'s heap block stays where it is until the event has completed: `Staged` keeps both and lets go
        // of them only then, or after `clFinish`.
        let event = unsafe {
            enqueue_write_buffer(
                shared.queue.get(),
                target,
                CL_NON_BLOCKING,
                0,
                copy.len(),
                copy.as_ptr().cast(),
                0,
                null(),
            )
        };
        let event = event.map_err(|code| shared.error("clEnqueueWriteBuffer", code))?;
        staged.bytes += copy.len();
        staged.waiting.push_back((Event::new(event), copy));
        Ok(())
    }

    fn read(&self, memory: &Memory, into: &mut [u8]) -> Result<()> {
        let source = own(memory)?.raw();
        // SAFETY: a blocking read has written `into` when it returns (OpenCL 5.2.2); the buffer is at least as long.
        let event = unsafe {
            enqueue_read_buffer(
                self.shared.queue.get(),
                source,
                CL_BLOCKING,
                0,
                into.len(),
                into.as_mut_ptr().cast(),
                0,
                null(),
            )
        };
        self.shared.done("clEnqueueReadBuffer", event)
    }

    fn copy(&self, from: &Memory, to: &Memory, bytes: usize) -> Result<()> {
        let (from, to) = (own(from)?.raw(), own(to)?.raw());
        // SAFETY: both are live buffers of this context, at least `bytes` long and distinct (`Region::copy_to`).
        let event = unsafe { enqueue_copy_buffer(self.shared.queue.get(), from, to, 0, 0, bytes, 0, null()) };
        self.shared.done("clEnqueueCopyBuffer", event)
    }

    fn zero(&self, memory: &Memory, bytes: usize) -> Result<()> {
        let target = own(memory)?.raw();
        // Pieces start at multiples of the widest pattern.
        let piece = (self.shared.profile.max_fill() & !15).max(16);
        let mut start = 0;
        while start < bytes {
            let size = piece.min(bytes - start);
            // The widest pattern that divides the size: some drivers fill byte by byte otherwise.
            let pattern = [0u8; 16];
            let width = if size.is_multiple_of(16) { 16 } else { 1 };
            // SAFETY: the pattern is copied before the call returns (OpenCL 5.2.2); offset and size are multiples of
            // its width and inside the buffer.
            let event = unsafe {
                enqueue_fill_buffer(
                    self.shared.queue.get(),
                    target,
                    pattern.as_ptr().cast(),
                    width,
                    start,
                    size,
                    0,
                    null(),
                )
            };
            self.shared.done("clEnqueueFillBuffer", event)?;
            start += size;
        }
        Ok(())
    }

    fn load(&self, plan: &Arc<Plan>, _: Native) -> Result<Box<dyn BuiltProgram>> {
        let source = build::Source { name: &plan.name, text: &plan.source, options: build::OPTIONS };
        let program = build::program(&self.shared, &source)?;
        Ok(Box::new(launch::ClProgram::new(self.shared.clone(), plan.clone(), program)))
    }

    fn program_stats(&self) -> ProgramStats {
        self.shared.counters.stats()
    }

    fn partition(&self, partition: &Partition) -> Result<Vec<Arc<dyn Backend>>> {
        let shared = &*self.shared;
        let fail = |operation: &str, error: opencl3::error_codes::ClError| shared.error(operation, error.0);
        let parts = shared
            .device
            .partition(partition)
            .map_err(|error| fail(&format!("clCreateSubDevices, {partition:?}"), error))?;
        let describe = |(number, part): (usize, ClDevice)| {
            let profile = describe::part(&shared.profile, part.get(), number);
            Ok((part, profile.map_err(|error| fail("clGetDeviceInfo of a sub-device", error))?))
        };
        let members: Vec<_> = parts.into_iter().enumerate().map(describe).collect::<Result<_>>()?;
        Ok(OpenCl::together(members)?.into_iter().map(|part| Arc::new(part) as Arc<dyn Backend>).collect())
    }

    fn copy_from(&self, source: &dyn Backend, from: &Memory, to: &Memory, bytes: usize) -> Result<bool> {
        match source.as_opencl() {
            Some(source) if self.shares_context_with(source) => {
                let result = self.copy_after(&source.shared, own(from)?, own(to)?, bytes);
                result.map_err(|code| self.shared.error("clEnqueueCopyBuffer between devices", code))?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    fn as_opencl(&self) -> Option<&OpenCl> {
        Some(self)
    }

    fn finish(&self) -> Result<()> {
        let mut staged = self.shared.staged.lock().unwrap_or_else(PoisonError::into_inner);
        self.finish_locked(&mut staged)
    }
}

impl OpenCl {
    /// Copies on this device's queue, between two markers on the other's.
    fn copy_after(&self, source: &Shared, from: &ClMemory, to: &ClMemory, bytes: usize) -> Result<(), cl_int> {
        let queue = self.shared.queue.get();
        // SAFETY: both queues, both buffers and the events waited for are alive and of one context; the buffers are at
        // least `bytes` long and distinct (`Region::copy_across`). What is waited for was enqueued before and is
        // flushed, so the queues cannot wait for each other in a circle (OpenCL 5.13).
        unsafe {
            let written = Event::new(enqueue_marker_with_wait_list(source.queue.get(), 0, null())?);
            source.queue.flush().map_err(|error| error.0)?;
            let copied = Event::new(enqueue_copy_buffer(queue, from.raw(), to.raw(), 0, 0, bytes, 1, &written.get())?);
            self.shared.queue.flush().map_err(|error| error.0)?;
            // The source's memory may be handed out again as soon as this returns.
            drop(Event::new(enqueue_barrier_with_wait_list(source.queue.get(), 1, &copied.get())?));
            source.queue.flush().map_err(|error| error.0)
        }
    }

    fn finish_locked(&self, staged: &mut Staged) -> Result<()> {
        self.shared.queue.finish().map_err(|error| self.shared.error("clFinish", error.0))?;
        staged.waiting.clear();
        staged.bytes = 0;
        Ok(())
    }
}

impl Staged {
    /// Lets go of what the device has copied. The queue is in order, so the first that waits ends the search.
    fn release_done(&mut self) {
        while let Some((event, data)) = self.waiting.front() {
            // 0 is CL_COMPLETE, negative values are errors; both mean that the data is no longer read.
            if event.command_execution_status().is_ok_and(|status| status.0 > 0) {
                break;
            }
            self.bytes -= data.len();
            self.waiting.pop_front();
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        // Writes in flight read `staged`, which is freed next. If even this fails, leaking it is the safe way.
        if self.queue.finish().is_err() {
            std::mem::forget(std::mem::take(self.staged.get_mut().unwrap_or_else(PoisonError::into_inner)));
        }
    }
}

impl Shared {
    fn error(&self, operation: &str, code: cl_int) -> Error {
        driver_error(&self.profile, operation, code)
    }

    fn done(&self, operation: &str, event: Result<cl_event, cl_int>) -> Result<()> {
        match event {
            Ok(event) => {
                drop(Event::new(event));
                Ok(())
            }
            Err(code) => Err(self.error(operation, code)),
        }
    }
}

fn driver_error(profile: &DeviceProfile, operation: &str, code: cl_int) -> Error {
    Error::Driver { device: profile.name.clone(), operation: operation.to_owned(), code: error_text(code).to_owned() }
}

fn own(memory: &Memory) -> Result<&ClMemory> {
    match memory {
        Memory::OpenCl(memory) => Ok(memory),
        _ => Err(Error::Plan { function: "device".into(), problem: "memory of another kind of device".into() }),
    }
}

#[cfg(test)]
mod tests;
