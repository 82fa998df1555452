//! Self-tests: a variant computes a small task before it computes anything else on a device.

use super::bodies::{at_once, in_parts, test_name};
use super::run::run;
use super::small::small;
use super::{Case, Rejection, fault};
use crate::device::Device;
use crate::executor::{Loaded, tiers, verified};
use crate::select::state::DeviceSelector;
use netcl_kernels::dtype::DType;
use netcl_kernels::plan::source::ProgramText;
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::template::Limits;
use netcl_kernels::variant::{self, Family, KernelConfig, Task, Variant, candidates, default_config, legal};
use std::time::Instant;

/// How a self-test ended.
pub(in crate::select) enum Verdict {
    Passed,
    /// The variant is not to be used; why.
    Failed(String),
    /// The device has not launched it, and launches others; why. It may lack what the kernel needs (registers), now or
    /// always.
    Refused(String),
    /// It could not be made; why.
    Unknown(String),
}

/// Whether a variant has to be tested before it is used: templates, what the compiler does not do by itself, and whatever has
/// local memory and barriers.
pub(in crate::select) fn wants_test(task: &Task<u64>, config: &KernelConfig, target: Target) -> bool {
    match task.family() {
        Family::Product | Family::Conv2d => true,
        // Work-items of GPUs meet in it in each round.
        Family::Recurrence if target == Target::Gpu && config.variant == Variant::RecurrenceOneKernel => true,
        _ => {
            let default = default_config(task, target, &variant::typical(target)).variant;
            config.variant != default || config.variant.local_memory(target)
        }
    }
}

/// What to try in place of `config` for `task`: itself on a small task, or what is most like it there.
fn trial(
    task: &Task<u64>,
    config: &KernelConfig,
    target: Target,
    limits: &Limits,
) -> Result<(Task<u64>, KernelConfig), String> {
    let small = small(&at_once(task, config, target), in_parts(config));
    if legal(config, &small, target, limits).is_ok() {
        return Ok((small, config.clone()));
    }
    let name = test_name(task, config, target);
    // Tunables that the small shape does not take say nothing about it.
    let like = candidates(&small, target, limits).into_iter().find(|own| test_name(&small, own, target) == name);
    like.map(|own| (small.clone(), own)).ok_or_else(|| format!("`{config}` has nothing like it for `{small}`"))
}

/// Tries a configuration on a small shape.
pub(in crate::select) fn self_test(
    state: &DeviceSelector,
    device: &Device,
    task: &Task<u64>,
    config: &KernelConfig,
) -> Verdict {
    let started = Instant::now();
    let (task, config) = match trial(task, config, device.profile().target, &state.circumstances.limits) {
        Ok(trial) => trial,
        Err(why) => return Verdict::Unknown(why),
    };
    let queue = state.trial_queue(device);
    let case = Case::new(&queue, &task).map_err(|error| Rejection::Unmeasured(error.to_string()));
    let mut refused = false;
    let outcome = case.and_then(|mut case| {
        tiers(&queue).iter().try_for_each(|&tier| {
            let loaded = case.load_tier(state, &config, tier)?;
            let result = run(&loaded, &case.operands).and_then(|result| queue.finish().map(|()| result));
            let result = result.map_err(|error| {
                refused = fault::is_refusal(&queue, &error);
                fault::of(&queue, error)
            })?;
            case.check(&result)
        })
    });
    tracing::debug!(config = %config, milliseconds = started.elapsed().as_millis() as u64, "kernel tested");
    match outcome {
        Ok(()) => Verdict::Passed,
        Err(Rejection::Wrong(why)) => Verdict::Failed(format!("its numbers are wrong: {why}")),
        Err(Rejection::Fails(why)) => Verdict::Failed(why),
        Err(Rejection::Unmeasured(why)) if refused => Verdict::Refused(why),
        Err(Rejection::Unmeasured(why)) => Verdict::Unknown(why),
    }
}

/// Tries configurations on small shapes in one program: the positions of those that passed.
pub(in crate::select) fn self_tests(
    state: &DeviceSelector,
    device: &Device,
    list: &[(Task<u64>, KernelConfig)],
) -> Vec<usize> {
    let started = Instant::now();
    let queue = state.trial_queue(device);
    let mut source = ProgramText::default();
    let mut cases = Vec::new();
    for (position, (task, config)) in list.iter().enumerate() {
        let trial = trial(task, config, device.profile().target, &state.circumstances.limits);
        let Some((task, config)) = trial.ok().filter(|(task, _)| is_alone(task)) else { continue };
        let Ok(mut case) = Case::new(&queue, &task) else { continue };
        // Kernels are named after it.
        case.graph.name = format!("task_{position}");
        // Several kernels may bring helpers along, which two texts would define twice.
        let Some(plan) = case.plan(state, &config).ok().filter(|plan| plan.launches() == 1) else { continue };
        plan.source.pieces().for_each(|piece| source.push(piece));
        cases.push((position, case, plan));
    }
    let count = cases.len();
    let passes = |(position, mut case, mut plan): (usize, Case, Plan)| {
        plan.source = source.clone();
        let plan = verified(plan).ok()?;
        let is_right = tiers(&queue).iter().all(|&tier| {
            let result = Loaded::of_tier(&queue, plan.clone(), tier)
                .and_then(|loaded| run(&loaded, &case.operands))
                .and_then(|result| queue.finish().map(|()| result));
            result.is_ok_and(|result| case.check(&result).is_ok())
        });
        is_right.then_some(position)
    };
    let mut passed = Vec::new();
    for case in cases {
        // What fails may spoil the program for all.
        let Some(position) = passes(case) else { break };
        passed.push(position);
    }
    tracing::debug!(
        count,
        passed = passed.len(),
        milliseconds = started.elapsed().as_millis() as u64,
        "kernels tested"
    );
    passed
}

/// Whether the task's kernels are templates that stand alone in a text.
fn is_alone(task: &Task<u64>) -> bool {
    match task {
        Task::Product(product) => product.dtype == DType::F32,
        Task::Conv2d(conv) => conv.dtype == DType::F32,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::testing::tasks;
    use netcl_kernels::variant::Family;
    use std::collections::BTreeSet;

    #[test]
    fn every_kernel_can_be_tried_on_a_small_shape_as_what_it_is() {
        for target in [Target::Cpu, Target::Gpu] {
            let limits = Limits { local_bytes: 48 << 10, work_group: 1024, ..variant::typical(target) };
            let mut variants = BTreeSet::new();
            for task in tasks() {
                for config in candidates(&task, target, &limits) {
                    variants.insert(config.variant);
                    let (small, own) = trial(&task, &config, target, &limits).unwrap();
                    assert_eq!(legal(&own, &small, target, &limits), Ok(()));
                    assert_eq!(test_name(&small, &own, target), test_name(&task, &config, target));
                }
            }
            // Processors have no kernel for attention.
            let is_there = |own: &variant::Variant| target == Target::Gpu || own.family() != Family::Attention;
            assert_eq!(variants, variant::Variant::ALL.into_iter().filter(is_there).collect(), "{}", target.name());
        }
    }

    #[test]
    fn templates_choices_and_barriers_are_tested_and_plain_loops_are_not() {
        let wants = |family: fn(&Task<u64>) -> bool, config: &str, target: Target| {
            let task = tasks().into_iter().find(family).unwrap();
            wants_test(&task, &KernelConfig::parse(config).unwrap(), target)
        };
        let map = |task: &Task<u64>| matches!(task, Task::Elementwise(_));
        let rows = |task: &Task<u64>| matches!(task, Task::Reduction(own) if own.contiguous);
        let product = |task: &Task<u64>| matches!(task, Task::Product(_));
        assert!(wants(product, "matmul_naive", Target::Gpu) && wants(product, "matmul_vectorized", Target::Cpu));
        assert!(wants(rows, "reduction_work_group", Target::Gpu), "a default with barriers");
        assert!(wants(rows, "reduction_sequential", Target::Gpu) && !wants(rows, "reduction_sequential", Target::Cpu));
        assert!(wants(map, "elementwise_vector", Target::Gpu) && !wants(map, "elementwise_scalar", Target::Gpu));
    }
}
