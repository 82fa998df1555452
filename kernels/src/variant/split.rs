//! Long sums in parts: which numbers of parts a product or convolution may have, and what each part then is.

use super::{Conv2dTask, Product, Task};
use crate::dim::saturating_product;
use crate::graph::ConvKind;
use crate::template::{Axis, Limits, Problem, Template};

/// The tunable of products and convolutions that says into how many parts the sum is cut; 1 where it is not there.
pub const SPLIT_K: &str = "SPLIT_K";

/// What [`SPLIT_K`] may be.
pub const SPLIT_K_VALUES: [u32; 7] = [2, 4, 8, 16, 32, 64, 128];

/// The shortest sum that is worth cutting.
const LONG: u64 = 1024;
/// The shortest sum that is worth a part of its own.
const SHORTEST: u64 = 256;

/// All parts together, as one task.
///
/// # Errors
///
/// Why the sum cannot be cut into so many.
pub(super) fn in_parts(task: &Task<u64>, parts: u64) -> Result<Task<u64>, String> {
    match task {
        Task::Product(product) => {
            if product.k == 0 || !product.k.is_multiple_of(parts) {
                return Err(format!("{SPLIT_K} divides the {} terms of a sum", product.k));
            }
            let k = product.k / parts;
            let along = product.a == Axis::K || product.b == Axis::K;
            let aligned = product.aligned && (!along || k.is_multiple_of(4));
            Ok(Task::Product(Product { k, batch: product.batch.saturating_mul(parts), aligned, ..product.clone() }))
        }
        Task::Conv2d(conv) => {
            let groups = conv.groups.max(1);
            let mut part = Conv2dTask { groups: conv.groups.saturating_mul(parts), ..conv.clone() };
            let (more_in, more_out, what, whole) = match conv.kind {
                ConvKind::Forward => (false, true, "channels", conv.channels / groups),
                ConvKind::InputGrad => (true, false, "channels of the result", conv.out_channels / groups),
                ConvKind::WeightGrad => (true, true, "images", conv.images),
            };
            let cut = match conv.kind {
                ConvKind::WeightGrad => parts <= whole,
                _ => whole > 0 && whole.is_multiple_of(parts),
            };
            if !cut {
                return Err(format!("{SPLIT_K} shares out {whole} {what}"));
            }
            if more_in {
                part.channels = part.channels.saturating_mul(parts);
            }
            if more_out {
                part.out_channels = part.out_channels.saturating_mul(parts);
            }
            if conv.kind == ConvKind::WeightGrad {
                part.images = part.images.div_ceil(parts);
            }
            Ok(Task::Conv2d(part))
        }
        other => Err(format!("`{other}` has no sum to cut")),
    }
}

/// How many parts the compiler's rule cuts the sum of `problem` into: as many as keep a GPU busy whose other work-groups
/// would idle, but none so short that adding them up costs more.
pub(super) fn parts_for(template: &Template, problem: &Problem, limits: &Limits) -> u64 {
    let choice = (template.initial)(problem, limits);
    let groups = (template.grid)(&choice).groups(problem.m, problem.n, problem.batch);
    let groups = saturating_product(groups);
    let wanted = (template.groups_of_unit)(&choice) * u64::from(limits.units);
    if groups == 0 || groups > wanted / 2 || problem.k < LONG {
        return 1;
    }
    let most = (wanted / groups).min(problem.k / SHORTEST);
    SPLIT_K_VALUES.into_iter().map(u64::from).filter(|parts| *parts <= most).max().unwrap_or(1)
}
