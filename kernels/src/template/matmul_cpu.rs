//! Registers and vectors only, for processors.

use super::{Axis, Choice, Columns, Grid, Limits, Matrix, Problem, RUNNING, Template, Tunable};
use crate::dim::saturating_product;
use std::cmp::Reverse;

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
    by_maps: |_, _| None,
    columns: |_| Columns::OfProduct,
    groups_of_unit: |_| 2,
    local_bytes: |_, _| 0,
    lanes,
    loads_vectors,
    copies_computed_a: true,
    copies_aligned: false,
    running: RUNNING,
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
    let row = with_form(FORM_ROW, problem, limits);
    let dot = with_form(FORM_DOT, problem, limits);
    let is_dot = legal(&dot, problem, limits).is_ok() && cost(&dot, problem, limits) < cost(&row, problem, limits);
    if is_dot { dot } else { row }
}

fn other_forms(problem: &Problem, limits: &Limits) -> Vec<Choice> {
    let own = initial(problem, limits).get("FORM");
    let others = [FORM_ROW, FORM_DOT].into_iter().filter(|form| *form != own);
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
        // One row has no other sums to work on while one waits for its last step: four vectors are 1.2 to 1.3 times as fast.
        (_, 16) if class == 0 && problem.n >= 64 => ([1, 4, 8], 4),
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
            // A panel of 32 KiB.
            ("TILE_K", if tile_n >= 64 { 128 } else { 256 }),
        ])
    };
    // Half of a taller one's rows would be none of the problem's.
    let heights = [16, 12, 10, 8, 6, 4, 2, 1].map(|repeat| reg_m * repeat).into_iter();
    let has_rows = |height: &u32| *height == reg_m || u64::from(height / 2) < problem.m;
    let heights = heights.filter(|height| TILE_M.contains(height)).filter(has_rows);
    // Of two that are as good, the one with more rows for a panel; of two that have as many, the lower one.
    let rows = |height: u32| problem.m.min(height.into());
    let least = heights.min_by_key(|&height| (cost(&choice(height), problem, limits), Reverse(rows(height)), height));
    choice(least.unwrap_or(reg_m))
}

/// A tile's panel is copied in the time of so many rows: where its rows are contiguous, and where they are gathered.
const COPIED: u128 = 16;
const GATHERED: u128 = 48;
/// The lanes of a dot product's sum are added up in the time of so many steps in k for each lane.
const SUMMED: u128 = 8;
/// A tile of dot products begins and ends in the time of so many rows.
const BEGUN: u128 = 4;
/// The launch of more than one work-group wakes threads, in the time of so many multiplications.
const WOKEN: u128 = 1 << 18;

/// About how long a processor takes, in multiplications of one compute unit: rounds of tiles, one for each unit at a time, and
/// half of one more because units do not end together. Within a fifth of what was measured on PoCL with AVX-512 and two units,
/// for both forms, heights of 4 to 128, sizes that are and are not multiples of them, and k of 64 to 784.
fn cost(choice: &Choice, problem: &Problem, limits: &Limits) -> u128 {
    let [form, lanes, tile_m, tile_n, reg_m] =
        ["FORM", "VECTOR", "TILE_M", "TILE_N", "REG_M"].map(|name| choice.get(name));
    let groups = saturating_product(grid(choice).groups(problem.m, problem.n, problem.batch));
    let rounds = groups.div_ceil(u64::from(limits.units).max(1));
    let rows = u128::from(u64::from(tile_m).min(problem.m.div_ceil(reg_m.into()).saturating_mul(reg_m.into())));
    let depth = u128::from(problem.k);
    let steps = match form {
        FORM_DOT => (rows + BEGUN) * (depth + SUMMED * u128::from(lanes)),
        _ => (rows + if problem.b == Axis::Outer { COPIED } else { GATHERED }) * depth,
    };
    let woken = if groups > 1 { WOKEN } else { 0 };
    (steps * u128::from(tile_n)).saturating_mul(2 * u128::from(rounds) + 1) / 2 + woken
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

#[cfg(test)]
mod tests {
    use super::*;

    const TWO_UNITS: Limits = Limits {
        local_bytes: 1 << 20,
        work_group: 4096,
        units: 2,
        lanes: 16,
        between_bytes: u64::MAX,
        matrix_unit: crate::template::MatrixUnit::NONE,
    };

    fn of(m: u64, n: u64, k: u64, b: Axis) -> Choice {
        initial(&Problem::new(m, n, k).contiguous(Axis::K, b), &TWO_UNITS)
    }

    #[test]
    fn tiles_are_as_high_as_divides_the_rows_evenly() {
        for (m, n, k, height) in [
            (128, 512, 512, 128),
            (1024, 1024, 1024, 128),
            // Two tiles of 128 would be one of 128 and one of a single row.
            (129, 512, 128, 48),
            (400, 400, 400, 80),
            (784, 512, 128, 80),
            // One for each unit, and where that is not worth a thread's waking, one.
            (128, 10, 512, 64),
            (32, 10, 256, 32),
            (1, 512, 512, 1),
        ] {
            assert_eq!(of(m, n, k, Axis::Outer).get("TILE_M"), height, "{m} by {n} by {k}");
        }
    }

    #[test]
    fn dot_products_serve_few_rows_and_long_sums() {
        for (m, n, k, form) in [
            (64, 512, 512, FORM_DOT),
            (16, 512, 512, FORM_DOT),
            (1, 512, 784, FORM_DOT),
            (256, 512, 128, FORM_ROW),
            (128, 128, 64, FORM_ROW),
            (8, 8, 8, FORM_ROW),
        ] {
            let choice = of(m, n, k, Axis::K);
            assert_eq!(choice.get("FORM"), form, "{m} by {n} by {k}");
            assert_eq!(of(m, n, k, Axis::Outer).get("FORM"), FORM_ROW, "their columns are not contiguous along k");
            let problem = Problem::new(m, n, k).contiguous(Axis::K, Axis::K);
            let others = other_forms(&problem, &TWO_UNITS);
            assert_eq!(others.len(), 1);
            assert_ne!(others[0].get("FORM"), form);
        }
    }
}
