//! Tiles in local memory and in registers.

use super::{Axis, Choice, Columns, Grid, Limits, Problem, RUNNING, Template, Tunable};
use crate::dim::saturating_product;

/// The text of `matmul_register.cl`.
pub const SOURCE: &str = include_str!("../../templates/matmul_register.cl");

/// Tiles in local memory and in registers: the template for GPUs.
pub const TEMPLATE: Template = Template {
    name: "matmul_register",
    sources: &[SOURCE],
    tunables: TUNABLES,
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
    lanes: |_| VECTOR,
    loads_vectors: |choice, _, _| choice.get("STAGE") > 1,
    copies_computed_a: false,
    copies_aligned: false,
    running: RUNNING,
};

/// `VECTOR`, which is no tunable here.
pub(super) const VECTOR: u8 = 4;

pub(super) const TUNABLES: &[Tunable] = &[
    Tunable { name: "TILE_M", default: 128, values: &[16, 32, 64, 128] },
    Tunable { name: "TILE_N", default: 128, values: &[32, 64, 128] },
    Tunable { name: "TILE_K", default: 16, values: &[8, 16, 32] },
    Tunable { name: "REG_M", default: 8, values: &[4, 8] },
    Tunable { name: "REG_N", default: 8, values: &[4, 8] },
    Tunable { name: "WARP_M", default: 8, values: &[4, 8] },
    Tunable { name: "WARP_N", default: 4, values: &[4, 8] },
    Tunable { name: "PAD", default: 4, values: &[4] },
    Tunable { name: "GROUP_M", default: 8, values: &[1, 8] },
    Tunable { name: "STAGE", default: 1, values: &[1, 4] },
    Tunable { name: "UNROLL", default: 1, values: &[1, 2] },
];

pub(super) fn legal(choice: &Choice, problem: &Problem, limits: &Limits) -> Result<(), &'static str> {
    let [tile_m, tile_n, tile_k, reg_m, reg_n, warp_m, warp_n, pad, stage] =
        ["TILE_M", "TILE_N", "TILE_K", "REG_M", "REG_N", "WARP_M", "WARP_N", "PAD", "STAGE"]
            .map(|name| choice.get(name));
    let threads = (tile_m / reg_m) * (tile_n / reg_n);
    if !reg_m.is_multiple_of(4) || !reg_n.is_multiple_of(4) || !pad.is_multiple_of(4) {
        return Err("REG_M, REG_N and PAD are multiples of 4");
    }
    if !tile_m.is_multiple_of(reg_m) || !tile_n.is_multiple_of(reg_n) {
        return Err("REG_M divides TILE_M, and REG_N divides TILE_N");
    }
    if !(tile_m / reg_m).is_multiple_of(warp_m) || !(tile_n / reg_n).is_multiple_of(warp_n) {
        return Err("WARP_M divides TILE_M / REG_M, and WARP_N divides TILE_N / REG_N");
    }
    if !(tile_m * tile_k).is_multiple_of(threads * stage) || !(tile_n * tile_k).is_multiple_of(threads * stage) {
        return Err("every work-item loads equally many elements of a tile");
    }
    if stage != 1 && (problem.a == Axis::None || problem.b == Axis::None) {
        return Err("STAGE of more than 1 needs operands that are contiguous along an axis");
    }
    if choice.get("UNROLL") != 1 && (stage == 1 || !problem.aligned) {
        return Err("UNROLL of more than 1 needs loads of four alone: the index maps of others take compilers long");
    }
    if threads > limits.work_group {
        return Err("the tile has more work-items than a work-group may have");
    }
    if local_bytes(choice, problem) > limits.local_bytes {
        return Err("two copies of both tiles do not fit into local memory");
    }
    Ok(())
}

fn initial(problem: &Problem, limits: &Limits) -> Choice {
    // Small tiles of long sums are deep: their work-items have little else to do between two barriers. Where there are too
    // few even of those, smaller ones are slower still (measured on an H200). 64×64 with 8×4 results for each work-item are by a
    // quarter faster than with 4×4 (on an H100, products of 1024 and 2048). Large tiles are 8 deep, with which two work-groups have
    // room on a unit (on an H200, products of 4096: 43 TFLOP/s for 39), unless elements are loaded one by one (28 for 32).
    const TILES: [[u32; 5]; 8] = [
        [128, 128, 16, 8, 8],
        [128, 128, 8, 8, 8],
        [64, 64, 16, 8, 4],
        [64, 64, 8, 4, 4],
        [32, 64, 32, 4, 4],
        [32, 32, 16, 4, 4],
        [16, 64, 16, 4, 4],
        [32, 32, 32, 4, 4],
    ];
    let by_fours = stage(problem) == 4;
    let suits = |[m, _, depth, ..]: &[u32; 5]| match *m {
        128 => !by_fours || *depth == 8,
        _ => *depth < 32 || problem.k >= 128,
    };
    let tiles: Vec<_> = TILES.into_iter().filter(suits).collect();
    largest(&tiles, 8, problem, limits)
}

/// Elements in one load of an operand from memory.
fn stage(problem: &Problem) -> u32 {
    if problem.a != Axis::None && problem.b != Axis::None { 4 } else { 1 }
}

/// The first of the tiles (`TILE_M`, `TILE_N`, `TILE_K`, `REG_M`, `REG_N`), largest first, that gives nearly every compute
/// unit a work-group, or else the last.
pub(super) fn largest(tiles: &[[u32; 5]], group_m: u32, problem: &Problem, limits: &Limits) -> Choice {
    let stage = stage(problem);
    let unroll = if stage == 4 && problem.aligned { 2 } else { 1 };
    let mut smallest = None;
    for &tile in tiles {
        let names = ["TILE_M", "TILE_N", "TILE_K", "REG_M", "REG_N"];
        let [m, _, _, reg_m, _] = tile;
        let (warp_m, warp_n) = if (m / reg_m).is_multiple_of(8) { (8, 4) } else { (4, 8) };
        let others = [("WARP_M", warp_m), ("WARP_N", warp_n), ("PAD", 4), ("GROUP_M", group_m)];
        let mut choice = Choice::new(&names.into_iter().zip(tile).chain(others).collect::<Vec<_>>());
        choice.set("STAGE", stage);
        choice.set("UNROLL", unroll);
        if legal(&choice, problem, limits).is_err() {
            choice.set("STAGE", 1);
            choice.set("UNROLL", 1);
            if legal(&choice, problem, limits).is_err() {
                continue;
            }
        }
        let groups = saturating_product(grid(&choice).groups(problem.m, problem.n, problem.batch));
        if groups.saturating_mul(8) >= u64::from(limits.units) * 7 {
            return choice;
        }
        smallest = Some(choice);
    }
    smallest.unwrap_or_else(|| TEMPLATE.defaults())
}

pub(super) fn grid(choice: &Choice) -> Grid {
    let (m, n) = (choice.get("TILE_M"), choice.get("TILE_N"));
    let threads = (m / choice.get("REG_M")) * (n / choice.get("REG_N"));
    Grid { per_group_m: m, per_group_n: n, local: [threads, 1, 1] }
}

pub(super) fn local_bytes(choice: &Choice, problem: &Problem) -> u64 {
    let [tile_m, tile_n, tile_k, pad] = ["TILE_M", "TILE_N", "TILE_K", "PAD"].map(|name| u64::from(choice.get(name)));
    2 * tile_k * (tile_m + tile_n + 2 * pad) * u64::from(problem.bytes)
}
