//! Sizes that a function cannot be computed with are errors before anything runs.

use crate::Case;
use libtest_mimic::Failed;
use netcl::{Device, Tensor};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{BinaryOp, ConvGeometry, Graph, InputKind, OutputKind, ReduceOp};
use netcl_kernels::ops::convolution::max_pool2d;

pub(crate) fn all() -> Vec<Case> {
    vec![
        Case::new("limits::pairs past 32 bits".into(), |device| {
            let mut b = Builder::new("pairs");
            let x = b.input(InputKind::Argument(0), "x", Shape(vec![Dim::symbol("N"), Dim::from(1)]), DType::F32);
            let y = b.input(InputKind::Argument(1), "y", Shape(vec![Dim::from(1), Dim::symbol("M")]), DType::F32);
            let difference = b.binary(BinaryOp::Sub, x, y).expect("a difference");
            let largest = b.reduce(ReduceOp::ArgMax, difference, &[0, 1], false).expect("a position");
            b.output(OutputKind::Result(0), largest);
            let words = ["`pairs` with N = 50000, M = 50000", "kernels would count up to M*N"];
            refused(device, &b.finish(), &[&[50_000, 1], &[1, 50_000]], &words)
        }),
        Case::new("limits::a window larger than the image".into(), |device| {
            let mut b = Builder::new("pool");
            let shape = Shape(vec![Dim::from(1), Dim::from(1), Dim::symbol("H"), Dim::symbol("W")]);
            let x = b.input(InputKind::Argument(0), "x", shape, DType::F32);
            let geometry = ConvGeometry { stride: [5, 5], ..ConvGeometry::default() };
            let y = max_pool2d(&mut b, "max_pool2d", x, [5, 5], geometry).expect("a pooling");
            b.output(OutputKind::Result(0), y);
            let words = ["`pool` with H = 9, W = 1", "a window of 5 does not fit into W = 1"];
            refused(device, &b.finish(), &[&[1, 1, 9, 1]], &words)
        }),
    ]
}

/// Fails unless a call with arguments of these shapes is an error with all the `words`.
fn refused(device: &Device, graph: &Graph, shapes: &[&[usize]], words: &[&str]) -> Result<(), Failed> {
    let arguments: netcl::Result<Vec<Tensor>> =
        shapes.iter().map(|shape| Tensor::zeros(device, shape, DType::F32)).collect();
    let arguments = arguments.map_err(|error| error.to_string())?;
    match netcl::jit::run(graph, &arguments.iter().collect::<Vec<_>>()) {
        Ok(_) => Err("it was computed".into()),
        Err(error) => {
            let text = error.to_string();
            let missing = words.iter().find(|word| !text.contains(**word));
            missing.map_or(Ok(()), |word| Err(format!("`{word}` is not in: {text}").into()))
        }
    }
}
