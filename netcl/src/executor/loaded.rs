//! A plan on a device: built once, called often, from any thread.

use crate::device::backend::Native;
use crate::device::scalar::Scalar;
use crate::device::{Device, Reserve};
use crate::error::{Error, Result};
use crate::executor::bind::{BoundPlan, bind};
use crate::executor::check;
use crate::executor::choices::{Answer, Choices, GraphSource};
use crate::executor::interface::Supplier;
use crate::executor::recorded::{Launched, RecordedPlan};
use crate::executor::resolve::Resolved;
use crate::executor::version::{Version, computes_f64};
use crate::memory::BufferHandle;
use crate::model::core::Store;
use crate::model::gradients::GradientBuffer;
use crate::profile;
use crate::recording;
use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;
use netcl_kernels::plan::Plan;
use std::sync::{Arc, Mutex, PoisonError};

/// How many sets of sizes stay ready: training batch, its remainder, evaluation batch, a single sample.
const BOUND_KEPT: usize = 4;
/// A function on a device.
pub(crate) struct Loaded {
    device: Device,
    /// As it was compiled where no device was known: what calls are checked against, and what runs unless something is
    /// known about the device.
    base: Arc<Version>,
    /// `None` where there is nothing to choose.
    choices: Option<Choices>,
    /// Ready for the sizes used lately, latest first. Taken out while in use, so that no lock is held during a call
    /// and threads do not wait for each other.
    bound: Arc<Idle>,
}

/// Plans that are bound and not in use. Their arenas are given up where memory is short.
#[derive(Default)]
struct Idle(Mutex<Vec<BoundPlan>>);

impl Reserve for Idle {
    fn release(&self) -> bool {
        let dropped = std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        !dropped.is_empty()
    }
}

/// One call.
#[derive(Clone, Copy, Default)]
pub(crate) struct Call<'a> {
    /// The arguments by position.
    pub(crate) args: &'a [&'a Tensor],
    /// The model's memory, and where in it the function's paths start.
    pub(crate) model: Option<(&'a Store, &'a str)>,
    /// Every scalar the plan names, or all but the first if `seed` gives that.
    pub(crate) scalars: &'a [Scalar],
    /// Draws the random seed of this call, if the plan takes one as its first scalar: when nothing can be wrong with
    /// the call any more, so that one which fails leaves the stream of random numbers where it was.
    pub(crate) seed: Option<&'a dyn Fn() -> Scalar>,
    /// Where results go that are not to be new tensors, by result.
    pub(crate) into: &'a [BufferHandle],
    /// Where gradients go.
    pub(crate) gradients: Option<&'a GradientBuffer>,
}

/// What a call gives.
#[derive(Debug, Default)]
pub(crate) struct Outputs {
    /// By position; empty if [`Call::into`] was given.
    pub(crate) results: Vec<Tensor>,
    /// By argument; `None` for arguments without a gradient.
    pub(crate) argument_gradients: Vec<Option<Tensor>>,
}

impl Loaded {
    /// Takes a plan. With the graph that it was made from, its kernels are those that the device's selector picks for each
    /// call's sizes.
    pub(crate) fn new(device: &Device, plan: Arc<Plan>, native: Native, graph: Option<GraphSource>) -> Result<Loaded> {
        let profile = device.profile();
        if plan.target != profile.target {
            return Err(Error::Unsupported {
                function: plan.name.clone(),
                device: device.to_string(),
                problem: format!("the plan is for {} devices, not for {}", plan.target.name(), profile.target.name()),
            });
        }
        if !profile.fp64 && computes_f64(&plan) {
            return Err(Error::Unsupported {
                function: plan.name.clone(),
                device: device.to_string(),
                problem: "it has no f64 arithmetic; use f32 or another device".to_owned(),
            });
        }
        let choices = graph.filter(|_| !plan.decisions.is_empty()).map(|graph| Choices::new(device, graph));
        let answers = Answer::by_rule(&plan);
        let base = Arc::new(Version::new(plan, answers, native)?);
        let bound = Arc::<Idle>::default();
        device.add_reserve(Arc::<Idle>::downgrade(&bound));
        Ok(Loaded { device: device.clone(), base, choices, bound })
    }

    /// Takes a plan that is run as it is.
    pub(crate) fn fixed(device: &Device, plan: Arc<Plan>) -> Result<Loaded> {
        Loaded::new(device, plan, &[], None)
    }

    /// Builds the plan's kernels. Sizes that want other ones build those when they come.
    pub(crate) fn build(&self) -> Result<()> {
        self.base.program(&self.device).map(drop)
    }

    /// Whether the plan writes gradients of parameters.
    pub(crate) fn needs_model(&self) -> bool {
        self.base.interface.needs_model
    }

    /// Runs it.
    pub(crate) fn call(&self, call: &Call<'_>) -> Result<Outputs> {
        let base = &*self.base;
        let _span = profile::call(&base.plan.name);
        let mut resolved = base.resolved(&self.device, call)?;
        let named = resolved.as_deref().map_or(&[][..], |resolved| &resolved.named);
        let sizes = check::symbols(&base.plan, &base.interface, &self.device, named, call.args)?;
        let seed = call.seed.filter(|_| self.takes_seed(call.scalars.len()));
        self.check_scalars(call.scalars, seed.is_some())?;
        let call = &Call { seed, ..*call };
        let recorded = recording::is_active(self.device.backend());
        // What is recorded keeps a bound plan of its own.
        let mut bound = if recorded { self.bind(sizes, self.generation()) } else { self.take_bound(sizes) }?;
        if !Arc::ptr_eq(&bound.version, &self.base) {
            resolved = bound.version.resolved(&self.device, call)?;
        }
        let (outputs, launched) = self.run(call, resolved.as_deref(), &mut bound)?;
        if recorded {
            let new_states = bound.externals.clone();
            recording::push(Box::new(RecordedPlan::new(bound, &launched, call.scalars)));
            self.store_states(call, resolved.as_deref(), &new_states, &launched.externals)?;
        } else {
            self.store_states(call, resolved.as_deref(), &bound.externals, &launched.externals)?;
            self.keep_bound(bound);
        }
        Ok(outputs)
    }

    fn run(&self, call: &Call<'_>, resolved: Option<&Resolved>, bound: &mut BoundPlan) -> Result<(Outputs, Launched)> {
        let version = bound.version.clone();
        let Version { plan, interface, .. } = &*version;
        let mut regions: Vec<Option<BufferHandle>> = vec![None; interface.externals.len()];
        if let (Some(resolved), Some((store, _))) = (resolved, call.model) {
            for (slot, parameter) in &resolved.parameters {
                regions[*slot] = Some(store.parameters()[*parameter].region.clone());
            }
            for (slot, state) in &resolved.states {
                regions[*slot] = Some(store.states()[*state].region.clone());
            }
            if let Some(gradients) = call.gradients {
                gradients.prepare(resolved.id, resolved.covers_all)?;
                for (slot, parameter) in &resolved.gradients {
                    regions[*slot] = Some(gradients.part(*parameter));
                }
            }
        }
        let mut outputs = Outputs::default();
        outputs.argument_gradients.resize(interface.argument_gradients, None);
        let mut results: Vec<Option<Tensor>> = vec![None; interface.results];
        let mut externals = Vec::with_capacity(regions.len());
        for (slot, (external, region)) in interface.externals.iter().zip(regions).enumerate() {
            let (shape, bytes) = &bound.externals[slot];
            let new_tensor = |region: &BufferHandle| {
                let dtype = plan.buffer(external.buffer).dtype;
                Tensor::from_region(region.clone(), shape.clone(), dtype, self.device.clone())
            };
            externals.push(match &external.supplier {
                Supplier::Argument(position) => call.args[*position].region().clone(),
                Supplier::Result(position) => match call.into.get(*position) {
                    Some(region) => region.clone(),
                    None => {
                        let region = self.device.allocate(*bytes)?;
                        results[*position] = Some(new_tensor(&region));
                        region
                    }
                },
                Supplier::ArgumentGradient(position) => {
                    let region = self.device.allocate(*bytes)?;
                    outputs.argument_gradients[*position] = Some(new_tensor(&region));
                    region
                }
                Supplier::NewState { late: true, .. } => self.device.allocate(*bytes)?,
                Supplier::Parameter(_) | Supplier::State(_) | Supplier::NewState { .. } | Supplier::Gradient(_) => {
                    region.ok_or_else(|| no_memory(plan, external.buffer.0 as usize))?
                }
            });
        }
        // A call that draws nothing does not move the stream on: evaluating between steps changes no dropout.
        let seed = call.seed.map(|draw| if interface.uses_first_scalar { draw() } else { Scalar::U32(0) });
        let launches = match seed {
            Some(seed) => {
                let scalars: Vec<Scalar> = std::iter::once(seed).chain(call.scalars.iter().copied()).collect();
                bound.launcher.launch(&externals, &scalars)?
            }
            None => bound.launcher.launch(&externals, call.scalars)?,
        };
        self.device.count_launches(launches);
        outputs.results = results.into_iter().flatten().collect();
        Ok((outputs, Launched { externals, seed, launches }))
    }

    /// Copies the new values of states that could not be written in place; `sizes` are of the externals.
    fn store_states(
        &self,
        call: &Call<'_>,
        resolved: Option<&Resolved>,
        sizes: &[(Arc<[usize]>, usize)],
        externals: &[BufferHandle],
    ) -> Result<()> {
        if let (Some(resolved), Some((store, _))) = (resolved, call.model) {
            for (slot, state) in &resolved.late {
                externals[*slot].copy_to(&store.states()[*state].region, sizes[*slot].1)?;
            }
        }
        Ok(())
    }

    /// Whether the plan's first scalar is a seed that comes before that many others.
    fn takes_seed(&self, given: usize) -> bool {
        self.base.plan.scalars.first() == Some(&DType::U32) && self.base.plan.scalars.len() == given + 1
    }

    fn check_scalars(&self, scalars: &[Scalar], after_seed: bool) -> Result<()> {
        let expected = || self.base.plan.scalars.iter().skip(usize::from(after_seed)).map(|dtype| dtype.compute());
        if expected().eq(scalars.iter().map(|scalar| scalar.dtype())) {
            return Ok(());
        }
        let list = |types: Vec<DType>| types.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ");
        Err(Error::Scalars {
            function: self.base.plan.name.clone(),
            expected: list(expected().collect()),
            found: list(scalars.iter().map(|scalar| scalar.dtype()).collect()),
        })
    }

    fn take_bound(&self, sizes: Vec<u64>) -> Result<BoundPlan> {
        // While the selector knows nothing new, neither do the sizes that are ready.
        let generation = self.generation();
        let ready = |bound: &BoundPlan| bound.generation == generation && bound.sizes == sizes;
        {
            let mut list = self.bound.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(position) = list.iter().position(ready) {
                return Ok(list.remove(position));
            }
            list.retain(|bound| bound.sizes != sizes);
        }
        self.bind(sizes, generation)
    }

    /// What the selector knows, by number.
    fn generation(&self) -> u64 {
        self.choices.as_ref().map_or(0, Choices::generation)
    }

    fn bind(&self, sizes: Vec<u64>, generation: u64) -> Result<BoundPlan> {
        let version = match &self.choices {
            Some(choices) => choices.version(&self.base, &sizes),
            None => self.base.clone(),
        };
        bind(&version, &self.device, sizes, generation)
    }

    fn keep_bound(&self, bound: BoundPlan) {
        let mut list = self.bound.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.insert(0, bound);
        let surplus = if list.len() > BOUND_KEPT { list.pop() } else { None };
        drop(list);
        drop(surplus);
    }
}

fn no_memory(plan: &Plan, buffer: usize) -> Error {
    let name = &plan.buffers[buffer].name;
    let problem = format!("`{name}` belongs to a model or its gradients, which this call does not have");
    Error::Plan { function: plan.name.clone(), problem }
}
