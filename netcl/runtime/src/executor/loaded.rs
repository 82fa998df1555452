//! A plan on a device: built once, called often, from any thread.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::bind::{BoundPlan, before_writes, bind, launch};
use crate::executor::call::{Call, Outputs};
use crate::executor::check::{self, Sizes};
use crate::executor::interface::Supplier;
use crate::executor::policy::Generation;
use crate::executor::recorded::RecordedPlan;
use crate::executor::resolve::{Of, Resolved};
use crate::executor::states::Changes;
use crate::executor::tiers::Tier;
use crate::executor::version::{Answer, Version, computes_f64};
use crate::executor::versions::{Recompile, Versions};
use crate::memory::{BufferHandle, Reserve};
use crate::profile;
use crate::recording;
use crate::tensor::{Tensor, compute_all};
use netcl_hal::device::dispatch::Native;
use netcl_hal::device::scalar::Scalar;
use netcl_hal::process;
use netcl_hal::recent::Recent;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::Graph;
use netcl_kernels::plan::Plan;
use netcl_kernels::plan::verify::VerifiedPlan;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many sets of sizes stay ready: training batch, its remainder, evaluation batch, a single sample.
const BOUND_KEPT: usize = 4;

/// A function on a device.
pub(crate) struct Loaded {
    /// The number of the device, which keeps this and is not kept by it.
    device: u32,
    /// As it was compiled where no device was known: what calls are checked against, and what runs unless something is
    /// known about the device.
    base: Arc<Version>,
    /// `None` where it cannot be compiled again.
    versions: Option<Versions>,
    /// Which kernels it has; `None`: those that pay.
    tier: Option<Tier>,
    /// Ready for the sizes used lately, latest first. Taken out while in use, so that no lock is held during a call
    /// and threads do not wait for each other.
    bound: Arc<IdlePlans>,
    /// Whether it was said that a version which was picked did not fit into memory.
    warned: AtomicBool,
}

/// Plans that are bound and not in use. Their arenas are given up where memory is short.
struct IdlePlans(Mutex<Recent<BoundPlan>>);

impl Reserve for IdlePlans {
    fn release(&self) -> bool {
        let dropped = self.0.lock().unwrap_or_else(PoisonError::into_inner).clear();
        !dropped.is_empty()
    }
}

impl Loaded {
    /// Takes a plan. Where it can be compiled again, its kernels are those that the policy picks for each call's sizes.
    pub(crate) fn new(device: &Device, plan: VerifiedPlan, native: Native, again: Option<Recompile>) -> Result<Loaded> {
        let profile = device.profile();
        if plan.target != profile.target {
            return Err(Error::Unsupported {
                function: plan.name.clone(),
                device: device.to_string(),
                problem: format!("the plan is for {} devices, not for {}", plan.target.name(), profile.target.name()),
            });
        }
        if !profile.fp64 && computes_f64(&plan) {
            return Err(check::no_f64(&plan, device));
        }
        let versions = again.map(Versions::new);
        let answers = Answer::by_rule(&plan);
        let base = Arc::new(Version::new(plan, answers, native)?);
        let bound = Arc::new(IdlePlans(Mutex::new(Recent::new(BOUND_KEPT))));
        device.add_reserve(Arc::<IdlePlans>::downgrade(&bound));
        Ok(Loaded { device: device.id(), base, versions, tier: None, bound, warned: AtomicBool::new(false) })
    }

    /// Takes a plan that is run as it is, with optimized kernels.
    pub(crate) fn fixed(device: &Device, plan: VerifiedPlan) -> Result<Loaded> {
        Loaded::of_tier(device, plan, Tier::Last)
    }

    /// Takes a plan that is run as it is, with kernels of that tier.
    pub(crate) fn of_tier(device: &Device, plan: VerifiedPlan, tier: Tier) -> Result<Loaded> {
        Ok(Loaded { tier: Some(tier), ..Loaded::new(device, plan, &[], None)? })
    }

    /// Builds the plan's kernels, or where the device cannot run those, what it can. Sizes that want other ones build those
    /// when they come.
    pub(crate) fn build(&self, device: &Device) -> Result<()> {
        match &self.versions {
            Some(versions) => versions.likely(device, &self.base)?.build(device),
            None => self.base.build(device),
        }
    }

    /// As [`Loaded::build`], of a plan that does not come again: nothing of it stays in the caches of programs.
    pub(crate) fn build_once(&self, device: &Device) -> Result<()> {
        self.base.build_once(device)
    }

    /// What it is compiled from, if it can be again, and the plan that is likely to run.
    pub(crate) fn likely(&self, device: &Device) -> Result<(Option<Arc<Graph>>, VerifiedPlan)> {
        let Some(versions) = &self.versions else { return Ok((None, self.base.plan.clone())) };
        let graph = versions.graph(&self.base.plan.name)?;
        Ok((Some(graph), versions.likely(device, &self.base)?.plan.clone()))
    }

    /// Whether the plan writes gradients of parameters.
    pub(crate) fn needs_model(&self) -> bool {
        self.base.interface.needs_model
    }

    /// The type of that argument, if something is computed of it.
    pub(crate) fn argument(&self, position: usize) -> Option<DType> {
        self.base.interface.argument_type(&self.base.plan, position)
    }

    /// Runs it on the device that it was loaded for.
    pub(crate) fn call(&self, device: &Device, call: &Call<'_>) -> Result<Outputs> {
        self.call_sized(device, call, None)
    }

    /// As [`Loaded::call`]; what is said of the arguments' types and shapes is kept in `known`, where that is always the same.
    pub(super) fn call_sized(
        &self,
        device: &Device,
        call: &Call<'_>,
        known: Option<&OnceLock<Sizes>>,
    ) -> Result<Outputs> {
        debug_assert_eq!(device.id(), self.device, "devices keep what is loaded for them");
        process::check()?;
        // Before anything is said of their shapes.
        compute_all(call.args.iter().map(|arg| arg.value()))?;
        device.backend().keep_pace()?;
        let base = &*self.base;
        let _span = profile::call(&base.plan.name);
        let mut resolved = base.resolved(device, call)?;
        let named = resolved.as_deref().map_or(&[][..], |resolved| &resolved.named);
        let is_here = || call.args.iter().all(|arg| arg.device() == device);
        let sizes = match known.and_then(OnceLock::get).filter(|_| is_here()) {
            Some(sizes) => sizes.clone(),
            None => {
                let sizes = check::symbols(&base.plan, &base.interface, device, named, call.args)?;
                if let Some(known) = known {
                    known.get_or_init(|| sizes.clone());
                }
                sizes
            }
        };
        let seed = call.seed.filter(|_| check::takes_seed(&base.plan, call.scalars.len()));
        check::scalars(&base.plan, call.scalars, seed.is_some())?;
        let recorded = recording::is_active(device.backend());
        // What is recorded keeps a bound plan of its own.
        let generation = self.generation();
        let mut bound = if recorded {
            self.bind(device, &sizes, generation, Some(Tier::Last))
        } else {
            self.take_bound(device, &sizes, generation)
        }?;
        if !Arc::ptr_eq(&bound.version, &self.base) {
            resolved = bound.version.resolved(device, call)?;
        }
        let resolved = resolved.as_deref();
        let mut given = std::mem::take(&mut bound.given);
        supply(device, call, resolved, &bound, &mut given)?;
        before_writes(&bound.version, &given);
        // A call that draws nothing does not move the stream on: evaluating between steps changes no dropout.
        let draws = bound.version.interface.uses_first_scalar;
        let scalars = with_seed(seed.map(|draw| if draws { draw() } else { Scalar::U32(0) }), call.scalars);
        let changes = Changes::of(call, resolved, &bound.version.interface, &bound.externals);
        let launches = changes.make(&given, || launch(&mut *bound.launcher, &given, &scalars))?;
        device.count_launches(launches);
        bound.version.count(bound.tier);
        let outputs = outputs(device, call, &bound, &given);
        if recorded {
            let changes = changes.kept();
            recording::push(Box::new(RecordedPlan { bound, given, scalars: scalars.to_vec(), launches, changes }));
        } else {
            given.clear();
            bound.given = given;
            self.keep_bound(bound);
        }
        Ok(outputs)
    }

    fn take_bound(&self, device: &Device, sizes: &[u64], generation: Generation) -> Result<BoundPlan> {
        // While the selector knows nothing new, neither do the sizes that are ready.
        let ready = |bound: &BoundPlan| {
            bound.generation == generation && bound.sizes == *sizes && !bound.version.is_outgrown(bound.tier)
        };
        {
            let mut list = self.bound.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(bound) = list.take(ready) {
                return Ok(bound);
            }
            list.retain(|bound| bound.sizes != *sizes);
        }
        self.bind(device, sizes, generation, self.tier)
    }

    /// What the selector knows, by number.
    fn generation(&self) -> Generation {
        let versions = self.versions.as_ref().filter(|_| !self.base.answers.is_empty());
        versions.map_or_else(Generation::default, Versions::generation)
    }

    fn bind(&self, device: &Device, sizes: &[u64], generation: Generation, tier: Option<Tier>) -> Result<BoundPlan> {
        let bind = |version| bind(version, device, sizes.to_vec(), generation, tier);
        let Some(versions) = &self.versions else { return bind(&self.base) };
        let version = versions.version(device, &self.base, sizes, tier)?;
        match bind(&version) {
            // Faster kernels may need more memory: a call that is possible stays so.
            Err(error)
                if is_too_large(&error)
                    && version.plan.width == self.base.plan.width
                    && !Arc::ptr_eq(&version, &self.base)
                    && versions.is_right(device, &self.base) =>
            {
                if !self.warned.swap(true, Ordering::Relaxed) {
                    let (function, device) = (&self.base.plan.name, &device.profile().name);
                    tracing::warn!(function, device, %error, "kernels that were picked do not fit; the default is used");
                }
                bind(&self.base)
            }
            bound => bound,
        }
    }

    fn keep_bound(&self, bound: BoundPlan) {
        let mut list = self.bound.0.lock().unwrap_or_else(PoisonError::into_inner);
        let surplus = list.add(bound);
        drop(list);
        drop(surplus);
    }
}

/// The memory of every slot: what the call brings, and new memory for what it leaves.
fn supply(
    device: &Device,
    call: &Call<'_>,
    resolved: Option<&Resolved>,
    bound: &BoundPlan,
    given: &mut Vec<BufferHandle>,
) -> Result<()> {
    let Version { plan, interface, .. } = &*bound.version;
    if let (Some(resolved), Some(gradients)) = (resolved, call.gradients) {
        gradients.prepare(resolved.id, &resolved.covered)?;
    }
    let of_model = |slot: usize| {
        let (resolved, (store, _)) = (resolved?, call.model?);
        match resolved.places[slot]? {
            Of::Parameter(position) => Some(store.parameters()[position].region.clone()),
            Of::State(position) => Some(store.states()[position].region.clone()),
            Of::Gradient(position) => Some(call.gradients?.part(position)),
        }
    };
    let taken = |result: usize| {
        let argument = call.in_place.get(result).copied().flatten();
        argument.map(|argument| call.args[argument].region()).transpose()
    };
    for (slot, (external, (_, bytes))) in interface.externals.iter().zip(&bound.externals).enumerate() {
        given.push(match &external.supplier {
            Supplier::Argument(position) => call.args[*position].region()?.clone(),
            Supplier::Result(position) => {
                match call.into.get(*position).map_or_else(|| taken(*position), |given| Ok(Some(given)))? {
                    // A kernel writes so many, whatever its caller brought.
                    Some(region) if region.bytes() < *bytes => {
                        let problem =
                            format!("result {position} has {bytes} bytes, and is to go to {}", region.bytes());
                        return Err(Error::Plan { function: plan.name.clone(), problem });
                    }
                    Some(region) => region.clone(),
                    None => device.allocate(*bytes)?,
                }
            }
            Supplier::ArgumentGradient(position) => match call.gradients_into.get(*position).and_then(Option::as_ref) {
                Some(region) if region.bytes() < *bytes => {
                    let problem = format!("a gradient has {bytes} bytes, and is to go to {}", region.bytes());
                    return Err(Error::Plan { function: plan.name.clone(), problem });
                }
                Some(region) => region.clone(),
                None => device.allocate(*bytes)?,
            },
            Supplier::NewState { late: true, .. } => device.allocate(*bytes)?,
            Supplier::Parameter(_) | Supplier::State(_) | Supplier::NewState { .. } | Supplier::Gradient(_) => {
                of_model(slot).ok_or_else(|| no_memory(plan, external.buffer.0 as usize))?
            }
        });
    }
    Ok(())
}

/// What the call gives of the memory that it was run with.
fn outputs(device: &Device, call: &Call<'_>, bound: &BoundPlan, given: &[BufferHandle]) -> Outputs {
    let Version { plan, interface, .. } = &*bound.version;
    let tensor = |slot: usize| {
        let dtype = plan.buffer(interface.externals[slot].buffer).dtype;
        Tensor::from_region(given[slot].clone(), bound.externals[slot].0.clone(), dtype, device.clone())
    };
    let mut outputs = Outputs::default();
    // Whoever has recorded the call says so instead.
    let noted = |tensor: Tensor| tensor.computed_by(&plan.name, call.args);
    let results = interface.results.iter().skip(call.into.len());
    outputs.results.extend(results.map(|&slot| noted(tensor(slot))));
    outputs.argument_gradients.resize(interface.argument_gradients, None);
    if interface.argument_gradients > 0 {
        for (slot, external) in interface.externals.iter().enumerate() {
            if let Supplier::ArgumentGradient(position) = external.supplier {
                outputs.argument_gradients[position] = Some(noted(tensor(slot)));
            }
        }
    }
    outputs
}

/// All scalars of a call.
fn with_seed(seed: Option<Scalar>, others: &[Scalar]) -> SmallVec<[Scalar; 8]> {
    seed.into_iter().chain(others.iter().copied()).collect()
}

/// Whether a version failed for what its own kernels need besides the call's memory.
fn is_too_large(error: &Error) -> bool {
    matches!(error, Error::Size { .. } | Error::Sizes { .. } | Error::OutOfMemory { .. })
}

fn no_memory(plan: &Plan, buffer: usize) -> Error {
    let name = &plan.buffers[buffer].name;
    let problem = format!("`{name}` belongs to a model or its gradients, which this call does not have");
    Error::Plan { function: plan.name.clone(), problem }
}
