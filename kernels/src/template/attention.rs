//! Attention and its gradients, whose scores never lie in memory.

use super::{Choice, Columns, Grid, Limits, Problem, Template, Tunable};

/// The text of `attention.cl`.
pub const SOURCE: &str = include_str!("../../templates/attention.cl");

/// Work-items of a work-group.
const GROUP: u32 = 128;

/// The most elements of a row of an operand.
pub const WIDEST: u64 = 128;

/// Attention: of its [`Problem`] `m` are the rows that are computed, `k` and `n` the elements of rows of keys and of values.
pub const TEMPLATE: Template = Template {
    name: "attention",
    sources: &[SOURCE],
    tunables: &[
        Tunable { name: "TILE_M", default: 16, values: &[8, 16, 32] },
        Tunable { name: "TILE_N", default: 16, values: &[16, 32] },
        Tunable { name: "UNIT", default: 0, values: &[0] },
    ],
    convolution: false,
    for_processors: false,
    local_memory: true,
    legal,
    initial,
    other_forms: |_, _| Vec::new(),
    grid: |choice| Grid { per_group_m: choice.get("TILE_M"), per_group_n: WIDEST as u32, local: [GROUP, 1, 1] },
    columns: |_| Columns::OfProduct,
    local_bytes,
    lanes: |_| 1,
    loads_vectors: |_, _, _| false,
    copies_computed_a: false,
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
    if GROUP > limits.work_group {
        return Err("its work-groups are of 128 work-items, which is more than the device takes");
    }
    if local_bytes(choice, problem) > limits.local_bytes {
        return Err("its tiles do not fit into local memory");
    }
    Ok(())
}

fn initial(problem: &Problem, limits: &Limits) -> Choice {
    let tiles = [[16, 16], [8, 16]].map(|[m, n]| Choice::new(&[("TILE_M", m), ("TILE_N", n), ("UNIT", 0)]));
    let last = tiles[1].clone();
    tiles.into_iter().find(|choice| legal(choice, problem, limits).is_ok()).unwrap_or(last)
}

/// Of a gradient, which has the most.
fn local_bytes(choice: &Choice, problem: &Problem) -> u64 {
    let [m, n] = ["TILE_M", "TILE_N"].map(|name| u64::from(choice.get(name)));
    let row = problem.k.saturating_add(problem.n);
    (m + n).saturating_mul(row).saturating_mul(2).saturating_add(2 * 4 * m * n)
}
