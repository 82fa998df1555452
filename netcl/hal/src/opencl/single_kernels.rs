//! Single kernels, each built by itself.

use super::build;
use super::commands::ClCommands;
use super::kernel::KernelObject;
use super::shared::{OpenCl, Shared};
use crate::device::commands::CommandBuffer;
use crate::device::kernels::{
    DeviceKernel, KernelArgument, KernelCompiler, KernelLimits, KernelSource, RecordedLaunch,
};
use crate::device::parameter::{AddressSpace, Parameter, decode, encode};
use crate::error::{Error, Result};
use crate::process;
use crate::program::Kind;
use crate::program::{Key, disk};
use netcl_kernels::kir::Geometry;
use opencl3::kernel::{
    CL_KERNEL_ARG_ACCESS_NONE, CL_KERNEL_ARG_ADDRESS_CONSTANT, CL_KERNEL_ARG_ADDRESS_GLOBAL,
    CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_TYPE_CONST,
};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One kernel. Dropped in this order: the context outlives what was made in it.
struct ClKernel {
    /// Locked from the first argument to the launch: arguments belong to the kernel object, not to a launch. Taken out by
    /// drop alone.
    kernel: Option<Mutex<KernelObject>>,
    /// Taken out by drop alone.
    origin: Option<KernelSource>,
    /// Whether the origin says all that the kernel was made from.
    is_whole: bool,
    shared: Arc<Shared>,
}

/// A recorded launch: a kernel object of its own, all of whose arguments are set. Dropped in this order.
struct RecordedKernel {
    kernel: KernelObject,
    geometry: Geometry,
    name: Arc<str>,
    shared: Arc<Shared>,
}

impl OpenCl {
    /// The kernel, and whether its origin says all that it was made from.
    #[cold]
    fn new_kernel(&self, origin: &KernelSource) -> Result<(KernelObject, bool)> {
        let entry = &*origin.entry;
        let source = build::BuildInput { name: entry, text: &origin.text(), options: &origin.options };
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
        Ok((KernelObject::new(&self.shared.health, &program, entry)?, is_whole))
    }
}

impl KernelCompiler for OpenCl {
    fn kernel(&self, origin: KernelSource) -> Result<Box<dyn DeviceKernel>> {
        process::check()?;
        let mut idle = self.shared.idle_kernels.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle.take(|(known, _)| *known == origin);
        drop(idle);
        let (kernel, is_whole) = match taken {
            Some((_, kernel)) => (kernel, true),
            None => self.new_kernel(&origin)?,
        };
        let (kernel, shared) = (Some(Mutex::new(kernel)), self.shared.clone());
        Ok(Box::new(ClKernel { kernel, origin: Some(origin), is_whole, shared }))
    }

    fn options(&self) -> &'static str {
        build::options(&self.shared.profile, true)
    }
}

impl ClKernel {
    /// Of programs that were made from binaries a driver need not tell (OpenCL 5.9.4): then the source is built once more,
    /// and what is found out is kept for later runs.
    fn parameters_of_source(&self) -> Result<Option<Vec<Parameter>>> {
        if !self.is_whole {
            // It was built from its source, and so the driver has nothing more to tell.
            return Ok(None);
        }
        let origin = self.origin.as_ref().expect("taken out by drop alone");
        let (entry, options, text) = (&*origin.entry, &*origin.options, &*origin.text());
        let key = Key::of(Kind::Parameters, &self.shared.profile, options, &format!("{entry}\n\n{text}"));
        let kept = disk::load(&key).and_then(|text| decode(std::str::from_utf8(&text).ok()?));
        if kept.is_some() {
            return Ok(kept);
        }
        let program = build::anew(&self.shared, &build::BuildInput { name: entry, text, options })?;
        let found = told(&KernelObject::new(&self.shared.health, &program, entry)?);
        if let Some(parameters) = &found {
            disk::store(&key, encode(parameters).as_bytes());
        }
        Ok(found)
    }

    fn set(&self, kernel: &mut KernelObject, arguments: &[KernelArgument<'_>]) -> Result<()> {
        for (index, argument) in arguments.iter().enumerate() {
            kernel
                .set(index, *argument)
                .map_err(|code| self.shared.error(&format!("clSetKernelArg {index} of `{}`", self.name()), code))?;
        }
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

impl DeviceKernel for ClKernel {
    fn is_whole(&self) -> bool {
        self.is_whole
    }

    fn argument_count(&self) -> usize {
        self.lock().argument_count()
    }

    fn parameters(&self) -> Result<Option<Vec<Parameter>>> {
        #[cfg(test)]
        if SILENT.get() {
            return self.parameters_of_source();
        }
        match told(&self.lock()) {
            None => self.parameters_of_source(),
            told => Ok(told),
        }
    }

    fn limits(&self) -> Result<KernelLimits> {
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
            // Of arguments that are set the driver counts theirs as well; whoever checks asks before any is.
            local_bytes: if own.has_local() { 0 } else { kernel.get_local_mem_size(device).unwrap_or(0) },
        };
        own.limits = Some(limits);
        Ok(limits)
    }

    unsafe fn launch(&self, arguments: &[KernelArgument<'_>], geometry: &Geometry) -> Result<()> {
        process::check()?;
        self.shared.keep_pace()?;
        let mut kernel = self.lock();
        self.set(&mut kernel, arguments)?;
        let _turn = self.shared.in_turn().map_err(|code| self.shared.error("clEnqueueBarrierWithWaitList", code))?;
        // SAFETY: every argument is set, and the kernel stays inside its memory, as the caller promises.
        unsafe { self.shared.enqueue(&kernel, geometry, self.name()) }
    }

    #[cold]
    fn record(&self, arguments: &[KernelArgument<'_>], geometry: &Geometry) -> Result<Box<dyn RecordedLaunch>> {
        let program = self.lock().program().clone();
        let mut kernel = KernelObject::new(&self.shared.health, &program, self.name())?;
        self.set(&mut kernel, arguments)?;
        let (shared, name) = (self.shared.clone(), Arc::from(self.name()));
        Ok(Box::new(RecordedKernel { kernel, geometry: *geometry, name, shared }))
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
            let surplus = idle.add((origin, kernel));
            drop(idle);
            drop(surplus);
        }
    }
}

impl RecordedLaunch for RecordedKernel {
    unsafe fn launch(&self) -> Result<()> {
        let _turn = self.shared.in_turn().map_err(|code| self.shared.error("clEnqueueBarrierWithWaitList", code))?;
        // SAFETY: every argument was set when it was recorded, to memory that is alive, as the caller promises.
        unsafe { self.shared.enqueue(&self.kernel, &self.geometry, &self.name) }
    }

    unsafe fn encode(&self, into: &mut dyn CommandBuffer) -> Result<bool> {
        let Some(commands) = ClCommands::of(into) else { return Ok(false) };
        // SAFETY: as above.
        unsafe { commands.kernel(&self.kernel, &self.geometry, &self.name) }.map(|()| true)
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
