//! In which order a device's queue runs what it is given.

use crate::device::Device;
use crate::device::profile::DeviceProfile;
use crate::device::quirks::Avoid;
use crate::error::{Error, Result};

/// In which order a device's queue runs what it is given: [`Device::with_queue`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QueueOrder {
    /// One after the other.
    #[default]
    InOrder,
    /// The launches of one function may run side by side where none needs what another writes. Functions, copies and
    /// everything else still come one after the other, so that results are the same.
    ///
    /// It pays where a function has branches whose launches are too small to fill the device; elsewhere the barriers
    /// between launches cost more than they bring.
    OutOfOrder,
}

impl Device {
    /// The same device with a queue of its own: another handle, with its own memory pool and programs. Tensors of the one
    /// are not the other's; [`crate::Tensor::to_device`] moves them without the host.
    ///
    /// ```
    /// use netcl::{Device, QueueOrder, Tensor};
    ///
    /// if let Ok(device) = Device::select("cpu") {
    ///     let device = device.with_queue(QueueOrder::OutOfOrder)?;
    ///     let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2])?;
    ///     assert_eq!(x.add(&x)?.to_vec::<f32>()?, [2.0, 4.0]);
    /// }
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] on devices without a queue (the host, the null device) and where the driver has no such
    /// queues; [`Error::Driver`] if it fails; [`Error::Forked`] in a forked child.
    pub fn with_queue(&self, order: QueueOrder) -> Result<Device> {
        crate::device::process::check()?;
        warn_of_several_queues(self.profile());
        match self.backend().with_queue(order)? {
            Some(backend) => Ok(Device::of(backend)),
            None => Err(Error::Unsupported {
                function: "Device::with_queue".to_owned(),
                device: self.to_string(),
                problem: format!("it has no queue that is {order:?}; use the device as it is"),
            }),
        }
    }
}

/// Where the driver is known to fail at what several queues do. That is rare, and so nothing is refused.
pub(crate) fn warn_of_several_queues(profile: &DeviceProfile) {
    if let Some(quirk) = profile.quirks.iter().find(|quirk| quirk.avoid == Avoid::SeveralQueues) {
        tracing::warn!(
            device = profile.name,
            reason = quirk.reason,
            "several queues of this driver at once are a risk"
        );
    }
}
