//! A plan with its symbols bound: arena, kernel objects, shapes of the results.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::check;
use crate::executor::dispatches::dispatches;
use crate::executor::policy::Generation;
use crate::executor::tiers::{self, Tier};
use crate::executor::version::Version;
use crate::geometry;
use crate::memory::{ALIGNMENT, BufferHandle};
use netcl_hal::device::backend::Bound;
use netcl_hal::device::dispatch::{BindRequest, BufferBinding};
use netcl_hal::device::memory::Region;
use netcl_hal::device::scalar::Scalar;
use netcl_kernels::dim::{Bindings, Symbol};
use netcl_kernels::plan::memory::{BufferAssignment, LayoutError, layout};
use netcl_kernels::plan::{Plan, Role};
use smallvec::SmallVec;
use std::sync::Arc;

/// Everything that depends on the symbols' values and on nothing else.
pub(super) struct BoundPlan {
    /// The symbols' values, in the plan's order.
    pub(super) sizes: Vec<u64>,
    /// What the selector knew then: [`crate::executor::KernelPolicy::generation`].
    pub(super) generation: Generation,
    /// Whose objects these are.
    pub(super) version: Arc<Version>,
    /// Of which tier its kernels are.
    pub(super) tier: tiers::Bound,
    /// Ready to launch.
    pub(super) launcher: Box<dyn Bound>,
    /// Shape and bytes of the buffer in each slot.
    pub(super) externals: Vec<(Arc<[usize]>, usize)>,
    /// Empty between calls: where a call lists its memory.
    pub(super) given: Vec<BufferHandle>,
    /// Scratch memory; the launcher's regions are parts of it.
    _arena: Option<BufferHandle>,
}

/// Enqueues every step in order, with this memory in its slots; returns how many launches that were. Does not wait for the
/// device.
pub(super) fn launch(launcher: &mut dyn Bound, given: &[BufferHandle], scalars: &[Scalar]) -> Result<u64> {
    given.iter().try_for_each(BufferHandle::settle)?;
    let externals: SmallVec<[&Region; 16]> = given.iter().map(BufferHandle::region).collect();
    Ok(launcher.launch(&externals, scalars)?)
}

/// Has everything computed that reads what a call of it writes to. To be called before the call holds anything.
pub(super) fn before_writes(version: &Version, given: &[BufferHandle]) {
    let written = version.interface.externals.iter().zip(given).filter(|(external, _)| external.supplier.is_written());
    written.for_each(|(_, memory)| memory.before_write());
}

/// Makes it, with kernels of that tier, or, if that is not said, of the one that pays.
pub(super) fn bind(
    version: &Arc<Version>,
    device: &Device,
    sizes: Vec<u64>,
    generation: Generation,
    tier: Option<Tier>,
) -> Result<BoundPlan> {
    let Version { plan, interface, .. } = &**version;
    let bindings: Vec<(Symbol, u64)> = plan.symbols.iter().cloned().zip(sizes.iter().copied()).collect();
    check::requirements(plan, &bindings)?;
    let layout = lay_out(plan, &bindings)?;
    let arena = match usize::try_from(layout.arena) {
        Ok(0) => None,
        Ok(bytes) => Some(device.allocate(bytes)?),
        Err(_) => return Err(Error::Plan { function: plan.name.clone(), problem: LayoutError::Arena.to_string() }),
    };
    let mut places = Vec::with_capacity(plan.buffers.len());
    let mut externals = Vec::with_capacity(interface.externals.len());
    for (position, buffer) in plan.buffers.iter().enumerate() {
        let bytes = layout.sizes[position] as usize;
        places.push(match (&buffer.role, interface.slots[position], layout.offsets[position], &arena) {
            (Role::Scratch, _, Some(offset), Some(arena)) => {
                Some(BufferBinding::Internal(arena.part(offset as usize, bytes)?.region().clone()))
            }
            (_, Some(slot), _, _) => {
                let shape = buffer.shape.evaluate(&bindings).unwrap_or_default();
                debug_assert_eq!(slot, externals.len(), "slots are numbered in the order of buffers");
                externals.push((Arc::from(shape), bytes));
                Some(BufferBinding::External(slot))
            }
            _ => None,
        });
    }
    // What the device cannot have at all is said first.
    let (program, tier) = version.program(device, tier, &bindings)?;
    let request = BindRequest {
        bindings: &bindings,
        dispatches: dispatches(plan, &bindings, &places)?,
        externals: interface.externals.len(),
        scalars: plan.scalars.len(),
    };
    let launcher = program.bind(request)?;
    tracing::debug!(
        function = plan.name,
        sizes = geometry::show(&bindings),
        arena = layout.arena,
        device = device.profile().name,
        "plan bound"
    );
    let given = Vec::with_capacity(externals.len());
    Ok(BoundPlan { sizes, generation, version: version.clone(), tier, launcher, externals, given, _arena: arena })
}

/// Where the plan's buffers lie, each of a size that kernels can count.
pub(crate) fn lay_out(plan: &Plan, bindings: Bindings<'_>) -> Result<BufferAssignment> {
    let size_error = |position: usize, problem: String| Error::Size {
        function: plan.name.clone(),
        what: plan.buffers[position].name.clone(),
        shape: plan.buffers[position].shape.to_string(),
        bindings: geometry::show(bindings),
        problem,
    };
    let layout = layout(plan, bindings, ALIGNMENT as u64).map_err(|error| match error {
        LayoutError::Size(id) => size_error(id.0 as usize, error.to_string()),
        LayoutError::Arena => Error::Plan { function: plan.name.clone(), problem: error.to_string() },
    })?;
    for (position, buffer) in plan.buffers.iter().enumerate() {
        let elements = layout.sizes[position] / buffer.dtype.size() as u64;
        let most = plan.width.limit();
        if elements > most {
            return Err(size_error(
                position,
                format!("{elements} elements are more than {most}, as far as kernels count; use smaller batches"),
            ));
        }
    }
    Ok(layout)
}
