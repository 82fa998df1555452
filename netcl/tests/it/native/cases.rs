//! The kernels that are tested as native code: the host plans of small graphs, and some written by hand.

use netcl::__private::kernels;

use kernels::compile::compile;
use kernels::dim::{Dim, Shape};
use kernels::dtype::{DType, Literal};
use kernels::graph::build::Builder;
use kernels::graph::{BinaryOp, CompareOp, InputKind, NodeId, OutputKind, ReduceOp, UnaryOp};
use kernels::kir::build::KernelBuilder;
use kernels::kir::*;
use kernels::ops;
use kernels::plan::{Arg, Target};

/// A kernel and what its launch passes.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) kernel: Kernel,
    pub(crate) args: Vec<Argument>,
}

/// For one parameter. Sizes may contain the symbol `N`.
pub(crate) enum Argument {
    Buffer(DType, Dim),
    Dim(Dim),
    Literal(Literal),
}

fn op(b: &mut Builder, name: &str, args: &[NodeId]) -> NodeId {
    let args: Vec<ops::Value> = args.iter().map(|&id| ops::Value::Tensor(id)).collect();
    ops::call(b, ops::find(name).unwrap(), &args).unwrap()
}

fn axis_op(b: &mut Builder, name: &str, a: NodeId, axis: i64) -> NodeId {
    let args = [ops::Value::Tensor(a), ops::Value::Dim(Dim::constant(axis))];
    ops::call(b, ops::find(name).unwrap(), &args).unwrap()
}

/// The loop steps of a graph's host plan.
fn graph(cases: &mut Vec<Case>, name: &str, build: impl FnOnce(&mut Builder) -> Vec<NodeId>) {
    let mut b = Builder::new(name);
    for (position, id) in build(&mut b).into_iter().enumerate() {
        b.output(OutputKind::Result(position), id);
    }
    let plan = compile(&b.finish(), Target::Host).unwrap();
    for (position, step) in plan.steps.iter().enumerate() {
        let Some(kernel) = plan.loop_kernel(step) else { continue };
        let args = step
            .args
            .iter()
            .map(|arg| match arg {
                Arg::Buffer(id) => Argument::Buffer(plan.buffer(*id).dtype, plan.buffer(*id).shape.elements()),
                Arg::Dim(dim) | Arg::DimAs(dim, _) => Argument::Dim(dim.clone()),
                Arg::Scalar(_, dtype) => Argument::Literal(Literal::of(77.0, *dtype)),
                Arg::Literal(literal) => Argument::Literal(*literal),
            })
            .collect();
        cases.push(Case { name: format!("{name}_{position}"), kernel: kernel.clone(), args });
    }
}

fn input(b: &mut Builder, position: usize, name: &str, shape: Shape, dtype: DType) -> NodeId {
    b.input(InputKind::Argument(position), name, shape, dtype)
}

fn rows(columns: usize) -> Shape {
    Shape(vec![Dim::symbol("N"), Dim::from(columns)])
}

/// Every case.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    graph(&mut cases, "chain", |b| {
        let shape = Shape(vec![Dim::symbol("N") * Dim::from(37)]);
        let (a, c) = (input(b, 0, "a", shape.clone(), DType::F32), input(b, 1, "c", shape.clone(), DType::F32));
        let d = input(b, 2, "d", shape, DType::F32);
        let product = op(b, "mul", &[a, c]);
        let sum = op(b, "add", &[product, d]);
        let tanh = op(b, "tanh", &[sum]);
        let sigmoid = op(b, "sigmoid", &[a]);
        let relu = op(b, "relu", &[c]);
        let product = op(b, "mul", &[tanh, sigmoid]);
        vec![op(b, "add", &[product, relu])]
    });
    rows_and_columns(&mut cases);
    graph(&mut cases, "noise", |b| {
        let seed = b.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::U32);
        let noise = b.random(seed, &rows(19)).unwrap();
        let x = input(b, 0, "x", rows(19), DType::F32);
        vec![b.binary(BinaryOp::Mul, noise, x).unwrap()]
    });
    graph(&mut cases, "lookup", |b| {
        let table = input(b, 0, "table", Shape::of(&[90, 20]), DType::F32);
        let indices = input(b, 1, "indices", Shape(vec![Dim::symbol("N")]), DType::I32);
        vec![b.gather(table, indices).unwrap()]
    });
    functions_and_types(&mut cases);
    cases.push(collatz());
    cases.push(neighbours());
    cases.push(polynomial());
    cases.push(histogram());
    cases
}

/// Kernels with reductions.
fn rows_and_columns(cases: &mut Vec<Case>) {
    graph(cases, "softmax", |b| {
        let x = input(b, 0, "x", rows(53), DType::F32);
        vec![axis_op(b, "softmax", x, -1)]
    });
    graph(cases, "column_softmax", |b| {
        let x = input(b, 0, "x", rows(24), DType::F64);
        vec![axis_op(b, "softmax", x, 0)]
    });
    // Rows long enough that the interpreter runs the rounds of their loops side by side.
    graph(cases, "long_rows", |b| {
        let x = input(b, 0, "x", rows(1301), DType::F32);
        let scale = input(b, 1, "scale", Shape::of(&[1301]), DType::F32);
        let mean = b.mean(x, &[1], true).unwrap();
        let centred = b.binary(BinaryOp::Sub, x, mean).unwrap();
        let square = b.binary(BinaryOp::Mul, centred, centred).unwrap();
        let variance = b.mean(square, &[1], true).unwrap();
        let inverse = b.unary(UnaryOp::Rsqrt, variance).unwrap();
        let normal = b.binary(BinaryOp::Mul, centred, inverse).unwrap();
        let scaled = b.binary(BinaryOp::Mul, normal, scale).unwrap();
        vec![scaled, axis_op(b, "softmax", x, -1)]
    });
    graph(cases, "long_reductions", |b| {
        let x = input(b, 0, "x", rows(340), DType::F64);
        let sums = b.reduce(ReduceOp::Sum, x, &[0], false).unwrap();
        let low = b.reduce(ReduceOp::Min, x, &[1], false).unwrap();
        let product = b.reduce(ReduceOp::Prod, x, &[0, 1], false).unwrap();
        vec![sums, low, product]
    });
    graph(cases, "reductions", |b| {
        let x = input(b, 0, "x", rows(40), DType::F32);
        let sums = b.reduce(ReduceOp::Sum, x, &[0], false).unwrap();
        let peaks = b.reduce(ReduceOp::Max, x, &[1], false).unwrap();
        let product = b.reduce(ReduceOp::Prod, x, &[1], false).unwrap();
        let first = b.reduce(ReduceOp::ArgMin, x, &[1], false).unwrap();
        let total = b.reduce(ReduceOp::Sum, x, &[0, 1], false).unwrap();
        vec![sums, peaks, product, first, total]
    });
}

/// Every elementwise function, and every conversion.
fn functions_and_types(cases: &mut Vec<Case>) {
    for dtype in [DType::F32, DType::F64] {
        graph(cases, &format!("functions_{dtype}"), |b| {
            let x = input(b, 0, "x", rows(17), dtype);
            let y = input(b, 1, "y", rows(17), dtype);
            let mut results: Vec<NodeId> =
                UnaryOp::ALL.into_iter().filter(|op| *op != UnaryOp::Not).map(|op| b.unary(op, x).unwrap()).collect();
            for op in BinaryOp::ALL {
                if !matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shl | BinaryOp::Shr) {
                    results.push(b.binary(op, x, y).unwrap());
                }
            }
            results
        });
    }
    graph(cases, "conversions", |b| {
        let x = input(b, 0, "x", rows(18), DType::F32);
        let big = b.constant(1e9, DType::F32);
        let x = b.binary(BinaryOp::Mul, x, big).unwrap();
        let mut results: Vec<NodeId> = Vec::new();
        for dtype in DType::ALL {
            let there = b.cast(x, dtype).unwrap();
            results.push(there);
            if dtype != DType::F32 {
                results.push(b.cast(there, DType::F32).unwrap());
            }
        }
        results
    });
    graph(cases, "integers", |b| {
        let x = input(b, 0, "x", rows(21), DType::I32);
        let y = input(b, 1, "y", rows(21), DType::I32);
        let zero = b.constant(0.0, DType::I32);
        let positive = b.compare(CompareOp::Gt, x, zero).unwrap();
        let mut results = vec![b.select(positive, x, y).unwrap(), b.unary(UnaryOp::Abs, x).unwrap()];
        for op in BinaryOp::ALL {
            if !matches!(op, BinaryOp::Pow | BinaryOp::Atan2) {
                results.push(b.binary(op, x, y).unwrap());
            }
        }
        results
    });
}

fn launch() -> Launch {
    Launch { global: vec![Dim::symbol("N")], local: Vec::new() }
}

fn buffer(dtype: DType) -> Argument {
    Argument::Buffer(dtype, Dim::symbol("N"))
}

/// Steps of the Collatz sequence: `break`, `continue`, a loop of its own length for each item.
fn collatz() -> Case {
    let mut b = KernelBuilder::new("collatz", launch());
    let out = b.param("out", ParamKind::Buffer(DType::I32, Access::Write));
    let i = b.work_item(WorkItem::GlobalId, 0);
    let (zero, one, two, three, most) = (b.int(0), b.int(1), b.int(2), b.int(3), b.int(1000));
    let n = b.add(i, one);
    let n = b.bind("n", n);
    let steps = b.bind("steps", zero);
    b.for_loop("round", zero, most, one, |b, _| {
        let now = b.get(n);
        let done = b.compare(CompareOp::Le, now, one);
        b.if_then(done, |b| b.stmt(Stmt::Break));
        let old = b.get(steps);
        let new = b.add(old, one);
        b.assign(steps, new);
        let rest = b.binary(BinaryOp::Rem, now, two);
        let even = b.compare(CompareOp::Eq, rest, zero);
        b.if_then(even, |b| {
            let half = b.binary(BinaryOp::Div, now, two);
            b.assign(n, half);
            b.stmt(Stmt::Continue);
        });
        let next = b.mul(now, three);
        let next = b.add(next, one);
        b.assign(n, next);
    });
    let steps = b.get(steps);
    b.store(out, i, steps);
    Case { name: "collatz".to_string(), kernel: b.finish(), args: vec![buffer(DType::I32)] }
}

/// Loads guarded by selections, and a private array.
fn neighbours() -> Case {
    let mut b = KernelBuilder::new("neighbours", launch());
    let x = b.param("x", ParamKind::Buffer(DType::F32, Access::Read));
    let out = b.param("out", ParamKind::Buffer(DType::F32, Access::Write));
    let size = b.param("N", ParamKind::Symbol);
    let size = b.push(Expr::Param(size), ValueType::scalar(DType::U32));
    let size = b.cast(DType::I32, size);
    let own = b.array("own", Space::Private, DType::F32, 3);
    let i = b.work_item(WorkItem::GlobalId, 0);
    let (zero, one, two) = (b.int(0), b.int(1), b.int(2));
    let outside = b.literal(Literal::float(-1.0, DType::F32));
    let before = b.binary(BinaryOp::Sub, i, one);
    let after = b.add(i, one);
    for (slot, at) in [(zero, before), (one, i), (two, after)] {
        let (low, high) = (b.compare(CompareOp::Ge, at, zero), b.compare(CompareOp::Lt, at, size));
        let inside = b.binary(BinaryOp::And, low, high);
        let value = b.load(x, at, 1);
        let value = b.select(inside, value, outside);
        b.stmt(Stmt::StoreArray { array: own, index: slot, value });
    }
    let zeros = b.literal(Literal::float(0.0, DType::F32));
    let sum = b.bind("sum", zeros);
    let three = b.int(3);
    b.for_loop("slot", zero, three, one, |b, slot| {
        let (value, old) = (b.load_array(own, slot), b.get(sum));
        let new = b.add(old, value);
        b.assign(sum, new);
    });
    let sum = b.get(sum);
    b.store(out, i, sum);
    let args = vec![buffer(DType::F32), buffer(DType::F32), Argument::Dim(Dim::symbol("N"))];
    Case { name: "neighbours".to_string(), kernel: b.finish(), args }
}

/// A helper function with a loop.
fn polynomial() -> Case {
    let scalar = ValueType::scalar;
    let vars = [("x", DType::F32), ("n", DType::I32), ("type", DType::F32), ("k", DType::I32)];
    let (x, n, result, k) = (VarId(0), VarId(1), VarId(2), VarId(3));
    let function = Function {
        name: "power".to_string(),
        params: vec![x, n],
        vars: vars.iter().map(|(name, dtype)| Var { name: name.to_string(), ty: scalar(*dtype) }).collect(),
        exprs: vec![
            Expr::Literal(Literal::float(1.0, DType::F32)),
            Expr::Literal(Literal::Int(0, DType::I32)),
            Expr::Literal(Literal::Int(1, DType::I32)),
            Expr::Var(n),
            Expr::Var(result),
            Expr::Var(x),
            Expr::Binary(BinaryOp::Mul, ExprId(4), ExprId(5)),
        ],
        body: vec![
            Stmt::Let(result, ExprId(0)),
            Stmt::For {
                var: k,
                start: ExprId(1),
                end: ExprId(3),
                step: ExprId(2),
                body: vec![Stmt::Assign(result, ExprId(6))],
            },
        ],
        result: ExprId(4),
    };
    let mut b = KernelBuilder::new("polynomial", launch());
    let x = b.param("x", ParamKind::Buffer(DType::BF16, Access::Read));
    let out = b.param("out", ParamKind::Buffer(DType::F16, Access::Write));
    let i = b.work_item(WorkItem::GlobalId, 0);
    let five = b.int(5);
    let n = b.binary(BinaryOp::Rem, i, five);
    let x = b.load(x, i, 1);
    let value = b.push(Expr::Call(0, vec![x, n]), scalar(DType::F32));
    b.store(out, i, value);
    let mut kernel = b.finish();
    kernel.functions.push(function);
    Case { name: "polynomial".to_string(), kernel, args: vec![buffer(DType::BF16), buffer(DType::F16)] }
}

/// Atomic additions.
fn histogram() -> Case {
    let mut b = KernelBuilder::new("histogram", launch());
    let bins = b.param("bins", ParamKind::Buffer(DType::I32, Access::ReadWrite));
    let i = b.work_item(WorkItem::GlobalId, 0);
    let (seven, one) = (b.int(7), b.int(1));
    let index = b.binary(BinaryOp::Rem, i, seven);
    let target = AtomicTarget::Buffer(bins);
    b.stmt(Stmt::Atomic { op: AtomicOp::Add, target, index, value: one, old: None });
    let args = vec![Argument::Buffer(DType::I32, Dim::from(7))];
    Case { name: "histogram".to_string(), kernel: b.finish(), args }
}
