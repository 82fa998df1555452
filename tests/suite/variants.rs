//! Every variant of products, convolutions and loops on odd shapes, against the reference interpreter in f64.
//!
//! One plan serves all sizes of its symbols, and several results share it: what a driver compiles is what takes time.

use crate::Case;
use crate::graphs::{Example, limits};
use crate::model_cases::example;
use libtest_mimic::{Completion, Failed};
use netcl::{Avoid, Device};
use netcl_fixtures::models;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::{Dim, IndexWidth, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{
    AxisIndex, BinaryOp, CompareOp, ConvGeometry, Graph, InputKind, NodeId, OutputKind, ReduceOp, UnaryOp,
};
use netcl_kernels::ops::attention::scaled_dot_product_attention;
use netcl_kernels::plan::Target;
use netcl_kernels::template::Limits;
use netcl_kernels::variant::{Family, KernelConfig, SPLIT_K, Select, Task, Variant, candidates};

/// Takes the first configuration of one variant, with so many parts, for every task that has one, and the simplest
/// variant for other products and convolutions.
struct Only {
    variant: Variant,
    parts: u32,
    target: Target,
    limits: Limits,
}

impl Select for Only {
    fn select(&self, task: &Task<Dim>) -> Option<KernelConfig> {
        let all = candidates(&task.estimate(), self.target, &self.limits);
        let wanted = all.iter().find(|config| self.takes(config));
        // What is not looked at is to compile quickly.
        let simple = |config: &&KernelConfig| [Variant::MatMulNaive, Variant::Conv2dNaive].contains(&config.variant);
        wanted.or_else(|| all.iter().find(simple)).cloned()
    }
}

impl Only {
    fn takes(&self, config: &KernelConfig) -> bool {
        config.variant == self.variant && config.values.get(SPLIT_K) == self.parts
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
}

fn way(variant: Variant, parts: u32) -> Way {
    // Tiles of Winograd are differences of pixels.
    let tolerance = if variant == Variant::Conv2dWinograd { 1e-4 } else { 2e-5 };
    Way { variant, parts, tolerance, target: None }
}

impl Way {
    fn name(&self) -> String {
        let target = self.target.map(|target| format!(" for a {}", target.name())).unwrap_or_default();
        let parts = if self.parts == 0 { String::new() } else { format!(" in {} parts", self.parts) };
        format!("{}{parts}{target}", self.variant)
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
                let avoid = Avoid::Variant(self.variant);
                if let Some(quirk) = device.profile().quirks.iter().find(|quirk| quirk.avoid == avoid) {
                    return Ok(Completion::ignored_with(quirk.reason));
                }
                self.check(device, &graph, sizes).map(|()| Completion::Completed)
            }),
        }
    }

    fn check(&self, device: &Device, graph: &Graph, sizes: &[&[(&str, u64)]]) -> Result<(), Failed> {
        let examples: Vec<Example> = sizes.iter().map(|sizes| example(graph.clone(), sizes)).collect();
        let target = self.target.unwrap_or(device.profile().target);
        let limits = limits(device, target);
        let only = Only { variant: self.variant, parts: self.parts, target, limits };
        let compiled = examples[0].compiled(device, target, &only, IndexWidth::Narrow)?;
        if !compiled.plan.decisions.iter().any(|decision| only.takes(&decision.config)) {
            return Err(format!("{} was taken for nothing:\n{graph}", self.name()).into());
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
    // Loops have another layout for each kind of device, and run on all of them.
    for target in [Target::Cpu, Target::Gpu] {
        let way = |variant| Way { target: Some(target), ..way(variant, 0) };
        for variant in [ElementwiseScalar, ElementwiseVector] {
            cases.push(way(variant).case("any sizes", maps(), MATRIX_SIZES));
        }
        for variant in [ReductionSequential, ReductionWorkGroup] {
            cases.push(way(variant).case("any sizes", reductions(Dim::symbol("C"), true), MATRIX_SIZES));
        }
        let long = reductions(Dim::from(5003), false);
        cases.push(way(ReductionParallel).case("long rows", long, &[&[("R", 1)], &[("R", 3)]]));
        for variant in [BatchNormNaive, BatchNormFused] {
            cases.push(way(variant).case("images", batch_norm([3, 5, 4]), IMAGES));
        }
        // Likely to be large: a GPU computes the statistics in parts, if not in the kernel of the values.
        cases.push(way(BatchNormNaive).case("large images", batch_norm([2, 30, 40]), &[&[("N", 1)], &[("N", 7)]]));
        for variant in [RecurrenceLaunches, RecurrenceOneKernel] {
            cases.push(way(variant).case("with a batch and without", recurrences(), ROUNDS));
        }
    }
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

struct Maker {
    b: Builder,
    arguments: usize,
    results: usize,
}

impl Maker {
    fn new(name: &str) -> Maker {
        Maker { b: Builder::new(name), arguments: 0, results: 0 }
    }

    fn argument(&mut self, name: &str, shape: &[Dim], dtype: DType) -> NodeId {
        self.arguments += 1;
        self.b.input(InputKind::Argument(self.arguments - 1), name, Shape(shape.to_vec()), dtype)
    }

    fn result(&mut self, id: NodeId) {
        // Results of half precision are looked at as f32.
        let id = if self.b.dtype(id) == DType::F16 { self.b.cast(id, DType::F32).unwrap() } else { id };
        self.b.output(OutputKind::Result(self.results), id);
        self.results += 1;
    }
}

fn symbols(names: &str) -> Vec<Dim> {
    names.split(' ').map(|name| name.parse().map_or_else(|_| Dim::symbol(name), Dim::constant)).collect()
}

/// Operands along either axis, and a bias and `relu` on what comes out.
fn products(dtype: DType) -> Graph {
    products_of(["B", "M", "N", "K"], dtype)
}

/// The same of those sizes.
fn products_of(sizes: [&str; 4], dtype: DType) -> Graph {
    let mut m = Maker::new("products");
    let [batch, rows, columns, depth] = sizes.map(|size| symbols(size).remove(0));
    let x = m.argument("x", &[batch.clone(), rows.clone(), depth.clone()], dtype);
    let w = m.argument("w", &[batch, depth.clone(), columns.clone()], dtype);
    let bias = m.argument("bias", std::slice::from_ref(&columns), dtype);
    let y = m.b.matmul(x, w).unwrap();
    let y = m.b.binary(BinaryOp::Add, y, bias).unwrap();
    let zero = m.b.constant(0.0, dtype);
    let y = m.b.binary(BinaryOp::Max, y, zero).unwrap();
    m.result(y);
    let (p, q) = (m.argument("p", &[depth.clone(), rows], dtype), m.argument("q", &[columns, depth], dtype));
    let (p, q) = (m.b.transpose(p).unwrap(), m.b.transpose(q).unwrap());
    let z = m.b.matmul(p, q).unwrap();
    m.result(z);
    m.b.finish()
}

/// The gradients of `sum((attention(q, k, v) + dy) · dy)`, and it itself.
fn attention(dtype: DType, [width, value_width]: [usize; 2], causal: bool) -> Graph {
    let mut m = Maker::new("attention");
    let sizes = |rows: &str, columns: usize| [Dim::symbol("B"), Dim::symbol(rows), Dim::from(columns)];
    let given = [("q", sizes("T", width)), ("k", sizes("S", width)), ("v", sizes("S", value_width))];
    let [q, k, v] = given.map(|(name, sizes)| {
        let own = m.argument(name, &sizes, DType::F32);
        m.b.cast(own, dtype).unwrap()
    });
    attended(m, [q, k, v], causal)
}

/// The same where queries, keys and values are views of one tensor, as a layer's are.
fn heads_of_one(dtype: DType) -> Graph {
    let mut m = Maker::new("heads");
    let [t, heads, width] = [Dim::symbol("T"), Dim::from(2), Dim::from(16)];
    let all = m.argument("all", &[t.clone(), Dim::from(3), heads.clone(), width.clone()], DType::F32);
    let all = m.b.cast(all, dtype).unwrap();
    let qkv = [0_usize, 1, 2].map(|part| {
        let index = vec![AxisIndex::axis(1), AxisIndex::fixed(part), AxisIndex::axis(0), AxisIndex::axis(2)];
        m.b.view(all, Shape(vec![heads.clone(), t.clone(), width.clone()]), index).unwrap()
    });
    attended(m, qkv, true)
}

fn attended(mut m: Maker, [q, k, v]: [NodeId; 3], causal: bool) -> Graph {
    let y = scaled_dot_product_attention(&mut m.b, q, k, v, causal).unwrap();
    let y = m.b.cast(y, DType::F32).unwrap();
    let shape = m.b.shape(y).clone();
    let dy = m.argument("dy", &shape.0, DType::F32);
    // Of squares besides, so that the sum does not cancel.
    let more = m.b.binary(BinaryOp::Add, y, dy).unwrap();
    let product = m.b.binary(BinaryOp::Mul, more, dy).unwrap();
    let sum = m.b.reduce(ReduceOp::Sum, product, &[0, 1, 2], false).unwrap();
    m.result(sum);
    append_gradients(m.b.finish(), Arguments::Floats).unwrap()
}

/// Both operands are computed where the product loads them, and the result is of another type.
fn computed(dtype: DType) -> Graph {
    let mut m = Maker::new("computed");
    let (x, w) = (m.argument("x", &symbols("B M K"), dtype), m.argument("w", &symbols("B K N"), dtype));
    let zero = m.b.constant(0.0, dtype);
    let [x, w] = [x, w].map(|id| m.b.binary(BinaryOp::Max, id, zero).unwrap());
    let y = m.b.matmul(x, w).unwrap();
    let y = m.b.cast(y, DType::F32).unwrap();
    m.result(y);
    m.b.finish()
}

/// Sizes that are read in aligned vectors.
fn aligned(dtype: DType) -> Graph {
    let mut m = Maker::new("aligned");
    let sizes = |sizes: [usize; 2]| sizes.map(Dim::from);
    let (x, w) = (m.argument("x", &sizes([64, 128]), dtype), m.argument("w", &sizes([128, 48]), dtype));
    let y = m.b.matmul(x, w).unwrap();
    m.result(y);
    m.b.finish()
}

/// A product whose parts along the sum are larger than any half-precision number, and cancel each other. Whole numbers and
/// eighths, which half precision holds as they are.
fn large_parts() -> Graph {
    let mut m = Maker::new("large_parts");
    let sizes = |sizes: [usize; 2]| sizes.map(Dim::from);
    let (x, w) = (m.argument("x", &sizes([32, 64]), DType::F32), m.argument("w", &sizes([64, 32]), DType::F32));
    let mut near = |id: NodeId, steps: f64, base: f64| {
        let [steps, step, base] = [steps, 1.0 / steps, base].map(|value| m.b.constant(value, DType::F32));
        let scaled = m.b.binary(BinaryOp::Mul, id, steps).unwrap();
        let whole = m.b.unary(UnaryOp::Round, scaled).unwrap();
        let eighths = m.b.binary(BinaryOp::Mul, whole, step).unwrap();
        m.b.binary(BinaryOp::Add, eighths, base).unwrap()
    };
    let (x, w) = (near(x, 1.0, 80.0), near(w, 8.0, 64.0));
    // The first half of the sum is positive, the second negative.
    let column = m.b.iota(&Shape(sizes([32, 64]).to_vec()), 1, DType::I32).unwrap();
    let middle = m.b.constant(32.0, DType::I32);
    let is_first = m.b.compare(CompareOp::Lt, column, middle).unwrap();
    let minus = m.b.unary(UnaryOp::Neg, x).unwrap();
    let x = m.b.select(is_first, x, minus).unwrap();
    let (x, w) = (m.b.cast(x, DType::F16).unwrap(), m.b.cast(w, DType::F16).unwrap());
    let y = m.b.matmul(x, w).unwrap();
    m.result(y);
    m.b.finish()
}

/// The gradients of `sum(conv(x, w) · dy)`: in x, in w, and in dy, which is the convolution itself.
fn convolution(
    [channels, out]: [usize; 2],
    [size, filter]: [[usize; 2]; 2],
    geometry: ConvGeometry,
    dtype: DType,
) -> Graph {
    let mut m = Maker::new("convolution");
    let d = Dim::from;
    // Half precision inside, f32 where values are looked at.
    let outside = if dtype == DType::F16 { DType::F32 } else { dtype };
    let images = [Dim::symbol("N"), d(channels), d(size[0]), d(size[1])];
    let x = m.argument("x", &images, outside);
    let w = m.argument("w", &[d(out), d(channels / geometry.groups as usize), d(filter[0]), d(filter[1])], outside);
    let (x, w) = (m.b.cast(x, dtype).unwrap(), m.b.cast(w, dtype).unwrap());
    let y = m.b.conv2d(x, w, geometry).unwrap();
    let y = m.b.cast(y, outside).unwrap();
    let shape = m.b.shape(y).clone();
    let dy = m.argument("dy", &shape.0, outside);
    let product = m.b.binary(BinaryOp::Mul, y, dy).unwrap();
    let sum = m.b.reduce(ReduceOp::Sum, product, &[0, 1, 2, 3], false).unwrap();
    m.result(sum);
    append_gradients(m.b.finish(), Arguments::Floats).expect("a function with gradients")
}

fn geometry(stride: [u64; 2], padding: [u64; 2], dilation: [u64; 2], groups: u64) -> ConvGeometry {
    ConvGeometry { stride, padding, dilation, groups }
}

fn padded(dtype: DType) -> Graph {
    convolution([3, 5], [[7, 9], [3, 3]], geometry([1, 1], [1, 1], [1, 1], 1), dtype)
}

fn convolutions() -> Vec<(&'static str, Graph)> {
    let geometries = [
        ("3x3", [2, 4], [[8, 5], [3, 3]], geometry([1, 1], [0, 0], [1, 1], 1)),
        ("3x3, wide margins", [1, 2], [[4, 3], [3, 3]], geometry([1, 1], [3, 2], [1, 1], 1)),
        ("strides, dilation, groups", [4, 8], [[9, 8], [3, 2]], geometry([2, 1], [1, 0], [1, 2], 2)),
        ("strides that leave pixels over", [2, 2], [[8, 7], [2, 3]], geometry([3, 2], [0, 2], [2, 1], 1)),
        ("one pixel", [4, 8], [[5, 6], [1, 1]], geometry([1, 1], [0, 0], [1, 1], 1)),
    ];
    geometries.map(|(name, channels, sizes, own)| (name, convolution(channels, sizes, own, DType::F32))).to_vec()
}

/// A convolutional network's loss and its gradients.
fn gradients() -> Graph {
    append_gradients(models::cnn(8, 1, true), Arguments::None).expect("a function with gradients")
}

/// Maps of matrices, rows spread over them, and of what lies in another order.
fn maps() -> Graph {
    let mut m = Maker::new("maps");
    let x = m.argument("x", &symbols("R C"), DType::F32);
    let y = m.argument("y", &symbols("R C"), DType::F32);
    let row = m.argument("row", &symbols("C"), DType::F32);
    let column = m.argument("column", &symbols("R"), DType::F32);
    let turned = m.argument("turned", &symbols("C R"), DType::F32);
    let sum = m.b.binary(BinaryOp::Add, x, y).unwrap();
    let whole = m.b.unary(UnaryOp::Tanh, sum).unwrap();
    m.result(whole);
    let rows = m.b.binary(BinaryOp::Mul, sum, row).unwrap();
    m.result(rows);
    let column = m.b.view(column, Shape(symbols("R C")), vec![AxisIndex::axis(0)]).unwrap();
    let columns = m.b.binary(BinaryOp::Sub, x, column).unwrap();
    m.result(columns);
    let turned = m.b.transpose(turned).unwrap();
    let turned = m.b.binary(BinaryOp::Max, x, turned).unwrap();
    m.result(turned);
    m.b.finish()
}

/// A recurrent network whose first round is left out, with all of its states, and a matrix that each round multiplies by itself, the last
/// round first.
fn recurrences() -> Graph {
    let mut m = Maker::new("recurrences");
    let x = m.argument("x", &symbols("N T 6"), DType::F32);
    let w = m.argument("w", &symbols("6 6"), DType::F32);
    let start = m.argument("start", &symbols("N 6"), DType::F32);
    let matrix = m.argument("matrix", &symbols("3 3"), DType::F32);
    let factors = m.argument("factors", &symbols("T"), DType::F32);
    let t = Dim::symbol("T");
    let part = |at: Dim| vec![AxisIndex::axis(0), AxisIndex::fixed(at), AxisIndex::axis(1)];
    let draft = m.b.begin_scan("t", t.clone() - Dim::from(1), &[start]);
    let own = m.b.view(x, Shape(symbols("N 6")), part(draft.round() + Dim::from(1))).unwrap();
    let product = m.b.matmul(draft.carried()[0], w).unwrap();
    // Rounds forget, so that what one rounds off does not grow.
    let third = m.b.constant(0.3, DType::F32);
    let product = m.b.binary(BinaryOp::Mul, product, third).unwrap();
    let sum = m.b.binary(BinaryOp::Add, product, own).unwrap();
    let h = m.b.unary(UnaryOp::Tanh, sum).unwrap();
    for result in m.b.end_scan(&draft, &[h], &[h]).unwrap() {
        m.result(result);
    }
    let draft = m.b.begin_scan("t", t.clone(), &[matrix]);
    let last = t - Dim::from(1) - draft.round();
    let factor = m.b.view(factors, Shape::scalar(), vec![AxisIndex::fixed(last)]).unwrap();
    let turned = m.b.transpose(draft.carried()[0]).unwrap();
    let product = m.b.matmul(turned, draft.carried()[0]).unwrap();
    let third = m.b.constant(0.3, DType::F32);
    let scaled = m.b.binary(BinaryOp::Mul, product, factor).unwrap();
    let scaled = m.b.binary(BinaryOp::Mul, scaled, third).unwrap();
    let sum = m.b.binary(BinaryOp::Add, scaled, matrix).unwrap();
    let next = m.b.unary(UnaryOp::Tanh, sum).unwrap();
    let results = m.b.end_scan(&draft, &[next], &[]).unwrap();
    m.result(results[0]);
    m.b.finish()
}

/// Every reduction over rows, some over columns, and a softmax.
fn reductions(columns: Dim, places: bool) -> Graph {
    let mut m = Maker::new("reductions");
    let rows = Dim::symbol("R");
    let x = m.argument("x", &[rows.clone(), columns.clone()], DType::F32);
    let turned = m.argument("turned", &[columns.clone(), rows.clone()], DType::F32);
    for op in ReduceOp::ALL.into_iter().filter(|op| places || !op.is_position()) {
        let along_rows = m.b.reduce(op, x, &[1], false).unwrap();
        m.result(along_rows);
        let along_columns = m.b.reduce(op, turned, &[0], false).unwrap();
        m.result(along_columns);
    }
    let most = m.b.reduce(ReduceOp::Max, x, &[1], true).unwrap();
    let less = m.b.binary(BinaryOp::Sub, x, most).unwrap();
    let weights = m.b.unary(UnaryOp::Exp, less).unwrap();
    let total = m.b.reduce(ReduceOp::Sum, weights, &[1], true).unwrap();
    let softmax = m.b.binary(BinaryOp::Div, weights, total).unwrap();
    m.result(softmax);
    m.b.finish()
}

/// `(x - mean) / deviation` of each channel, and `relu` of it.
fn batch_norm(image: [usize; 3]) -> Graph {
    let mut m = Maker::new("batch_norm");
    let [channels, height, width] = image.map(Dim::from);
    let x = m.argument("x", &[Dim::symbol("N"), channels, height, width], DType::F32);
    let mean = m.b.mean(x, &[0, 2, 3], true).unwrap();
    let centred = m.b.binary(BinaryOp::Sub, x, mean).unwrap();
    let square = m.b.binary(BinaryOp::Mul, centred, centred).unwrap();
    let variance = m.b.mean(square, &[0, 2, 3], true).unwrap();
    let epsilon = m.b.constant(1e-5, DType::F32);
    let variance = m.b.binary(BinaryOp::Add, variance, epsilon).unwrap();
    let inverse = m.b.unary(UnaryOp::Rsqrt, variance).unwrap();
    let y = m.b.binary(BinaryOp::Mul, centred, inverse).unwrap();
    let zero = m.b.constant(0.0, DType::F32);
    let y = m.b.binary(BinaryOp::Max, y, zero).unwrap();
    m.result(y);
    m.b.finish()
}
