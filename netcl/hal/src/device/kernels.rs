//! Single kernels in OpenCL C: built by themselves, launched with arguments one by one.

#![allow(unsafe_code, reason = "OpenCL C is run as it is written: who launches it promises what it does")]

use crate::device::commands::CommandBuffer;
use crate::device::memory::Region;
use crate::device::parameter::Parameter;
use crate::error::Result;
use netcl_kernels::kir::Geometry;
use std::borrow::Cow;
use std::sync::Arc;

/// What a kernel is made from. What is compared first tells most apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KernelSource {
    /// The kernel's name.
    pub entry: Cow<'static, str>,
    /// What the text starts with: of netcl's own kernels the macros.
    pub head: Arc<str>,
    /// For the driver's compiler.
    pub options: Cow<'static, str>,
    /// The rest of the text.
    pub body: Cow<'static, str>,
}

impl KernelSource {
    /// A text that is a whole.
    pub fn of(entry: &str, text: &str, options: &str) -> KernelSource {
        let own = |text: &str| Cow::Owned(text.to_owned());
        KernelSource { entry: own(entry), head: "".into(), options: own(options), body: own(text) }
    }

    /// The whole text.
    pub fn text(&self) -> String {
        format!("{}{}", self.head, self.body)
    }
}

/// What an argument of a kernel is set to.
#[derive(Clone, Copy)]
pub enum KernelArgument<'a> {
    /// A pointer to global memory.
    Memory(&'a Region),
    /// A value.
    Bytes(&'a [u8]),
    /// Bytes of local memory.
    Local(usize),
}

/// What a built kernel allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelLimits {
    /// The most work-items of a work-group.
    pub work_group: usize,
    /// Work-groups of a multiple of this many run best.
    pub multiple: usize,
    /// What `reqd_work_group_size` demands.
    pub required: Option<[usize; 3]>,
    /// Bytes of local memory that its own arrays take in a work-group, as far as the driver says.
    pub local_bytes: u64,
}

/// A device that builds OpenCL C.
pub trait KernelCompiler {
    /// Builds a text and makes its kernel, or takes one that was made before and is used no more.
    fn kernel(&self, source: KernelSource) -> Result<Box<dyn DeviceKernel>>;

    /// The options of netcl's own kernels.
    fn options(&self) -> &'static str;
}

/// A kernel that was built for a device.
pub trait DeviceKernel: Send + Sync {
    /// Whether its text and options say all that it was made from; if not, nothing that is found out about it holds for
    /// another that is built from them.
    fn is_whole(&self) -> bool;

    /// How many arguments it takes.
    fn argument_count(&self) -> usize;

    /// Its parameters as the driver knows them; `None` where it does not tell.
    fn parameters(&self) -> Result<Option<Vec<Parameter>>>;

    /// What it allows on its device.
    fn limits(&self) -> Result<KernelLimits>;

    /// Sets the arguments and enqueues the kernel; does not wait for the device.
    ///
    /// # Safety
    ///
    /// All arguments are given, and with them the kernel stays inside its memory.
    unsafe fn launch(&self, arguments: &[KernelArgument<'_>], geometry: &Geometry) -> Result<()>;

    /// The same launch, to be repeated; its memory is kept by who repeats it.
    fn record(&self, arguments: &[KernelArgument<'_>], geometry: &Geometry) -> Result<Box<dyn RecordedLaunch>>;
}

/// A launch whose arguments are set.
pub trait RecordedLaunch: Send {
    /// Enqueues it; does not wait for the device.
    ///
    /// # Safety
    ///
    /// As [`DeviceKernel::launch`]: the memory that it was recorded with is alive.
    unsafe fn launch(&self) -> Result<()>;

    /// Adds it to a driver's recording of the same device; says whether it could be.
    ///
    /// # Safety
    ///
    /// As above, whenever that is enqueued.
    unsafe fn encode(&self, into: &mut dyn CommandBuffer) -> Result<bool>;
}
