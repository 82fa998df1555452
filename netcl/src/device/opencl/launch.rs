//! Kernel objects with their arguments set, and how they are enqueued.

use super::Shared;
use crate::device::backend::{BindRequest, Bound, Memory, Place, Program as BuiltProgram};
use crate::device::host::process::Live;
use crate::error::{Error, Result};
use crate::executor::geometry::{self, Geometry};
use crate::executor::scalar::Scalar;
use crate::memory::BufferHandle;
use crate::profile::{self, Command, Lane};
use netcl_kernels::plan::{Arg, Plan, Step, Work};
use opencl3::command_queue::enqueue_nd_range_kernel;
use opencl3::event::Event;
use opencl3::kernel::{Kernel, set_kernel_arg};
use opencl3::program::Program;
use opencl3::types::{cl_int, cl_mem};
use std::ptr::null;
use std::sync::Arc;

/// A plan's built program. Dropped in this order: the context outlives what was made in it.
pub(super) struct ClProgram {
    program: Arc<Program>,
    plan: Arc<Plan>,
    shared: Arc<Shared>,
}

/// One kernel object.
struct Launch {
    kernel: Live<Kernel>,
    geometry: Geometry,
    label: String,
}

/// Where a value goes: a launch and the position of its argument.
type Use = (usize, u32);

/// Every launch of a plan, ready. Dropped in this order.
struct ClBound {
    launches: Vec<Launch>,
    /// For each external region: the id last set (0: none), and where it is used.
    externals: Vec<(u64, Vec<Use>)>,
    /// For each scalar: the value last set, and where it is used.
    scalars: Vec<(Option<Scalar>, Vec<Use>)>,
    /// The arena's parts, which the kernels' arguments name.
    _internal: Vec<BufferHandle>,
    shared: Arc<Shared>,
}

impl ClProgram {
    pub(super) fn new(shared: Arc<Shared>, plan: Arc<Plan>, program: Arc<Program>) -> ClProgram {
        ClProgram { shared, plan, program }
    }
}

impl BuiltProgram for ClProgram {
    fn bind(&self, request: &BindRequest<'_>) -> Result<Box<dyn Bound>> {
        let mut bound = ClBound {
            shared: self.shared.clone(),
            launches: Vec::with_capacity(self.plan.steps.len()),
            externals: vec![(0, Vec::new()); request.externals],
            scalars: vec![(None, Vec::new()); self.plan.scalars.len()],
            _internal: Vec::new(),
        };
        for step in &self.plan.steps {
            self.add(&mut bound, step, request)?;
        }
        Ok(Box::new(bound))
    }
}

impl ClProgram {
    fn add(&self, bound: &mut ClBound, step: &Step, request: &BindRequest<'_>) -> Result<()> {
        let Work::Kernel { entry, launch } = &step.work else {
            return Err(self.unusable(format!("step `{}` is no OpenCL kernel", step.label)));
        };
        let Some(geometry) = geometry::of(&self.plan.name, &step.label, launch, request.bindings)? else {
            return Ok(());
        };
        let kernel = Kernel::create(&self.program, entry)
            .map_err(|error| self.shared.error(&format!("clCreateKernel for `{entry}`"), error.0))?;
        let position = bound.launches.len();
        for (index, arg) in step.args.iter().enumerate() {
            let index = index as u32;
            let code = match arg {
                Arg::Buffer(id) => match request.place(*id) {
                    Place::Internal(region) => {
                        bound._internal.push(region.clone());
                        set_buffer(&kernel, index, region)
                    }
                    Place::External(slot) => {
                        bound.externals[*slot].1.push((position, index));
                        Ok(())
                    }
                    Place::Unused => {
                        return Err(self.unusable(format!("step `{}` uses a buffer without a place", step.label)));
                    }
                },
                Arg::Dim(dim) => {
                    let value = geometry::value_u32(&self.plan.name, &step.label, dim, request.bindings)?;
                    set_scalar(&kernel, index, Scalar::U32(value))
                }
                Arg::Literal(literal) => set_scalar(&kernel, index, Scalar::from_literal(*literal)),
                Arg::Scalar(scalar, _) => {
                    bound.scalars[*scalar].1.push((position, index));
                    Ok(())
                }
            };
            code.map_err(|code| self.shared.error(&format!("clSetKernelArg {index} of `{entry}`"), code))?;
        }
        bound.launches.push(Launch { kernel: Live::new(kernel), geometry, label: step.label.clone() });
        Ok(())
    }

    fn unusable(&self, problem: String) -> Error {
        Error::Plan { function: self.plan.name.clone(), problem }
    }
}

impl Bound for ClBound {
    fn launch(&mut self, externals: &[BufferHandle], scalars: &[Scalar]) -> Result<u64> {
        for region in externals {
            region.settle()?;
        }
        // A region whose id was set before is the very memory that was set: ids are never used twice, and the caller
        // holds every region of this call, so no argument can name memory that is gone.
        for ((last, uses), region) in self.externals.iter_mut().zip(externals) {
            if *last == region.id() {
                continue;
            }
            *last = 0;
            for &(launch, index) in &*uses {
                set_buffer(&self.launches[launch].kernel, index, region)
                    .map_err(|code| self.shared.error("clSetKernelArg", code))?;
            }
            *last = region.id();
        }
        for ((last, uses), value) in self.scalars.iter_mut().zip(scalars) {
            if last.is_some_and(|last| last.same(*value)) {
                continue;
            }
            *last = None;
            for &(launch, index) in &*uses {
                set_scalar(&self.launches[launch].kernel, index, *value)
                    .map_err(|code| self.shared.error("clSetKernelArg", code))?;
            }
            *last = Some(*value);
        }
        for launch in &self.launches {
            // SAFETY: every argument is set (above and in `bind`), and kernels stay inside their buffers: that is what the
            // kernel verifier and the shape checks before the call are for.
            unsafe { self.shared.enqueue(&launch.kernel, &launch.geometry, &launch.label) }?;
        }
        Ok(self.launches.len() as u64)
    }
}

impl Shared {
    /// Enqueues a kernel, which errors call `label`; does not wait for the device.
    ///
    /// # Safety
    ///
    /// The kernel is of this device's context, all its arguments are set, and with them it stays inside its buffers.
    pub(super) unsafe fn enqueue(&self, kernel: &Kernel, geometry: &Geometry, label: &str) -> Result<()> {
        let marked = profile::mark();
        // SAFETY: kernel and queue are alive and of one context, and the sizes have as many entries as there are
        // dimensions (OpenCL 5.10); the rest is the caller's promise.
        let event = unsafe {
            enqueue_nd_range_kernel(
                self.queue.queue.get(),
                kernel.get(),
                geometry.dimensions as u32,
                null(),
                geometry.global.as_ptr(),
                geometry.local.as_ref().map_or(null(), |local| local.as_ptr()),
                0,
                null(),
            )
        };
        let event = event.map_err(|code| {
            let operation = format!(
                "launching `{label}` with {:?} work-items in groups of {:?}",
                &geometry.global[..geometry.dimensions],
                geometry.local.map(|local| local[..geometry.dimensions].to_vec()),
            );
            self.error(&operation, code)
        })?;
        let event = Event::new(event);
        self.count();
        if let Some(marked) = marked {
            let event = self.event(Arc::new(Live::new(event)), "computing");
            profile::enqueued(&self.tracks, Lane::Compute, command(kernel, geometry, label), event, marked);
        }
        Ok(())
    }
}

/// A launch as it is recorded.
fn command(kernel: &Kernel, geometry: &Geometry, label: &str) -> Command {
    let axes = |sizes: &[usize; 3]| sizes[..geometry.dimensions].to_vec();
    Command {
        name: label.into(),
        kernel: kernel.function_name().ok().map(Arc::from),
        work_items: axes(&geometry.global),
        work_group: geometry.local.as_ref().map(axes).unwrap_or_default(),
        ..Command::default()
    }
}

pub(super) fn set_buffer(kernel: &Kernel, index: u32, region: &BufferHandle) -> Result<(), cl_int> {
    let Memory::OpenCl(memory) = region.memory() else {
        return Err(opencl3::error_codes::CL_INVALID_MEM_OBJECT);
    };
    let raw: cl_mem = memory.raw();
    // SAFETY: a buffer argument is set from the address of a `cl_mem` (OpenCL 5.9.2); the value is copied.
    unsafe { set_kernel_arg(kernel.get(), index, size_of::<cl_mem>(), (&raw const raw).cast()) }
}

fn set_scalar(kernel: &Kernel, index: u32, value: Scalar) -> Result<(), cl_int> {
    let (bytes, size) = value.bytes();
    // SAFETY: `size` bytes are read from `bytes`, which has as many (OpenCL 5.9.2); the value is copied. A size that
    // is not the parameter's is refused by the driver.
    unsafe { set_kernel_arg(kernel.get(), index, size, bytes.as_ptr().cast()) }
}
