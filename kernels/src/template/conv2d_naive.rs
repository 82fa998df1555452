//! Convolution, one work-item for each result.

use super::{Columns, RUNNING, Template, conv2d_implicit_gemm, matmul_naive};

/// The index maps of `conv2d_implicit_gemm.cl` in front of `matmul_naive.cl`: the definition, for all three products of a
/// convolution. Its problem and its prelude are those of [`Conv2d`](super::convolution::Conv2d).
pub const TEMPLATE: Template = Template {
    name: "conv2d_naive",
    sources: &[conv2d_implicit_gemm::SOURCE, matmul_naive::SOURCE],
    tunables: matmul_naive::TEMPLATE.tunables,
    convolution: true,
    for_processors: false,
    local_memory: false,
    legal: matmul_naive::TEMPLATE.legal,
    initial: matmul_naive::TEMPLATE.initial,
    other_forms: |_, _| Vec::new(),
    grid: matmul_naive::TEMPLATE.grid,
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
