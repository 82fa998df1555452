//! Single kernels: those whose OpenCL C users bring, and netcl's hand-written algorithms.

use super::commands::CommandBuffer;
use super::idle::Origin;
use super::kernel::{KernelObject, Set};
use super::{OpenCl, Shared, build};
use crate::device::Device;
use crate::device::geometry::Geometry;
use crate::device::process;
use crate::error::{Error, Result};
use crate::memory::BufferHandle;
use crate::program::cache::Kind;
use crate::program::{Key, disk};
use crate::raw::{self, AddressSpace, Arg, Grid, Parameter, RawKernel};
use crate::recording;
use opencl3::kernel::{
    CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_GLOBAL,
    CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_CONST,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One kernel. Dropped in this order: the context outlives what was made in it.
pub(crate) struct ClKernel {
    /// Locked from the first argument to the launch: arguments belong to the kernel object, not to a launch. Taken out by
    /// drop alone.
    kernel: Option<Mutex<KernelObject>>,
    /// Taken out by drop alone.
    origin: Option<Origin>,
    /// Whether the origin says all that the kernel was made from.
    is_whole: bool,
    shared: Arc<Shared>,
}

/// A recorded launch: a kernel object of its own, all of whose arguments are set. Dropped in this order.
struct Recorded {
    kernel: KernelObject,
    geometry: Geometry,
    name: Arc<str>,
    memory: Vec<BufferHandle>,
    shared: Arc<Shared>,
}

/// What a built kernel allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KernelLimits {
    /// The most work-items of a work-group.
    pub(crate) work_group: usize,
    /// Work-groups of a multiple of this many run best.
    pub(crate) multiple: usize,
    /// What `reqd_work_group_size` demands.
    pub(crate) required: Option<[usize; 3]>,
}

impl OpenCl {
    /// Builds a text and makes its kernel, or takes one that was made before and is used no more.
    pub(crate) fn kernel(&self, origin: Origin) -> Result<ClKernel> {
        process::check()?;
        let idle = self.shared.idle_kernels.lock().unwrap_or_else(PoisonError::into_inner).take(&origin);
        let (kernel, is_whole) = match idle {
            Some(kernel) => (kernel, true),
            None => self.new_kernel(&origin)?,
        };
        Ok(ClKernel { kernel: Some(Mutex::new(kernel)), origin: Some(origin), is_whole, shared: self.shared.clone() })
    }

    /// The kernel, and whether its origin says all that it was made from.
    #[cold]
    fn new_kernel(&self, origin: &Origin) -> Result<(KernelObject, bool)> {
        let entry = &*origin.entry;
        let source = build::Source { name: entry, text: &origin.text(), options: &origin.options };
        let (program, is_whole) = (build::program(&self.shared, &source)?, source.is_whole());
        let fail = |problem: String| Error::Kernel { kernel: entry.to_owned(), problem };
        match program.get_kernel_names() {
            Ok(names) if names.split(';').any(|name| name == entry) => {}
            Ok(names) => {
                let names = names.replace(';', ", ");
                return Err(fail(format!("the source has no kernel of this name; it has: {names}")));
            }
            // The call below must not meet a NUL.
            Err(_) if entry.contains('\0') => return Err(fail("a kernel's name has no NUL character".to_owned())),
            // NVIDIA's driver tells none where the program is built for one of its context's devices.
            Err(error) => tracing::debug!(%error, kernel = entry, "the driver does not tell the program's kernels"),
        }
        Ok((KernelObject::new(&self.shared, &program, entry)?, is_whole))
    }

    /// The options of netcl's own kernels.
    pub(crate) fn options(&self) -> &'static str {
        build::options(&self.shared.profile)
    }
}

impl ClKernel {
    /// Whether its text and options say all that it was made from; if not, nothing that is found out about it holds for
    /// another that is built from them.
    pub(crate) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// How many arguments it takes.
    pub(crate) fn argument_count(&self) -> usize {
        self.lock().argument_count()
    }

    /// Its parameters as the driver knows them; `None` where it does not tell.
    ///
    /// Of programs that were made from binaries a driver need not tell (OpenCL 5.9.4): then the source is built once more,
    /// and what is found out is kept for later runs.
    pub(crate) fn parameters(&self) -> Result<Option<Vec<Parameter>>> {
        #[cfg(test)]
        if SILENT.get() {
            return self.parameters_of_source();
        }
        match told(&self.lock()) {
            None => self.parameters_of_source(),
            told => Ok(told),
        }
    }

    fn parameters_of_source(&self) -> Result<Option<Vec<Parameter>>> {
        if !self.is_whole {
            // It was built from its source, and so the driver has nothing more to tell.
            return Ok(None);
        }
        let origin = self.origin.as_ref().expect("taken out by drop alone");
        let (entry, options, text) = (&*origin.entry, &*origin.options, &*origin.text());
        let key = Key::of(Kind::Parameters, &self.shared.profile, options, &format!("{entry}\n\n{text}"));
        let kept = disk::load(&key).and_then(|text| raw::decode(std::str::from_utf8(&text).ok()?));
        if kept.is_some() {
            return Ok(kept);
        }
        let program = build::anew(&self.shared, &build::Source { name: entry, text, options })?;
        let found = told(&KernelObject::new(&self.shared, &program, entry)?);
        if let Some(parameters) = &found {
            disk::store(&key, raw::encode(parameters).as_bytes());
        }
        Ok(found)
    }

    /// What the built kernel allows on its device.
    pub(crate) fn limits(&self) -> Result<KernelLimits> {
        process::check()?;
        let mut own = self.lock();
        if let Some(limits) = own.limits {
            return Ok(limits);
        }
        let (kernel, device) = (own.get(), self.shared.device.id());
        let fail = |error: opencl3::error_codes::ClError| self.shared.error("clGetKernelWorkGroupInfo", error.0);
        let required = kernel.get_compile_work_group_size(device).map_err(fail)?;
        let required = match required.as_slice() {
            &[x, y, z] if x > 0 => Some([x, y.max(1), z.max(1)]),
            _ => None,
        };
        let limits = KernelLimits {
            work_group: kernel.get_work_group_size(device).map_err(fail)?.max(1),
            multiple: kernel.get_work_group_size_multiple(device).map_err(fail)?.max(1),
            required,
        };
        own.limits = Some(limits);
        Ok(limits)
    }

    /// Sets the arguments and enqueues the kernel on `device`, whose it is. It is netcl's own or vouched for: it stays
    /// inside what it is given.
    pub(crate) fn launch<'a>(
        &self,
        device: &Device,
        arguments: impl Iterator<Item = Set<'a>> + Clone,
        geometry: &Geometry,
    ) -> Result<()> {
        process::check()?;
        {
            let mut kernel = self.lock();
            self.set(&mut kernel, arguments.clone())?;
            let _turn =
                self.shared.in_turn().map_err(|code| self.shared.error("clEnqueueBarrierWithWaitList", code))?;
            // SAFETY: every argument is set (`RawKernel` compares their number with the kernel's; netcl's own calls are
            // tested). That the kernel stays inside its buffers is vouched for by who calls `RawKernel::launch`, and of
            // netcl's own by their tests.
            unsafe { self.shared.enqueue(&kernel, geometry, self.name()) }?;
        }
        device.count_launches(1);
        if recording::is_active(device.backend()) {
            self.record(arguments, geometry)?;
        }
        Ok(())
    }

    fn set<'a>(&self, kernel: &mut KernelObject, arguments: impl Iterator<Item = Set<'a>>) -> Result<()> {
        for (index, argument) in arguments.enumerate() {
            if let Set::Memory(memory) = argument {
                memory.settle()?;
            }
            kernel
                .set(index, argument)
                .map_err(|code| self.shared.error(&format!("clSetKernelArg {index} of `{}`", self.name()), code))?;
        }
        Ok(())
    }

    #[cold]
    fn record<'a>(&self, arguments: impl Iterator<Item = Set<'a>> + Clone, geometry: &Geometry) -> Result<()> {
        let program = self.lock().program().clone();
        let mut kernel = KernelObject::new(&self.shared, &program, self.name())?;
        self.set(&mut kernel, arguments.clone())?;
        let memory = arguments.filter_map(|argument| match argument {
            Set::Memory(memory) => Some(memory.clone()),
            Set::Bytes(_) | Set::Local(_) => None,
        });
        let (memory, shared, name) = (memory.collect(), self.shared.clone(), Arc::from(self.name()));
        recording::push(Box::new(Recorded { kernel, geometry: *geometry, name, memory, shared }));
        Ok(())
    }

    fn name(&self) -> &str {
        self.origin.as_ref().map_or("", |origin| &origin.entry)
    }

    fn lock(&self) -> MutexGuard<'_, KernelObject> {
        let kernel = self.kernel.as_ref().expect("taken out by drop alone");
        kernel.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for ClKernel {
    fn drop(&mut self) {
        if let (Some(kernel), Some(origin)) = (self.kernel.take(), self.origin.take())
            && self.is_whole
            && !process::is_forked()
        {
            let kernel = kernel.into_inner().unwrap_or_else(PoisonError::into_inner);
            let mut idle = self.shared.idle_kernels.lock().unwrap_or_else(PoisonError::into_inner);
            let surplus = idle.put(origin, kernel);
            drop(idle);
            drop(surplus);
        }
    }
}

impl recording::Step for Recorded {
    fn repeat(&mut self) -> Result<()> {
        self.memory.iter().try_for_each(BufferHandle::settle)?;
        let _turn = self.shared.in_turn().map_err(|code| self.shared.error("clEnqueueBarrierWithWaitList", code))?;
        // SAFETY: every argument was set when it was recorded, to memory that is held here; it was launched so before.
        unsafe { self.shared.enqueue(&self.kernel, &self.geometry, &self.name) }
    }

    fn launches(&self) -> u64 {
        1
    }

    fn encode(&self, into: &mut CommandBuffer) -> Result<bool> {
        // SAFETY: as above.
        unsafe { into.kernel(&self.kernel, &self.geometry, &self.name) }.map(|()| true)
    }

    fn visit_memory(&self, visit: &mut dyn FnMut(&BufferHandle)) {
        self.memory.iter().for_each(visit);
    }
}

#[cfg(test)]
thread_local! {
    /// Tests of this thread meet a driver that tells nothing of binaries.
    pub(super) static SILENT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// What a driver tells of a kernel's parameters.
fn told(object: &KernelObject) -> Option<Vec<Parameter>> {
    let kernel = object.get();
    (0..object.argument_count() as u32)
        .map(|index| {
            let written = kernel.get_arg_type_name(index).ok()?;
            let written = written.trim_matches('\0').trim().to_owned();
            if written.is_empty() {
                return None;
            }
            let space = match kernel.get_arg_address_qualifier(index).ok()? {
                CL_KERNEL_ARG_ADDRESS_GLOBAL => AddressSpace::Global,
                CL_KERNEL_ARG_ADDRESS_CONSTANT => AddressSpace::Constant,
                CL_KERNEL_ARG_ADDRESS_LOCAL => AddressSpace::Local,
                _ => AddressSpace::Private,
            };
            let image = kernel.get_arg_access_qualifier(index).ok()? != CL_KERNEL_ARG_ACCESS_NONE;
            let read_only = kernel.get_arg_type_qualifier(index).ok()? & u64::from(CL_KERNEL_ARG_TYPE_CONST) != 0;
            let name = kernel.get_arg_name(index).unwrap_or_default().trim_matches('\0').to_owned();
            Some(Parameter::reported(name, &written, space, read_only, image))
        })
        .collect()
}

/// The calls that run what a user wrote in OpenCL C, where no compiler checks it.
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
    /// [`Error::KernelArgumentCount`], [`Error::KernelArgument`] and [`Error::DeviceMismatch`] if the arguments are not
    /// those of the kernel; [`Error::Kernel`] if it cannot be run over such a grid, or its arguments take more local
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
