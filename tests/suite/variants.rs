//! Every variant of products, convolutions and loops on odd shapes, against the reference interpreter in f64.
//!
//! One plan serves all sizes of its symbols, and several results share it: what a driver compiles is what takes time.

use crate::Case;
use crate::graphs::{Example, limits};
use crate::model_cases::example;
use crate::variant_graphs::{
    aligned, attention, batch_norm, computed, convolution, convolutions, geometry, gradients, halves, heads_of_one,
    large_parts, maps, padded, parts_of_rows, products, products_of, recurrences, reductions, windows,
};
use libtest_mimic::{Completion, Failed};
use netcl::{Avoid, Device};
use netcl_kernels::dim::{Dim, IndexWidth};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::Graph;
use netcl_kernels::plan::Target;
use netcl_kernels::template::{Choice, Limits};
use netcl_kernels::variant::{Family, KernelConfig, SPLIT_K, Select, Task, Variant, candidates};

/// Takes the first configuration of one variant, with so many parts, for every task that has one, and the simplest
/// variant for other products and convolutions; or one configuration.
struct Only {
    variant: Variant,
    parts: u32,
    config: Option<KernelConfig>,
    target: Target,
    limits: Limits,
}

impl Select for Only {
    fn select(&self, task: &Task<Dim>) -> Option<KernelConfig> {
        if let Some(config) = self.config.as_ref().filter(|own| own.variant.family() == task.family()) {
            return Some(config.clone());
        }
        let all = candidates(&task.estimate(), self.target, &self.limits);
        let wanted = all.iter().find(|config| self.takes(config));
        // What is not looked at is to compile quickly.
        let simple = |config: &&KernelConfig| [Variant::MatMulNaive, Variant::Conv2dNaive].contains(&config.variant);
        wanted.or_else(|| all.iter().find(simple)).cloned()
    }
}

impl Only {
    fn takes(&self, config: &KernelConfig) -> bool {
        match &self.config {
            Some(own) => config == own,
            None => config.variant == self.variant && config.values.get(SPLIT_K) == self.parts,
        }
    }
}

/// How a case is computed, and how far a result may be from the reference, relative to its largest element.
#[derive(Clone, Copy)]
struct Way {
    variant: Variant,
    /// 0 for sums in one piece.
    parts: u32,
    tolerance: f64,
    /// For what kind of device; the device's own where nothing is said.
    target: Option<Target>,
    /// Rows and columns of tiles and how many copies there are of them, by warpgroups and with tensor maps.
    bulk: Option<[u32; 3]>,
}

fn way(variant: Variant, parts: u32) -> Way {
    // Tiles of Winograd are differences of pixels.
    let tolerance = if variant == Variant::Conv2dWinograd { 1e-4 } else { 2e-5 };
    Way { variant, parts, tolerance, target: None, bulk: None }
}

impl Way {
    fn name(&self) -> String {
        let target = self.target.map(|target| format!(" for a {}", target.name())).unwrap_or_default();
        let parts = if self.parts == 0 { String::new() } else { format!(" in {} parts", self.parts) };
        let bulk = self.bulk.map(|[m, n, _]| format!(" of {m}x{n} by tensor maps")).unwrap_or_default();
        format!("{}{bulk}{parts}{target}", self.variant)
    }

    /// A case that compiles `graph` in this way once and runs it with each of the `sizes`.
    fn case(self, name: &str, graph: Graph, sizes: &'static [&'static [(&'static str, u64)]]) -> Case {
        Case {
            name: format!("variants::{}, {name}", self.name()),
            run: Box::new(move |device| {
                let wide = graph.nodes.iter().any(|node| node.dtype == DType::F64);
                if wide && !device.profile().fp64 {
                    return Ok(Completion::ignored_with("the device has no f64"));
                }
                if self.bulk.is_some() && !device.profile().ptx.is_some_and(|ptx| ptx.wgmma) {
                    return Ok(Completion::ignored_with("the device has no warpgroups that multiply"));
                }
                let avoid = Avoid::Variant(self.variant);
                if let Some(quirk) = device.profile().quirks.iter().find(|quirk| quirk.avoid == avoid) {
                    return Ok(Completion::ignored_with(quirk.reason));
                }
                self.check(device, &graph, sizes).map(|()| Completion::Completed)
            }),
        }
    }

    /// The one configuration that it is about.
    fn config(&self) -> Option<KernelConfig> {
        let [tile_m, tile_n, stages] = self.bulk?;
        let tiles = [("TILE_M", tile_m), ("TILE_N", tile_n), ("SUB_N", tile_n), ("STAGES", stages)];
        let others = [("UNIT", 2), ("TILE_K", 64), ("SUB_M", 16), ("GROUP_M", 8)];
        let mut values = Choice::new(&tiles.into_iter().chain(others).collect::<Vec<_>>());
        if self.parts > 0 {
            values.set(SPLIT_K, self.parts);
        }
        Some(KernelConfig::new(self.variant, values))
    }

    fn check(&self, device: &Device, graph: &Graph, sizes: &[&[(&str, u64)]]) -> Result<(), Failed> {
        let examples: Vec<Example> = sizes.iter().map(|sizes| example(graph.clone(), sizes)).collect();
        let target = self.target.unwrap_or(device.profile().target);
        let limits = limits(device, target);
        let only = Only { variant: self.variant, parts: self.parts, config: self.config(), target, limits };
        let compiled = examples[0].compiled(device, target, &only, IndexWidth::Narrow)?;
        if !compiled.plan.decisions.iter().any(|decision| only.takes(&decision.config)) {
            return Err(format!("{} was taken for nothing:\n{graph}", self.name()).into());
        }
        if self.bulk.is_some() && !compiled.plan.source.mentions("#define BULK 1\n") {
            return Err(format!("no product of this has tensor maps:\n{graph}").into());
        }
        examples.iter().try_for_each(|example| example.check_compiled(device, &compiled, self.tolerance))
    }
}

pub(crate) fn all() -> Vec<Case> {
    use Variant::*;
    let mut cases = Vec::new();
    // A matrix unit's fragments are of halves alone.
    for variant in Family::Product.variants().filter(|variant| *variant != MatMulMma) {
        for parts in [0, 4] {
            cases.push(way(variant, parts).case("any sizes", products(DType::F32), PRODUCT_SIZES));
        }
        cases.push(way(variant, 0).case("aligned", aligned(DType::F32), &[&[]]));
        let half = Way { tolerance: 2e-3, ..way(variant, 0) };
        cases.push(half.case("f16", aligned(DType::F16), &[&[]]));
        let half = Way { tolerance: 2e-3, ..way(variant, 4) };
        cases.push(half.case("f16 that parts overflow", large_parts(), &[&[]]));
        let double = Way { tolerance: 1e-12, ..way(variant, 0) };
        cases.push(double.case("f64", aligned(DType::F64), &[&[]]));
    }
    for (dtype, tolerance) in [(DType::F16, 2e-3), (DType::BF16, 1e-2)] {
        let way = |parts| Way { tolerance, ..way(MatMulMma, parts) };
        for parts in [0, 4] {
            cases.push(way(parts).case(&format!("any sizes of {dtype}"), products(dtype), HALF_SIZES));
        }
        cases.push(way(0).case(&format!("computed operands of {dtype}"), computed(dtype), HALF_SIZES));
        cases.push(way(0).case(&format!("aligned {dtype}"), aligned(dtype), &[&[]]));
        for parts in [0, 4] {
            cases.push(way(parts).case(&format!("long sums of {dtype}"), products(dtype), LONG_SUMS));
        }
        // Of several tiles and not whole ones, of rows that are copied in 8 bytes and not in 16, and of several blocks.
        for sizes in [["2", "264", "136", "200"], ["1", "12", "20", "68"], ["1", "136", "72", "9000"]] {
            let name = format!("aligned {} of {dtype}", sizes.join("x"));
            cases.push(way(0).case(&name, products_of(sizes, dtype), &[&[]]));
        }
        for bulk in [[128, 256, 4], [256, 128, 4], [128, 128, 5], [64, 256, 4], [64, 64, 4]] {
            let way = |parts| Way { bulk: Some(bulk), ..way(parts) };
            // The first has more tiles than a device holds work-groups at a time.
            for sizes in [["300", "40", "48", "24"], ["2", "264", "520", "72"], ["1", "136", "72", "9000"]] {
                let name = format!("{} of {dtype}", sizes.join("x"));
                cases.push(way(0).case(&name, products_of(sizes, dtype), &[&[]]));
            }
            let name = format!("1x264x264x256 of {dtype}");
            cases.push(way(4).case(&name, products_of(["1", "264", "264", "256"], dtype), &[&[]]));
            cases.push(way(0).case(&format!("parts of rows of {dtype}"), parts_of_rows(dtype), &[&[]]));
        }
        cases.push(way(0).case(&format!("long sums of computed operands of {dtype}"), computed(dtype), LONG_SUMS));
    }
    let half = Way { tolerance: 2e-3, ..way(MatMulMma, 4) };
    cases.push(half.case("f16 that parts overflow", large_parts(), &[&[]]));
    cases.push(way(MatMulRegisterTiled, 4).case("aligned", aligned(DType::F32), &[&[]]));
    for variant in Family::Conv2d.variants() {
        for (name, graph) in convolutions() {
            if variant != Conv2dWinograd || name.contains("3x3") {
                cases.push(way(variant, 0).case(name, graph, IMAGES));
            }
        }
        if variant != Conv2dWinograd {
            let half = Way { tolerance: 2e-3, ..way(variant, 0) };
            cases.push(half.case("f16", padded(DType::F16), IMAGES));
        }
        let double = Way { tolerance: 1e-12, ..way(variant, 0) };
        cases.push(double.case("f64", padded(DType::F64), IMAGES));
        // The rule's own choice is what the other models' cases run.
        if variant != Conv2dImplicitGemm {
            cases.push(way(variant, 0).case("a model's gradients", gradients(), &[&[("N", 5)]]));
        }
    }
    cases.push(way(Conv2dImplicitGemm, 16).case("3x3, padded", padded(DType::F32), IMAGES));
    // Likely so many pixels that the weight's gradient adds them up in parts, of which some have no image.
    for (dtype, tolerance) in [(DType::F32, 2e-5), (DType::F16, 2e-3)] {
        let large = convolution([4, 6], [[19, 22], [3, 3]], geometry([1, 2], [1, 0], [1, 1], 2), dtype);
        let way = Way { tolerance, ..way(Conv2dIm2col, 0) };
        cases.push(way.case(&format!("large images of {dtype}"), large, IMAGES));
    }
    let half = Way { tolerance: 2e-3, ..way(Conv2dNaive, 2) };
    cases.push(half.case(
        "f16",
        convolution([2, 4], [[8, 5], [3, 3]], geometry([1, 1], [0, 0], [1, 1], 1), DType::F16),
        IMAGES,
    ));
    for (name, graph) in convolutions() {
        cases.push(way(Conv2dNaive, 2).case(name, graph, IMAGES));
    }
    cases.extend(loops());
    // One kernel for a GPU, which runs on all devices; and what it stands for.
    for (dtype, tolerance) in [(DType::F16, 4e-3), (DType::BF16, 3e-2)] {
        let way = |variant| Way { target: Some(Target::Gpu), tolerance, ..way(variant, 0) };
        for (widths, causal) in [([8, 16], true), ([64, 64], true), ([96, 40], false), ([128, 128], true)] {
            let name = format!("{dtype} of {} and {}", widths[0], widths[1]);
            cases.push(way(AttentionFused).case(&name, attention(dtype, widths, causal), ATTENTION_SIZES));
        }
        let heads = format!("{dtype} of heads of one product");
        for variant in [AttentionNaive, AttentionFused] {
            cases.push(way(variant).case(&heads, heads_of_one(dtype), &[&[("T", 1)], &[("T", 37)]]));
        }
    }
    let on_gpus = Way { target: Some(Target::Gpu), ..way(Conv2dImplicitGemm, 16) };
    cases.push(on_gpus.case("3x3, padded", padded(DType::F32), IMAGES));
    cases
}

/// Loops have another layout for each kind of device, and run on all of them.
fn loops() -> Vec<Case> {
    use Variant::*;
    let mut cases = Vec::new();
    for target in [Target::Cpu, Target::Gpu] {
        let way = |variant| Way { target: Some(target), ..way(variant, 0) };
        for variant in [ElementwiseScalar, ElementwiseVector] {
            cases.push(way(variant).case("any sizes", maps(), MATRIX_SIZES));
            cases.push(way(variant).case("windows", windows(), &[&[("N", 1)], &[("N", 3)]]));
        }
        for variant in [ReductionSequential, ReductionWorkGroup] {
            cases.push(way(variant).case("any sizes", reductions(Dim::symbol("C"), true), MATRIX_SIZES));
        }
        let long = reductions(Dim::from(5003), false);
        cases.push(way(ReductionParallel).case("long rows", long, &[&[("R", 1)], &[("R", 3)]]));
        for (dtype, tolerance) in [(DType::F16, 2e-3), (DType::BF16, 1e-2)] {
            let way = Way { tolerance, ..way(ReductionParallel) };
            cases.push(way.case(&format!("long rows of {dtype}"), halves(dtype), &[&[("R", 1)], &[("R", 3)]]));
        }
        for variant in [BatchNormNaive, BatchNormFused] {
            cases.push(way(variant).case("images", batch_norm([3, 5, 4]), IMAGES));
        }
        // Likely to be large: a GPU computes the statistics in parts, if not in the kernel of the values.
        cases.push(way(BatchNormNaive).case("large images", batch_norm([2, 30, 40]), &[&[("N", 1)], &[("N", 7)]]));
        for variant in [RecurrenceLaunches, RecurrenceOneKernel] {
            cases.push(way(variant).case("with a batch and without", recurrences(), ROUNDS));
        }
    }
    cases
}

/// One row, tiles that are not full, and fewer queries or keys than the others.
const ATTENTION_SIZES: &[&[(&str, u64)]] = &[
    &[("B", 1), ("T", 1), ("S", 1)],
    &[("B", 2), ("T", 33), ("S", 33)],
    &[("B", 1), ("T", 5), ("S", 50)],
    &[("B", 3), ("T", 47), ("S", 19)],
];
const PRODUCT_SIZES: &[&[(&str, u64)]] = &[
    &[("B", 1), ("M", 1), ("N", 1), ("K", 1)],
    &[("B", 2), ("M", 3), ("N", 5), ("K", 7)],
    &[("B", 1), ("M", 33), ("N", 17), ("K", 65)],
    &[("B", 3), ("M", 64), ("N", 64), ("K", 32)],
    &[("B", 1), ("M", 1), ("N", 40), ("K", 130)],
];
/// Rows of which no number, 2, 4 or 8 elements begin aligned.
const HALF_SIZES: &[&[(&str, u64)]] = &[
    &[("B", 1), ("M", 1), ("N", 1), ("K", 1)],
    &[("B", 2), ("M", 3), ("N", 5), ("K", 7)],
    &[("B", 1), ("M", 66), ("N", 134), ("K", 70)],
    &[("B", 2), ("M", 12), ("N", 20), ("K", 68)],
    &[("B", 1), ("M", 72), ("N", 80), ("K", 96)],
];
/// Of several blocks, in `matmul_mma.cl`.
const LONG_SUMS: &[&[(&str, u64)]] = &[&[("B", 1), ("M", 8), ("N", 9), ("K", 9000)]];
const MATRIX_SIZES: &[&[(&str, u64)]] =
    &[&[("R", 1), ("C", 1)], &[("R", 3), ("C", 5)], &[("R", 7), ("C", 64)], &[("R", 2), ("C", 1030)]];
/// No round of one of the loops, a batch that fills several work-groups, and more rounds than a launch has.
const ROUNDS: &[&[(&str, u64)]] =
    &[&[("N", 1), ("T", 1)], &[("N", 5), ("T", 2)], &[("N", 70), ("T", 9)], &[("N", 2), ("T", 1030)]];
const IMAGES: &[&[(&str, u64)]] = &[&[("N", 1)], &[("N", 3)], &[("N", 20)]];
