//! Variants: the implementations that a product, a convolution or a loop nest can have, and how one is chosen.
//!
//! A [`Task`] says what is to be computed, a [`KernelConfig`] how: a [`Variant`] and the values of its tunables. The
//! compiler asks a [`Select`] about every task it meets; where that gives no answer, or one that is not [`legal`], the
//! rule in [`default_config`] decides. What was decided stands in [`crate::plan::Plan::decisions`].
//!
//! A tuner takes the [`candidates`] of a task, compiles the [`graph`] that computes the task and nothing else once for
//! each of them, compares the numbers, and times what is right.
//!
//! ```
//! use netcl_kernels::compile::{Options, compile_with};
//! use netcl_kernels::dtype::DType;
//! use netcl_kernels::plan::Target;
//! use netcl_kernels::template::Axis;
//! use netcl_kernels::variant::{self, Always, Product, Task, typical};
//!
//! let product = Product { m: 64, n: 48, k: 32, batch: 1, a: Axis::K, b: Axis::Outer, aligned: true, dtype: DType::F32 };
//! let task = Task::Product(product);
//! for config in variant::candidates(&task, Target::Gpu, &typical(Target::Gpu)).into_iter().take(3) {
//!     let options = Options { limits: typical(Target::Gpu), select: &Always(config.clone()) };
//!     let plan = compile_with(&variant::graph(&task), Target::Gpu, &options)?;
//!     assert_eq!(plan.decisions[0].config, config);
//! }
//! # Ok::<(), netcl_kernels::span::Diagnostic>(())
//! ```

mod between;
mod config;
mod graph;
mod legal;
mod rule;
mod split;
mod task;

pub use config::{Always, Decision, Defaults, KernelConfig, Select};
pub use graph::graph;
pub use legal::{PART, candidates, legal, template_of};
pub use rule::{default_config, typical};
pub(crate) use rule::{default_for_plan, default_in_one};
pub use split::SPLIT_K;
pub use task::{BatchNorm, Conv2dTask, Elementwise, Product, Reduction, Task};

use crate::plan::Target;
use serde::{Deserialize, Serialize};

/// One implementation of a family of tasks. [`Variant::name`] is its name in records and options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Variant {
    /// Matrix product: a work-item for each result.
    #[serde(rename = "matmul_naive")]
    MatMulNaive,
    /// Matrix product: square tiles in local memory.
    #[serde(rename = "matmul_tiled")]
    MatMulTiled,
    /// Matrix product: tiles in local memory and in registers.
    #[serde(rename = "matmul_register_tiled")]
    MatMulRegisterTiled,
    /// Matrix product: registers and vectors, neither local memory nor barriers.
    #[serde(rename = "matmul_vectorized")]
    MatMulVectorized,
    /// Convolution: a work-item for each result.
    #[serde(rename = "conv2d_naive")]
    Conv2dNaive,
    /// Convolution: the image's patches written down, and a matrix product.
    #[serde(rename = "conv2d_im2col")]
    Conv2dIm2col,
    /// Convolution: a matrix product whose loads find the image's pixels.
    #[serde(rename = "conv2d_implicit_gemm")]
    Conv2dImplicitGemm,
    /// Convolution: tiles of the image, with their margins, in local memory.
    #[serde(rename = "conv2d_tiled_local")]
    Conv2dTiledLocal,
    /// Convolution: 3×3 filters by F(2×2, 3×3), which needs 16 multiplications where others need 36.
    #[serde(rename = "conv2d_winograd")]
    Conv2dWinograd,
    /// Elementwise: one element at a time.
    ElementwiseScalar,
    /// Elementwise: vectors of neighbours.
    ElementwiseVector,
    /// Reduction: a work-item for each row.
    ReductionSequential,
    /// Reduction: two launches, the first over parts of rows.
    ReductionParallel,
    /// Reduction: a work-group for each row.
    ReductionWorkGroup,
    /// Normalisation of batches: statistics and normalised values in kernels of their own.
    BatchNormNaive,
    /// Normalisation of batches: one kernel.
    BatchNormFused,
}

/// Variants that compute the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// Matrix products.
    Product,
    /// Two-dimensional convolutions and their gradients.
    Conv2d,
    /// Maps.
    Elementwise,
    /// Sums, maxima and their like over axes.
    Reduction,
    /// Normalisation by the statistics of a batch.
    BatchNorm,
}

impl Variant {
    /// Every variant, simplest first within its family.
    pub const ALL: [Variant; 16] = {
        use Variant::*;
        [
            MatMulNaive,
            MatMulTiled,
            MatMulRegisterTiled,
            MatMulVectorized,
            Conv2dNaive,
            Conv2dIm2col,
            Conv2dImplicitGemm,
            Conv2dTiledLocal,
            Conv2dWinograd,
            ElementwiseScalar,
            ElementwiseVector,
            ReductionSequential,
            ReductionParallel,
            ReductionWorkGroup,
            BatchNormNaive,
            BatchNormFused,
        ]
    };

    /// The name in records, options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Variant::MatMulNaive => "matmul_naive",
            Variant::MatMulTiled => "matmul_tiled",
            Variant::MatMulRegisterTiled => "matmul_register_tiled",
            Variant::MatMulVectorized => "matmul_vectorized",
            Variant::Conv2dNaive => "conv2d_naive",
            Variant::Conv2dIm2col => "conv2d_im2col",
            Variant::Conv2dImplicitGemm => "conv2d_implicit_gemm",
            Variant::Conv2dTiledLocal => "conv2d_tiled_local",
            Variant::Conv2dWinograd => "conv2d_winograd",
            Variant::ElementwiseScalar => "elementwise_scalar",
            Variant::ElementwiseVector => "elementwise_vector",
            Variant::ReductionSequential => "reduction_sequential",
            Variant::ReductionParallel => "reduction_parallel",
            Variant::ReductionWorkGroup => "reduction_work_group",
            Variant::BatchNormNaive => "batch_norm_naive",
            Variant::BatchNormFused => "batch_norm_fused",
        }
    }

    /// The variant of that name.
    pub fn parse(name: &str) -> Option<Variant> {
        Variant::ALL.into_iter().find(|variant| variant.name() == name)
    }

    /// Whether its own kernels keep tiles or partial results in local memory. Parts of it that are tasks of their own
    /// (the product of im2col's patches, the two reductions of one in parts) are asked about like any others.
    pub const fn local_memory(self, target: Target) -> bool {
        use Variant::*;
        match self {
            MatMulTiled | MatMulRegisterTiled | Conv2dTiledLocal | ReductionWorkGroup => true,
            // Processors have a template of their own for it, without.
            Conv2dImplicitGemm => matches!(target, Target::Gpu),
            MatMulNaive | MatMulVectorized | Conv2dNaive | Conv2dIm2col | Conv2dWinograd | ElementwiseScalar
            | ElementwiseVector | ReductionSequential | ReductionParallel | BatchNormNaive | BatchNormFused => false,
        }
    }

    /// What it is a variant of.
    pub const fn family(self) -> Family {
        use Variant::*;
        match self {
            MatMulNaive | MatMulTiled | MatMulRegisterTiled | MatMulVectorized => Family::Product,
            Conv2dNaive | Conv2dIm2col | Conv2dImplicitGemm | Conv2dTiledLocal | Conv2dWinograd => Family::Conv2d,
            ElementwiseScalar | ElementwiseVector => Family::Elementwise,
            ReductionSequential | ReductionParallel | ReductionWorkGroup => Family::Reduction,
            BatchNormNaive | BatchNormFused => Family::BatchNorm,
        }
    }
}

impl Family {
    /// Its variants, simplest first.
    pub fn variants(self) -> impl Iterator<Item = Variant> {
        Variant::ALL.into_iter().filter(move |variant| variant.family() == self)
    }
}

impl std::fmt::Display for Variant {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_and_are_those_of_the_serialized_form() {
        for variant in Variant::ALL {
            assert_eq!(Variant::parse(variant.name()), Some(variant));
            assert_eq!(serde_json::to_string(&variant).unwrap(), format!("\"{}\"", variant.name()));
            assert!(variant.family().variants().any(|own| own == variant));
        }
        assert_eq!(Variant::parse("matmul_quick"), None);
    }
}
