//! Opening devices: alone, several in one context, and once more.

use super::context::{ClContext, ClDevice, Queue, driver_error};
use super::health::Health;
use super::pinned::ClPinned;
use super::queue_progress::QueueProgress;
use super::shared::{DeviceResources, OpenCl, Shared};
use super::sub_buffers::SubBuffers;
use super::{exit, memory, probe};
use crate::config;
use crate::device::backend::Backend;
use crate::device::memory::{AllocateError, HostMemory};
use crate::device::profile::DeviceProfile;
use crate::device::queue::QueueOrder;
use crate::error::Result;
use crate::memory::PinnedBufferPool;
use crate::process::Live;
use crate::profile;
use crate::program::Counters;
use crate::recent::Recent;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex, OnceLock};

/// How many kernel objects that nobody uses are kept.
const IDLE_KERNELS: usize = 256;

impl OpenCl {
    /// Opens a device in a context of its own and completes its profile.
    pub(super) fn open(device: ClDevice, reported: &DeviceProfile) -> Result<OpenCl> {
        let context = ClContext::new(vec![device.clone()], SubBuffers::of(reported))
            .map_err(|error| driver_error(reported, "clCreateContext", error.0))?;
        let (context, times) = (Arc::new(context), config::get()?.times_commands());
        let queue = Queue::of(&context, &device, reported, times, QueueOrder::InOrder)?;
        let profile = probe::capabilities(reported, &context, &queue.queue).complete(reported);
        Ok(OpenCl::new(profile, queue, QueueOrder::InOrder, device))
    }

    pub(super) fn together(members: Vec<(ClDevice, DeviceProfile)>) -> Result<Vec<OpenCl>> {
        let devices = members.iter().map(|(device, _)| device.clone()).collect();
        let context = ClContext::new(devices, SubBuffers::of(&members[0].1)).map_err(|error| {
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

    /// The same device with a queue of its own and another profile.
    pub(super) fn with_profile(&self, change: impl FnOnce(&mut DeviceProfile)) -> Result<OpenCl> {
        let profile = self.shared.profile.clone().with(change);
        let mut opened = OpenCl::together(vec![(self.shared.device.clone(), profile)])?;
        Ok(opened.remove(0))
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
        let tracks = profile::DeviceTracks::new(&profile.selector, &profile.name);
        let parts = DeviceResources {
            profile,
            transfers: Arc::default(),
            pinned,
            idle_kernels: Live::new(Mutex::new(Recent::new(IDLE_KERNELS))),
            programs,
            sink: OnceLock::new(),
            counters: Counters::default(),
            health,
            progress: QueueProgress::default(),
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
    pub(super) fn again(&self, times: bool, order: QueueOrder) -> Result<OpenCl> {
        let DeviceResources { profile, context, device, .. } = &**self.shared;
        let queue = Queue::of(context, device, profile, times, order)?;
        Ok(OpenCl::new(profile.clone(), queue, order, device.clone()))
    }
}

/// The same device in a context of its own, with another profile: for tests of what depends on that. `None` of a backend that is
/// no driver's.
pub fn with_profile(device: &dyn Backend, change: impl FnOnce(&mut DeviceProfile)) -> Option<Result<Arc<dyn Backend>>> {
    let changed = OpenCl::of(device)?.with_profile(change);
    Some(changed.map(|device| Arc::new(device) as Arc<dyn Backend>))
}
