//! The table of variants: what each is called, what it is a variant of, and what makes its kernels.

use super::{Family, Variant};
use crate::target::Target;
use crate::template::{
    Template, Tunable, attention, conv2d_cpu, conv2d_implicit_gemm, conv2d_naive, conv2d_tiled_local, matmul_cpu,
    matmul_mma, matmul_naive, matmul_register, matmul_tiled,
};

/// The tunable of [`Variant::ReductionParallel`]: about how many elements a work-group of the first launch takes.
pub const PART: &str = "PART";

/// What makes a variant's kernels.
enum MadeBy {
    /// An instance of a template, which may be another one for processors.
    Template { gpu: &'static Template, cpu: &'static Template },
    /// The compiler's own loops in one kernel (`schedule`).
    Layout { local_memory: bool },
    /// Other nodes in the place of the one (`rewrite`), which are tasks or loops of their own.
    Rewrite { tunables: &'static [Tunable] },
    /// How nodes are divided into kernels (`fuse`), which are tasks of their own.
    Division,
}

/// What is known of a variant.
struct Row {
    variant: Variant,
    name: &'static str,
    family: Family,
    made_by: MadeBy,
    /// Whether it computes sums in parts ([`super::SPLIT_K`]).
    splits: bool,
}

const fn row(variant: Variant, name: &'static str, family: Family, made_by: MadeBy) -> Row {
    Row { variant, name, family, made_by, splits: false }
}

/// The row of an instance of `template`, which computes a product or convolution whose sum can be cut.
const fn product(variant: Variant, name: &'static str, family: Family, template: &'static Template) -> Row {
    Row { variant, name, family, made_by: MadeBy::Template { gpu: template, cpu: template }, splits: true }
}

const PLAIN: MadeBy = MadeBy::Layout { local_memory: false };
const IN_GROUPS: MadeBy = MadeBy::Layout { local_memory: true };
const OTHER_NODES: MadeBy = MadeBy::Rewrite { tunables: &[] };
const PARTS: MadeBy =
    MadeBy::Rewrite { tunables: &[Tunable { name: PART, default: 4096, values: &[256, 1024, 4096, 16384] }] };
const IMPLICIT_GEMM: MadeBy = MadeBy::Template { gpu: &conv2d_implicit_gemm::TEMPLATE, cpu: &conv2d_cpu::TEMPLATE };
const ONE_PASS: MadeBy = MadeBy::Template { gpu: &attention::TEMPLATE, cpu: &attention::TEMPLATE };
const TILED_LOCAL: MadeBy = MadeBy::Template { gpu: &conv2d_tiled_local::TEMPLATE, cpu: &conv2d_tiled_local::TEMPLATE };

/// A row for each variant, in the order of [`Variant`].
const TABLE: [Row; 21] = {
    use Family::{Attention, BatchNorm, Conv2d, Elementwise, Product, Recurrence, Reduction};
    use Variant::*;
    [
        product(MatMulNaive, "matmul_naive", Product, &matmul_naive::TEMPLATE),
        product(MatMulTiled, "matmul_tiled", Product, &matmul_tiled::TEMPLATE),
        product(MatMulRegisterTiled, "matmul_register_tiled", Product, &matmul_register::TEMPLATE),
        product(MatMulMma, "matmul_mma", Product, &matmul_mma::TEMPLATE),
        product(MatMulVectorized, "matmul_vectorized", Product, &matmul_cpu::TEMPLATE),
        product(Conv2dNaive, "conv2d_naive", Conv2d, &conv2d_naive::TEMPLATE),
        row(Conv2dIm2col, "conv2d_im2col", Conv2d, OTHER_NODES),
        Row { splits: true, ..row(Conv2dImplicitGemm, "conv2d_implicit_gemm", Conv2d, IMPLICIT_GEMM) },
        row(Conv2dTiledLocal, "conv2d_tiled_local", Conv2d, TILED_LOCAL),
        row(Conv2dWinograd, "conv2d_winograd", Conv2d, OTHER_NODES),
        row(ElementwiseScalar, "elementwise_scalar", Elementwise, PLAIN),
        row(ElementwiseVector, "elementwise_vector", Elementwise, PLAIN),
        row(ReductionSequential, "reduction_sequential", Reduction, PLAIN),
        row(ReductionParallel, "reduction_parallel", Reduction, PARTS),
        row(ReductionWorkGroup, "reduction_work_group", Reduction, IN_GROUPS),
        row(BatchNormNaive, "batch_norm_naive", BatchNorm, MadeBy::Division),
        row(BatchNormFused, "batch_norm_fused", BatchNorm, PLAIN),
        row(RecurrenceLaunches, "recurrence_launches", Recurrence, MadeBy::Division),
        row(RecurrenceOneKernel, "recurrence_one_kernel", Recurrence, PLAIN),
        row(AttentionNaive, "attention_naive", Attention, OTHER_NODES),
        row(AttentionFused, "attention_fused", Attention, ONE_PASS),
    ]
};

/// [`TABLE`] in memory once.
static ROWS: [Row; 21] = TABLE;

impl Variant {
    /// Every variant, simplest first within its family.
    pub const ALL: [Variant; 21] = {
        let mut all = [Variant::MatMulNaive; 21];
        let mut position = 0;
        while position < all.len() {
            let variant = TABLE[position].variant;
            assert!(variant as usize == position, "a row is not where its variant is in the enum");
            all[position] = variant;
            position += 1;
        }
        all
    };

    fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The name in records, options and reports.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The variant of that name.
    pub fn parse(name: &str) -> Option<Variant> {
        Variant::ALL.into_iter().find(|variant| variant.name() == name)
    }

    /// What it is a variant of.
    pub fn family(self) -> Family {
        self.row().family
    }

    /// The template that it is an instance of on devices of that kind, if it is one.
    pub fn template(self, target: Target) -> Option<&'static Template> {
        match (&self.row().made_by, target) {
            (MadeBy::Template { gpu, .. }, Target::Gpu) => Some(gpu),
            (MadeBy::Template { cpu, .. }, Target::Cpu | Target::Host) => Some(cpu),
            _ => None,
        }
    }

    /// Its tunables on devices of that kind, but for [`super::SPLIT_K`].
    pub fn tunables(self, target: Target) -> &'static [Tunable] {
        match (&self.row().made_by, self.template(target)) {
            (_, Some(template)) => template.tunables,
            (MadeBy::Rewrite { tunables }, _) => tunables,
            _ => &[],
        }
    }

    /// Whether its own kernels keep tiles or partial results in local memory. Parts of it that are tasks of their own
    /// (the product of im2col's patches, the two reductions of one in parts) are asked about like any others.
    pub fn local_memory(self, target: Target) -> bool {
        match (&self.row().made_by, self.template(target)) {
            (_, Some(template)) => template.local_memory,
            (MadeBy::Layout { local_memory }, _) => *local_memory,
            _ => false,
        }
    }

    /// Whether it computes sums in parts ([`super::SPLIT_K`]).
    pub fn splits(self) -> bool {
        self.row().splits
    }

    /// Whether the compiler writes kernels of it, at least in part: im2col's patches and Winograd's squares are written by
    /// loops.
    pub(crate) fn has_loops(self) -> bool {
        !matches!(self.row().made_by, MadeBy::Template { .. })
    }

    /// Whether it puts other nodes in the place of the one that it is chosen for.
    pub(crate) fn rewrites(self) -> bool {
        matches!(self.row().made_by, MadeBy::Rewrite { .. })
    }

    /// Whether it says how nodes are divided into kernels, and nothing about a kernel.
    pub(crate) fn divides(self) -> bool {
        matches!(self.row().made_by, MadeBy::Division)
    }
}
