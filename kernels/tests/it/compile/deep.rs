//! Graphs with long chains of operations: they are compiled without recursion, on any stack, and in time.

use netcl_kernels::compile::compile;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{AxisIndex, BinaryOp, Graph, InputKind, NodeId, OutputKind, UnaryOp};
use netcl_kernels::plan::Target;

/// `steps` over an argument `x: f32[N, 8]`.
fn graph(dtype: DType, steps: impl FnOnce(&mut Builder, NodeId) -> NodeId) -> Graph {
    let mut builder = Builder::new("deep");
    let shape = Shape(vec![Dim::symbol("N"), Dim::constant(8)]);
    let x = builder.input(InputKind::Argument(0), "x", shape, dtype);
    let result = steps(&mut builder, x);
    builder.output(OutputKind::Result(0), result);
    builder.finish()
}

fn compiles(graph: &Graph) {
    for target in Target::ALL {
        compile(graph, target).unwrap_or_else(|error| panic!("{}: {error}", target.name()));
    }
}

#[test]
fn a_chain_of_thousands() {
    compiles(&graph(DType::F32, |b, mut x| {
        for _ in 0..2000 {
            x = b.unary(UnaryOp::Sin, x).unwrap();
        }
        x
    }));
}

#[test]
fn a_chain_of_whole_numbers_made_of_coordinates() {
    compiles(&graph(DType::I32, |b, x| {
        let shape = b.shape(x).clone();
        let mut place = b.iota(&shape, 0, DType::I32).unwrap();
        let factor = b.integer(3, DType::I32).unwrap();
        for _ in 0..500 {
            place = b.binary(BinaryOp::Mul, place, factor).unwrap();
        }
        b.binary(BinaryOp::Add, x, place).unwrap()
    }));
}

/// What is known of each of its values is remembered: looked for anew, it would take minutes.
#[test]
fn a_chain_of_whole_numbers_made_of_what_is_read() {
    compiles(&graph(DType::I32, |b, mut x| {
        let factor = b.integer(3, DType::I32).unwrap();
        for _ in 0..20_000 {
            x = b.binary(BinaryOp::Mul, x, factor).unwrap();
        }
        x
    }));
}

/// What is read where a condition holds is not computed once for each way to it: there are 2^40.
#[test]
fn a_chain_that_uses_each_value_twice_behind_a_margin() {
    compiles(&graph(DType::F32, |b, mut x| {
        for _ in 0..40 {
            let square = b.unary(UnaryOp::Exp, x).unwrap();
            x = b.binary(BinaryOp::Add, square, x).unwrap();
        }
        let shape = b.shape(x).clone();
        let before = AxisIndex { terms: vec![(1, 1)], offset: Dim::constant(-1), divisor: 1 };
        b.view(x, shape, vec![AxisIndex::axis(0), before]).unwrap()
    }));
}
