//! Attention and its gradients, whose scores never lie in memory.

use super::matmul_mma::{PTX, WARPGROUPS};
use super::{Choice, Columns, Grid, Limits, Problem, Template, Tunable};

/// The text of `attention.cl`.
pub const SOURCE: &str = include_str!("../../templates/attention.cl");

/// The text of `attention_warpgroups.cl`.
pub const BY_WARPGROUPS: &str = include_str!("../../templates/attention_warpgroups.cl");

/// Work-items of a work-group.
const GROUP: u32 = 128;

/// The most elements of a row of an operand.
pub const WIDEST: u64 = 128;

/// Attention: of its [`Problem`] `m` are the rows that are computed, `k` and `n` the elements of rows of keys and of values.
pub const TEMPLATE: Template = Template {
    name: "attention",
    sources: &[PTX, WARPGROUPS, SOURCE, BY_WARPGROUPS],
    tunables: &[
        Tunable { name: "TILE_M", default: 16, values: &[8, 16, 32, 64] },
        Tunable { name: "TILE_N", default: 16, values: &[16, 32, 64] },
        Tunable { name: "UNIT", default: 0, values: &[0, 2] },
    ],
    convolution: false,
    for_processors: false,
    local_memory: true,
    legal,
    initial,
    other_forms: |_, _| Vec::new(),
    grid: |choice| Grid { per_group_m: choice.get("TILE_M"), per_group_n: WIDEST as u32, local: [GROUP, 1, 1] },
    by_maps: |_, _| None,
    columns: |_| Columns::OfProduct,
    groups_of_unit: |_| 2,
    local_bytes,
    lanes: |_| 1,
    loads_vectors: |_, _, _| false,
    copies_computed_a: false,
    copies_aligned: true,
    // Of weights that add up to 1.
    running: i64::MAX,
};

fn legal(choice: &Choice, problem: &Problem, limits: &Limits) -> Result<(), &'static str> {
    if problem.dtype.compute() == problem.dtype {
        return Err("its operands have 16 bits");
    }
    let fits = |width: u64| width > 0 && width <= WIDEST && width.is_multiple_of(8);
    if !fits(problem.k) || !fits(problem.n) {
        return Err("rows have a multiple of 8 elements, 128 at most");
    }
    let [unit, tile_m, tile_n] = ["UNIT", "TILE_M", "TILE_N"].map(|name| choice.get(name));
    if (unit == 2) != has_warpgroups(problem, limits) {
        return Err(match unit {
            2 => "the device's matrix unit does not multiply these elements for warpgroups: UNIT is 0",
            _ => "the device's matrix unit multiplies these elements for warpgroups: UNIT is 2",
        });
    }
    if unit == 2 && (tile_m, tile_n) != (64, 64) {
        return Err("a warpgroup has 64 rows, which meet 64 others: TILE_M and TILE_N are 64");
    }
    if unit == 0 && tile_m.max(tile_n) > 32 {
        return Err("without a matrix unit work-items have few results: TILE_M and TILE_N are 32 at most");
    }
    if GROUP > limits.work_group {
        return Err("its work-groups are of 128 work-items, which is more than the device takes");
    }
    if local_bytes(choice, problem) > limits.local_bytes {
        return Err("its tiles do not fit into local memory");
    }
    Ok(())
}

fn has_warpgroups(problem: &Problem, limits: &Limits) -> bool {
    limits.matrix_unit.warpgroups && limits.matrix_unit.multiplies(problem.dtype)
}

fn initial(problem: &Problem, limits: &Limits) -> Choice {
    // On an H100 one warpgroup with 64 rows is faster than two or three with 128 or 192, and more keys at a time are not.
    let tiles: &[[u32; 3]] = match has_warpgroups(problem, limits) {
        true => &[[2, 64, 64]],
        false => &[[0, 16, 16], [0, 8, 16]],
    };
    let mut choices = tiles.iter().map(|[unit, m, n]| Choice::new(&[("TILE_M", *m), ("TILE_N", *n), ("UNIT", *unit)]));
    let legal = choices.clone().find(|choice| legal(choice, problem, limits).is_ok());
    legal.or(choices.next_back()).unwrap_or_else(|| TEMPLATE.defaults())
}

/// Of a gradient, which has the most.
fn local_bytes(choice: &Choice, problem: &Problem) -> u64 {
    let [m, n] = ["TILE_M", "TILE_N"].map(|name| u64::from(choice.get(name)));
    if choice.get("UNIT") == 2 {
        // Rows in whole blocks of 64 elements; of those that are met there are two copies.
        let row = problem.k.next_multiple_of(64).saturating_add(problem.n.next_multiple_of(64));
        return (m + 2 * n).saturating_mul(row).saturating_mul(2);
    }
    let row = problem.k.saturating_add(problem.n);
    (m + n).saturating_mul(row).saturating_mul(2).saturating_add(2 * 4 * m * n)
}
