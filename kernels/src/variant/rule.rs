//! The rule that decides where nobody knows better, and what it takes a device for.

use super::legal::{legal, template_of};
use super::{Conv2dTask, KernelConfig, Product, Task, Variant};
use crate::plan::Target;
use crate::template::Limits;

/// What a device of that kind has at least, and about how large it is: for compiling where no device is known.
pub fn typical(target: Target) -> Limits {
    match target {
        Target::Gpu => Limits { local_bytes: 32 << 10, work_group: 256, units: 64, lanes: 1 },
        Target::Cpu | Target::Host => Limits { local_bytes: 32 << 10, work_group: 1024, units: 8, lanes: 16 },
    }
}

/// How `task` is computed where nobody knows better: what was measured to be good on few devices, by kind and size.
pub fn default_config(task: &Task<u64>, target: Target, limits: &Limits) -> KernelConfig {
    match task {
        Task::Product(product) => default_product(task, product, target, limits),
        Task::Conv2d(conv) => default_conv(conv, target, limits),
        Task::Elementwise(_) => KernelConfig::plain(match target {
            Target::Gpu => Variant::ElementwiseScalar,
            Target::Cpu | Target::Host => Variant::ElementwiseVector,
        }),
        Task::Reduction(reduction) => KernelConfig::plain(match target {
            Target::Gpu if reduction.columns > 64 => Variant::ReductionWorkGroup,
            _ => Variant::ReductionSequential,
        }),
        Task::BatchNorm(_) => KernelConfig::plain(Variant::BatchNormFused),
    }
}

fn default_product(task: &Task<u64>, product: &Product<u64>, target: Target, limits: &Limits) -> KernelConfig {
    let problem = product.problem();
    let small = problem.m.saturating_mul(problem.n).saturating_mul(problem.batch) <= 1 << 14;
    let wanted = match target {
        Target::Cpu | Target::Host => Variant::MatMulVectorized,
        Target::Gpu if small && problem.k <= 256 => Variant::MatMulNaive,
        Target::Gpu if problem.m < 32 || problem.n < 32 => Variant::MatMulTiled,
        Target::Gpu => Variant::MatMulRegisterTiled,
    };
    let config = |variant: Variant| {
        let values = template_of(variant, target).map(|template| (template.initial)(&problem, limits));
        KernelConfig::new(variant, values.unwrap_or_default())
    };
    let config_of_wanted = config(wanted);
    // A device may have too little local memory or too small work-groups for the wanted one.
    if target == Target::Host || legal(&config_of_wanted, task, target, limits).is_ok() {
        config_of_wanted
    } else {
        config(Variant::MatMulNaive)
    }
}

fn default_conv(conv: &Conv2dTask<u64>, target: Target, limits: &Limits) -> KernelConfig {
    let variant = Variant::Conv2dImplicitGemm;
    let values = template_of(variant, target).map(|template| match conv.problem() {
        Some(problem) => (template.initial)(&problem, limits),
        // No window fits: nothing is computed.
        None => template.defaults(),
    });
    KernelConfig::new(variant, values.unwrap_or_default())
}
