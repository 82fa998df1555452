//! One way to compute a function on a device: a plan, and what was made for it.

use crate::device::Device;
use crate::error::{Error, Result};
use crate::executor::call::Call;
use crate::executor::interface::Interface;
use crate::executor::resolve::{Lookups, Resolved};
use crate::executor::tiers::{self, Bound, Tier, Tiers};
use netcl_hal::device::backend::Program;
use netcl_hal::device::dispatch::{Native, ProgramSource};
use netcl_kernels::dim::{Bindings, Dim};
use netcl_kernels::dtype::DType;
use netcl_kernels::plan::verify::{VerifiedPlan, verify};
use netcl_kernels::plan::{Plan, Work};
use netcl_kernels::variant::{Decision, KernelConfig, Task};
use std::sync::Arc;

/// What the source of kernels that compute with `f64` starts with.
const FP64: &str = "EXTENSION cl_khr_fp64";

/// The plan as the executor takes it.
///
/// # Errors
///
/// [`Error::Plan`] with the rule that it breaks.
pub(crate) fn verified(plan: impl Into<Arc<Plan>>) -> Result<VerifiedPlan> {
    let plan = plan.into();
    verify(plan.clone()).map_err(|problem| Error::Plan { function: plan.name.clone(), problem })
}

/// How one task of a plan is computed.
pub(super) struct Answer {
    pub(super) task: Task<Dim>,
    /// What was asked for; `None`: the compiler decided.
    pub(super) wanted: Option<KernelConfig>,
    pub(super) taken: KernelConfig,
}

impl Answer {
    /// Those of a plan that the compiler made by itself.
    pub(super) fn by_rule(plan: &Plan) -> Vec<Answer> {
        let answer =
            |Decision { task, config }: &Decision| Answer { task: task.clone(), wanted: None, taken: config.clone() };
        plan.decisions.iter().map(answer).collect()
    }
}

/// A plan on a device. Its kernels are built when they are first needed: sizes may all ask for another version.
pub(super) struct Version {
    pub(super) plan: VerifiedPlan,
    pub(super) interface: Interface,
    /// How its tasks are computed, and who said so.
    pub(super) answers: Vec<Answer>,
    native: Native,
    tiers: Tiers,
    lookups: Lookups,
}

impl Version {
    pub(super) fn new(plan: VerifiedPlan, answers: Vec<Answer>, native: Native) -> Result<Version> {
        let interface = Interface::of(&plan);
        let tiers = Tiers::new(&plan);
        Ok(Version { plan, interface, answers, native, tiers, lookups: Lookups::new() })
    }

    /// Its kernels for calls with these sizes, built at the first; which tier's if `tier` does not say.
    pub(super) fn program(
        &self,
        device: &Device,
        tier: Option<Tier>,
        bindings: Bindings<'_>,
    ) -> Result<(&dyn Program, Bound)> {
        let build = |tier| self.load(device, tier);
        match tier {
            Some(Tier::Last) => Ok((self.tiers.program(Tier::Last, &build)?, Bound::Last)),
            Some(Tier::First) => Ok((self.tiers.program(Tier::First, &build)?, Bound::First(0))),
            None => {
                let at_once = || self.source(Tier::Last, |source| device.backend().optimizes_at_once(source));
                self.tiers.for_calls(tiers::work(&self.plan, bindings), at_once, &build)
            }
        }
    }

    /// Builds its kernels to be fast, unless that was done.
    pub(super) fn build(&self, device: &Device) -> Result<()> {
        self.tiers.program(Tier::Last, &|tier| self.load(device, tier)).map(drop)
    }

    /// Builds its kernels where they are not there yet, as of a plan that does not come again.
    pub(super) fn build_once(&self, device: &Device) -> Result<()> {
        let build = |tier| {
            groups_fit(&self.plan, device)?;
            Ok(self.source(tier, |source| device.backend().load_once(source))?)
        };
        self.tiers.program(Tier::Last, &build).map(drop)
    }

    /// Whether what is bound of it is to be bound anew, to faster kernels.
    pub(super) fn is_outgrown(&self, bound: Bound) -> bool {
        matches!(bound, Bound::First(work) if self.tiers.is_outgrown(work))
    }

    /// Notes a call of what is bound of it.
    pub(super) fn count(&self, bound: Bound) {
        if let Bound::First(work) = bound {
            self.tiers.count(work);
        }
    }

    fn load(&self, device: &Device, tier: Tier) -> Result<Box<dyn Program>> {
        groups_fit(&self.plan, device)?;
        Ok(self.source(tier, |source| device.backend().load(source))?)
    }

    /// What `load` makes of what a tier's program is built from.
    fn source<T>(&self, tier: Tier, load: impl FnOnce(&ProgramSource<'_>) -> T) -> T {
        let Plan { name, source, loops, .. } = &*self.plan;
        let (text, optimized) = (&source.to_string(), tier == Tier::Last);
        load(&ProgramSource { name, text, optimized, loops, native: self.native })
    }

    /// Where the tensors of the call's model lie; `None` if the plan uses none.
    pub(super) fn resolved(&self, device: &Device, call: &Call<'_>) -> Result<Option<Arc<Resolved>>> {
        self.lookups.of((&self.plan, &self.interface), device, call)
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
pub(super) fn computes_f64(plan: &Plan) -> bool {
    plan.buffers.iter().any(|buffer| buffer.dtype == DType::F64) || plan.source.mentions(FP64)
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
