//! Functions of floats of very different sizes beside each other, and zeros among constants.

use crate::Case;
use crate::graphs::Example;
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{BinaryOp, InputKind, NodeId, OutputKind, UnaryOp};

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
    ]
}

/// These numbers, and what is made of them.
fn of(x: &[f64], results: impl Fn(&mut Builder, NodeId) -> Vec<NodeId>) -> Example {
    let mut b = Builder::new("floats");
    let input = b.input(InputKind::Argument(0), "x", Shape::of(&[x.len()]), DType::F32);
    for (number, result) in results(&mut b, input).into_iter().enumerate() {
        b.output(OutputKind::Result(number), result);
    }
    let value = HostTensor::from_f64(DType::F32, &[x.len()], x).expect("as many as the shape says");
    Example { graph: b.finish(), bindings: Vec::new(), inputs: vec![(InputKind::Argument(0), "x".to_owned(), value)] }
}
