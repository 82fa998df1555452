//! Every candidate of every task is legal, compiles and is what was decided; the default is the first.

use libtest_mimic::Trial;
use netcl_fixtures::tasks::{attention_tasks, tasks};
use netcl_kernels::compile::{CompileOptions, compile_with};
use netcl_kernels::dim::IndexWidth;
use netcl_kernels::plan::Target;
use netcl_kernels::variant::{self, Always, KernelConfig, Task, candidates, default_config, legal, typical};
use std::collections::BTreeSet;

use crate::test;

/// A few configurations of each variant: the first, and one for every value of every tunable.
fn some(task: &Task<u64>, target: Target) -> Vec<KernelConfig> {
    let mut seen = BTreeSet::new();
    let mut some = Vec::new();
    for config in candidates(task, target, &typical(target)) {
        let values = config.values.iter().map(|(name, value)| (config.variant, name.to_owned(), value));
        let new = values.filter(|value| seen.insert(value.clone())).count();
        if new > 0 || config.values.iter().next().is_none() {
            some.push(config);
        }
    }
    some
}

fn candidates_are_legal_compile_and_are_what_was_decided(task: &Task<u64>, target: Target) {
    let graph = variant::graph(task);
    for config in some(task, target) {
        let limits = typical(target);
        assert_eq!(legal(&config, task, target, &limits), Ok(()), "{config}");
        let plan = compile_with(
            &graph,
            target,
            &CompileOptions { limits, select: &Always(config.clone()), width: IndexWidth::Narrow },
        )
        .unwrap();
        // What prepares the operands of a task is of other families.
        let own = plan.decisions.iter().find(|own| own.task.family() == task.family()).unwrap();
        assert_eq!(own.task.evaluate(&[]).unwrap(), *task);
        assert_eq!(own.config, config);
    }
}

fn the_default_is_the_first_candidate(task: &Task<u64>, target: Target) {
    let limits = typical(target);
    let candidates = candidates(task, target, &limits);
    assert_eq!(candidates[0], default_config(task, target, &limits));
    let distinct: BTreeSet<&KernelConfig> = candidates.iter().collect();
    assert_eq!(distinct.len(), candidates.len());
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for target in [Target::Cpu, Target::Gpu] {
        let of_gpus = if target == Target::Gpu { attention_tasks() } else { Vec::new() };
        for task in tasks().into_iter().chain(of_gpus) {
            let name = format!("variants::{}::{task}", target.name());
            trials.push(test(name, move || {
                the_default_is_the_first_candidate(&task, target);
                candidates_are_legal_compile_and_are_what_was_decided(&task, target);
            }));
        }
    }
    trials
}
