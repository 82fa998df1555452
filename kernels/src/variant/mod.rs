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
//! use netcl_kernels::compile::{CompileOptions, compile_with};
//! use netcl_kernels::dtype::DType;
//! use netcl_kernels::plan::Target;
//! use netcl_kernels::template::Axis;
//! use netcl_kernels::variant::{self, Always, Product, Task, typical};
//!
//! let product = Product { m: 64, n: 48, k: 32, batch: 1, a: Axis::K, b: Axis::Outer, aligned: true, dtype: DType::F32 };
//! let task = Task::Product(product);
//! for config in variant::candidates(&task, Target::Gpu, &typical(Target::Gpu)).into_iter().take(3) {
//!     let select = Always(config.clone());
//!     let options = CompileOptions { select: &select, ..CompileOptions::typical(Target::Gpu) };
//!     let plan = compile_with(&variant::graph(&task), Target::Gpu, &options)?;
//!     assert_eq!(plan.decisions[0].config, config);
//! }
//! # Ok::<(), netcl_kernels::span::Diagnostic>(())
//! ```

mod candidates;
mod config;
mod graph;
mod intermediates;
mod legal;
mod parts;
mod rule;
mod split;
mod table;
mod task;

pub use candidates::{candidates, starts};
pub use config::{Always, Decision, Defaults, KernelConfig, Select};
pub use graph::{LOG_OF_SUM, graph};
pub use legal::{legal, work_groups};
pub use rule::{default_config, initial_config, typical};
pub(crate) use rule::{default_for_plan, default_in_one};
pub use split::{SPLIT_K, SPLIT_K_VALUES};
pub use table::PART;
pub use task::{AttentionTask, BatchNorm, Conv2dTask, Elementwise, Product, Recurrence, Reduction, Task};

use serde::{Deserialize, Serialize};

/// One implementation of a family of tasks. [`Variant::name`] is its name in records and options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
#[doc(alias = "KernelVariant")]
pub enum Variant {
    /// Matrix product: a work-item for each result.
    MatMulNaive,
    /// Matrix product: square tiles in local memory.
    MatMulTiled,
    /// Matrix product: tiles in local memory and in registers.
    MatMulRegisterTiled,
    /// Matrix product: fragments that sub-groups hold and a matrix unit multiplies.
    MatMulMma,
    /// Matrix product: registers and vectors, neither local memory nor barriers.
    MatMulVectorized,
    /// Convolution: a work-item for each result.
    Conv2dNaive,
    /// Convolution: the image's patches written down, and a matrix product.
    Conv2dIm2col,
    /// Convolution: a matrix product whose loads find the image's pixels.
    Conv2dImplicitGemm,
    /// Convolution: tiles of the image, with their margins, in local memory.
    Conv2dTiledLocal,
    /// Convolution: 3×3 filters by F(2×2, 3×3), which needs 16 multiplications where others need 36.
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
    /// A loop over a symbol: launches in each round.
    RecurrenceLaunches,
    /// A loop over a symbol: one kernel that loops.
    RecurrenceOneKernel,
    /// Attention: its products and its softmax, with the scores in memory.
    AttentionNaive,
    /// Attention: one kernel, which goes over tiles of the scores.
    AttentionFused,
}

/// Work-items in a work-group of a GPU's loops.
pub(crate) const LOOP_GROUP: u32 = 256;

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
    /// Loops over a symbol that pass values on from round to round.
    Recurrence,
    /// Attention and its gradients.
    Attention,
}

impl Family {
    /// Its variants, simplest first.
    pub fn variants(self) -> impl Iterator<Item = Variant> {
        Variant::ALL.into_iter().filter(move |variant| variant.family() == self)
    }
}

impl From<Variant> for &'static str {
    fn from(variant: Variant) -> Self {
        variant.name()
    }
}

impl TryFrom<String> for Variant {
    type Error = String;

    fn try_from(name: String) -> Result<Self, String> {
        Variant::parse(&name).ok_or_else(|| {
            let names: Vec<&str> = Variant::ALL.into_iter().map(Variant::name).collect();
            format!("no variant `{name}`; there are: {}", names.join(", "))
        })
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
    use crate::target::Target;

    #[test]
    fn names_parse_and_are_those_of_the_serialized_form() {
        for variant in Variant::ALL {
            assert_eq!(Variant::parse(variant.name()), Some(variant));
            assert_eq!(serde_json::to_string(&variant).unwrap(), format!("\"{}\"", variant.name()));
            assert!(variant.family().variants().any(|own| own == variant));
        }
        assert_eq!(Variant::parse("matmul_quick"), None);
        let error = serde_json::from_str::<Variant>("\"matmul_quick\"").unwrap_err().to_string();
        assert!(error.contains("no variant `matmul_quick`; there are: matmul_naive, matmul_tiled"), "{error}");
    }

    #[test]
    fn what_makes_a_variant_follows_the_kind_of_device() {
        let template = |variant: Variant, target| variant.template(target).map(|template| template.name);
        assert_eq!(template(Variant::Conv2dImplicitGemm, Target::Gpu), Some("conv2d_implicit_gemm"));
        assert_eq!(template(Variant::Conv2dImplicitGemm, Target::Cpu), Some("conv2d_cpu"));
        assert_eq!(template(Variant::Conv2dWinograd, Target::Gpu), None);
        assert!(Variant::Conv2dImplicitGemm.local_memory(Target::Gpu));
        assert!(!Variant::Conv2dImplicitGemm.local_memory(Target::Cpu));
        for variant in Variant::ALL {
            // Whatever is rewritten or divided has loops besides templates, and only sums of templates are cut.
            assert!(!(variant.rewrites() || variant.divides()) || variant.has_loops(), "{variant}");
            assert!(!variant.splits() || variant.template(Target::Gpu).is_some(), "{variant}");
            let names: Vec<&str> = variant.tunables(Target::Gpu).iter().map(|tunable| tunable.name).collect();
            assert!(!names.contains(&SPLIT_K), "{variant}: {names:?}");
        }
    }
}
