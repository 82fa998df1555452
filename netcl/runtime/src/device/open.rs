//! How a program gets a device.

use crate::device::manager::{self, DeviceManager};
use crate::device::{Device, DeviceProfile};
use crate::error::Result;
use netcl_hal::null::Null;
use netcl_kernels::plan::Target;
use std::sync::Arc;

impl Device {
    /// The best device there is: what `NETCL_DEVICE` says (see [`Device::select`]), else a GPU, else an accelerator,
    /// else the host. Without environment variables of netcl this never fails.
    ///
    /// ```
    /// let device = netcl::Device::auto()?;
    /// println!("running on {device}");
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`crate::Error::Config`] if an environment variable has a bad value; [`crate::Error::NoDevice`] if `NETCL_DEVICE` names
    /// none that is there, with what there is; [`crate::Error::Driver`] if that one cannot be opened; [`crate::Error::Io`] if
    /// the file of `NETCL_TRACE` cannot be created; [`crate::Error::Forked`] in a forked child.
    pub fn auto() -> Result<Device> {
        DeviceManager::global().auto()
    }

    /// The device that `selector` names:
    ///
    /// | selector | device |
    /// |---|---|
    /// | `auto` | a GPU, else an accelerator, else the host |
    /// | `gpu`, `cpu`, `accel`, `other` | the first OpenCL device of that kind |
    /// | `host` | this process's own threads; always there |
    /// | `null` | records launches and computes nothing |
    /// | `opencl:P:D` | device `D` of OpenCL platform `P` (`opencl:P`: its first) |
    /// | anything else | the first device whose name or platform contains it |
    ///
    /// Case does not matter. The same device is the same handle at every call, but for `null`.
    ///
    /// # Errors
    ///
    /// Those of [`DeviceManager::select`].
    #[doc(alias = "default")]
    pub fn select(selector: &str) -> Result<Device> {
        manager::select(selector)
    }

    /// What can be selected: every OpenCL device, then the host.
    pub fn all() -> Vec<DeviceProfile> {
        DeviceManager::global().profiles()
    }

    /// The host device.
    #[doc(alias("CPUBackend", "CPUQueue"))]
    pub fn host() -> Device {
        manager::host()
    }

    /// A new null device that takes plans made for `target` and pretends to have `memory` bytes.
    pub fn null(target: Target, memory: u64) -> Device {
        Device::of(Arc::new(Null::new(target, memory)))
    }
}
