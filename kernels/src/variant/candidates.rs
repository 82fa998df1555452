//! What a tuner chooses among, and where it begins.

use super::legal::legal;
use super::parts::forms_in_parts;
use super::rule::{default_config, initial_config};
use super::split::SPLIT_K_VALUES;
use super::{KernelConfig, Task};
use crate::target::Target;
use crate::template::{self, Limits};

/// Every configuration of every variant that is [`legal`] for `task`, the default first and each once; of those with long
/// sums in parts ([`SPLIT_K`](super::SPLIT_K)) the likely ones for each number of parts. None on the host, whose products and convolutions
/// are calls of a library.
pub fn candidates(task: &Task<u64>, target: Target, limits: &Limits) -> Vec<KernelConfig> {
    if target == Target::Host {
        return Vec::new();
    }
    let first = default_config(task, target, limits);
    let mut all = Vec::new();
    for variant in task.family().variants() {
        match (variant.template(target), task.problem()) {
            (Some(template), Some(problem)) => {
                let choices = template.choices(&problem, limits);
                all.extend(choices.map(|values| KernelConfig::new(variant, values)));
                all.extend(
                    SPLIT_K_VALUES.into_iter().flat_map(|parts| forms_in_parts(task, variant, parts, target, limits)),
                );
            }
            (None, _) => {
                let choices = template::every_choice(variant.tunables(target));
                all.extend(choices.map(|values| KernelConfig::new(variant, values)));
            }
            (Some(_), None) => {}
        }
    }
    all.retain(|config| *config != first && legal(config, task, target, limits).is_ok());
    if legal(&first, task, target, limits).is_ok() {
        all.insert(0, first);
    }
    all
}

/// Where a search for the fastest configuration begins: each variant as its template does, in each of its forms, as far as
/// they are [`legal`].
pub fn starts(task: &Task<u64>, target: Target, limits: &Limits) -> Vec<KernelConfig> {
    let mut starts = Vec::new();
    for variant in task.family().variants() {
        starts.push(initial_config(task, variant, target, limits));
        if let (Some(template), Some(problem)) = (variant.template(target), task.problem()) {
            let others = (template.other_forms)(&problem, limits);
            starts.extend(others.into_iter().map(|values| KernelConfig::new(variant, values)));
        }
    }
    starts.retain(|config| legal(config, task, target, limits).is_ok());
    starts
}
