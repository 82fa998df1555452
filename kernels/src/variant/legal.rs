//! What may be chosen: the legal configurations of a task.

use super::split::{PARTS, SPLIT_K, in_parts};
use super::{Conv2dTask, Family, KernelConfig, Reduction, Task, Variant, between, default_config};
use crate::plan::{ConvKind, Target};
use crate::rewrite::without_split;
use crate::schedule::gpu::GROUP;
use crate::template::{self, Choice, Limits, Problem, Template};

/// The tunable of [`Variant::ReductionParallel`]: about how many elements a work-group of the first launch takes.
pub const PART: &str = "PART";

/// What [`PART`] may be.
pub(super) const PART_VALUES: [u32; 3] = [1024, 4096, 16384];

/// Every configuration of every variant that is [`legal`] for `task`, the default first and each once; of those with long
/// sums in parts ([`SPLIT_K`]) the likely one for each number of parts. None on the host, whose products and convolutions
/// are calls of a library.
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
                all.extend(
                    PARTS.into_iter().filter_map(|parts| likely_in_parts(task, template, variant, parts, limits)),
                );
            }
            (None, _) if variant == Variant::ReductionParallel => {
                all.extend(PART_VALUES.map(|part| KernelConfig::new(variant, Choice::new(&[(PART, part)]))));
            }
            (None, _) => all.push(KernelConfig::plain(variant)),
            (Some(_), None) => {}
        }
    }
    all.retain(|config| *config != first && legal(config, task, target, limits).is_ok());
    if legal(&first, task, target, limits).is_ok() {
        all.insert(0, first);
    }
    all
}

/// The configuration to begin with for so many parts.
pub(super) fn likely_in_parts(
    task: &Task<u64>,
    template: &Template,
    variant: Variant,
    parts: u32,
    limits: &Limits,
) -> Option<KernelConfig> {
    let part = in_parts(task, u64::from(parts)).ok()?;
    let mut values = (template.initial)(&problem(&part)?, limits);
    values.set(SPLIT_K, parts);
    Some(KernelConfig::new(variant, values))
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
    if variant.local_memory(target) && limits.local_bytes == 0 {
        return Err("it needs local memory, and kernels are to have none on the device".into());
    }
    if let Task::Conv2d(conv) = task {
        legal_conv(config.variant, conv)?;
    }
    between::fits(config, task, limits)?;
    if let Some(template) = template_of(variant, target) {
        return legal_instance(config, template, task, (target, limits));
    }
    if target == Target::Gpu && limits.work_group < GROUP && loops(variant) {
        return Err(format!("its work-groups are of {GROUP} work-items, the device takes {}", limits.work_group));
    }
    match task {
        Task::Reduction(reduction) if variant == Variant::ReductionParallel => {
            legal_in_parts(&config.values, reduction)
        }
        _ => no_tunables(config),
    }
}

/// The template that `variant` is an instance of on devices of that kind, if it is one.
pub fn template_of(variant: Variant, target: Target) -> Option<&'static Template> {
    Some(match variant {
        Variant::MatMulNaive => &template::matmul_naive::TEMPLATE,
        Variant::MatMulTiled => &template::matmul_tiled::TEMPLATE,
        Variant::MatMulRegisterTiled => &template::matmul_register::TEMPLATE,
        Variant::MatMulVectorized => &template::matmul_cpu::TEMPLATE,
        Variant::Conv2dNaive => &template::conv2d_naive::TEMPLATE,
        Variant::Conv2dTiledLocal => &template::conv2d_tiled_local::TEMPLATE,
        Variant::Conv2dImplicitGemm => match target {
            Target::Gpu => &template::conv2d_implicit_gemm::TEMPLATE,
            Target::Cpu | Target::Host => &template::conv2d_cpu::TEMPLATE,
        },
        _ => return None,
    })
}

/// The matrix product behind a product or convolution.
pub(super) fn problem(task: &Task<u64>) -> Option<Problem> {
    match task {
        Task::Product(product) => Some(product.problem()),
        Task::Conv2d(conv) => conv.problem(),
        _ => None,
    }
}

fn legal_instance(
    config: &KernelConfig,
    template: &Template,
    task: &Task<u64>,
    (target, limits): (Target, &Limits),
) -> Result<(), String> {
    let values = without_split(&config.values);
    complete(&values, template)?;
    let parts = config.values.iter().find(|(name, _)| *name == SPLIT_K).map(|(_, parts)| parts);
    let part = match parts {
        None => task.clone(),
        Some(parts) if !PARTS.contains(&parts) => return Err(format!("{SPLIT_K} is one of {PARTS:?}, not {parts}")),
        Some(_) if config.variant == Variant::Conv2dTiledLocal => {
            return Err(format!("{} has no tunable {SPLIT_K}", config.variant));
        }
        // A loop adds up the parts.
        Some(_) if target == Target::Gpu && limits.work_group < GROUP => {
            return Err(format!(
                "sums of parts take work-groups of {GROUP} work-items, the device {}",
                limits.work_group
            ));
        }
        Some(parts) => in_parts(task, u64::from(parts))?,
    };
    let problem = problem(&part).ok_or("the window does not fit into the padded image")?;
    (template.legal)(&values, &problem, limits)?;
    let bytes = (template.local_bytes)(&values, &problem);
    if bytes > limits.local_bytes {
        let most = limits.local_bytes;
        return Err(format!("its tiles take {bytes} bytes of local memory, the device has {most}"));
    }
    Ok(())
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

fn no_tunables(config: &KernelConfig) -> Result<(), String> {
    match config.values.iter().next() {
        Some((name, _)) => Err(format!("{} has no tunable {name}", config.variant)),
        None => Ok(()),
    }
}

/// Whether kernels of `variant` are laid out by the compiler, at least in part, and not all instances of templates: im2col's
/// patches and Winograd's squares are written by loops.
fn loops(variant: Variant) -> bool {
    let family = variant.family();
    let several = [Variant::Conv2dIm2col, Variant::Conv2dWinograd];
    [Family::Elementwise, Family::Reduction, Family::BatchNorm].contains(&family) || several.contains(&variant)
}

/// What a variant asks of a convolution, whatever its tunables.
fn legal_conv(variant: Variant, conv: &Conv2dTask<u64>) -> Result<(), String> {
    if conv.problem().is_none() {
        return Err("the window does not fit into the padded image".into());
    }
    let rounds = conv.dtype.compute() != conv.dtype;
    match variant {
        Variant::Conv2dIm2col if rounds && conv.kind == ConvKind::InputGrad => {
            Err(format!("{} would round the gradients of patches before they are added up", conv.dtype))
        }
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

fn legal_in_parts(values: &Choice, reduction: &Reduction<u64>) -> Result<(), String> {
    let part = match values.iter().collect::<Vec<_>>()[..] {
        [(PART, part)] if PART_VALUES.contains(&part) => u64::from(part),
        _ => return Err(format!("{} has one tunable, {PART}, one of {PART_VALUES:?}", Variant::ReductionParallel)),
    };
    if reduction.op.is_position() {
        return Err("places among parts of a row are not places in the row".into());
    }
    if reduction.dtype.compute() != reduction.dtype {
        return Err(format!("{} would round what the parts give", reduction.dtype));
    }
    if reduction.columns <= part {
        return Err(format!("rows of {} are no longer than a part", reduction.columns));
    }
    Ok(())
}
