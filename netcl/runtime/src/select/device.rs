//! What a device's selector is asked for.

use super::policy::SelectorPolicy;
use super::{DeviceSelector, KernelSelector, Task, TuneOptions, Tuning};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::KernelPolicy;
use std::sync::Arc;

/// As many tensors as a kernel is tuned for that reads several: no graph's kernel comes near.
const MOST_READS: u32 = 64;

impl Device {
    /// What says which kernels compute a task on it.
    #[doc(alias = "get_kernel_selector")]
    pub fn selector(&self) -> KernelSelector {
        KernelSelector::new(self.clone(), self.selection().clone())
    }

    /// What is known about its kernels.
    pub(crate) fn selection(&self) -> &Arc<DeviceSelector> {
        self.slot(|| Arc::new(DeviceSelector::of(self.id(), self.profile())))
    }

    /// What says to the executor which kernels compute a task on it.
    pub(crate) fn kernel_policy(&self) -> Arc<dyn KernelPolicy> {
        Arc::new(SelectorPolicy(self.selection().clone()))
    }

    /// Measures the configurations of `task` on this device and keeps the fastest right one, in memory and on disk: from
    /// then on it computes tasks of that bucket of sizes, and those near it, in this and every later process. Each candidate's
    /// numbers are compared with the host's before it is timed; one that is wrong, or cannot be built or launched, is never
    /// used, gives one warning, and is not tried again with this driver.
    ///
    /// The device should have nothing else to do meanwhile. What is already being computed by kernels that were picked
    /// before is not changed.
    ///
    /// ```no_run
    /// use netcl::select::{ReduceOp, Reduction, Task, TuneOptions};
    /// use netcl::{DType, Device};
    ///
    /// let device = Device::auto()?;
    /// let (rows, columns, op) = (16, 4096, ReduceOp::Sum);
    /// let task = Task::Reduction(Reduction { rows, columns, contiguous: true, op, dtype: DType::F32 });
    /// println!("{}", device.tune(&task, &TuneOptions::quick())?);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`crate::Error::Setting`] if an elementwise kernel would read more than 64 tensors;
    /// [`crate::Error::OutOfMemory`] if the task's operands do not fit into memory; [those of every
    /// device](crate::Error#errors-of-every-device). Where there is nothing to choose (on the host, or for the
    /// statistics of one channel) the result is empty.
    pub fn tune(&self, task: &Task<u64>, options: &TuneOptions<'_>) -> Result<Tuning> {
        if let Task::Elementwise(own) = task
            && own.reads > MOST_READS
        {
            return Err(Error::Setting {
                operation: "tune".to_owned(),
                setting: "reads",
                given: own.reads.to_string(),
                accepted: "at most 64 tensors that an elementwise kernel reads",
            });
        }
        self.selector().tune(task, options)
    }
}
