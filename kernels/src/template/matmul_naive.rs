//! One work-item for each result.

use super::{Choice, Columns, Grid, Limits, Problem, RUNNING, Template, Tunable};

/// The text of `matmul_naive.cl`.
pub const SOURCE: &str = include_str!("../../templates/matmul_naive.cl");

/// One work-item for each result: the baseline, and the choice for products smaller than a tile.
pub const TEMPLATE: Template = Template {
    name: "matmul_naive",
    sources: &[SOURCE],
    tunables: &[
        Tunable { name: "LOCAL_M", default: 4, values: &[1, 2, 4, 8, 16] },
        Tunable { name: "LOCAL_N", default: 16, values: &[1, 8, 16, 32, 64] },
    ],
    convolution: false,
    for_processors: false,
    local_memory: false,
    legal,
    initial,
    other_forms: |_, _| Vec::new(),
    grid,
    by_maps: |_, _| None,
    columns: |_| Columns::OfProduct,
    groups_of_unit: |_| 2,
    local_bytes: |_, _| 0,
    lanes: |_| 1,
    loads_vectors: |_, _, _| false,
    copies_computed_a: false,
    copies_aligned: false,
    running: RUNNING,
};

fn legal(choice: &Choice, _: &Problem, limits: &Limits) -> Result<(), &'static str> {
    if choice.get("LOCAL_M") * choice.get("LOCAL_N") > limits.work_group {
        return Err("LOCAL_M * LOCAL_N is more than a work-group may have");
    }
    Ok(())
}

fn initial(_: &Problem, limits: &Limits) -> Choice {
    let (m, n) = if limits.work_group >= 64 { (4, 16) } else { (1, 1) };
    Choice::new(&[("LOCAL_M", m), ("LOCAL_N", n)])
}

fn grid(choice: &Choice) -> Grid {
    let (m, n) = (choice.get("LOCAL_M"), choice.get("LOCAL_N"));
    Grid { per_group_m: m, per_group_n: n, local: [n, m, 1] }
}
