//! What a convolution gives, with its axes in another order and put together: stored where it is read from.

use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::compile::compile;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{ConvGeometry, Graph, InputKind, NodeId, OutputKind};
use netcl_kernels::plan::Target;

fn shape(sizes: &[i64]) -> Shape {
    Shape(sizes.iter().copied().map(Dim::constant).collect())
}

/// `arranged` of the result of a convolution of one channel to four, and the sum of its squares with gradients.
fn graphs(arranged: &dyn Fn(&mut Builder, NodeId) -> NodeId) -> [Graph; 2] {
    let build = |loss: bool| {
        let mut b = Builder::new("arranged");
        let x = b.input(InputKind::Argument(0), "x", shape(&[2, 1, 4, 4]), DType::F32);
        let w = b.input(InputKind::Parameter, "w", shape(&[4, 1, 3, 3]), DType::F32);
        let geometry = ConvGeometry { padding: [1, 1], ..ConvGeometry::default() };
        let y = b.conv2d(x, w, geometry).expect("a convolution");
        let mut result = arranged(&mut b, y);
        if loss {
            let square = b.binary(netcl_kernels::graph::BinaryOp::Mul, result, result).expect("squares");
            let axes: Vec<usize> = (0..b.shape(square).rank()).collect();
            result = b.reduce(netcl_kernels::graph::ReduceOp::Sum, square, &axes, false).expect("a sum");
        }
        b.output(OutputKind::Result(0), result);
        b.finish()
    };
    [build(false), append_gradients(build(true), Arguments::At(&[0])).expect("gradients")]
}

fn compiles(arranged: &dyn Fn(&mut Builder, NodeId) -> NodeId) {
    for graph in graphs(arranged) {
        for target in Target::ALL {
            compile(&graph, target).unwrap_or_else(|error| panic!("{target:?}: {error}\n{graph}"));
        }
    }
}

#[test]
fn channels_last_and_flat() {
    compiles(&|b, y| {
        let y = b.permute(y, &[0, 2, 3, 1]).expect("channels last");
        b.reshape(y, shape(&[2, 64])).expect("flat")
    });
}

#[test]
fn pixels_with_what_each_has() {
    compiles(&|b, y| {
        let y = b.permute(y, &[0, 2, 3, 1]).expect("channels last");
        b.reshape(y, shape(&[2, 32, 2])).expect("pairs")
    });
}

#[test]
fn larger_images_of_one_channel() {
    compiles(&|b, y| {
        let y = b.reshape(y, shape(&[2, 1, 2, 2, 4, 4])).expect("channels apart");
        let y = b.permute(y, &[0, 1, 4, 2, 5, 3]).expect("between pixels");
        b.reshape(y, shape(&[2, 1, 8, 8])).expect("an image")
    });
}
