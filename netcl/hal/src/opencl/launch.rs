//! Programs whose kernels have their arguments set.

use super::commands::ClCommands;
use super::driver::Program;
use super::kernel::KernelObject;
use super::order::Order;
use super::shared::Shared;
use crate::device::backend::{Bound, Program as BuiltProgram};
use crate::device::commands::CommandBuffer;
use crate::device::dispatch::{BindRequest, BufferBinding, Dispatch, Passed, Work};
use crate::device::kernels::KernelArgument;
use crate::device::memory::Region;
use crate::device::queue::QueueOrder;
use crate::device::scalar::Scalar;
use crate::error::{Error, Result};
use crate::process;
use netcl_kernels::kir::Geometry;
use opencl3::types::cl_int;
use std::sync::Arc;

/// A built program. Dropped in this order: the context outlives what was made in it.
pub(super) struct ClProgram {
    program: Arc<Program>,
    name: String,
    shared: Arc<Shared>,
}

/// One launch.
struct NdRangeKernel {
    kernel: KernelObject,
    geometry: Geometry,
    label: String,
}

/// Where a value goes: a launch and the position of its argument.
type Use = (usize, usize);

/// Every launch of a program, ready. Dropped in this order.
struct ClBound {
    launches: Vec<NdRangeKernel>,
    /// Where the queue is out of order.
    order: Option<Order>,
    /// For each external region: the id last set (0: none), and where it is used.
    externals: Vec<(u64, Vec<Use>)>,
    /// For each scalar: the value last set, and where it is used.
    scalars: Vec<(Option<Scalar>, Vec<Use>)>,
    /// The arena's parts, which the kernels' arguments name.
    _internal: Vec<Region>,
    shared: Arc<Shared>,
}

impl ClProgram {
    pub(super) fn new(shared: Arc<Shared>, name: String, program: Arc<Program>) -> ClProgram {
        ClProgram { shared, name, program }
    }
}

impl BuiltProgram for ClProgram {
    fn bind(&self, request: BindRequest<'_>) -> Result<Box<dyn Bound>> {
        process::check()?;
        let mut bound = ClBound {
            shared: self.shared.clone(),
            launches: Vec::with_capacity(request.dispatches.len()),
            externals: vec![(0, Vec::new()); request.externals],
            scalars: vec![(None, Vec::new()); request.scalars],
            order: (self.shared.order == QueueOrder::OutOfOrder).then(Order::default),
            _internal: Vec::new(),
        };
        for dispatch in request.dispatches {
            self.add(&mut bound, dispatch)?;
        }
        Ok(Box::new(bound))
    }
}

impl ClProgram {
    fn add(&self, bound: &mut ClBound, dispatch: Dispatch) -> Result<()> {
        let Dispatch { label, work, passed, touches } = dispatch;
        let Work::Kernel { entry, geometry } = work else {
            let problem = format!("step `{label}` is no OpenCL kernel");
            return Err(Error::Program { program: self.name.clone(), problem });
        };
        let mut kernel = KernelObject::new(&self.shared.health, &self.program, &entry)?;
        let position = bound.launches.len();
        for (index, passed) in passed.into_iter().enumerate() {
            let code = match passed {
                Passed::Memory(BufferBinding::Internal(region)) => {
                    let code = kernel.set(index, KernelArgument::Memory(&region));
                    bound._internal.push(region);
                    code
                }
                Passed::Memory(BufferBinding::External(slot)) => {
                    bound.externals[slot].1.push((position, index));
                    Ok(())
                }
                Passed::Size(value) => set_scalar(&mut kernel, index, Scalar::U32(value)),
                Passed::Literal(literal) => set_scalar(&mut kernel, index, Scalar::from_literal(literal)),
                Passed::Scalar(scalar) => {
                    bound.scalars[scalar].1.push((position, index));
                    Ok(())
                }
            };
            code.map_err(|code| self.shared.error(&format!("clSetKernelArg {index} of `{entry}`"), code))?;
        }
        if let Some(order) = &mut bound.order {
            order.add(touches);
        }
        bound.launches.push(NdRangeKernel { kernel, geometry, label });
        Ok(())
    }
}

impl Bound for ClBound {
    fn launch(&mut self, externals: &[&Region], scalars: &[Scalar]) -> Result<u64> {
        // A region whose id was set before is the very memory that was set: ids are never used twice, and the caller
        // holds every region of this call, so no argument can name memory that is gone.
        for ((last, uses), region) in self.externals.iter_mut().zip(externals) {
            if *last == region.id() {
                continue;
            }
            *last = 0;
            if let Some(order) = &mut self.order {
                order.forget();
            }
            for &(launch, index) in &*uses {
                let kernel = &mut self.launches[launch].kernel;
                kernel
                    .set(index, KernelArgument::Memory(region))
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
                set_scalar(&mut self.launches[launch].kernel, index, *value)
                    .map_err(|code| self.shared.error("clSetKernelArg", code))?;
            }
            *last = Some(*value);
        }
        // Where launches run side by side, nobody else's command may come between them.
        let _turn = self.order.is_some().then(|| self.shared.take_turn());
        let waits = self.order.as_mut().map_or(&[][..], |order| order.waits(externals));
        for (position, launch) in self.launches.iter().enumerate() {
            if waits.get(position) == Some(&true) {
                self.shared.barrier().map_err(|code| self.shared.error("clEnqueueBarrierWithWaitList", code))?;
            }
            // SAFETY: every argument is set (above and in `bind`), and kernels stay inside their buffers: that is what the
            // kernel verifier and the shape checks before the call are for.
            unsafe { self.shared.enqueue(&launch.kernel, &launch.geometry, &launch.label) }?;
        }
        Ok(self.launches.len() as u64)
    }

    fn encode(&self, into: &mut dyn CommandBuffer) -> Result<bool> {
        let Some(commands) = ClCommands::of(into) else { return Ok(false) };
        for launch in &self.launches {
            // SAFETY: as in `launch`, which has set every argument.
            unsafe { commands.kernel(&launch.kernel, &launch.geometry, &launch.label) }?;
        }
        Ok(true)
    }
}

fn set_scalar(kernel: &mut KernelObject, index: usize, value: Scalar) -> Result<(), cl_int> {
    let (bytes, size) = value.bytes();
    kernel.set(index, KernelArgument::Bytes(&bytes[..size]))
}
