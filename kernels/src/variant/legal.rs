//! What may be chosen: the legal configurations of a task.

use super::{KernelConfig, Task, Variant, default_config};
use crate::plan::Target;
use crate::template::{self, Choice, Limits, Problem, Template};

/// Every legal configuration of every variant that can compute `task`, the default first and each once. None on the host,
/// whose products and convolutions are calls of a library.
pub fn candidates(task: &Task<u64>, target: Target, limits: &Limits) -> Vec<KernelConfig> {
    if target == Target::Host {
        return Vec::new();
    }
    let first = default_config(task, target, limits);
    let mut all = Vec::new();
    for variant in task.family().variants() {
        match (template_of(variant, target), problem(task)) {
            (Some(template), Some(problem)) => {
                let choices = template.choices(&problem, limits);
                all.extend(choices.map(|values| KernelConfig::new(variant, values)));
            }
            (Some(_), None) => {}
            (None, _) => all.push(KernelConfig::plain(variant)),
        }
    }
    all.retain(|config| *config != first && legal(config, task, target, limits).is_ok());
    if legal(&first, task, target, limits).is_ok() {
        all.insert(0, first);
    }
    all
}

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
    let Some(template) = template_of(variant, target) else {
        // What has no template of its own is what the rule takes.
        return match *config == default_config(task, target, limits) {
            true => Ok(()),
            false => Err(format!("{config} is not available for `{task}`")),
        };
    };
    let Some(problem) = problem(task) else {
        return Err("the window does not fit into the padded image".into());
    };
    complete(&config.values, template)?;
    (template.legal)(&config.values, &problem, limits).map_err(str::to_owned)
}

/// The template that `variant` is an instance of, if it is one.
pub(crate) fn template_of(variant: Variant, target: Target) -> Option<&'static Template> {
    Some(match variant {
        Variant::MatMulNaive => &template::matmul_naive::TEMPLATE,
        Variant::MatMulTiled => &template::matmul_tiled::TEMPLATE,
        Variant::MatMulRegisterTiled => &template::matmul_register::TEMPLATE,
        Variant::MatMulVectorized => &template::matmul_cpu::TEMPLATE,
        Variant::Conv2dImplicitGemm => match target {
            Target::Gpu => &template::conv2d_implicit_gemm::TEMPLATE,
            Target::Cpu | Target::Host => &template::conv2d_cpu::TEMPLATE,
        },
        _ => return None,
    })
}

/// The matrix product behind a product or convolution.
fn problem(task: &Task<u64>) -> Option<Problem> {
    match task {
        Task::Product(product) => Some(product.problem()),
        Task::Conv2d(conv) => conv.problem(),
        _ => None,
    }
}

/// Whether `choice` gives every tunable of `template`, and nothing else, a value that it may take.
fn complete(choice: &Choice, template: &Template) -> Result<(), String> {
    for (name, value) in choice.iter() {
        let Some(tunable) = template.tunables.iter().find(|tunable| tunable.name == name) else {
            return Err(format!("{} has no tunable {name}", template.name));
        };
        if !tunable.values.contains(&value) {
            return Err(format!("{name} is one of {:?}, not {value}", tunable.values));
        }
    }
    for tunable in template.tunables {
        if !choice.iter().any(|(name, _)| name == tunable.name) {
            return Err(format!("{} needs a value of {}", template.name, tunable.name));
        }
    }
    Ok(())
}
