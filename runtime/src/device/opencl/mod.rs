//! Devices behind an OpenCL driver. The only place that calls OpenCL.
//!
//! One in-order queue per device: commands run in the order in which they were enqueued, so a buffer that was freed may
//! be handed out again while commands that use it are still waiting. A context is one device's, or is shared by the
//! parts of a device or by devices that were asked for together.
#![allow(unsafe_code, reason = "OpenCL is a C interface; every block says what it relies on")]

mod between;
mod build;
mod close;
mod commands;
mod context;
mod cutting;
mod describe;
pub(crate) mod discover;
mod driver;
mod event;
mod exit;
mod flight;
pub(crate) mod handles;
mod health;
mod held;
mod idle;
mod kernel;
mod launch;
mod memory;
mod order;
mod pinned;
mod probe;
mod progress;
mod raw;
mod record;
mod transfer;

use crate::config;
use crate::device::backend::{Backend, Native, Program as BuiltProgram};
use crate::device::commands::CommandBuffer;
use crate::device::kernels::KernelCompiler;
use crate::device::memory::{AllocateError, HostMemory, Keeper, Memory, Region, downcast};
use crate::device::partition::Partition;
use crate::device::process::Live;
use crate::device::profile::DeviceProfile;
use crate::device::queue::QueueOrder;
use crate::error::{Error, Result};
use crate::event::{Event, Interrupt};
use crate::memory::{PinnedBuffer, PinnedBufferPool, Reserves};
use crate::profile::{self, Command};
use crate::program::{Counters, ProgramStats};
pub(crate) use build::{NOT_OPTIMIZED, ROUNDED_DIVISION};
use commands::ClCommands;
use context::{ClContext, ClDevice};
use cutting::Cutting;
use driver::{Buffer, CommandQueue, Event as DriverEvent};
use health::{Health, Told};
use held::Transfers;
use idle::IdleKernels;
use memory::ClMemory;
use netcl_kernels::plan::Plan;
use opencl3::command_queue::{
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE, enqueue_copy_buffer, enqueue_fill_buffer,
};
use opencl3::error_codes::error_text;
use opencl3::types::{cl_event, cl_int};
use pinned::{ClMapped, ClPinned, Queue};
use progress::Progress;
use std::any::Any;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr::null;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};

/// So long the device is waited for before memory goes back to its driver. It may, earlier as well: a driver keeps what its
/// commands use. But some have it to give only when they are done.
const DRAINING: Duration = Duration::from_secs(10);

/// One device's queue, in a context.
pub(crate) struct OpenCl {
    shared: Arc<Shared>,
}

/// What everything made on the device keeps alive.
pub(super) struct Shared {
    /// Taken out by drop alone, which may leave it to a thread ([`close`]).
    parts: ManuallyDrop<Parts>,
    /// Whether that thread has it, and nothing is left to wait for.
    is_closing: bool,
}

/// Dropped in this order.
pub(super) struct Parts {
    profile: DeviceProfile,
    transfers: Arc<Transfers>,
    pinned: PinnedBufferPool,
    idle_kernels: Live<Mutex<IdleKernels>>,
    programs: Live<Mutex<build::Programs>>,
    /// Where the first use of new buffers copies to.
    sink: OnceLock<Live<Buffer>>,
    counters: Counters,
    health: Arc<Health>,
    progress: Progress,
    order: QueueOrder,
    queue: Arc<Queue>,
    context: Arc<ClContext>,
    device: ClDevice,
    /// Where what it does is recorded.
    tracks: profile::Source,
}

impl OpenCl {
    /// Opens a device in a context of its own and completes its profile.
    fn open(device: ClDevice, reported: &DeviceProfile) -> Result<OpenCl> {
        let context = ClContext::new(vec![device.clone()], Cutting::of(reported))
            .map_err(|error| driver_error(reported, "clCreateContext", error.0))?;
        let (context, times) = (Arc::new(context), config::get()?.times_commands());
        let queue = Queue::of(&context, &device, reported, times, QueueOrder::InOrder)?;
        let profile = probe::capabilities(reported, &context, &queue.queue).complete(reported);
        Ok(OpenCl::new(profile, queue, QueueOrder::InOrder, device))
    }

    fn together(members: Vec<(ClDevice, DeviceProfile)>) -> Result<Vec<OpenCl>> {
        let devices = members.iter().map(|(device, _)| device.clone()).collect();
        let context = ClContext::new(devices, Cutting::of(&members[0].1)).map_err(|error| {
            let names: Vec<&str> = members.iter().map(|(_, profile)| profile.name.as_str()).collect();
            driver_error(&members[0].1, &format!("clCreateContext for {}", names.join(", ")), error.0)
        })?;
        let context = Arc::new(context);
        let times = config::get()?.times_commands();
        let open = |(device, profile): (ClDevice, DeviceProfile)| {
            let queue = Queue::of(&context, &device, &profile, times, QueueOrder::InOrder)?;
            Ok(OpenCl::new(profile, queue, QueueOrder::InOrder, device))
        };
        members.into_iter().map(open).collect()
    }

    fn new(profile: DeviceProfile, queue: Arc<Queue>, order: QueueOrder, device: ClDevice) -> OpenCl {
        let context = queue.context.clone();
        // Maps of page-locked memory wait for their queue, so that it is not the device's. It is made when it is needed.
        let (unified, lane) = (profile.unified_memory, OnceLock::<Arc<Queue>>::new());
        let (of, part, name) = (context.clone(), device.clone(), profile.clone());
        let health = Arc::new(Health::new(&profile.name, device.reserves().clone()));
        let refusals = health.clone();
        let pinned = PinnedBufferPool::of(&profile.name, move |bytes| {
            let queue = match lane.get() {
                Some(queue) => queue,
                None => {
                    let queue = Queue::of(&of, &part, &name, false, QueueOrder::InOrder);
                    let queue = queue.map_err(AllocateError::Other)?;
                    lane.get_or_init(|| queue)
                }
            };
            let memory = ClPinned::allocate(queue, &refusals, unified, bytes);
            let memory = memory.map_err(|code| memory::refused(&refusals, "allocating page-locked memory", code))?;
            Ok(Box::new(memory) as Box<dyn HostMemory>)
        });
        device.reserves().add_pool(pinned.reserve());
        let programs = Live::new(Mutex::default());
        let tracks = profile::Source::new(&profile.selector, &profile.name);
        let parts = Parts {
            profile,
            transfers: Arc::default(),
            pinned,
            idle_kernels: Live::new(Mutex::default()),
            programs,
            sink: OnceLock::new(),
            counters: Counters::default(),
            health,
            progress: Progress::default(),
            order,
            queue,
            context,
            device,
            tracks,
        };
        let shared = Arc::new(Shared { parts: ManuallyDrop::new(parts), is_closing: false });
        exit::remember(&shared);
        OpenCl { shared }
    }

    /// The device once more, in the same context, with a queue of its own; `times`: one that times its commands.
    fn again(&self, times: bool, order: QueueOrder) -> Result<OpenCl> {
        let Parts { profile, context, device, .. } = &**self.shared;
        let queue = Queue::of(context, device, profile, times, order)?;
        Ok(OpenCl::new(profile.clone(), queue, order, device.clone()))
    }

    fn load_by(&self, build: build::Build, plan: &Arc<Plan>) -> Result<Box<dyn BuiltProgram>> {
        let text = plan.source.to_string();
        let source = build::Source { name: &plan.name, text: &text, options: build::options(&self.shared.profile) };
        let program = build(&self.shared, &source)?;
        Ok(Box::new(launch::ClProgram::new(self.shared.clone(), plan.clone(), program)))
    }

    /// The OpenCL device that a backend is, if it is one.
    fn of(backend: &dyn Backend) -> Option<&OpenCl> {
        (backend as &dyn Any).downcast_ref()
    }

    fn is_in_context_of(&self, other: &OpenCl) -> bool {
        Arc::ptr_eq(&self.shared.context, &other.shared.context)
    }
}

fn new_queue(
    context: &ClContext,
    device: &ClDevice,
    profile: &DeviceProfile,
    times: bool,
    order: QueueOrder,
) -> Result<CommandQueue> {
    let timed = if times || profile::is_on() { CL_QUEUE_PROFILING_ENABLE } else { 0 };
    let unordered = if order == QueueOrder::OutOfOrder { CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE } else { 0 };
    let properties = timed | unordered;
    // SAFETY: the device is one of the context's, whose member it is kept alive by (OpenCL 5.1).
    let queue = unsafe { CommandQueue::create(context.get(), device.id(), properties) };
    queue.map_err(|error| driver_error(profile, "clCreateCommandQueue", error.0))
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
        Ok(ClCommands::new(self)?.map(|commands| Box::new(commands) as Box<dyn CommandBuffer>))
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
        let command = self.shared.context.cutting.command();
        // SAFETY: both are live buffers of this context, at least `bytes` long and distinct (`BufferHandle::copy_to`).
        let event = unsafe { enqueue_copy_buffer(self.shared.queue.queue.get(), from, to, 0, 0, bytes, 0, null()) };
        // SAFETY: the driver has just given it.
        let _ = event.map(|event| unsafe { self.shared.context.cutting.began_raw(event) });
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
            let command = self.shared.context.cutting.command();
            // SAFETY: the pattern is copied before the call returns (OpenCL 5.2.2); offset and size are multiples of
            // its width and inside the buffer (`Shared::fills`).
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
            let _ = event.map(|event| unsafe { self.shared.context.cutting.began_raw(event) });
            drop(command);
            self.shared.count();
            let named = ("clEnqueueFillBuffer", size);
            self.shared.recorded(named, event, marked, || Command::copy("fill with zeros", size))?;
        }
        Ok(())
    }

    fn load(&self, plan: &Arc<Plan>, _: Native) -> Result<Box<dyn BuiltProgram>> {
        self.load_by(build::program, plan)
    }

    fn load_once(&self, plan: &Arc<Plan>) -> Result<Box<dyn BuiltProgram>> {
        self.load_by(build::once, plan)
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

impl Deref for Shared {
    type Target = Parts;

    #[inline]
    fn deref(&self) -> &Parts {
        &self.parts
    }
}

impl Parts {
    /// The fills that set the first `bytes` of a buffer: start, size, and width of the pattern, which divides both.
    fn fills(&self, bytes: usize) -> impl Iterator<Item = (usize, usize, usize)> + use<> {
        // Pieces start at multiples of the widest pattern.
        let piece = (self.profile.max_fill() & !15).max(16);
        (0..bytes).step_by(piece).map(move |start| {
            let size = piece.min(bytes - start);
            // The widest pattern that divides the size: some drivers fill byte by byte otherwise.
            (start, size, if size.is_multiple_of(16) { 16 } else { 1 })
        })
    }

    #[cold]
    fn error(&self, operation: &str, code: cl_int) -> Error {
        self.health.error(operation, code)
    }

    fn done(&self, operation: &str, event: Result<cl_event, cl_int>) -> Result<()> {
        match event {
            Ok(event) => {
                drop(DriverEvent::new(event));
                Ok(())
            }
            Err(code) => Err(self.error(operation, code)),
        }
    }
}

fn driver_error(profile: &DeviceProfile, operation: &str, code: cl_int) -> Error {
    Error::Driver { device: profile.name.clone(), operation: operation.to_owned(), code: error_text(code).to_owned() }
}

fn shared_memory(memory: ClMemory) -> Arc<dyn Memory> {
    Arc::new(memory)
}

fn own(memory: &dyn Memory) -> Result<&ClMemory> {
    let foreign = || Error::Plan { function: "device".into(), problem: "memory of another kind of device".into() };
    downcast(memory).ok_or_else(foreign)
}

#[cfg(test)]
mod tests;
