//! Convolution for processors.

use super::{Axis, Choice, Columns, Limits, Problem, RUNNING, Template, conv2d_implicit_gemm, matmul_cpu};

/// The text of `conv2d_cpu.cl`: how a panel is filled from an image.
pub const SOURCE: &str = include_str!("../../templates/conv2d_cpu.cl");

/// The index maps and the panel in front of `matmul_cpu.cl`: convolution for processors. Its problem and its prelude are
/// those of [`Conv2d`](super::convolution::Conv2d).
pub const TEMPLATE: Template = Template {
    name: "conv2d_cpu",
    sources: &[conv2d_implicit_gemm::SOURCE, SOURCE, matmul_cpu::SOURCE],
    tunables: matmul_cpu::TUNABLES,
    convolution: true,
    for_processors: true,
    local_memory: false,
    legal: |choice, problem, limits| {
        // FORM_DOT asks for operands that a convolution does not have, so it is never legal here.
        matmul_cpu::legal(choice, &problem.contiguous(Axis::None, Axis::None), limits)
    },
    initial,
    other_forms: |_, _| Vec::new(),
    grid: matmul_cpu::grid,
    by_maps: |_, _| None,
    columns: |_| Columns::OfProduct,
    groups_of_unit: |_| 2,
    local_bytes: |_, _| 0,
    lanes: matmul_cpu::lanes,
    loads_vectors: |_, _, _| false,
    copies_computed_a: true,
    copies_aligned: false,
    running: RUNNING,
};

/// Three vectors to a row where the registers allow it: they share the sums that find a row's pixels. Where a row has several
/// taps, finding the weights takes registers too, which many channels make up for: they share a panel.
fn initial(problem: &Problem, limits: &Limits) -> Choice {
    let choice = matmul_cpu::initial(&problem.contiguous(Axis::None, Axis::None), limits);
    let (vector, reg_m) = (choice.get("VECTOR"), choice.get("REG_M"));
    if vector == 16 && problem.n > 32 {
        let one_tap = problem.conv.is_some_and(|conv| conv.filter == [1, 1]);
        let reg_m = if one_tap || problem.m >= 64 { reg_m } else { reg_m.min(4) };
        return matmul_cpu::with_registers(problem, limits, matmul_cpu::FORM_ROW, vector, reg_m, 3);
    }
    choice
}
