//! An OpenCL device as a backend.

use super::build;
use super::commands::ClCommands;
use super::context::ClDevice;
use super::describe;
use super::health::Told;
use super::launch::ClProgram;
use super::mapped::ClMapped;
use super::memory::ClMemory;
use super::shared::{OpenCl, own};
use crate::config;
use crate::device::backend::{Backend, Program as BuiltProgram};
use crate::device::commands::CommandBuffer;
use crate::device::dispatch::ProgramSource;
use crate::device::kernels::KernelCompiler;
use crate::device::memory::{AllocateError, HostMemory, Keeper, Memory, Region};
use crate::device::partition::Partition;
use crate::device::profile::DeviceProfile;
use crate::device::queue::QueueOrder;
use crate::device::quirks::Avoid;
use crate::error::Result;
use crate::event::{Event, Interrupt};
use crate::memory::{PinnedBuffer, PinnedBufferPool, Reserves};
use crate::profile::{self, Command};
use crate::program::ProgramStats;
use opencl3::command_queue::{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, enqueue_copy_buffer, enqueue_fill_buffer};
use std::ptr::null;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So long the device is waited for before memory goes back to its driver. It may, earlier as well: a driver keeps what its
/// commands use. But some have it to give only when they are done.
const DRAINING: Duration = Duration::from_secs(10);

impl OpenCl {
    fn load_by(&self, build: build::Build, source: &ProgramSource<'_>) -> Result<Box<dyn BuiltProgram>> {
        let ProgramSource { name, text, optimized, .. } = *source;
        let options = build::options(&self.shared.profile, optimized);
        let program = build(&self.shared, &build::BuildInput { name, text, options })?;
        Ok(Box::new(ClProgram::new(self.shared.clone(), name.to_owned(), program)))
    }
}

impl Backend for OpenCl {
    fn profile(&self) -> &DeviceProfile {
        &self.shared.profile
    }

    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>, AllocateError> {
        self.shared.allocate(bytes).map(shared_memory)
    }

    fn part(&self, parent: &dyn Memory, offset: usize, bytes: usize) -> Result<Arc<dyn Memory>> {
        // SAFETY: the part lies inside the parent and starts at a multiple of 512 bytes and of what the device asks for:
        // `BufferHandle::part` and the pool see to both.
        let part = unsafe { own(parent)?.part(offset, bytes) };
        part.map(shared_memory).map_err(|error| self.shared.error("clCreateSubBuffer", error.0))
    }

    fn write(&self, memory: &dyn Memory, data: &[u8]) -> Result<()> {
        self.write_in_order(memory, data)
    }

    fn upload(&self, memory: &dyn Memory, data: &[u8], idle_since: u64) -> Result<Option<Event>> {
        self.upload_aside(memory, data, idle_since)
    }

    fn upload_pinned(&self, memory: &dyn Memory, data: PinnedBuffer, idle_since: u64) -> Result<Option<Event>> {
        self.upload_held(memory, data, idle_since)
    }

    fn download(&self, memory: &dyn Memory, into: PinnedBuffer, aside: bool) -> Result<(Event, Arc<PinnedBuffer>)> {
        self.read_later(memory, into, aside)
    }

    fn keep_pace(&self) -> Result<()> {
        self.shared.keep_pace()
    }

    fn enqueued(&self) -> u64 {
        self.shared.counted()
    }

    fn is_done(&self, enqueued: u64) -> bool {
        self.shared.is_done(enqueued)
    }

    fn mark(&self) -> Result<()> {
        self.shared.mark()
    }

    fn reserves(&self) -> &Reserves {
        self.shared.device.reserves()
    }

    fn pinned_pool(&self) -> &PinnedBufferPool {
        &self.shared.pinned
    }

    fn lend(&self, owner: Box<dyn HostMemory>) -> Result<Arc<dyn Memory>, Box<dyn HostMemory>> {
        let profile = &self.shared.profile;
        if !profile.unified_memory {
            return Err(owner);
        }
        ClMemory::lent(owner, profile.buffer_alignment, &self.shared.context).map(shared_memory)
    }

    fn map(&self, region: &Region, bytes: usize, keeper: Keeper) -> Result<Option<Box<dyn HostMemory>>> {
        if !self.shared.profile.unified_memory || bytes == 0 {
            return Ok(None);
        }
        let mapped = ClMapped::new(region, bytes, keeper, self.shared.clone());
        Ok(Some(Box::new(mapped.map_err(|code| self.shared.error("clEnqueueMapBuffer", code))?)))
    }

    fn command_buffer(&self) -> Result<Option<Box<dyn CommandBuffer>>> {
        Ok(ClCommands::new(&self.shared)?.map(|commands| Box::new(commands) as Box<dyn CommandBuffer>))
    }

    fn kernels(&self) -> Option<&dyn KernelCompiler> {
        Some(self)
    }

    fn record(&self) -> Result<Event> {
        self.shared.record_marker()
    }

    fn wait_for(&self, event: &Event) -> Result<()> {
        self.shared.hold_for(event)
    }

    fn read(&self, memory: &dyn Memory, into: &mut [u8]) -> Result<()> {
        self.shared.read_now(own(memory)?.raw(), into)?;
        profile::catch_up();
        self.shared.reported()
    }

    fn copy(&self, from: &dyn Memory, to: &dyn Memory, bytes: usize) -> Result<()> {
        let (from, to) = (own(from)?.raw(), own(to)?.raw());
        let _turn = self.shared.in_turn().map_err(|code| self.shared.error("clEnqueueCopyBuffer", code))?;
        let marked = profile::mark();
        let command = self.shared.context.sub_buffers.command();
        // SAFETY: both are live buffers of this context, at least `bytes` long and distinct (`BufferHandle::copy_to`).
        let event = unsafe { enqueue_copy_buffer(self.shared.queue.queue.get(), from, to, 0, 0, bytes, 0, null()) };
        // SAFETY: the driver has just given it.
        let _ = event.map(|event| unsafe { self.shared.context.sub_buffers.began_raw(event) });
        drop(command);
        self.shared.count();
        let named = ("clEnqueueCopyBuffer", bytes);
        self.shared.recorded(named, event, marked, || Command::copy("copy on the device", bytes))
    }

    fn zero(&self, memory: &dyn Memory, bytes: usize) -> Result<()> {
        let target = own(memory)?.raw();
        let _turn = self.shared.in_turn().map_err(|code| self.shared.error("clEnqueueFillBuffer", code))?;
        for (start, size, width) in self.shared.fills(bytes) {
            let pattern = [0u8; 16];
            let marked = profile::mark();
            let command = self.shared.context.sub_buffers.command();
            // SAFETY: the pattern is copied before the call returns (OpenCL 5.2.2); offset and size are multiples of
            // its width and inside the buffer (`DeviceResources::fills`).
            let event = unsafe {
                enqueue_fill_buffer(
                    self.shared.queue.queue.get(),
                    target,
                    pattern.as_ptr().cast(),
                    width,
                    start,
                    size,
                    0,
                    null(),
                )
            };
            // SAFETY: the driver has just given it.
            let _ = event.map(|event| unsafe { self.shared.context.sub_buffers.began_raw(event) });
            drop(command);
            self.shared.count();
            let named = ("clEnqueueFillBuffer", size);
            self.shared.recorded(named, event, marked, || Command::copy("fill with zeros", size))?;
        }
        Ok(())
    }

    fn load(&self, source: &ProgramSource<'_>) -> Result<Box<dyn BuiltProgram>> {
        self.load_by(build::program, source)
    }

    fn optimizes_at_once(&self, source: &ProgramSource<'_>) -> bool {
        let profile = &self.shared.profile;
        let tiered =
            profile.avoids(Avoid::OptimizingAtOnce) && config::get().is_ok_and(|config| config.tiered_compilation);
        let options = build::options(profile, true);
        !tiered || build::was_built(&self.shared, &build::BuildInput { name: source.name, text: source.text, options })
    }

    fn load_once(&self, source: &ProgramSource<'_>) -> Result<Box<dyn BuiltProgram>> {
        self.load_by(build::once, source)
    }

    fn program_stats(&self) -> ProgramStats {
        self.shared.counters.stats()
    }

    fn with_queue(&self, order: QueueOrder) -> Result<Option<Arc<dyn Backend>>> {
        let shared = &*self.shared;
        let properties = shared.device.get().queue_on_host_properties().unwrap_or_default();
        if order == QueueOrder::OutOfOrder && properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE == 0 {
            return Ok(None);
        }
        let times = config::get()?.times_commands();
        Ok(Some(Arc::new(self.again(times, order)?)))
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

    fn copy_from(&self, source: &dyn Backend, from: &dyn Memory, to: &dyn Memory, bytes: usize) -> Result<bool> {
        match OpenCl::of(source) {
            Some(source) if self.is_in_context_of(source) => {
                let result = self.copy_after(&source.shared, own(from)?, own(to)?, bytes);
                self.shared.count();
                source.shared.count();
                result.map(|()| true)
            }
            _ => Ok(false),
        }
    }

    fn has_context(&self) -> bool {
        true
    }

    fn share_context(&self, devices: &[&dyn Backend]) -> Result<Vec<Arc<dyn Backend>>> {
        let members = devices.iter().filter_map(|device| OpenCl::of(*device));
        let members = members.map(|device| (device.shared.device.clone(), device.shared.profile.clone()));
        let together = OpenCl::together(members.collect())?.into_iter();
        Ok(together.map(|device| Arc::new(device) as Arc<dyn Backend>).collect())
    }

    fn shares_context_with(&self, other: &dyn Backend) -> bool {
        OpenCl::of(other).is_some_and(|other| self.is_in_context_of(other))
    }

    fn twin(&self) -> Result<Option<Arc<dyn Backend>>> {
        Ok(Some(Arc::new(self.again(true, QueueOrder::InOrder)?)))
    }

    fn reported(&self) -> Result<()> {
        self.shared.reported()
    }

    fn finish_timeout(&self, limit: Duration) -> Result<bool> {
        self.shared.finish_within(limit)
    }

    fn finish_or(&self, interrupt: &Interrupt) -> Result<()> {
        self.shared.finish_by(|event| event.wait_or(interrupt).map(|()| true)).map(drop)
    }

    fn drain(&self) {
        // What it was given may wait for the program itself, by a user's event: nobody may wait for that here for ever.
        let finished = match self.shared.finish_until(Instant::now() + DRAINING) {
            Ok(true) => self.shared.finish(),
            Ok(false) => return tracing::debug!("memory is given back while commands that use it may wait"),
            Err(code) => Err(code),
        };
        if let Err(code) = finished {
            self.shared.health.note("clFinish", 0, code, &Told::default());
        }
    }

    fn finish(&self) -> Result<()> {
        let finished = self.shared.finish().map_err(|code| self.shared.error("clFinish", code));
        profile::catch_up();
        // What failed says more than the call that was told of it.
        self.shared.reported().and(finished)
    }
}

fn shared_memory(memory: ClMemory) -> Arc<dyn Memory> {
    Arc::new(memory)
}
