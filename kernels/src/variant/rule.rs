//! The rule that decides where nobody knows better, and what it takes a device for.

use super::legal::legal;
use super::parts::likely_in_parts;
use super::split::{SPLIT_K_VALUES, cost_in_parts, in_parts, is_worth_parts};
use super::{BatchNorm, KernelConfig, PART, Product, Recurrence, Reduction, Task, Variant};
use crate::dim::{Dim, saturating_product};
use crate::graph::{ConvKind, ReduceOp};
use crate::target::Target;
use crate::template::{Choice, Limits, MatrixUnit};

/// A quarter of the memory that a device may have at least.
const BETWEEN: u64 = 256 << 20;

/// A map of so many elements keeps a GPU busy although each work-item has a vector of them. Of `f32` smaller ones lose by it (2 % of a
/// CNN's step of 64 images), since neighbouring work-items fill what memory hands out at a time; halves do not.
const LARGE_MAP: u64 = 1 << 22;

/// What a device of that kind has at least, and about how large it is: for compiling where no device is known.
pub fn typical(target: Target) -> Limits {
    match target {
        Target::Gpu => Limits {
            local_bytes: 32 << 10,
            work_group: 256,
            units: 64,
            lanes: 1,
            between_bytes: BETWEEN,
            matrix_unit: MatrixUnit::NONE,
        },
        Target::Cpu | Target::Host => Limits {
            local_bytes: 32 << 10,
            work_group: 1024,
            units: 8,
            lanes: 16,
            between_bytes: BETWEEN,
            matrix_unit: MatrixUnit::NONE,
        },
    }
}

/// How `task` is computed where nobody knows better: what was measured to be good on few devices, by kind and size. Legal
/// wherever anything is, which loops are on no GPU whose work-groups are smaller than theirs ([`legal`] says so).
pub fn default_config(task: &Task<u64>, target: Target, limits: &Limits) -> KernelConfig {
    let whole = default_in_one(task, target, limits);
    if target != Target::Gpu {
        return whole;
    }
    let parts = match task {
        Task::Reduction(reduction) => long_rows(reduction, limits),
        Task::BatchNorm(norm) => long_channels(norm, limits),
        _ => long_sums(task, &whole, target, limits),
    };
    parts.filter(|config| legal(config, task, target, limits).is_ok()).unwrap_or(whole)
}

/// As [`default_config`], for a plan that serves every value of its symbols: a sum is cut where all of them have as few
/// results. Where a symbol decides how many there are, a larger one keeps a device busy with sums in one piece.
pub(crate) fn default_for_plan(task: &Task<Dim>, target: Target, limits: &Limits) -> KernelConfig {
    let sums = matches!(task, Task::Product(_) | Task::Conv2d(_));
    if sums && !results_are_known(task) {
        return default_in_one(&task.estimate(), target, limits);
    }
    default_config(&task.estimate(), target, limits)
}

/// Whether no symbol decides how many results a product or convolution has.
fn results_are_known(task: &Task<Dim>) -> bool {
    let known = |sizes: &[&Dim]| sizes.iter().all(|size| size.as_constant().is_some());
    match task {
        Task::Product(product) => known(&[&product.m, &product.n, &product.batch]),
        Task::Conv2d(conv) => {
            let ([height, width], [taps_y, taps_x]) = (&conv.size, &conv.filter);
            // The weight's gradient sums over images and pixels.
            let images = conv.kind == ConvKind::WeightGrad || known(&[&conv.images, height, width]);
            images && known(&[&conv.channels, &conv.out_channels, taps_y, taps_x])
        }
        _ => true,
    }
}

/// Whether a round is so small that its launches cost more than what they share: one kernel reads the weights anew for each element
/// of the batch. A GPU has a work-group for each, a processor computes them one after the other.
fn is_small_round(own: &Recurrence<u64>, target: Target) -> bool {
    match target {
        Target::Gpu => own.width <= 208,
        Target::Cpu | Target::Host => saturating_product([own.rows, own.width, own.width]) <= 1 << 17,
    }
}

/// As [`default_config`], of what one kernel computes.
pub(crate) fn default_in_one(task: &Task<u64>, target: Target, limits: &Limits) -> KernelConfig {
    match task {
        Task::Product(product) => {
            let wanted = initial_config(task, wanted_product(product, target, limits), target, limits);
            // A device may have too little local memory or too small work-groups for it.
            if target == Target::Host || legal(&wanted, task, target, limits).is_ok() {
                wanted
            } else {
                initial_config(task, Variant::MatMulNaive, target, limits)
            }
        }
        Task::Conv2d(_) => {
            let wanted = initial_config(task, Variant::Conv2dImplicitGemm, target, limits);
            if target == Target::Host || legal(&wanted, task, target, limits).is_ok() {
                wanted
            } else {
                initial_config(task, Variant::Conv2dNaive, target, limits)
            }
        }
        Task::Elementwise(map) => KernelConfig::plain(match target {
            Target::Gpu if map.dtype.size() >= 4 && map.elements < LARGE_MAP => Variant::ElementwiseScalar,
            _ => Variant::ElementwiseVector,
        }),
        Task::Reduction(reduction) => KernelConfig::plain(match target {
            Target::Gpu if reduction.columns > 64 && limits.local_bytes > 0 => Variant::ReductionWorkGroup,
            _ => Variant::ReductionSequential,
        }),
        Task::BatchNorm(_) => KernelConfig::plain(Variant::BatchNormFused),
        Task::Attention(_) => KernelConfig::plain(Variant::AttentionNaive),
        Task::Recurrence(own) => KernelConfig::plain(match is_small_round(own, target) {
            true => Variant::RecurrenceOneKernel,
            false => Variant::RecurrenceLaunches,
        }),
    }
}

fn wanted_product(product: &Product<u64>, target: Target, limits: &Limits) -> Variant {
    let small = product.m.saturating_mul(product.n).saturating_mul(product.batch) <= 1 << 14;
    match target {
        Target::Cpu | Target::Host => Variant::MatMulVectorized,
        Target::Gpu if small && product.k <= 256 => Variant::MatMulNaive,
        Target::Gpu if product.m < 32 || product.n < 32 => Variant::MatMulTiled,
        Target::Gpu if limits.matrix_unit.multiplies(product.dtype) => Variant::MatMulMma,
        Target::Gpu => Variant::MatMulRegisterTiled,
    }
}

/// `variant` as its template begins; not [`legal`] everywhere.
pub fn initial_config(task: &Task<u64>, variant: Variant, target: Target, limits: &Limits) -> KernelConfig {
    let Some(template) = variant.template(target) else { return KernelConfig::plain(variant) };
    let values = match task.problem() {
        Some(problem) => (template.initial)(&problem, limits),
        // No window fits: nothing is computed.
        None => template.defaults(),
    };
    KernelConfig::new(variant, values)
}

/// Long sums in parts, where the work-groups that compute them whole leave compute units without work: some of them from the start,
/// or most of them while the last few finish.
fn long_sums(task: &Task<u64>, whole: &KernelConfig, target: Target, limits: &Limits) -> Option<KernelConfig> {
    let template = whole.variant.template(target)?;
    let problem = task.problem()?;
    let in_one = cost_in_parts(template, &whole.values, &problem, 1, limits);
    let parts = SPLIT_K_VALUES.into_iter().filter(|parts| is_worth_parts(problem.k, u64::from(*parts)));
    let costs = parts.filter_map(|parts| {
        let config = likely_in_parts(task, whole.variant, parts, target, limits)?;
        let all = in_parts(task, u64::from(parts)).ok()?.problem()?;
        Some((cost_in_parts(template, &config.values, &all, u64::from(parts), limits), config))
    });
    let (cost, config) = costs.min_by_key(|(cost, _)| *cost)?;
    // A second launch and what is not counted here want a tenth at least.
    (cost < in_one - in_one / 10).then_some(config)
}

/// Few rows of many elements in parts. A work-group takes a row, or 32 where neighbours in memory are of different rows: such have
/// fewer work-items for each.
fn long_rows(reduction: &Reduction<u64>, limits: &Limits) -> Option<KernelConfig> {
    let (groups, part, long) = match reduction.contiguous {
        true => (reduction.rows, 4096, 1 << 14),
        false => (reduction.rows.div_ceil(32), 256, 1 << 11),
    };
    let few = groups < 2 * u64::from(limits.units) && reduction.columns > long;
    few.then(|| KernelConfig::new(Variant::ReductionParallel, Choice::new(&[(PART, part)])))
}

/// Statistics in a kernel of their own where they are few and long: there they are computed in parts.
fn long_channels(norm: &BatchNorm<u64>, limits: &Limits) -> Option<KernelConfig> {
    let sums = Reduction {
        rows: norm.channels,
        columns: norm.images.saturating_mul(norm.pixels),
        contiguous: norm.pixels > 1,
        op: ReduceOp::Sum,
        dtype: norm.dtype,
    };
    let cut = long_rows(&sums, limits)?;
    let legal = legal(&cut, &Task::Reduction(sums), Target::Gpu, limits).is_ok();
    legal.then(|| KernelConfig::plain(Variant::BatchNormNaive))
}
