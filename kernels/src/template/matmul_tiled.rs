//! Square tiles in local memory.

use super::{Choice, Columns, Grid, Limits, Problem, RUNNING, Template, Tunable};

/// The text of `matmul_tiled.cl`.
pub const SOURCE: &str = include_str!("../../templates/matmul_tiled.cl");

/// Square tiles in local memory, one result for each work-item.
pub const TEMPLATE: Template = Template {
    name: "matmul_tiled",
    sources: &[SOURCE],
    tunables: &[Tunable { name: "TILE", default: 16, values: &[4, 8, 16, 32] }],
    convolution: false,
    for_processors: false,
    local_memory: true,
    legal,
    initial,
    other_forms: |_, _| Vec::new(),
    grid,
    by_maps: |_, _| None,
    columns: |_| Columns::OfProduct,
    groups_of_unit: |_| 2,
    local_bytes,
    lanes: |_| 1,
    loads_vectors: |_, _, _| false,
    copies_computed_a: false,
    copies_aligned: false,
    running: RUNNING,
};

fn legal(choice: &Choice, problem: &Problem, limits: &Limits) -> Result<(), &'static str> {
    let tile = choice.get("TILE");
    if tile * tile > limits.work_group {
        return Err("TILE * TILE is more than a work-group may have");
    }
    if local_bytes(choice, problem) > limits.local_bytes {
        return Err("two tiles of TILE * (TILE + 1) do not fit into local memory");
    }
    Ok(())
}

fn initial(problem: &Problem, limits: &Limits) -> Choice {
    let fits = |tile: &u32| legal(&Choice::new(&[("TILE", *tile)]), problem, limits).is_ok();
    Choice::new(&[("TILE", [16, 8].into_iter().find(fits).unwrap_or(4))])
}

fn grid(choice: &Choice) -> Grid {
    let tile = choice.get("TILE");
    Grid { per_group_m: tile, per_group_n: tile, local: [tile, tile, 1] }
}

fn local_bytes(choice: &Choice, problem: &Problem) -> u64 {
    let tile = u64::from(choice.get("TILE"));
    2 * tile * (tile + 1) * u64::from(problem.bytes)
}
