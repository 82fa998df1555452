//! What may be chosen: whether a configuration is legal for a task.

use super::split::{SPLIT_K, SPLIT_K_VALUES, in_parts};
use super::{Conv2dTask, KernelConfig, LOOP_GROUP, PART, Reduction, Task, Variant, intermediates};
use crate::dim::saturating_product;
use crate::graph::ConvKind;
use crate::target::Target;
use crate::template::{Choice, Limits, Template};

/// Whether `config` may be built and launched for `task` on a device of that kind with these limits.
///
/// # Errors
///
/// Why not, in words for people.
pub fn legal(config: &KernelConfig, task: &Task<u64>, target: Target, limits: &Limits) -> Result<(), String> {
    let variant = config.variant;
    if target == Target::Host {
        return Err("on the host nothing is chosen: its matrix library computes products and convolutions".into());
    }
    if variant.family() != task.family() {
        return Err(format!("{variant} does not compute `{task}`"));
    }
    if variant.local_memory(target) && limits.local_bytes == 0 {
        return Err("it needs local memory, and kernels are to have none on the device".into());
    }
    if let Task::Conv2d(conv) = task {
        legal_conv(config.variant, conv)?;
    }
    if matches!(task, Task::Attention(_)) && target != Target::Gpu {
        return Err("processors compute attention by its products and its softmax".into());
    }
    intermediates::fits(config, task, limits)?;
    if let Some(template) = variant.template(target) {
        return legal_instance(config, template, task, (target, limits));
    }
    if target == Target::Gpu && limits.work_group < LOOP_GROUP && variant.has_loops() {
        return Err(format!("its work-groups are of {LOOP_GROUP} work-items, the device takes {}", limits.work_group));
    }
    complete(&config.values, variant, target)?;
    match task {
        Task::Reduction(reduction) if variant == Variant::ReductionParallel => {
            legal_in_parts(u64::from(config.values.get(PART)), reduction)
        }
        _ => Ok(()),
    }
}

/// How many work-groups of a template the configuration launches for the task; `None` where it is no template's.
pub fn work_groups(config: &KernelConfig, task: &Task<u64>, target: Target) -> Option<u64> {
    let (template, problem) = (config.variant.template(target)?, task.problem()?);
    let groups = (template.grid)(&config.values).groups(problem.m, problem.n, problem.batch);
    let parts = config.values.iter().find(|(name, _)| *name == SPLIT_K).map_or(1, |(_, parts)| u64::from(parts));
    Some(saturating_product(groups).saturating_mul(parts))
}

fn legal_instance(
    config: &KernelConfig,
    template: &Template,
    task: &Task<u64>,
    (target, limits): (Target, &Limits),
) -> Result<(), String> {
    let values = config.values.without(SPLIT_K);
    complete(&values, config.variant, target)?;
    let parts = config.values.iter().find(|(name, _)| *name == SPLIT_K).map(|(_, parts)| parts);
    let part = match parts {
        None => task.clone(),
        Some(parts) if !SPLIT_K_VALUES.contains(&parts) => {
            return Err(format!("{SPLIT_K} is one of {SPLIT_K_VALUES:?}, not {parts}"));
        }
        Some(_) if !config.variant.splits() => {
            return Err(format!("{} has no tunable {SPLIT_K}", config.variant));
        }
        // A loop adds up the parts.
        Some(_) if target == Target::Gpu && limits.work_group < LOOP_GROUP => {
            return Err(format!(
                "sums of parts take work-groups of {LOOP_GROUP} work-items, the device {}",
                limits.work_group
            ));
        }
        Some(parts) => in_parts(task, u64::from(parts))?,
    };
    let problem = part.problem().ok_or("the window does not fit into the padded image")?;
    (template.legal)(&values, &problem, limits)?;
    let bytes = (template.local_bytes)(&values, &problem);
    if bytes > limits.local_bytes {
        let most = limits.local_bytes;
        return Err(format!("its tiles take {bytes} bytes of local memory, the device has {most}"));
    }
    Ok(())
}

/// Whether `choice` gives every tunable of `variant`, and nothing else, a value that it may take.
fn complete(choice: &Choice, variant: Variant, target: Target) -> Result<(), String> {
    let tunables = variant.tunables(target);
    for (name, value) in choice.iter() {
        let Some(tunable) = tunables.iter().find(|tunable| tunable.name == name) else {
            return Err(format!("{variant} has no tunable {name}"));
        };
        if !tunable.values.contains(&value) {
            return Err(format!("{name} is one of {:?}, not {value}", tunable.values));
        }
    }
    for tunable in tunables {
        if !choice.iter().any(|(name, _)| name == tunable.name) {
            return Err(format!("{variant} needs a value of {}", tunable.name));
        }
    }
    Ok(())
}

/// What a variant asks of a convolution, whatever its tunables.
fn legal_conv(variant: Variant, conv: &Conv2dTask<u64>) -> Result<(), String> {
    if conv.problem().is_none() {
        return Err("the window does not fit into the padded image".into());
    }
    let rounds = conv.dtype.compute() != conv.dtype;
    match variant {
        Variant::Conv2dWinograd if conv.kind == ConvKind::WeightGrad => {
            Err("the weight's gradient has no 3x3 filter to transform".into())
        }
        Variant::Conv2dWinograd if rounds => Err(format!("{} would round the transformed tiles", conv.dtype)),
        Variant::Conv2dWinograd if conv.filter != [3, 3] => {
            Err(format!("the transform is for 3x3 filters, not {}x{}", conv.filter[0], conv.filter[1]))
        }
        Variant::Conv2dWinograd if conv.stride != [1, 1] || conv.dilation != [1, 1] => {
            Err("the transform is for stride 1 and dilation 1".into())
        }
        Variant::Conv2dWinograd if conv.groups != 1 => Err("the transform is for one group of channels".into()),
        Variant::Conv2dTiledLocal if conv.kind != ConvKind::Forward => {
            Err("only the forward convolution reads tiles of an image with their margins".into())
        }
        _ => Ok(()),
    }
}

fn legal_in_parts(part: u64, reduction: &Reduction<u64>) -> Result<(), String> {
    if reduction.op.is_position() {
        return Err("places among parts of a row are not places in the row".into());
    }
    if reduction.columns <= part {
        return Err(format!("rows of {} are no longer than a part", reduction.columns));
    }
    Ok(())
}
