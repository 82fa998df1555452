//! Devices out of a device: with a queue of its own, or of a part of its compute units.

use crate::device::{Device, QueueOrder};
use crate::error::{Error, Result};
use netcl_hal::device::partition::{Partition, problem};
use netcl_hal::device::queue::warn_of_several_queues;
use netcl_hal::process;

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
    ///     assert_eq!(x.add(&x).to_vec::<f32>()?, [2.0, 4.0]);
    /// }
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] on devices without a queue (the host, the null device) and where the driver has no such
    /// queues; [`Error::Driver`] if it fails; [`Error::Forked`] in a forked child.
    pub fn with_queue(&self, order: QueueOrder) -> Result<Device> {
        process::check()?;
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

    /// Divides an OpenCL device into sub-devices: devices of their own, each with its own queue and memory pool, that
    /// run at the same time on their own compute units. They share a context, so that tensors move between them
    /// without the host. The driver's device is released with the last handle of the last part.
    ///
    /// [`crate::DeviceProfile::partitions`] says what is possible.
    ///
    /// ```
    /// use netcl::{Device, Partition};
    ///
    /// if let Ok(device) = Device::select("cpu")
    ///     && device.profile().partitions.equally
    /// {
    ///     for part in device.partition(&Partition::Equally(1))? {
    ///         assert_eq!(part.profile().compute_units, 1);
    ///     }
    /// }
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// The parts have a context of their own, which is closed with the last of them; on drivers whose queues must not be
    /// released (PoCL, see [`crate::Avoid::ReleasedQueues`]) it stays open as long as the process lives. Divide a device once
    /// there, and keep the parts; [`Device::with_queue`] opens nothing that it could use again.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the device cannot be divided so, or has fewer compute units than asked for;
    /// [`Error::Driver`] if the driver refuses; [`Error::Forked`] in a forked child.
    pub fn partition(&self, partition: &Partition) -> Result<Vec<Device>> {
        process::check()?;
        if let Some(problem) = problem(self.profile(), partition) {
            return Err(Error::Unsupported {
                function: "Device::partition".to_owned(),
                device: self.to_string(),
                problem,
            });
        }
        warn_of_several_queues(self.profile());
        Ok(self.backend().partition(partition)?.into_iter().map(Device::of).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_kernels::plan::Target;

    #[test]
    fn the_host_and_the_null_device_cannot_be_divided() {
        for device in [Device::host(), Device::null(Target::Gpu, 0)] {
            let error = device.partition(&Partition::Equally(1)).unwrap_err();
            assert!(matches!(error, Error::Unsupported { .. }), "{error}");
        }
    }
}
