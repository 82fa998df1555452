//! Products, convolutions and reductions whose sums are long and of equal numbers, in which each addition of a running sum errs on the same
//! side: by every variant, of sizes known while compiling and when called.

use crate::Case;
use crate::graphs::Example;
use libtest_mimic::Completion;
use netcl::Device;
use netcl_kernels::dim::{Dim, IndexWidth, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{BinaryOp, ConvGeometry, InputKind, NodeId, OutputKind, ReduceOp};
use netcl_kernels::plan::Target;
use netcl_kernels::variant::{KernelConfig, SPLIT_K, Select, Task, Variant, candidates, typical};

/// How far a result may be from the exact one, relative to it.
const TOLERANCE: f64 = 2e-5;

/// Terms of the long sums.
const LONG: usize = 300_001;

pub(crate) fn all() -> Vec<Case> {
    use Variant::*;
    let mut cases = Vec::new();
    for (when, known) in [("while compiling", true), ("when called", false)] {
        for (what, operands) in [("rows", Operands::Rows), ("columns", Operands::Columns), ("a row", Operands::Row)] {
            let name = format!("long sums::a product of {what} of a size known {when}");
            cases.push(Case::new(name, move |device| product(operands, known).check(device, TOLERANCE)));
        }
        let name = format!("long sums::gradients of weights of images of a number known {when}");
        cases.push(Case::new(name, move |device| weight_gradient(1, known).check(device, TOLERANCE)));
        let name = format!("long sums::gradients of weights of 1x1 in two groups of images of a number known {when}");
        cases.push(Case::new(name, move |device| weight_gradient(2, known).check(device, TOLERANCE)));
        for (what, shape, both) in [
            ("sums of 512", &[0, 512][..], false),
            ("two sums of 96", &[0, 96], true),
            ("sums of 80", &[0, 80], false),
            ("two sums of rows of 64", &[3, 0, 64], true),
        ] {
            let name = format!("long sums::{what} neighbours, terms of a number known {when}");
            cases.push(Case::new(name, move |device| neighbours(shape, both, known).check(device, TOLERANCE)));
        }
    }
    cases.push(Case::new("long sums::a convolution of many channels".into(), |device| {
        forward().check(device, TOLERANCE)
    }));
    for (variant, form) in
        [(MatMulNaive, 0), (MatMulTiled, 0), (MatMulRegisterTiled, 0), (MatMulVectorized, 0), (MatMulVectorized, 1)]
    {
        let operands = if form == 1 { Operands::Rows } else { Operands::Columns };
        cases.push(by(variant, form, move |known| product(operands, known)));
    }
    for variant in [Conv2dNaive, Conv2dImplicitGemm] {
        cases.push(by(variant, 0, |known| weight_gradient(1, known)));
    }
    cases.push(by(Conv2dTiledLocal, 0, |_| forward()));
    cases
}

/// A case for one variant, in one of its forms. Programs for GPUs run on every device.
fn by(variant: Variant, form: u32, example: impl Fn(bool) -> Example + Send + Sync + 'static) -> Case {
    let name = format!("long sums::by {variant} in form {form}");
    let run = move |device: &Device| {
        if device.profile().target == Target::Host {
            return Ok(Completion::ignored_with("the host has no variants"));
        }
        let mut taken = false;
        for known in [true, false] {
            let example = example(known);
            let own = device.profile().target;
            let targets = [own, if own == Target::Cpu { Target::Gpu } else { own }];
            for target in targets {
                let only = Only { variant, form, target };
                let compiled = example.compiled(device, target, &only, IndexWidth::Narrow)?;
                if compiled.plan.decisions.iter().any(|decision| only.takes(&decision.config)) {
                    example.check_compiled(device, &compiled, TOLERANCE)?;
                    taken = true;
                }
            }
        }
        if taken { Ok(Completion::Completed) } else { Err("it was taken for nothing".into()) }
    };
    Case { name, run: Box::new(run) }
}

/// Takes the first configuration of one variant in one form, of sums in one piece.
struct Only {
    variant: Variant,
    form: u32,
    target: Target,
}

impl Only {
    fn takes(&self, config: &KernelConfig) -> bool {
        let values = &config.values;
        config.variant == self.variant && values.get(SPLIT_K) == 0 && values.get("FORM") == self.form
    }
}

impl Select for Only {
    fn select(&self, task: &Task<Dim>) -> Option<KernelConfig> {
        let all = candidates(&task.estimate(), self.target, &typical(self.target));
        all.into_iter().find(|config| self.takes(config))
    }
}

/// How the operands of a product lie in memory.
#[derive(Clone, Copy)]
enum Operands {
    /// Both contiguous along the sum.
    Rows,
    /// Neither.
    Columns,
    /// A row, and a matrix of rows.
    Row,
}

/// Equal numbers with an error in their last digit.
fn tenths(shape: &[usize]) -> HostTensor {
    let elements = vec![f64::from(0.1f32); shape.iter().product()];
    HostTensor::from_f64(DType::F32, shape, &elements).expect("as many as the shape says")
}

/// An example whose size `N` is known while compiling or bound when called.
struct Inputs {
    b: Builder,
    n: Dim,
    count: usize,
    known: bool,
    inputs: Vec<(InputKind, String, HostTensor)>,
}

impl Inputs {
    fn new(count: usize, known: bool) -> Inputs {
        let n = if known { Dim::from(count) } else { Dim::symbol("N") };
        Inputs { b: Builder::new("long_sums"), n, count, known, inputs: Vec::new() }
    }

    /// An input of that shape, 0 being the size.
    fn input(&mut self, name: &str, shape: &[usize]) -> NodeId {
        let sizes = shape.iter().map(|&size| if size == 0 { self.n.clone() } else { Dim::from(size) }).collect();
        let bound: Vec<usize> = shape.iter().map(|&size| if size == 0 { self.count } else { size }).collect();
        let kind = InputKind::Argument(self.inputs.len());
        self.inputs.push((kind.clone(), name.to_owned(), tenths(&bound)));
        self.b.input(kind, name, Shape(sizes), DType::F32)
    }

    fn finish(mut self, result: NodeId) -> Example {
        self.b.output(OutputKind::Result(0), result);
        let bindings = if self.known { Vec::new() } else { vec![(Symbol::new("N"), self.count as u64)] };
        Example { graph: self.b.finish(), bindings, inputs: self.inputs }
    }
}

fn product(operands: Operands, known: bool) -> Example {
    let mut inputs = Inputs::new(LONG, known);
    let [rows, columns] = if matches!(operands, Operands::Row) { [1, 2] } else { [3, 5] };
    let (a, b) = match operands {
        Operands::Rows => {
            let (a, b) = (inputs.input("a", &[rows, 0]), inputs.input("b", &[columns, 0]));
            (a, inputs.b.transpose(b).expect("a matrix"))
        }
        Operands::Columns => {
            let (a, b) = (inputs.input("a", &[0, rows]), inputs.input("b", &[0, columns]));
            (inputs.b.transpose(a).expect("a matrix"), b)
        }
        Operands::Row => (inputs.input("a", &[rows, 0]), inputs.input("b", &[0, columns])),
    };
    let product = inputs.b.matmul(a, b).expect("a product");
    inputs.finish(product)
}

/// The gradient of a weight of 3×3, or of 1×1 where there are groups, from images of 32×32.
fn weight_gradient(groups: usize, known: bool) -> Example {
    let mut inputs = Inputs::new(150, known);
    let side = if groups == 1 { 3 } else { 1 };
    let out = 33 - side;
    let x = inputs.input("x", &[0, groups, 32, 32]);
    let dy = inputs.input("dy", &[0, 2 * groups, out, out]);
    let geometry = ConvGeometry { groups: groups as u64, ..ConvGeometry::default() };
    let weight = Shape::of(&[2 * groups, 1, side, side]);
    let dw = inputs.b.conv2d_weight_grad(x, dy, &weight, geometry).expect("a gradient");
    inputs.finish(dw)
}

fn forward() -> Example {
    let mut inputs = Inputs::new(2, true);
    let (x, w) = (inputs.input("x", &[0, 2048, 6, 6]), inputs.input("w", &[3, 2048, 3, 3]));
    let y = inputs.b.conv2d(x, w, ConvGeometry::default()).expect("a convolution");
    inputs.finish(y)
}

/// Sums over the axis before the last, whose neighbours differ: what is added up side by side. `both`: of squares, too.
fn neighbours(shape: &[usize], both: bool, known: bool) -> Example {
    let mut inputs = Inputs::new(3001, known);
    let x = inputs.input("x", shape);
    let (b, last) = (&mut inputs.b, shape.len() - 1);
    let at = b.iota(&b.shape(x).clone(), last, DType::F32).expect("an axis");
    let y = b.binary(BinaryOp::Mul, x, at).expect("two of a shape");
    let mut sum = b.reduce(ReduceOp::Sum, y, &[last - 1], false).expect("a sum");
    if both {
        let squares = b.binary(BinaryOp::Mul, y, y).expect("two of a shape");
        let squares = b.reduce(ReduceOp::Sum, squares, &[last - 1], false).expect("a sum");
        sum = b.binary(BinaryOp::Add, sum, squares).expect("two of a shape");
    }
    inputs.finish(sum)
}
