//! Configurations that compute long sums in parts.

use super::split::{SPLIT_K, in_parts};
use super::{KernelConfig, Task, Variant};
use crate::target::Target;
use crate::template::{Choice, Limits, Problem, Template};

/// The configuration to begin with for so many parts of a sum, which not every variant computes.
pub(super) fn likely_in_parts(
    task: &Task<u64>,
    variant: Variant,
    parts: u32,
    target: Target,
    limits: &Limits,
) -> Option<KernelConfig> {
    let (template, part) = one_part(task, variant, parts, target)?;
    Some(cut(variant, (template.initial)(&part, limits), parts))
}

/// [`likely_in_parts`] in each of the template's forms.
pub(super) fn forms_in_parts(
    task: &Task<u64>,
    variant: Variant,
    parts: u32,
    target: Target,
    limits: &Limits,
) -> Vec<KernelConfig> {
    let Some((template, part)) = one_part(task, variant, parts, target) else { return Vec::new() };
    let others = (template.other_forms)(&part, limits);
    std::iter::once((template.initial)(&part, limits)).chain(others).map(|values| cut(variant, values, parts)).collect()
}

/// What computes one of so many parts of a sum, and what that is.
fn one_part(task: &Task<u64>, variant: Variant, parts: u32, target: Target) -> Option<(&'static Template, Problem)> {
    let template = variant.template(target).filter(|_| variant.splits())?;
    Some((template, in_parts(task, u64::from(parts)).ok()?.problem()?))
}

fn cut(variant: Variant, mut values: Choice, parts: u32) -> KernelConfig {
    values.set(SPLIT_K, parts);
    KernelConfig::new(variant, values)
}
