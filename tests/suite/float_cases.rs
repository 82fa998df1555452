//! Functions of floats of very different sizes beside each other, zeros among constants, and what rounding leaves of sums.

use crate::Case;
use crate::graphs::Example;
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{BinaryOp, InputKind, NodeId, OutputKind, ReduceOp, UnaryOp};
use netcl_kernels::ops::{self, Value};

pub(crate) fn all() -> Vec<Case> {
    vec![
        Case::new("floats::sines of small numbers beside large ones".to_owned(), |device| {
            // Each vector of lanes, of any width, has a large one.
            let small = [1e-30f32, 1e-8, 0.01, 0.3, 1.0, 3.0, 20.0];
            let large = [1e30f32, -1e12, 3e38, 1e5, f32::INFINITY, f32::NAN, 77.0, 1e20];
            let x: Vec<f64> = (0..64)
                .map(|i: usize| if i.is_multiple_of(2) { large[i / 2 % 8] } else { small[i / 2 % 7] })
                .map(f64::from)
                .collect();
            of(&x, |b, x| [UnaryOp::Sin, UnaryOp::Cos].map(|op| b.unary(op, x).expect("a float")).to_vec())
                .check(device, 2e-6)
        }),
        Case::new("floats::remainders of doubles beside divisors that are zero or infinite".to_owned(), |device| {
            if !device.profile().fp64 {
                return Ok(());
            }
            // Each vector of lanes, of any width, has both kinds.
            let x: Vec<f64> = (0..64).map(|i| [7.0, 1.0, -1.0, 1e300][i % 4]).collect();
            let by: Vec<f64> = (0..64).map(|i| [1e-17, 0.0, 1e-300, f64::INFINITY][i % 4]).collect();
            of_all(DType::F64, &[&x, &by], |b, inputs| {
                vec![b.binary(BinaryOp::Rem, inputs[0], inputs[1]).expect("two floats")]
            })
            .check(device, 0.0)
        }),
        Case::new("floats::zeros as constants".to_owned(), |device| {
            let x = [1.5f64, 0.0, -2.0, 3e38, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -1e-30];
            of(&x, |b, x| {
                let mut results = Vec::new();
                for (op, value) in
                    [(BinaryOp::Div, 0.0), (BinaryOp::Div, -0.0), (BinaryOp::Mul, 0.0), (BinaryOp::Mul, -0.0)]
                {
                    let zero = b.constant(value, DType::F32);
                    results.push(b.binary(op, x, zero).expect("two floats"));
                }
                results
            })
            .check(device, 1e-6)
        }),
        Case::new("floats::long sums of sizes known while compiling".to_owned(), |device| {
            long_sums(Dim::constant(LONG)).check(device, 1e-6)
        }),
        Case::new("floats::long sums of sizes known when called".to_owned(), |device| {
            long_sums(Dim::symbol("N")).check(device, 1e-6)
        }),
        Case::new("floats::long sums that are not finite".to_owned(), |device| {
            // Blocks that overflow, and blocks of infinities beside finite ones.
            let mut x = vec![1.0; 3000];
            x[1500] = f64::INFINITY;
            of(&x, |b, x| {
                let scale = b.constant(3e38, DType::F32);
                let large = b.binary(BinaryOp::Mul, x, scale).expect("two floats");
                let mirrored = b.unary(UnaryOp::Neg, x).expect("a float");
                [x, large, mirrored].map(|x| b.reduce(ReduceOp::Sum, x, &[0], false).expect("a sum")).to_vec()
            })
            .check(device, 1e-6)
        }),
        Case::new("floats::deviations whose squares are no numbers".to_owned(), |device| {
            for (row, names) in [
                ([1e19, -1e19, 3e18, 1e19], &["var", "std"][..]),
                ([1e20, 1.5e20, 3e20, 1.0], &["std"]),
                ([1e37, -1e37, 2e37, 3e37], &["std"]),
                ([1e-25, 3e-25, -1e-25, 0.0], &["std"]),
            ] {
                let row = row.map(|x: f32| f64::from(x));
                of(&row, |b, x| {
                    let args =
                        [Value::Tensor(x), Value::List(vec![Value::Dim(Dim::default())]), Value::Dim(Dim::constant(1))];
                    let mut call =
                        |name| ops::call(b, ops::find(name).expect("an operation"), &args).expect("a result");
                    names.iter().map(|name| call(name)).collect()
                })
                .check(device, 1e-5)?;
            }
            Ok(())
        }),
        Case::new("floats::a product and a difference are rounded one by one".to_owned(), |device| {
            // With one rounding, what is left of the largest is no zero but what the other rounding has taken.
            let rows: Vec<f64> = [1e12, -1e10, 1e4, 3.7].into_iter().flat_map(|x| [x; 4]).collect();
            of(&rows, |b, x| {
                let x = b.reshape(x, Shape::of(&[4, 4])).expect("as many");
                let scale = b.constant(0.353_553_38, DType::F32);
                let scores = b.binary(BinaryOp::Mul, x, scale).expect("two floats");
                let mut call = |name: &str, args: &[Value]| {
                    ops::call(b, ops::find(name).expect("an operation"), args).expect("a result")
                };
                let axis = Value::Dim(Dim::constant(1));
                let along = |name: &str| (name.to_owned(), vec![Value::Tensor(scores), axis.clone()]);
                let axes = Value::List(vec![Value::Dim(Dim::constant(1))]);
                let spread =
                    |name: &str| (name.to_owned(), vec![Value::Tensor(x), axes.clone(), Value::Dim(Dim::constant(0))]);
                let functions = [along("softmax"), along("log_softmax"), spread("var"), spread("std")];
                functions.map(|(name, args)| call(&name, &args)).to_vec()
            })
            .check(device, 1e-6)
        }),
    ]
}

/// Rows of the long sums' table.
const LONG: i64 = 20_000;

/// Sums of 200 000 equal numbers, in which each addition errs on the same side, along either axis and along both.
fn long_sums(rows: Dim) -> Example {
    const COLUMNS: usize = 10;
    let mut b = Builder::new("long_sums");
    let shape = Shape(vec![rows.clone(), Dim::from(COLUMNS)]);
    let x = b.input(InputKind::Argument(0), "x", shape, DType::F32);
    let turned = b.transpose(x).expect("a matrix");
    let sum = |b: &mut Builder, x, axes: &[usize]| b.reduce(ReduceOp::Sum, x, axes, false).expect("a sum");
    let mut results = vec![sum(&mut b, x, &[0, 1]), sum(&mut b, x, &[0]), sum(&mut b, turned, &[1])];
    results.push(b.mean(x, &[0, 1], false).expect("floats"));
    let spread = Shape(vec![Dim::from(3), rows.clone(), Dim::from(COLUMNS)]);
    let images = b.broadcast_to(x, &spread).expect("more images");
    results.push(sum(&mut b, images, &[1, 2]));
    results.push(sum(&mut b, images, &[0, 2]));
    results.push(sum(&mut b, images, &[0, 1]));
    for (number, result) in results.into_iter().enumerate() {
        b.output(OutputKind::Result(number), result);
    }
    let elements = vec![f64::from(0.1f32); LONG as usize * COLUMNS];
    let value =
        HostTensor::from_f64(DType::F32, &[LONG as usize, COLUMNS], &elements).expect("as many as the shape says");
    let bindings = match rows.as_constant() {
        Some(_) => Vec::new(),
        None => vec![(Symbol::new("N"), LONG as u64)],
    };
    Example { graph: b.finish(), bindings, inputs: vec![(InputKind::Argument(0), "x".to_owned(), value)] }
}

/// These numbers, and what is made of them.
fn of(x: &[f64], results: impl Fn(&mut Builder, NodeId) -> Vec<NodeId>) -> Example {
    of_all(DType::F32, &[x], |b, inputs| results(b, inputs[0]))
}

/// These rows of numbers of that type, and what is made of them.
fn of_all(dtype: DType, rows: &[&[f64]], results: impl Fn(&mut Builder, &[NodeId]) -> Vec<NodeId>) -> Example {
    let mut b = Builder::new("floats");
    let (mut nodes, mut inputs) = (Vec::new(), Vec::new());
    for (position, row) in rows.iter().enumerate() {
        let (kind, name) = (InputKind::Argument(position), format!("x{position}"));
        nodes.push(b.input(kind.clone(), &name, Shape::of(&[row.len()]), dtype));
        inputs.push((kind, name, HostTensor::from_f64(dtype, &[row.len()], row).expect("as many as the shape says")));
    }
    for (number, result) in results(&mut b, &nodes).into_iter().enumerate() {
        b.output(OutputKind::Result(number), result);
    }
    Example { graph: b.finish(), bindings: Vec::new(), inputs }
}
