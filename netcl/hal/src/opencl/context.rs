//! Driver's devices, contexts and queues, each kept alive by whoever uses it.

use super::describe;
use super::driver::{CommandQueue, Context, Device, SubDevice};
use super::sub_buffers::SubBuffers;
use crate::device::partition::Partition;
use crate::device::profile::DeviceProfile;
use crate::device::queue::QueueOrder;
use crate::device::quirks::Avoid;
use crate::error::{Error, Result};
use crate::memory::Reserves;
use crate::process::Live;
use crate::profile;
use opencl3::command_queue::{CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, CL_QUEUE_PROFILING_ENABLE};
use opencl3::device::{
    CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_PARTITION_BY_COUNTS, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END,
    CL_DEVICE_PARTITION_EQUALLY,
};
use opencl3::error_codes::error_text;
use opencl3::types::{cl_device_id, cl_device_partition_property, cl_int};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// A device of the driver, or a part of one.
#[derive(Clone)]
pub(super) struct ClDevice {
    device: Device,
    /// A part's are those of the whole, whose memory it uses.
    reserves: Arc<Reserves>,
    /// What to release with the last clone; `None` for a whole device, which the driver owns.
    _part: Option<Arc<PartitionedDevice>>,
}

/// A sub-device. Dropped in this order: the part before what it is a part of.
struct PartitionedDevice {
    _device: Live<SubDevice>,
    _parent: ClDevice,
}

impl ClDevice {
    pub(super) fn whole(device: Device) -> ClDevice {
        // Whoever finds the device once more shares its memory with who found it before.
        static KNOWN: Mutex<BTreeMap<isize, Weak<Reserves>>> = Mutex::new(BTreeMap::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let place = known.entry(device.id() as isize).or_default();
        let reserves = place.upgrade().unwrap_or_default();
        *place = Arc::downgrade(&reserves);
        ClDevice { device, reserves, _part: None }
    }

    /// What holds memory of the physical device without needing it.
    pub(super) fn reserves(&self) -> &Arc<Reserves> {
        &self.reserves
    }

    pub(super) fn get(&self) -> &Device {
        &self.device
    }

    pub(super) fn id(&self) -> cl_device_id {
        self.device.id()
    }

    /// Divides it (OpenCL 4.3).
    pub(super) fn partition(&self, partition: &Partition) -> opencl3::Result<Vec<ClDevice>> {
        let parts = self.device.create_sub_devices(&properties(partition))?.into_iter();
        Ok(parts
            .map(|part| ClDevice {
                device: Device::new(part.get()),
                reserves: self.reserves.clone(),
                _part: Some(Arc::new(PartitionedDevice { _device: Live::new(part), _parent: self.clone() })),
            })
            .collect())
    }
}

/// What `clCreateSubDevices` takes, with the 0 that ends it.
fn properties(partition: &Partition) -> Vec<cl_device_partition_property> {
    let mut properties = match partition {
        // Numbers that do not fit are refused before this: no device has as many compute units.
        Partition::Equally(units) => vec![CL_DEVICE_PARTITION_EQUALLY, *units as cl_device_partition_property],
        Partition::ByCounts(counts) => {
            let counts = counts.iter().map(|&units| units as cl_device_partition_property);
            let list = [CL_DEVICE_PARTITION_BY_COUNTS].into_iter().chain(counts);
            list.chain([CL_DEVICE_PARTITION_BY_COUNTS_LIST_END]).collect()
        }
        Partition::ByAffinity(domain) => {
            let flag = describe::DOMAINS.iter().find(|(_, known)| known == domain).map_or(0, |(flag, _)| *flag);
            vec![CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, flag as cl_device_partition_property]
        }
    };
    properties.push(0);
    properties
}

/// What queues are alike in: device, whether they time commands, order.
pub(super) type QueueKind = (isize, bool, QueueOrder);

/// A context and its devices. Dropped in this order.
pub(super) struct ClContext {
    /// Between sub-buffers and commands.
    pub(super) sub_buffers: SubBuffers,
    context: Live<Context>,
    members: Vec<ClDevice>,
    /// Those that must not be released. They hold the context in turn, for good.
    queues: Mutex<Vec<(QueueKind, Arc<Queue>)>>,
}

impl ClContext {
    /// One context for all of these; naming one twice does no harm. They are one driver's.
    pub(super) fn new(members: Vec<ClDevice>, sub_buffers: SubBuffers) -> opencl3::Result<ClContext> {
        let mut ids: Vec<cl_device_id> = Vec::with_capacity(members.len());
        for member in &members {
            if !ids.contains(&member.id()) {
                ids.push(member.id());
            }
        }
        let context = Context::from_devices(&ids)?;
        Ok(ClContext { context: Live::new(context), members, queues: Mutex::default(), sub_buffers })
    }

    /// A queue of that kind that is kept and that nobody uses.
    pub(super) fn unused_queue(&self, wanted: QueueKind) -> Option<Arc<Queue>> {
        let queues = self.queues.lock().unwrap_or_else(PoisonError::into_inner);
        let unused = queues.iter().find(|(kind, queue)| *kind == wanted && Arc::strong_count(queue) == 1);
        unused.map(|(_, queue)| queue.clone())
    }

    /// Keeps a queue as long as the process lives.
    pub(super) fn keep_queue(&self, kind: QueueKind, queue: Arc<Queue>) {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner).push((kind, queue));
    }

    /// How many queues are kept.
    #[cfg(test)]
    pub(super) fn kept_queues(&self) -> usize {
        self.queues.lock().unwrap_or_else(PoisonError::into_inner).len()
    }

    pub(super) fn get(&self) -> &Context {
        &self.context
    }

    pub(super) fn members(&self) -> &[ClDevice] {
        &self.members
    }
}

/// A queue that others share. Dropped in this order.
pub(super) struct Queue {
    pub(super) queue: Live<CommandQueue>,
    pub(super) context: Arc<ClContext>,
}

impl Queue {
    /// A queue for that device of the context. Where queues cannot be released they stay with their context, which lives as
    /// long as the process then, and the next that is wanted is one that nobody uses any more.
    pub(super) fn of(
        context: &Arc<ClContext>,
        device: &ClDevice,
        profile: &DeviceProfile,
        times: bool,
        order: QueueOrder,
    ) -> Result<Arc<Queue>> {
        let new = || {
            let queue = new_queue(context, device, profile, times, order)?;
            Ok(Arc::new(Queue { queue: Live::new(queue), context: context.clone() }))
        };
        if !profile.avoids(Avoid::ReleasedQueues) {
            return new();
        }
        let kind = (device.id() as isize, times || profile::is_on(), order);
        if let Some(unused) = context.unused_queue(kind) {
            return Ok(unused);
        }
        let queue = new()?;
        context.keep_queue(kind, queue.clone());
        Ok(queue)
    }
}

pub(super) fn new_queue(
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

/// An error of a call that belongs to no open device yet.
pub(super) fn driver_error(profile: &DeviceProfile, operation: &str, code: cl_int) -> Error {
    Error::Driver { device: profile.name.clone(), operation: operation.to_owned(), code: error_text(code).to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::profile::AffinityDomain;

    /// The numbers are those of the OpenCL headers.
    #[test]
    fn partitions_are_lists_that_end() {
        assert_eq!(properties(&Partition::Equally(4)), [0x1086, 4, 0]);
        assert_eq!(properties(&Partition::ByCounts(vec![3, 1])), [0x1087, 3, 1, 0, 0]);
        for (domain, flag) in [
            (AffinityDomain::Numa, 1),
            (AffinityDomain::L4Cache, 2),
            (AffinityDomain::L3Cache, 4),
            (AffinityDomain::L2Cache, 8),
            (AffinityDomain::L1Cache, 16),
            (AffinityDomain::NextPartitionable, 32),
        ] {
            assert_eq!(properties(&Partition::ByAffinity(domain)), [0x1088, flag, 0]);
        }
    }
}
