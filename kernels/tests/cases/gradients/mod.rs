//! Every derivative rule against central differences, generated from the operation tables.

mod attention;
mod rounds;
mod users;

use crate::test;
use libtest_mimic::Trial;
use netcl_kernels::autodiff::check::finite_difference_check;
use netcl_kernels::autodiff::gradients;
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{
    AxisIndex, BinaryOp, CompareOp, ConvGeometry, Graph, InputKind, NodeId, Op, OutputKind, ReduceOp, UnaryOp,
};
use netcl_kernels::philox;
use netcl_kernels::span::Result;
use std::collections::BTreeSet;

/// Numbers the operations that have gradients. A new one does not compile until it is placed here, and then
/// [`every_operation_has_a_case`] fails until a case holds it.
fn kind(op: &Op) -> Option<usize> {
    Some(match op {
        Op::Input(_) | Op::Constant(_) | Op::Iota { .. } | Op::Size(_) => return None,
        Op::Random { .. } | Op::Compare(..) => return None,
        Op::Unary(op, _) => 100 + UnaryOp::ALL.iter().position(|other| other == op)?,
        Op::Binary(op, ..) => 200 + BinaryOp::ALL.iter().position(|other| other == op)?,
        Op::Reduce { op, .. } => 300 + ReduceOp::ALL.iter().position(|other| other == op)?,
        Op::Select(..) => 0,
        Op::Cast(_) => 1,
        Op::View { .. } => 2,
        Op::Reshape(_) => 3,
        Op::MatMul(..) => 4,
        Op::Conv2d { .. } => 5,
        Op::Conv2dInputGrad { .. } => 6,
        Op::Conv2dWeightGrad { .. } => 7,
        Op::Gather { .. } => 8,
        Op::ScatterAdd { .. } => 9,
        Op::Custom { .. } => 10,
        Op::CustomResult { .. } => 11,
        Op::Scan { .. } => 12,
        Op::Attention(_) => 13,
    })
}

/// A case under construction: its inputs are drawn from `low..high`, never two alike, never within 0.01 of 0.
struct Case {
    builder: Builder,
    values: Vec<HostTensor>,
}

impl Case {
    fn new() -> Self {
        Case { builder: Builder::new("case"), values: Vec::new() }
    }

    /// A float argument of numbers.
    fn float(&mut self, shape: &[usize], low: f64, high: f64) -> NodeId {
        self.symbolic(Shape::of(shape), shape, low, high)
    }

    /// A float argument whose `shape` evaluates to `sizes`.
    fn symbolic(&mut self, shape: Shape, sizes: &[usize], low: f64, high: f64) -> NodeId {
        let stream = self.values.len() as u32;
        let draw = |i| {
            let x = low + (high - low) * f64::from(philox::uniform(11, stream, i));
            if x.abs() < 0.01 { x + 0.02 } else { x }
        };
        let values: Vec<f64> = (0..sizes.iter().product::<usize>() as u64).map(draw).collect();
        self.given(shape, sizes, DType::F32, &values)
    }

    fn given(&mut self, shape: Shape, sizes: &[usize], dtype: DType, values: &[f64]) -> NodeId {
        let position = self.values.len();
        self.values.push(HostTensor::from_f64(dtype, sizes, values).unwrap());
        self.builder.input(InputKind::Argument(position), &format!("x{position}"), shape, dtype)
    }

    /// `result` and its gradients, and if `twice` the gradients' gradients, are to be compared.
    fn of(self, what: &str, result: NodeId, twice: bool) -> Checked {
        Checked { what: what.into(), case: self, result, twice }
    }
}

/// What is compared with differences.
struct Checked {
    what: String,
    case: Case,
    result: NodeId,
    twice: bool,
}

impl Checked {
    fn graph(&self) -> Graph {
        let mut builder = self.case.builder.clone();
        builder.output(OutputKind::Result(0), self.result);
        builder.finish()
    }

    /// The largest error of the gradients in all inputs must be at most 1e-6.
    fn check(self) {
        let bindings = [(Symbol::new("N"), 3), (Symbol::new("T"), 4)];
        let give = |values: &[HostTensor], kind: &InputKind| match kind {
            InputKind::Argument(position) => values.get(*position).cloned(),
            _ => None,
        };
        let graph = self.graph();
        let Checked { mut case, result, twice, .. } = self;
        let report = finite_difference_check(&graph, &bindings, &|kind, _| give(&case.values, kind)).unwrap();
        assert!(report.compared > 0, "nothing was compared");
        assert!(report.error <= 1e-6, "{report}");
        if !twice {
            return;
        }
        let shape = case.builder.shape(result).clone();
        let sizes = shape.evaluate(&bindings).unwrap();
        let seed = case.symbolic(shape, &sizes, 0.5, 1.5);
        let inputs: Vec<NodeId> = case
            .builder
            .graph()
            .iter()
            .filter(|(id, node)| *id != seed && matches!(node.op, Op::Input(_)) && node.dtype.is_float())
            .map(|(id, _)| id)
            .collect();
        for (number, gradient) in gradients(&mut case.builder, result, seed, &inputs).unwrap().into_iter().enumerate() {
            case.builder.output(OutputKind::Result(number), gradient);
        }
        let graph = case.builder.finish();
        let report = finite_difference_check(&graph, &bindings, &|kind, _| give(&case.values, kind))
            .unwrap_or_else(|error| panic!("twice: {error}"));
        assert!(report.error <= 1e-6, "twice: {report}");
    }
}

fn unary_functions() -> Vec<Checked> {
    let mut checked = Vec::new();
    for op in UnaryOp::ALL {
        // Where the function is defined and smooth.
        let (low, high) = match op {
            UnaryOp::Log | UnaryOp::Log2 | UnaryOp::Sqrt | UnaryOp::Rsqrt | UnaryOp::Recip => (0.3, 2.5),
            UnaryOp::Log1p => (-0.6, 2.0),
            UnaryOp::Floor | UnaryOp::Ceil | UnaryOp::Round => (0.1, 0.4),
            UnaryOp::Tan => (-1.0, 1.0),
            UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign | UnaryOp::Exp | UnaryOp::Exp2 | UnaryOp::Expm1 => (-2.0, 2.0),
            UnaryOp::Sin | UnaryOp::Cos | UnaryOp::Tanh | UnaryOp::Erf => (-2.0, 2.0),
            UnaryOp::Not => continue,
        };
        let mut case = Case::new();
        let x = case.float(&[2, 3], low, high);
        let y = case.builder.unary(op, x).unwrap();
        checked.push(case.of(op.name(), y, true));
    }
    checked
}

fn binary_functions() -> Vec<Checked> {
    let mut checked = Vec::new();
    for op in BinaryOp::ALL {
        let ((al, ah), (bl, bh)) = match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Max | BinaryOp::Min | BinaryOp::Atan2 => {
                ((-2.0, 2.0), (-2.0, 2.0))
            }
            BinaryOp::Div => ((-2.0, 2.0), (0.5, 2.0)),
            // Quotients between 2.1 and 2.9: away from the jumps.
            BinaryOp::Rem => ((2.5, 2.7), (0.95, 1.05)),
            BinaryOp::Pow => ((0.3, 2.0), (-2.0, 3.0)),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr => continue,
        };
        let mut case = Case::new();
        let (a, b) = (case.float(&[3, 4], al, ah), case.float(&[4], bl, bh));
        let y = case.builder.binary(op, a, b).unwrap();
        checked.push(case.of(op.name(), y, true));
    }
    checked
}

fn functions_of_one_operand_twice_and_constants() -> Vec<Checked> {
    let mut checked = Vec::new();
    for exponent in [-1.0, 0.0, 0.5, 1.0, 2.0, 3.0] {
        let mut case = Case::new();
        let x = case.float(&[5], 0.5, 2.0);
        let c = case.builder.constant(exponent, DType::F32);
        let y = case.builder.binary(BinaryOp::Pow, x, c).unwrap();
        checked.push(case.of(&format!("x^{exponent}"), y, true));
    }
    for op in [BinaryOp::Max, BinaryOp::Min] {
        let mut case = Case::new();
        let x = case.float(&[8], -2.0, 2.0);
        let zero = case.builder.constant(0.0, DType::F32);
        let y = case.builder.binary(op, x, zero).unwrap();
        checked.push(case.of(&format!("{} with 0", op.name()), y, false));
    }
    let mut case = Case::new();
    let x = case.float(&[4], -1.0, 1.0);
    let sine = case.builder.unary(UnaryOp::Sin, x).unwrap();
    let y = case.builder.binary(BinaryOp::Mul, sine, x).unwrap();
    let y = case.builder.binary(BinaryOp::Mul, y, x).unwrap();
    checked.push(case.of("x^2 sin x", y, true));
    checked
}

fn select_and_cast() -> Vec<Checked> {
    let mut checked = Vec::new();
    for op in CompareOp::ALL {
        let mut case = Case::new();
        let (a, b) = (case.float(&[2, 4], -1.0, 1.0), case.float(&[4], -1.0, 1.0));
        let condition = case.builder.compare(op, a, b).unwrap();
        let y = case.builder.select(condition, a, b).unwrap();
        let y = case.builder.binary(BinaryOp::Mul, y, a).unwrap();
        checked.push(case.of(op.name(), y, true));
    }
    let mut case = Case::new();
    let x = case.float(&[6], -1.0, 1.0);
    let wide = case.builder.cast(x, DType::F64).unwrap();
    let sine = case.builder.unary(UnaryOp::Sin, wide).unwrap();
    let y = case.builder.cast(sine, DType::F32).unwrap();
    checked.push(case.of("cast", y, true));
    checked
}

fn reductions() -> Vec<Checked> {
    let mut checked = Vec::new();
    for op in ReduceOp::ALL {
        if op.is_position() {
            continue;
        }
        for axes in [vec![0], vec![1], vec![2], vec![0, 2], vec![0, 1, 2], vec![]] {
            let mut case = Case::new();
            let shape = Shape(vec![Dim::symbol("N"), Dim::from(2), Dim::symbol("T")]);
            let x = case.symbolic(shape, &[3, 2, 4], -2.0, 2.0);
            let y = case.builder.reduce(op, x, &axes, false).unwrap();
            checked.push(case.of(&format!("{} over {axes:?}", op.name()), y, true));
        }
    }
    checked
}

fn products_with_zeros() -> Vec<Checked> {
    let mut checked = Vec::new();
    let mut case = Case::new();
    // No zero, one, two: the derivative of each row is known by hand too, but differences are enough.
    let values = [1.5, -2.0, 0.5, 1.5, 0.0, 0.5, 0.0, 3.0, 0.0];
    let x = case.given(Shape::of(&[3, 3]), &[3, 3], DType::F32, &values);
    let y = case.builder.reduce(ReduceOp::Prod, x, &[1], false).unwrap();
    checked.push(case.of("prod with zeros", y, false));
    checked
}

/// One view: name, source shape, result shape, coordinates.
type ViewCase = (&'static str, Vec<usize>, Vec<usize>, Vec<AxisIndex>);

fn at(terms: &[(usize, i64)], offset: i64) -> AxisIndex {
    AxisIndex { terms: terms.to_vec(), offset: Dim::constant(offset), divisor: 1 }
}

fn views() -> Vec<ViewCase> {
    let divided = |index: AxisIndex, divisor| AxisIndex { divisor, ..index };
    vec![
        ("permute", vec![2, 3, 4], vec![4, 2, 3], vec![AxisIndex::axis(1), AxisIndex::axis(2), AxisIndex::axis(0)]),
        ("broadcast", vec![1, 3], vec![2, 4, 3], vec![AxisIndex::fixed(0), AxisIndex::axis(2)]),
        ("broadcast of an axis in the middle", vec![3], vec![2, 3, 4], vec![AxisIndex::axis(1)]),
        ("slice", vec![7], vec![3], vec![at(&[(0, 2)], 1)]),
        ("one row", vec![4, 3], vec![3], vec![AxisIndex::fixed(2), AxisIndex::axis(0)]),
        ("flip", vec![5], vec![5], vec![at(&[(0, -1)], 4)]),
        ("flip with stride", vec![7], vec![3], vec![at(&[(0, -2)], 5)]),
        ("pad", vec![3], vec![6], vec![at(&[(0, 1)], -2)]),
        ("window", vec![9], vec![3, 3], vec![at(&[(0, 2), (1, 1)], 0)]),
        ("dilated window with padding", vec![8], vec![4, 3], vec![at(&[(0, 2), (1, 3)], -2)]),
        ("overlapping window, large kernel", vec![6], vec![2, 5], vec![at(&[(0, 1), (1, 1)], 0)]),
        (
            "window of two axes",
            vec![2, 5, 6],
            vec![2, 2, 3, 2, 3],
            vec![AxisIndex::axis(0), at(&[(1, 2), (3, 1)], 0), at(&[(2, 2), (4, 1)], -1)],
        ),
        ("diagonal", vec![4, 4], vec![4], vec![AxisIndex::axis(0), AxisIndex::axis(0)]),
        ("shifted diagonal", vec![4, 5], vec![5], vec![at(&[(0, 1)], -1), AxisIndex::axis(0)]),
        ("diagonal with strides", vec![9, 7], vec![4], vec![at(&[(0, 2)], 1), at(&[(0, 3)], -2)]),
        ("divisor", vec![4], vec![9], vec![divided(at(&[(0, 1)], 1), 3)]),
        ("divided window", vec![3, 3], vec![6, 3], vec![divided(at(&[(0, 1), (1, -1)], 0), 2), AxisIndex::axis(1)]),
        ("shear", vec![5, 4], vec![3, 4], vec![at(&[(0, 1), (1, 1)], -1), at(&[(0, 2), (1, -1)], 0)]),
        (
            "two coordinates, coefficients 2 and 3",
            vec![9, 9],
            vec![3, 3],
            vec![at(&[(0, 2), (1, 3)], -1), at(&[(0, 3), (1, -2)], 2)],
        ),
        ("dependent coordinates", vec![5, 9], vec![3, 3], vec![at(&[(0, 1), (1, 1)], 0), at(&[(0, 2), (1, 2)], 0)]),
        ("more axes than coordinates", vec![8], vec![2, 3, 2], vec![at(&[(0, 1), (1, 2), (2, -3)], 3)]),
        (
            "mixed divisors",
            vec![4, 4],
            vec![5, 5],
            vec![divided(at(&[(0, 1), (1, 1)], 0), 2), divided(at(&[(0, 1), (1, -1)], 3), 3)],
        ),
    ]
}

fn view_adjoints() -> Vec<Checked> {
    let mut checked = Vec::new();
    for (name, source, shape, index) in views() {
        let mut case = Case::new();
        let x = case.float(&source, -1.0, 1.0);
        let y = case.builder.view(x, Shape::of(&shape), index).unwrap();
        let y = case.builder.unary(UnaryOp::Sin, y).unwrap();
        checked.push(case.of(name, y, true));
    }
    checked
}

fn views_of_symbolic_sizes() -> Vec<Checked> {
    let mut checked = Vec::new();
    let n = || Dim::symbol("N");
    let cases: Vec<(&str, Vec<Dim>, Vec<AxisIndex>)> = vec![
        ("last row", vec![Dim::from(2)], vec![AxisIndex::fixed(n() - Dim::from(1)), AxisIndex::axis(0)]),
        (
            "flip",
            vec![n(), Dim::from(2)],
            vec![AxisIndex { terms: vec![(0, -1)], offset: n() - Dim::from(1), divisor: 1 }, AxisIndex::axis(1)],
        ),
        (
            "window",
            vec![n() - Dim::from(1), Dim::from(2), Dim::from(2)],
            vec![at(&[(0, 1), (1, 1)], 0), AxisIndex::axis(2)],
        ),
    ];
    for (name, shape, index) in cases {
        let mut case = Case::new();
        let x = case.symbolic(Shape(vec![n(), Dim::from(2)]), &[3, 2], -1.0, 1.0);
        let y = case.builder.view(x, Shape(shape), index).unwrap();
        let y = case.builder.unary(UnaryOp::Exp, y).unwrap();
        checked.push(case.of(name, y, true));
    }
    checked
}

fn reshapes() -> Vec<Checked> {
    let mut checked = Vec::new();
    let mut case = Case::new();
    let x = case.symbolic(Shape(vec![Dim::symbol("N"), Dim::from(4)]), &[3, 4], -1.0, 1.0);
    let y = case.builder.reshape(x, Shape(vec![Dim::from(2), Dim::symbol("N") * Dim::from(2)])).unwrap();
    let y = case.builder.unary(UnaryOp::Tanh, y).unwrap();
    checked.push(case.of("reshape", y, true));
    checked
}

fn matrix_products() -> Vec<Checked> {
    let mut checked = Vec::new();
    let cases: [(&[usize], &[usize]); 6] = [
        (&[2, 3], &[3, 4]),
        (&[2, 2, 3], &[2, 3, 2]),
        (&[2, 2, 3], &[3, 2]),
        (&[2, 3], &[2, 3, 2]),
        (&[2, 1, 2, 3], &[3, 3, 2]),
        (&[2, 2, 1, 3], &[1, 3, 2]),
    ];
    for (a, b) in cases {
        let mut case = Case::new();
        let (x, y) = (case.float(a, -1.0, 1.0), case.float(b, -1.0, 1.0));
        let z = case.builder.matmul(x, y).unwrap();
        checked.push(case.of(&format!("matmul of {a:?} and {b:?}"), z, true));
    }
    // A weight that is transposed and repeated, as a linear layer on a sequence has it.
    let mut case = Case::new();
    let shape = Shape(vec![Dim::symbol("N"), Dim::symbol("T"), Dim::from(2)]);
    let (x, w) = (case.symbolic(shape, &[3, 4, 2], -1.0, 1.0), case.float(&[3, 2], -1.0, 1.0));
    let transposed = case.builder.transpose(w).unwrap();
    let y = case.builder.matmul(x, transposed).unwrap();
    checked.push(case.of("a shared weight", y, true));
    checked
}

fn geometries() -> Vec<ConvGeometry> {
    vec![
        ConvGeometry::default(),
        ConvGeometry { stride: [2, 1], padding: [1, 0], ..ConvGeometry::default() },
        ConvGeometry { dilation: [1, 2], padding: [0, 2], ..ConvGeometry::default() },
        ConvGeometry { groups: 2, stride: [1, 2], ..ConvGeometry::default() },
        ConvGeometry { groups: 2, stride: [2, 2], padding: [1, 1], dilation: [2, 1] },
    ]
}

fn convolutions() -> Vec<Checked> {
    let mut checked = Vec::new();
    for geometry in geometries() {
        let channels = 2 / geometry.groups as usize;
        let (input, weight) = ([1, 2, 5, 4], [2, channels, 2, 2]);
        let mut case = Case::new();
        let (x, w) = (case.float(&input, -1.0, 1.0), case.float(&weight, -1.0, 1.0));
        let y = case.builder.conv2d(x, w, geometry).unwrap();
        let output = case.builder.shape(y).clone();
        checked.push(case.of(&format!("conv2d {geometry:?}"), y, true));

        let sizes = output.evaluate(&[]).unwrap();
        let mut case = Case::new();
        let (g, w) = (case.float(&sizes, -1.0, 1.0), case.float(&weight, -1.0, 1.0));
        let y = case.builder.conv2d_input_grad(g, w, &Shape::of(&input), geometry).unwrap();
        checked.push(case.of(&format!("conv2d_input_grad {geometry:?}"), y, true));

        let mut case = Case::new();
        let (x, g) = (case.float(&input, -1.0, 1.0), case.float(&sizes, -1.0, 1.0));
        let y = case.builder.conv2d_weight_grad(x, g, &Shape::of(&weight), geometry).unwrap();
        checked.push(case.of(&format!("conv2d_weight_grad {geometry:?}"), y, true));
    }
    checked
}

fn rows_by_number() -> Vec<Checked> {
    let mut checked = Vec::new();
    // Repeated rows add; -1 and 9 are out of range and count for nothing.
    let numbers = [2.0, 0.0, 2.0, -1.0, 9.0, 1.0];
    let mut case = Case::new();
    let x = case.float(&[4, 2], -1.0, 1.0);
    let indices = case.given(Shape::of(&[2, 3]), &[2, 3], DType::I32, &numbers);
    let y = case.builder.gather(x, indices).unwrap();
    let y = case.builder.unary(UnaryOp::Exp, y).unwrap();
    checked.push(case.of("gather", y, true));

    let mut case = Case::new();
    let updates = case.float(&[2, 3, 2], -1.0, 1.0);
    let indices = case.given(Shape::of(&[2, 3]), &[2, 3], DType::I32, &numbers);
    let y = case.builder.scatter_add(indices, updates, &Shape::of(&[4, 2])).unwrap();
    let y = case.builder.unary(UnaryOp::Exp, y).unwrap();
    checked.push(case.of("scatter_add", y, true));
    checked
}

/// `x - log(sum(exp(x - max)))` with the maximum detached: the derivative is right without the maximum's.
fn log_softmax(builder: &mut Builder, x: NodeId) -> Result<NodeId> {
    let top = builder.reduce(ReduceOp::Max, x, &[1], true)?;
    let top = builder.detach(top);
    let shifted = builder.binary(BinaryOp::Sub, x, top)?;
    let exps = builder.unary(UnaryOp::Exp, shifted)?;
    let sum = builder.reduce(ReduceOp::Sum, exps, &[1], true)?;
    let log = builder.unary(UnaryOp::Log, sum)?;
    builder.binary(BinaryOp::Sub, shifted, log)
}

fn chains_and_detached_values() -> Vec<Checked> {
    let mut checked = Vec::new();
    let mut case = Case::new();
    let x = case.symbolic(Shape(vec![Dim::symbol("N"), Dim::from(4)]), &[3, 4], -2.0, 2.0);
    let y = log_softmax(&mut case.builder, x).unwrap();
    checked.push(case.of("log_softmax", y, true));
    checked
}

fn tables() -> [(&'static str, Vec<Checked>); 16] {
    [
        ("unary_functions", unary_functions()),
        ("binary_functions", binary_functions()),
        ("functions_of_one_operand_twice_and_constants", functions_of_one_operand_twice_and_constants()),
        ("select_and_cast", select_and_cast()),
        ("reductions", reductions()),
        ("products_with_zeros", products_with_zeros()),
        ("view_adjoints", view_adjoints()),
        ("views_of_symbolic_sizes", views_of_symbolic_sizes()),
        ("reshapes", reshapes()),
        ("matrix_products", matrix_products()),
        ("convolutions", convolutions()),
        ("rows_by_number", rows_by_number()),
        ("attention", attention::attention()),
        ("kernels_of_users", users::kernels_of_users()),
        ("rounds", rounds::rounds()),
        ("chains_and_detached_values", chains_and_detached_values()),
    ]
}

fn every_operation_has_a_case() {
    let graphs = tables().into_iter().flat_map(|(_, table)| table).map(|checked| checked.graph());
    let checked: BTreeSet<usize> =
        graphs.flat_map(|graph| graph.nodes.iter().filter_map(|node| kind(&node.op)).collect::<Vec<_>>()).collect();
    let unary = UnaryOp::ALL.iter().enumerate().filter(|(_, op)| op.takes(DType::F32)).map(|(at, _)| 100 + at);
    let binary = BinaryOp::ALL.iter().enumerate().filter(|(_, op)| op.takes(DType::F32)).map(|(at, _)| 200 + at);
    let reduce = ReduceOp::ALL.iter().enumerate().filter(|(_, op)| !op.is_position()).map(|(at, _)| 300 + at);
    let wanted: BTreeSet<usize> = (0..14).chain(unary).chain(binary).chain(reduce).collect();
    assert_eq!(checked, wanted);
}

pub(crate) fn trials() -> Vec<Trial> {
    let mut trials = vec![test("gradients::every_operation_has_a_case", every_operation_has_a_case)];
    for (group, table) in tables() {
        trials.extend(
            table.into_iter().map(|case| test(format!("gradients::{group}::{}", case.what), move || case.check())),
        );
    }
    trials
}
