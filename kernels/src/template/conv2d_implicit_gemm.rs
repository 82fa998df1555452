//! Convolution as a matrix product whose operands are never written down.

use super::{Axis, Choice, Columns, Limits, Problem, RUNNING, Template, matmul_register};

/// The text of `conv2d_implicit_gemm.cl`: the index maps.
pub const SOURCE: &str = include_str!("../../templates/conv2d_implicit_gemm.cl");

/// The index maps in front of `matmul_register.cl`: convolution for GPUs.
pub const TEMPLATE: Template = Template {
    name: "conv2d_implicit_gemm",
    sources: &[SOURCE, matmul_register::SOURCE],
    tunables: matmul_register::TUNABLES,
    convolution: true,
    for_processors: false,
    local_memory: true,
    legal: |choice, problem, limits| matmul_register::legal(choice, &computed(problem), limits),
    initial,
    other_forms: |_, _| Vec::new(),
    grid: matmul_register::grid,
    by_maps: |_, _| None,
    columns: |_| Columns::OfProduct,
    groups_of_unit: |_| 2,
    local_bytes: matmul_register::local_bytes,
    lanes: |_| matmul_register::VECTOR,
    loads_vectors: |_, _, _| false,
    copies_computed_a: false,
    copies_aligned: false,
    running: RUNNING,
};

/// The operands of a convolution are computed, so loads of four do not apply.
fn computed(problem: &Problem) -> Problem {
    problem.contiguous(Axis::None, Axis::None)
}

/// Smaller tiles than a product's: finding a pixel costs registers, and on an H200 tiles of 64×64 are 1.7 to 2.4 times as
/// fast as those of 128×128. Rows are channels: a tile has no more than there are.
fn initial(problem: &Problem, limits: &Limits) -> Choice {
    let rows = problem.m.next_power_of_two().clamp(16, 64) as u32;
    let tiles =
        [[rows, 64, 16, 4, 4], [rows, 64, 8, 4, 4], [rows, 32, 16, 4, 4], [16, 32, 16, 4, 4], [16, 32, 8, 4, 4]];
    matmul_register::largest(&tiles, 1, &computed(problem), limits)
}
