//! Driver's devices and contexts, each kept alive by whoever uses it.

use crate::device::partition::Partition;
use opencl3::context::Context;
use opencl3::device::{
    CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, CL_DEVICE_PARTITION_BY_COUNTS, CL_DEVICE_PARTITION_BY_COUNTS_LIST_END,
    CL_DEVICE_PARTITION_EQUALLY, Device, SubDevice,
};
use opencl3::types::cl_device_id;
use std::sync::Arc;

/// A device of the driver, or a part of one.
#[derive(Clone)]
pub(super) struct ClDevice {
    device: Device,
    /// What to release with the last clone; `None` for a whole device, which the driver owns.
    _part: Option<Arc<Part>>,
}

/// A sub-device. Dropped in this order: the part before what it is a part of.
struct Part {
    _device: SubDevice,
    _parent: ClDevice,
}

impl ClDevice {
    pub(super) fn whole(device: Device) -> ClDevice {
        ClDevice { device, _part: None }
    }

    pub(super) fn get(&self) -> &Device {
        &self.device
    }

    pub(super) fn id(&self) -> cl_device_id {
        self.device.id()
    }

    /// Divides it (OpenCL 4.3).
    pub(super) fn partition(&self, partition: &Partition) -> opencl3::Result<Vec<ClDevice>> {
        // Numbers above `isize` are refused before this: no device has as many compute units.
        let mut properties = Vec::new();
        match partition {
            Partition::Equally(units) => properties.extend([CL_DEVICE_PARTITION_EQUALLY, *units as isize]),
            Partition::ByCounts(counts) => {
                properties.push(CL_DEVICE_PARTITION_BY_COUNTS);
                properties.extend(counts.iter().map(|&units| units as isize));
                properties.push(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
            }
            Partition::ByAffinity(domain) => {
                let flag = super::describe::DOMAINS.iter().find(|(_, known)| known == domain);
                properties.extend([CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN, flag.map_or(0, |(flag, _)| *flag as isize)]);
            }
        }
        properties.push(0);
        let parts = self.device.create_sub_devices(&properties)?.into_iter();
        Ok(parts
            .map(|part| ClDevice {
                device: Device::new(part.id()),
                _part: Some(Arc::new(Part { _device: part, _parent: self.clone() })),
            })
            .collect())
    }
}

/// A context and its devices. Dropped in this order.
pub(super) struct ClContext {
    context: Context,
    members: Vec<ClDevice>,
}

impl ClContext {
    /// One context for all of these; naming one twice does no harm.
    pub(super) fn new(members: Vec<ClDevice>) -> opencl3::Result<ClContext> {
        let mut ids: Vec<cl_device_id> = Vec::with_capacity(members.len());
        for member in &members {
            if !ids.contains(&member.id()) {
                ids.push(member.id());
            }
        }
        let context = Context::from_devices(&ids, &[], None, std::ptr::null_mut())?;
        Ok(ClContext { context, members })
    }

    pub(super) fn get(&self) -> &Context {
        &self.context
    }

    pub(super) fn members(&self) -> &[ClDevice] {
        &self.members
    }
}
