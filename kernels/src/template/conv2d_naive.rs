//! Convolution, one work-item for each result.

use super::{Template, conv2d_implicit_gemm, matmul_naive};

/// The index maps of `conv2d_implicit_gemm.cl` in front of `matmul_naive.cl`: the definition, for all three products of a
/// convolution. Its problem and its prelude are those of [`conv2d_implicit_gemm::Conv2d`].
pub const TEMPLATE: Template = Template {
    name: "conv2d_naive",
    sources: &[conv2d_implicit_gemm::SOURCE, matmul_naive::SOURCE],
    tunables: matmul_naive::TEMPLATE.tunables,
    legal: matmul_naive::TEMPLATE.legal,
    initial: matmul_naive::TEMPLATE.initial,
    grid: matmul_naive::TEMPLATE.grid,
    local_bytes: matmul_naive::TEMPLATE.local_bytes,
};
