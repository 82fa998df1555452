//! What a kind of device must be able to do. Checks are made above this trait, never below it.

use crate::device::commands::CommandBuffer;
use crate::device::dispatch::{BindRequest, ProgramSource};
use crate::device::kernels::KernelCompiler;
use crate::device::memory::{AllocateError, HostMemory, Keeper, Memory, Region};
use crate::device::partition::Partition;
use crate::device::profile::DeviceProfile;
use crate::device::queue::QueueOrder;
use crate::device::scalar::Scalar;
use crate::error::{Error, Result};
use crate::event::{Event, Interrupt};
use crate::memory::{PinnedBuffer, PinnedBufferPool, Reserves};
use crate::program::ProgramStats;
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// One launch on the null device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchRecord {
    /// The plan's function.
    pub function: Arc<str>,
    /// The step's label.
    pub label: Arc<str>,
    /// The kernel's name, or the kind of library call.
    pub entry: Arc<str>,
    /// Work-items, rounded up to whole work-groups; empty for library calls.
    pub global: Vec<usize>,
    /// Work-group size; empty where it is left to the driver.
    pub local: Vec<usize>,
}

/// A program that is built.
pub trait Program: Send + Sync {
    /// Makes launchable objects for one set of symbol values.
    fn bind(&self, request: BindRequest<'_>) -> Result<Box<dyn Bound>>;
}

/// A program whose sizes are known and whose arguments are set but for the external ones.
pub trait Bound: Send {
    /// Enqueues every dispatch in order; returns how many launches that were. Does not wait for the device.
    ///
    /// `externals` are alive until after the call; `scalars` have the types that the kernels' parameters have.
    fn launch(&mut self, externals: &[&Region], scalars: &[Scalar]) -> Result<u64>;

    /// Adds the launches of the last call to a driver's recording; says whether they could be.
    fn encode(&self, into: &mut dyn CommandBuffer) -> Result<bool> {
        let _ = into;
        Ok(false)
    }
}

/// A kind of device.
pub trait Backend: Any + Send + Sync {
    /// What it is.
    fn profile(&self) -> &DeviceProfile;

    /// `bytes` of uninitialised memory; `bytes` is not 0.
    fn allocate(&self, bytes: usize) -> Result<Arc<dyn Memory>, AllocateError>;

    /// A part of `parent`, which outlives it and may be a part itself; `offset` is a multiple of
    /// [`crate::memory::ALIGNMENT`].
    fn part(&self, parent: &dyn Memory, offset: usize, bytes: usize) -> Result<Arc<dyn Memory>>;

    /// Copies `data` to the start of `memory`; may return before the device has it, `data` may be changed then.
    fn write(&self, memory: &dyn Memory, data: &[u8]) -> Result<()>;

    /// Waits for everything before and copies from the start of `memory`.
    fn read(&self, memory: &dyn Memory, into: &mut [u8]) -> Result<()>;

    /// Copies `data` to the start of memory that nothing was enqueued on since [`Backend::enqueued`] said `idle_since`.
    /// Gives the event to wait for if the copy does not run in the device's own queue.
    fn upload(&self, memory: &dyn Memory, data: &[u8], idle_since: u64) -> Result<Option<Event>> {
        let _ = idle_since;
        self.write(memory, data).map(|()| None)
    }

    /// As [`Backend::upload`], from page-locked memory, which is given back to its pool when the device has read it.
    fn upload_pinned(&self, memory: &dyn Memory, data: PinnedBuffer, idle_since: u64) -> Result<Option<Event>> {
        let _ = idle_since;
        self.write(memory, &data).map(|()| None)
    }

    /// Copies from the start of `memory`, after everything before, without waiting. The bytes may be looked at when the
    /// event is complete. `aside`: beside what is enqueued next, which must not write to `memory` before the event.
    fn download(&self, memory: &dyn Memory, mut into: PinnedBuffer, aside: bool) -> Result<(Event, Arc<PinnedBuffer>)> {
        let _ = aside;
        self.read(memory, &mut into)?;
        Ok((Event::complete(), Arc::new(into)))
    }

    /// Waits where the program is far ahead of the device. To be called before something is enqueued, without a lock.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Driver`] if the driver takes no marker.
    fn keep_pace(&self) -> Result<()> {
        Ok(())
    }

    /// Counts what was enqueued; grows after each command. 0 where commands are done when they return.
    fn enqueued(&self) -> u64 {
        0
    }

    /// Whether what was enqueued when [`Backend::enqueued`] said so is known to be done.
    fn is_done(&self, enqueued: u64) -> bool {
        let _ = enqueued;
        true
    }

    /// Has [`Backend::is_done`] know as soon as what was enqueued so far is done.
    fn mark(&self) -> Result<()> {
        Ok(())
    }

    /// What holds memory of the physical device without needing it.
    fn reserves(&self) -> &Reserves;

    /// Page-locked host memory.
    fn pinned_pool(&self) -> &PinnedBufferPool;

    /// Makes the owner's bytes device memory; gives them back where that needs a copy.
    fn lend(&self, owner: Box<dyn HostMemory>) -> Result<Arc<dyn Memory>, Box<dyn HostMemory>> {
        Err(owner)
    }

    /// The first `bytes` of a region that nobody but `keeper` has, as host memory, after everything before; `None` where that
    /// needs a copy. The keeper is dropped with the host memory.
    fn map(&self, region: &Region, bytes: usize, keeper: Keeper) -> Result<Option<Box<dyn HostMemory>>> {
        let _ = (region, bytes, keeper);
        Ok(None)
    }

    /// The event of everything enqueued so far.
    fn record(&self) -> Result<Event> {
        Ok(Event::complete())
    }

    /// What is enqueued from now on waits for the event; where there is no queue, the caller does.
    fn wait_for(&self, event: &Event) -> Result<()> {
        event.wait()
    }

    /// Copies between two memories of this device that do not overlap.
    fn copy(&self, from: &dyn Memory, to: &dyn Memory, bytes: usize) -> Result<()>;

    /// Sets the first `bytes` to zero.
    fn zero(&self, memory: &dyn Memory, bytes: usize) -> Result<()>;

    /// Builds a program.
    fn load(&self, source: &ProgramSource<'_>) -> Result<Box<dyn Program>>;

    /// Whether nothing is gained by building a program without optimizations first: the driver does not take long for them, or
    /// has built it before.
    fn optimizes_at_once(&self, source: &ProgramSource<'_>) -> bool {
        let _ = source;
        true
    }

    /// As [`Backend::load`], of a program that does not come again: nobody finds it later, in this process or another.
    fn load_once(&self, source: &ProgramSource<'_>) -> Result<Box<dyn Program>> {
        self.load(source)
    }

    /// Waits until everything enqueued is done.
    fn finish(&self) -> Result<()>;

    /// Waits until everything enqueued is done, for netcl's own ends: what has failed is told by the program's next wait.
    fn drain(&self) {}

    /// As [`Backend::finish`], for at most `limit`; says whether everything is done.
    fn finish_timeout(&self, limit: Duration) -> Result<bool> {
        let _ = limit;
        self.finish().map(|()| true)
    }

    /// As [`Backend::finish`], until the interrupt is raised, which is an error.
    fn finish_or(&self, interrupt: &Interrupt) -> Result<()> {
        let _ = interrupt;
        self.finish()
    }

    /// What has failed since somebody asked last, as far as is known without waiting.
    fn reported(&self) -> Result<()> {
        Ok(())
    }

    /// Where its programs came from.
    fn program_stats(&self) -> ProgramStats {
        ProgramStats::default()
    }

    /// The device once more, with a queue of its own that keeps that order; `None` if it has none.
    fn with_queue(&self, order: QueueOrder) -> Result<Option<Arc<dyn Backend>>> {
        let _ = order;
        Ok(None)
    }

    /// Divides the device; what is asked for is known to be possible.
    fn partition(&self, partition: &Partition) -> Result<Vec<Arc<dyn Backend>>> {
        let problem = format!("`{}` has no part {partition:?}", self.profile().name);
        Err(Error::Program { program: "Device::partition".to_owned(), problem })
    }

    /// Copies from memory of `source`, after everything that `source` was given before, and before what it is given
    /// after; returns whether that is possible without the host. Neither device is waited for.
    fn copy_from(&self, source: &dyn Backend, from: &dyn Memory, to: &dyn Memory, bytes: usize) -> Result<bool> {
        let _ = (source, from, to, bytes);
        Ok(false)
    }

    /// Whether it is in a context, which several devices may share.
    fn has_context(&self) -> bool {
        false
    }

    /// All of these devices once more, in one context. They have contexts, of one platform; this one is among them.
    fn share_context(&self, devices: &[&dyn Backend]) -> Result<Vec<Arc<dyn Backend>>> {
        let _ = devices;
        let problem = format!("`{}` has no context", self.profile().name);
        Err(Error::Program { program: "DeviceManager::shared_context".to_owned(), problem })
    }

    /// Whether memory of the other can be copied from without the host, by [`Backend::copy_from`].
    fn shares_context_with(&self, other: &dyn Backend) -> bool {
        let _ = other;
        false
    }

    /// A new recording of the driver's own; `None` where it keeps none, or none that are of use.
    fn command_buffer(&self) -> Result<Option<Box<dyn CommandBuffer>>> {
        Ok(None)
    }

    /// Another queue on the device, whose commands are timed by the device's clock where it has one, with memory, programs and
    /// counters of its own. `None` where the device has no queue.
    fn twin(&self) -> Result<Option<Arc<dyn Backend>>> {
        Ok(None)
    }

    /// What builds OpenCL C for it, where that runs.
    fn kernels(&self) -> Option<&dyn KernelCompiler> {
        None
    }

    /// Has the device be lost in the launch after so many; says whether it can be, as the null device alone.
    fn lose_after(&self, launches: u64) -> bool {
        let _ = launches;
        false
    }

    /// What the null device has recorded.
    fn records(&self) -> Option<Vec<LaunchRecord>> {
        None
    }
}
