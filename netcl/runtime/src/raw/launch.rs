//! The calls that run what a user wrote in OpenCL C, where no compiler checks it.

#![allow(unsafe_code, reason = "OpenCL C is run as it is written: who launches it promises what it does")]

use super::{Arg, Grid, RawKernel};
use crate::error::Result;

impl RawKernel {
    /// Runs it over `grid`; does not wait for the device. What is written to a tensor is seen by all its clones.
    ///
    /// A grid without work-items launches nothing.
    ///
    /// # Safety
    ///
    /// The kernel is run as it is written. It must stay inside the tensors and the local memory that it is given, have no
    /// data races, and come to an end; on devices that share the host's memory, what it writes elsewhere is this
    /// process's. To write to a tensor that another thread is copying from at this moment
    /// ([`crate::Tensor::to_host_async`], [`crate::Tensor::to_device`]) is such a race, too.
    ///
    /// # Errors
    ///
    /// [`crate::Error::KernelArgumentCount`], [`crate::Error::KernelArgument`] and [`crate::Error::DeviceMismatch`] if the arguments are not
    /// those of the kernel; [`crate::Error::Kernel`] if it cannot be run over such a grid, or its arguments take more local
    /// memory than there is; [those of every device](crate::Error#errors-of-every-device).
    pub unsafe fn launch(&self, arguments: &[Arg<'_>], grid: &Grid) -> Result<()> {
        self.run(arguments, grid)
    }

    /// Runs it over at least `items` work-items in one dimension, in work-groups of the size that was measured to be best
    /// ([`RawKernel::tune`], in this run or an earlier one), else of [`crate::raw::WorkGroupTuner`]'s choice. The number
    /// of work-items is rounded up to whole work-groups: the kernel must skip those past the end.
    ///
    /// # Safety
    ///
    /// As [`RawKernel::launch`].
    ///
    /// # Errors
    ///
    /// Those of [`RawKernel::launch`].
    pub unsafe fn launch_over(&self, arguments: &[Arg<'_>], items: usize) -> Result<()> {
        self.run(arguments, &self.grid(items))
    }

    /// Measures which work-group size is fastest for about `items` work-items, and remembers it: in this process, and with
    /// the device's other measurements for later ones ([`crate::select`]), by kernel and number of work-items (to the next
    /// power of two).
    /// A size that was remembered is given at once; [`RawKernel::tune_again`] measures in any case. With
    /// `NETCL_AUTOTUNE=off` none is remembered: what is measured then is used by other runs.
    ///
    /// The kernel is run some dozens of times with these arguments, so what it adds to is added to as often.
    ///
    /// # Safety
    ///
    /// As [`RawKernel::launch`].
    ///
    /// # Errors
    ///
    /// Those of [`RawKernel::launch`], if no size can be launched; those of [`crate::Device::finish`], which it waits
    /// with.
    pub unsafe fn tune(&self, arguments: &[Arg<'_>], items: usize) -> Result<Grid> {
        self.measure(arguments, items, false)
    }

    /// As [`RawKernel::tune`], whether a size is remembered or not: what is measured takes its place.
    ///
    /// # Safety
    ///
    /// As [`RawKernel::launch`].
    ///
    /// # Errors
    ///
    /// Those of [`RawKernel::tune`].
    pub unsafe fn tune_again(&self, arguments: &[Arg<'_>], items: usize) -> Result<Grid> {
        self.measure(arguments, items, true)
    }
}
