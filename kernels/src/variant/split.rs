//! Long sums in parts: which numbers of parts a product or convolution may have, and what each part then is.

use super::{Conv2dTask, Product, Task};
use crate::dim::saturating_product;
use crate::graph::ConvKind;
use crate::template::{Axis, Choice, Limits, Problem, Template};

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

/// What computes sums in `parts` parts, about: the multiply-adds of the compute unit that has most of them, and what writing and adding
/// up the parts takes meanwhile. `problem` is all parts together.
pub(super) fn cost_in_parts(
    template: &Template,
    choice: &Choice,
    problem: &Problem,
    parts: u64,
    limits: &Limits,
) -> u64 {
    let grid = (template.grid)(choice);
    let groups = saturating_product(grid.groups(problem.m, problem.n, problem.batch));
    let at_once = (template.groups_of_unit)(choice) * u64::from(limits.units);
    let results = u64::from(grid.per_group_m) * u64::from(grid.per_group_n) * (template.groups_of_unit)(choice);
    let multiplied = saturating_product([groups.div_ceil(at_once.max(1)), results, problem.k]);
    // How many multiply-adds a device makes while it writes a partial result and reads it again: on an H200 a matrix unit about 600.
    let meanwhile = match limits.matrix_unit.multiplies(problem.dtype) {
        true => 600,
        false => 48,
    };
    let added = saturating_product([problem.m, problem.n, problem.batch, meanwhile]) / u64::from(limits.units).max(1);
    multiplied.saturating_add(if parts > 1 { added } else { 0 })
}

/// Whether parts of that sum are long enough: none so short that its start costs more than it saves.
pub(super) fn is_worth_parts(terms: u64, parts: u64) -> bool {
    terms >= LONG && terms / parts >= SHORTEST
}
