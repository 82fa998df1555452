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
    Tunable {
        name: "TILE_M",
        default: 64,
        values: &[1, 2, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128],
    },
    Tunable { name: "TILE_N", default: 32, values: &[4, 8, 12, 16, 24, 32, 48, 64] },
    Tunable { name: "TILE_K", default: 256, values: &[128, 256] },
];

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
    let vector = match limits.lanes {
        16.. => 16,
        8..16 => 8,
        _ => 4,
    };
    let dot = problem.a == Axis::K && problem.b == Axis::K && problem.k >= 4 * u64::from(vector);
    // Few rows want a low register tile: the rest of a higher one would repeat the last row.
    let class = match problem.m {
        1 => 0,
        2..=4 => 1,
        _ => 2,
    };
    let narrow = vector == 8;
    let (form, reg_m, reg_n) = if dot && vector == 16 && class == 2 {
        // 24 sums and 4 vectors are in use at a time. Measured with AVX-512 on PoCL, against 5 by 4: 1.2 to 1.4 times as fast.
        (FORM_DOT, [1, 4, 8], 3)
    } else if dot {
        (FORM_DOT, if narrow { [1, 2, 2] } else { [1, 4, 5] }, 4)
    } else {
        let reg_n = if problem.n <= vector.into() { 1 } else { 2 };
        (FORM_ROW, if vector == 16 { [1, 4, 8] } else { [1, 4, 6] }, reg_n)
    };
    with_registers(problem, limits, form, vector, reg_m[class], reg_n)
}

/// The tallest tile that still gives every compute unit two tasks and has work for each of its rows. It repays the copy of the
/// panel best.
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
    let choice = |repeat: u32| {
        Choice::new(&[
            ("FORM", form),
            ("VECTOR", vector),
            ("REG_M", reg_m),
            ("REG_N", reg_n),
            ("TILE_M", reg_m * repeat),
            ("TILE_N", tile_n),
            ("TILE_K", 256),
        ])
    };
    // Half of a taller one's rows would be none of the problem's.
    let has_rows = |repeat: &u32| u64::from(reg_m * (repeat / 2)) < problem.m;
    [16, 8, 4, 2]
        .into_iter()
        .filter(has_rows)
        .map(choice)
        .find(|choice| {
            let groups = saturating_product(grid(choice).groups(problem.m, problem.n, problem.batch));
            groups >= 2 * u64::from(limits.units)
        })
        .unwrap_or_else(|| choice(if problem.m <= reg_m.into() { 1 } else { 2 }))
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
