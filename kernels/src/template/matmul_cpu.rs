//! Registers and vectors only, for processors.

use super::{Axis, Choice, Columns, Grid, Limits, Matrix, Problem, Template, Tunable};
use crate::dim::saturating_product;

/// The text of `matmul_cpu.cl`.
pub const SOURCE: &str = include_str!("../../templates/matmul_cpu.cl");

/// The value of `FORM` whose lanes run along n.
pub const FORM_ROW: u32 = 0;
/// The value of `FORM` whose lanes run along k.
pub const FORM_DOT: u32 = 1;

/// Registers and vectors only: the template for processors.
pub const TEMPLATE: Template = Template {
    name: "matmul_cpu",
    sources: &[SOURCE],
    tunables: TUNABLES,
    convolution: false,
    for_processors: true,
    local_memory: false,
    legal,
    initial,
    other_forms,
    grid,
    columns: |_, _| Columns::OfProduct,
    local_bytes: |_, _| 0,
    lanes,
    loads_vectors,
    copies_computed_a: true,
};

pub(super) const TUNABLES: &[Tunable] = &[
    Tunable { name: "FORM", default: FORM_ROW, values: &[FORM_ROW, FORM_DOT] },
    Tunable { name: "VECTOR", default: 16, values: &[4, 8, 16] },
    Tunable { name: "REG_M", default: 8, values: &[1, 2, 4, 5, 6, 8] },
    Tunable { name: "REG_N", default: 2, values: &[1, 2, 3, 4] },
    Tunable { name: "TILE_M", default: 64, values: TILE_M },
    Tunable { name: "TILE_N", default: 32, values: &[4, 8, 12, 16, 24, 32, 48, 64] },
    Tunable { name: "TILE_K", default: 256, values: &[128, 256] },
];

const TILE_M: &[u32] = &[1, 2, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128];

pub(super) fn legal(choice: &Choice, problem: &Problem, limits: &Limits) -> Result<(), &'static str> {
    let [form, vector, reg_m, reg_n, tile_m, tile_n] =
        ["FORM", "VECTOR", "REG_M", "REG_N", "TILE_M", "TILE_N"].map(|name| choice.get(name));
    if vector > limits.lanes.max(4) {
        return Err("VECTOR is wider than the device's vectors");
    }
    if !tile_m.is_multiple_of(reg_m) || tile_m / reg_m > 16 {
        return Err("REG_M divides TILE_M, at most 16 times");
    }
    // 32 vector registers with AVX-512 and NEON, 16 before.
    let registers = if form == FORM_ROW { (reg_m + 1) * reg_n } else { reg_m * reg_n + reg_n + 1 };
    if registers > if vector == 8 { 16 } else { 32 } {
        return Err("the register tile does not fit the register file");
    }
    if form == FORM_ROW && tile_n != reg_n * vector {
        return Err("FORM_ROW has TILE_N = REG_N * VECTOR");
    }
    if form == FORM_DOT && (!tile_n.is_multiple_of(reg_n) || tile_n < 8) {
        return Err("REG_N divides TILE_N, which is at least 8");
    }
    if form == FORM_DOT && (problem.a != Axis::K || problem.b != Axis::K) {
        return Err("FORM_DOT needs both operands contiguous along k");
    }
    Ok(())
}

pub(super) fn initial(problem: &Problem, limits: &Limits) -> Choice {
    let form = if takes_dot(problem, limits) { FORM_DOT } else { FORM_ROW };
    with_form(form, problem, limits)
}

fn other_forms(problem: &Problem, limits: &Limits) -> Vec<Choice> {
    let others = [FORM_ROW, FORM_DOT].into_iter().filter(|form| initial(problem, limits).get("FORM") != *form);
    let choices = others.map(|form| with_form(form, problem, limits));
    choices.filter(|choice| legal(choice, problem, limits).is_ok()).collect()
}

/// Lanes of the device's vectors, as far as they are used.
fn vector(limits: &Limits) -> u32 {
    match limits.lanes {
        16.. => 16,
        8..16 => 8,
        _ => 4,
    }
}

fn takes_dot(problem: &Problem, limits: &Limits) -> bool {
    problem.a == Axis::K && problem.b == Axis::K && problem.k >= 4 * u64::from(vector(limits))
}

/// Where a search in one form begins.
fn with_form(form: u32, problem: &Problem, limits: &Limits) -> Choice {
    let vector = vector(limits);
    // Few rows want a low register tile: the rest of a higher one would repeat the last row.
    let class = match problem.m {
        1 => 0,
        2..=4 => 1,
        _ => 2,
    };
    let (reg_m, reg_n) = match (form, vector) {
        // 12 sums and 4 vectors are in use at a time. Measured with AVX-512 on PoCL: 1.08 to 1.2 times as fast as 8 by 3.
        (FORM_DOT, 16) => ([1, 4, 4], if class == 2 { 3 } else { 4 }),
        (FORM_DOT, 8) => ([1, 2, 2], 4),
        (FORM_DOT, _) => ([1, 4, 5], 4),
        (_, 16) => ([1, 4, 8], if problem.n <= 16 { 1 } else { 2 }),
        (_, narrow) => ([1, 4, 6], if problem.n <= narrow.into() { 1 } else { 2 }),
    };
    with_registers(problem, limits, form, vector, reg_m[class], reg_n)
}

/// The tile of these registers whose height suits the problem best, by [`cost`].
pub(super) fn with_registers(
    problem: &Problem,
    limits: &Limits,
    form: u32,
    vector: u32,
    reg_m: u32,
    reg_n: u32,
) -> Choice {
    let tile_n = if form == FORM_ROW {
        reg_n * vector
    } else {
        // Whole register tiles.
        let (few, many): (u32, u32) = if reg_n == 3 { (12, 24) } else { (16, 32) };
        if problem.n <= few.into() { few } else { many }
    };
    let choice = |tile_m: u32| {
        Choice::new(&[
            ("FORM", form),
            ("VECTOR", vector),
            ("REG_M", reg_m),
            ("REG_N", reg_n),
            ("TILE_M", tile_m),
            ("TILE_N", tile_n),
            ("TILE_K", 256),
        ])
    };
    // Half of a taller one's rows would be none of the problem's.
    let heights = [16, 12, 10, 8, 6, 4, 2, 1].map(|repeat| reg_m * repeat).into_iter();
    let has_rows = |height: &u32| *height == reg_m || u64::from(height / 2) < problem.m;
    let heights = heights.filter(|height| TILE_M.contains(height)).filter(has_rows);
    let least = heights.min_by_key(|height| (cost(&choice(*height), problem, limits), *height));
    choice(least.unwrap_or(reg_m))
}

/// A tile's panel is copied in the time of so many rows.
const COPIED: u128 = 16;
/// The launch of more than one work-group wakes threads, in the time of so many multiplications.
const WOKEN: u128 = 1 << 18;

/// About how long a processor takes, in multiplications of one compute unit: rounds of tiles, one for each unit at a time, and
/// half of one more because units do not end together. Within a tenth of what was measured on PoCL with two units, for heights
/// of 16 to 128 and sizes that are and are not multiples of them.
fn cost(choice: &Choice, problem: &Problem, limits: &Limits) -> u128 {
    let [form, tile_m, tile_n, reg_m] = ["FORM", "TILE_M", "TILE_N", "REG_M"].map(|name| u64::from(choice.get(name)));
    let groups = saturating_product(grid(choice).groups(problem.m, problem.n, problem.batch));
    let rounds = groups.div_ceil(u64::from(limits.units).max(1));
    let rows = tile_m.min(problem.m.div_ceil(reg_m).saturating_mul(reg_m));
    let copied = if form == u64::from(FORM_ROW) { COPIED } else { 0 };
    let tile = (u128::from(rows) + copied) * u128::from(tile_n) * u128::from(problem.k);
    let woken = if groups > 1 { WOKEN } else { 0 };
    (tile.saturating_mul(2 * u128::from(rounds) + 1) / 2).saturating_add(woken)
}

/// `FORM_DOT` takes nothing else. Otherwise rows of the panel, and copies of rows of A.
fn loads_vectors(choice: &Choice, matrix: Matrix, along: Axis) -> bool {
    let wanted = match matrix {
        Matrix::A => Axis::K,
        Matrix::B => Axis::Outer,
    };
    choice.get("FORM") == FORM_DOT || along == wanted
}

pub(super) fn lanes(choice: &Choice) -> u8 {
    u8::try_from(choice.get("VECTOR")).unwrap_or(1)
}

pub(super) fn grid(choice: &Choice) -> Grid {
    Grid { per_group_m: choice.get("TILE_M"), per_group_n: choice.get("TILE_N"), local: [1, 1, 1] }
}
