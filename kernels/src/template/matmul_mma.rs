//! Products of f16 and bf16 by a matrix unit.

use super::{Axis, Choice, Columns, Grid, Limits, Problem, Resident, Template, Tunable};
use crate::dim::saturating_product;
use crate::dtype::DType;

/// The text of `ptx.cl`.
pub const PTX: &str = include_str!("../../templates/ptx.cl");

/// The text of `fragments.cl`.
pub const FRAGMENTS: &str = include_str!("../../templates/fragments.cl");

/// The text of `warpgroups.cl`.
pub const WARPGROUPS: &str = include_str!("../../templates/warpgroups.cl");

/// The text of `long_sums.cl`.
pub const LONG_SUMS: &str = include_str!("../../templates/long_sums.cl");

/// The text of `tensor_maps.cl`.
pub const TENSOR_MAPS: &str = include_str!("../../templates/tensor_maps.cl");

/// The text of `matmul_bulk.cl`.
pub const BULK: &str = include_str!("../../templates/matmul_bulk.cl");

/// The text of `matmul_mma.cl`.
pub const SOURCE: &str = include_str!("../../templates/matmul_mma.cl");

/// Fragments that sub-groups hold and a matrix unit multiplies; multiply-adds, as a reference, where there is none.
pub const TEMPLATE: Template = Template {
    name: "matmul_mma",
    sources: &[PTX, FRAGMENTS, WARPGROUPS, TENSOR_MAPS, LONG_SUMS, SOURCE, BULK],
    tunables: TUNABLES,
    convolution: false,
    for_processors: false,
    local_memory: true,
    legal,
    initial,
    other_forms: |_, _| Vec::new(),
    grid,
    by_maps: resident,
    columns: |_| Columns::OfProduct,
    groups_of_unit: |choice| if choice.get("UNIT") == 2 { 1 } else { 2 },
    local_bytes,
    lanes: |_| 4,
    loads_vectors: |_, _, _| false,
    copies_computed_a: false,
    copies_aligned: true,
    running: 4096,
};

const TUNABLES: &[Tunable] = &[
    Tunable { name: "UNIT", default: 0, values: &[0, 1, 2] },
    Tunable { name: "TILE_M", default: 64, values: &[64, 128, 256] },
    Tunable { name: "TILE_N", default: 64, values: &[64, 128, 256] },
    Tunable { name: "TILE_K", default: 32, values: &[32, 64] },
    Tunable { name: "SUB_M", default: 32, values: &[16, 32, 64] },
    Tunable { name: "SUB_N", default: 32, values: &[32, 64, 128, 256] },
    Tunable { name: "STAGES", default: 2, values: &[2, 3, 4, 5] },
    Tunable { name: "GROUP_M", default: 8, values: &[1, 8] },
];

/// Work-items of a sub-group.
const SUB_GROUP: u32 = 32;

fn threads(choice: &Choice) -> u32 {
    let [tile_m, tile_n, sub_m, sub_n] = ["TILE_M", "TILE_N", "SUB_M", "SUB_N"].map(|name| choice.get(name));
    SUB_GROUP * (tile_m / sub_m) * (tile_n / sub_n)
}

fn legal(choice: &Choice, problem: &Problem, limits: &Limits) -> Result<(), &'static str> {
    let [unit, tile_m, tile_n, tile_k, sub_m, sub_n, stages] =
        ["UNIT", "TILE_M", "TILE_N", "TILE_K", "SUB_M", "SUB_N", "STAGES"].map(|name| choice.get(name));
    if !matches!(problem.dtype, DType::F16 | DType::BF16) {
        return Err("fragments are of f16 or bf16");
    }
    if (unit != 0) != limits.matrix_unit.multiplies(problem.dtype) {
        return Err(match unit {
            0 => "the device has a matrix unit for these elements: UNIT is 1 or 2",
            _ => "the device has no matrix unit for these elements: UNIT is 0",
        });
    }
    if unit == 2 && !limits.matrix_unit.warpgroups {
        return Err("the device's matrix unit multiplies for sub-groups alone: UNIT is 1");
    }
    if sub_m == 0 || sub_n == 0 || !tile_m.is_multiple_of(sub_m) || !tile_n.is_multiple_of(sub_n) {
        return Err("SUB_M divides TILE_M, and SUB_N divides TILE_N");
    }
    if unit == 0 && (stages != 2 || sub_m != 32 || sub_n != 32) {
        return Err(
            "without a matrix unit tiles are not copied ahead, and sub-groups have few results: STAGES is 2, SUB_M and SUB_N are 32",
        );
    }
    if unit == 2 && (stages < 3 || tile_k != 64 || sub_m != 16 || sub_n != tile_n || tile_m * tile_n > 128 * 256) {
        return Err(
            "warpgroups multiply whole rows of tiles of at most 128 x 256: TILE_K is 64, SUB_M 16, SUB_N as TILE_N, STAGES at least 3",
        );
    }
    if unit != 2 && (sub_m == 16 || sub_n > 64) {
        return Err("sub-groups that multiply by themselves have 32 or 64 rows and columns of results");
    }
    let threads = threads(choice);
    if !(tile_m * tile_k / 8).is_multiple_of(threads) || !(tile_n * tile_k / 8).is_multiple_of(threads) {
        return Err("every work-item copies equally many chunks of a tile");
    }
    let most = if unit == 2 { threads.max(bulk_threads(choice)) } else { threads };
    if most > limits.work_group {
        return Err("the tile has more work-items than a work-group may have");
    }
    if local_bytes(choice, problem) > limits.local_bytes {
        return Err("so many copies of both tiles do not fit into local memory");
    }
    Ok(())
}

fn initial(problem: &Problem, limits: &Limits) -> Choice {
    // TILE_M, TILE_N, TILE_K, SUB_M, SUB_N, STAGES. On an H100 the first gives 430 TFLOP/s at 4096, the second 364 at 2048, the
    // fifth 152 at 1024. Rows that begin unaligned are loaded element by element, for which more work-items are better.
    const TILES: [[u32; 6]; 7] = [
        [128, 256, 64, 64, 64, 3],
        [128, 128, 64, 64, 64, 2],
        [128, 128, 32, 64, 64, 3],
        [128, 128, 64, 64, 32, 3],
        [128, 64, 64, 64, 32, 3],
        [64, 64, 64, 32, 32, 3],
        [64, 64, 32, 32, 32, 2],
    ];
    // By warpgroups. Of random numbers the first gives 673 TFLOP/s at 4096 on an H200 with tensor maps, and 685 at 2048, where it has 128
    // tiles for 132 units; the third is best at 1024.
    const WARPGROUP_TILES: [[u32; 6]; 5] = [
        [128, 256, 64, 16, 256, 4],
        [128, 128, 64, 16, 128, 5],
        [64, 128, 64, 16, 128, 4],
        [128, 64, 64, 16, 64, 4],
        [64, 64, 64, 16, 64, 4],
    ];
    let has_unit = limits.matrix_unit.multiplies(problem.dtype);
    let aligned = is_likely_aligned(problem);
    let by_warpgroups = has_unit && limits.matrix_unit.warpgroups && aligned;
    let (unit, tiles) = match by_warpgroups {
        true => (2, &WARPGROUP_TILES[..]),
        false => (u32::from(has_unit), &TILES[..]),
    };
    let mut smallest = TEMPLATE.defaults();
    smallest.set("UNIT", u32::from(has_unit));
    // Long sums are cut where a unit has no work-group, which costs more than smaller tiles do. Warpgroups lose more by smaller
    // tiles than by units without work.
    let nearly = match unit {
        2 => 5,
        _ if problem.k < 1024 => 7,
        _ => 10,
    };
    // More than half of a tile beyond the results is too much.
    let fits = |tile: &[u32; 6]| problem.m * 2 > u64::from(tile[0]) && problem.n * 2 > u64::from(tile[1]);
    for tile in tiles.iter().filter(|tile| unit != 2 || fits(tile)).filter(|tile| aligned || tile[4] == 32) {
        let names = ["TILE_M", "TILE_N", "TILE_K", "SUB_M", "SUB_N", "STAGES"];
        let fixed = [("UNIT", unit), ("GROUP_M", 8)];
        let choice = Choice::new(&fixed.into_iter().chain(names.into_iter().zip(*tile)).collect::<Vec<_>>());
        if legal(&choice, problem, limits).is_err() {
            continue;
        }
        let groups = saturating_product(grid(&choice).groups(problem.m, problem.n, problem.batch));
        if groups.saturating_mul(10) > u64::from(limits.units) * nearly {
            return choice;
        }
        smallest = choice;
    }
    smallest
}

/// Whether rows can be copied in 8 bytes at least, or in 16 where operands are whole tensors: of sizes that are symbols only that is
/// known.
fn is_likely_aligned(problem: &Problem) -> bool {
    let contiguous = |axis: Axis, outer: u64| match axis {
        Axis::K => problem.k,
        Axis::Outer => outer,
        Axis::None => 1,
    };
    let rows = [contiguous(problem.a, problem.m), contiguous(problem.b, problem.n)];
    problem.aligned || rows.into_iter().all(|row| row.is_multiple_of(8))
}

fn grid(choice: &Choice) -> Grid {
    Grid { per_group_m: choice.get("TILE_M"), per_group_n: choice.get("TILE_N"), local: [threads(choice), 1, 1] }
}

/// Bytes that a work-group has for its tensor maps.
pub const MAPS_BYTES: u32 = 256;

/// More work-groups than that a unit does not hold at a time.
const GROUPS_OF_UNIT: u64 = 4;

/// Most work-groups that [`Template::by_maps`] may ask for, where it may.
pub fn most_resident(limits: &Limits) -> Option<u32> {
    limits.matrix_unit.warpgroups.then(|| limits.units.saturating_mul(GROUPS_OF_UNIT as u32))
}

/// As many as units have local memory for.
fn resident(choice: &Choice, limits: &Limits) -> Option<Resident> {
    let of_unit = (limits.local_bytes / tile_bytes(choice).max(1)).clamp(1, GROUPS_OF_UNIT);
    let groups = limits.units.saturating_mul(of_unit as u32);
    (choice.get("UNIT") == 2).then(|| Resident { groups, local: bulk_threads(choice) })
}

/// Work-items of a work-group whose tiles are copied by tensor maps: a warpgroup more copies.
fn bulk_threads(choice: &Choice) -> u32 {
    128 * (choice.get("TILE_M") / 64 + 1)
}

/// Bytes of all copies of both tiles, and of what says when they are there.
fn tile_bytes(choice: &Choice) -> u64 {
    let [tile_m, tile_n, tile_k, stages] =
        ["TILE_M", "TILE_N", "TILE_K", "STAGES"].map(|name| u64::from(choice.get(name)));
    let barriers = if choice.get("UNIT") == 2 { 16 * stages + u64::from(MAPS_BYTES) } else { 0 };
    2 * stages * tile_k * (tile_m + tile_n) + barriers
}

fn local_bytes(choice: &Choice, _: &Problem) -> u64 {
    // On their way out: 16 rows of each sub-group, of which each has 8 more columns.
    let results = 4 * 16 * (u64::from(choice.get("SUB_N")) + 8) * u64::from(threads(choice) / SUB_GROUP);
    tile_bytes(choice).max(results)
}
