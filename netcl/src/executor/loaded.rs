//! A plan on a device: built once, called often, from any thread.

use crate::device::backend::{Native, Program};
use crate::device::{Device, Reserve};
use crate::error::{Error, Result};
use crate::executor::bind::{BoundPlan, bind};
use crate::executor::check;
use crate::executor::interface::{Interface, Supplier};
use crate::executor::recorded::{Launched, RecordedPlan};
use crate::executor::resolve::{Resolved, resolve};
use crate::executor::scalar::Scalar;
use crate::memory::BufferHandle;
use crate::model::core::Store;
use crate::model::gradients::GradientBuffer;
use crate::recording;
use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;
use netcl_kernels::plan::{Plan, Work};
use std::sync::{Arc, Mutex, PoisonError};

/// How many sets of sizes stay ready: training batch, its remainder, evaluation batch, a single sample.
const BOUND_KEPT: usize = 4;
/// How many models' memory stays looked up (the blocks of a model that call one function count each).
const RESOLVED_KEPT: usize = 256;

/// What the source of kernels that compute with `f64` starts with.
const FP64: &str = "EXTENSION cl_khr_fp64";

/// A plan whose kernels are built for a device.
pub(crate) struct Loaded {
    plan: Arc<Plan>,
    device: Device,
    program: Box<dyn Program>,
    interface: Interface,
    /// Ready for the sizes used lately, latest first. Taken out while in use, so that no lock is held during a call
    /// and threads do not wait for each other.
    bound: Arc<Idle>,
    resolved: Mutex<Vec<Arc<Resolved>>>,
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
    /// Builds the plan's kernels.
    pub(crate) fn new(device: &Device, plan: Arc<Plan>, native: Native) -> Result<Loaded> {
        let interface = Interface::of(&plan)?;
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
        groups_fit(&plan, device)?;
        let program = device.backend().load(&plan, native)?;
        let device = device.clone();
        let bound = Arc::<Idle>::default();
        device.add_reserve(Arc::<Idle>::downgrade(&bound));
        Ok(Loaded { plan, device, program, interface, bound, resolved: Mutex::default() })
    }

    /// Whether the plan writes gradients of parameters.
    pub(crate) fn needs_model(&self) -> bool {
        self.interface.needs_model
    }

    /// Runs it.
    pub(crate) fn call(&self, call: &Call<'_>) -> Result<Outputs> {
        let resolved = self.resolved(call)?;
        let named = resolved.as_deref().map_or(&[][..], |resolved| &resolved.named);
        let sizes = check::symbols(&self.plan, &self.interface, &self.device, named, call.args)?;
        let seed = call.seed.filter(|_| self.takes_seed(call.scalars.len()));
        self.check_scalars(call.scalars, seed.is_some())?;
        let call = &Call { seed, ..*call };
        let recorded = recording::is_active(self.device.backend());
        // What is recorded keeps a bound plan of its own.
        let mut bound = if recorded { self.bind(sizes) } else { self.take_bound(sizes) }?;
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
        let mut regions: Vec<Option<BufferHandle>> = vec![None; self.interface.externals.len()];
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
        outputs.argument_gradients.resize(self.interface.argument_gradients, None);
        let mut results: Vec<Option<Tensor>> = vec![None; self.interface.results];
        let mut externals = Vec::with_capacity(regions.len());
        for (slot, (external, region)) in self.interface.externals.iter().zip(regions).enumerate() {
            let (shape, bytes) = &bound.externals[slot];
            let new_tensor = |region: &BufferHandle| {
                let dtype = self.plan.buffer(external.buffer).dtype;
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
                    region.ok_or_else(|| self.no_memory(external.buffer.0 as usize))?
                }
            });
        }
        // A call that draws nothing does not move the stream on: evaluating between steps changes no dropout.
        let seed = call.seed.map(|draw| if self.interface.uses_first_scalar { draw() } else { Scalar::U32(0) });
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

    fn no_memory(&self, buffer: usize) -> Error {
        Error::Plan {
            function: self.plan.name.clone(),
            problem: format!(
                "`{}` belongs to a model or its gradients, which this call does not have",
                self.plan.buffers[buffer].name
            ),
        }
    }

    /// Whether the plan's first scalar is a seed that comes before that many others.
    fn takes_seed(&self, given: usize) -> bool {
        self.plan.scalars.first() == Some(&DType::U32) && self.plan.scalars.len() == given + 1
    }

    fn check_scalars(&self, scalars: &[Scalar], after_seed: bool) -> Result<()> {
        let expected = || self.plan.scalars.iter().skip(usize::from(after_seed)).map(|dtype| dtype.compute());
        if expected().eq(scalars.iter().map(|scalar| scalar.dtype())) {
            return Ok(());
        }
        let list = |types: Vec<DType>| types.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ");
        Err(Error::Scalars {
            function: self.plan.name.clone(),
            expected: list(expected().collect()),
            found: list(scalars.iter().map(|scalar| scalar.dtype()).collect()),
        })
    }

    fn resolved(&self, call: &Call<'_>) -> Result<Option<Arc<Resolved>>> {
        let Some((store, prefix)) = call.model.filter(|_| self.interface.needs_model) else {
            return Ok(None);
        };
        if store.device() != &self.device {
            return Err(Error::DeviceMismatch {
                operation: self.plan.name.clone(),
                what: "the model".to_owned(),
                expected: self.device.to_string(),
                found: store.device().to_string(),
            });
        }
        let mut list = self.resolved.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = list.iter().find(|known| known.store == store.id() && known.prefix == prefix) {
            return Ok(Some(found.clone()));
        }
        let resolved = Arc::new(resolve(&self.plan, &self.interface, store, prefix)?);
        if list.len() == RESOLVED_KEPT {
            list.remove(0);
        }
        list.push(resolved.clone());
        Ok(Some(resolved))
    }

    fn take_bound(&self, sizes: Vec<u64>) -> Result<BoundPlan> {
        {
            let mut list = self.bound.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(position) = list.iter().position(|bound| bound.sizes == sizes) {
                return Ok(list.remove(position));
            }
        }
        self.bind(sizes)
    }

    fn bind(&self, sizes: Vec<u64>) -> Result<BoundPlan> {
        bind(&self.plan, &self.interface, &self.device, &*self.program, sizes)
    }

    fn keep_bound(&self, bound: BoundPlan) {
        let mut list = self.bound.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.insert(0, bound);
        let surplus = if list.len() > BOUND_KEPT { list.pop() } else { None };
        drop(list);
        drop(surplus);
    }
}

/// An error if a step needs larger work-groups or more local memory than the device has: drivers would say so at the
/// first launch, and in numbers alone.
fn groups_fit(plan: &Plan, device: &Device) -> Result<()> {
    let profile = device.profile();
    let unsupported = |label: &str, problem: String| Error::Unsupported {
        function: plan.name.clone(),
        device: device.to_string(),
        problem: format!("its step `{label}` {problem}"),
    };
    for step in &plan.steps {
        let Work::Kernel { launch, .. } = &step.work else { continue };
        let items: u64 = launch.local.iter().map(|&items| u64::from(items)).product();
        let most = profile.max_work_group as u64;
        if most != 0 && items > most {
            let problem = format!("runs in work-groups of {items} work-items, and the device has at most {most}");
            return Err(unsupported(&step.label, problem));
        }
        let memory = profile.local_memory.usable;
        if memory != 0 && step.local_bytes > memory {
            let problem = format!("takes {} bytes of local memory, and the device has {memory}", step.local_bytes);
            return Err(unsupported(&step.label, problem));
        }
    }
    Ok(())
}

/// Whether a buffer or, between buffers, a kernel of the plan has `f64`.
fn computes_f64(plan: &Plan) -> bool {
    plan.buffers.iter().any(|buffer| buffer.dtype == DType::F64) || plan.source.contains(FP64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_kernels::compile::compile;
    use netcl_kernels::dim::Shape;
    use netcl_kernels::graph::build::Builder;
    use netcl_kernels::graph::{InputKind, OutputKind, UnaryOp};
    use netcl_kernels::plan::Target;

    #[test]
    fn f64_is_seen_where_no_buffer_has_it() {
        for (dtype, wide) in [(DType::F64, true), (DType::F32, false)] {
            let mut b = Builder::new("wide");
            let x = b.input(InputKind::Argument(0), "x", Shape::of(&[4]), DType::F32);
            let inside = b.cast(x, dtype).unwrap();
            let inside = b.unary(UnaryOp::Exp, inside).unwrap();
            let result = b.cast(inside, DType::F32).unwrap();
            b.output(OutputKind::Result(0), result);
            let plan = compile(&b.finish(), Target::Gpu).unwrap();
            assert!(plan.buffers.iter().all(|buffer| buffer.dtype == DType::F32));
            assert_eq!(computes_f64(&plan), wide, "{}", plan.source);
        }
    }
}
