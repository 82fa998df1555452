//! States and their new values: which may lie in one place, and what kernels say about their pointers.

use netcl_kernels::compile::compile;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{AxisIndex, BinaryOp, Graph, InputKind, NodeId, OutputKind, ReduceOp};
use netcl_kernels::plan::{Plan, Role, Target};

/// A function of `x [N, 64]` and the state `s [64]`, whose new value and another result `build` makes.
fn function(build: impl Fn(&mut Builder, NodeId, NodeId) -> [NodeId; 2]) -> Graph {
    let mut b = Builder::new("f");
    let shape = Shape(vec![Dim::symbol("N"), Dim::from(64)]);
    let x = b.input(InputKind::Argument(0), "x", shape, DType::F32);
    let s = b.input(InputKind::State, "s", Shape::of(&[64]), DType::F32);
    let [new, result] = build(&mut b, x, s);
    b.output(OutputKind::State("s".into()), new);
    b.output(OutputKind::Result(0), result);
    b.finish()
}

/// Whether the new value must be written elsewhere, by target.
fn not_in_place(graph: &Graph) -> Vec<bool> {
    let is_new = |plan: &Plan| {
        let mut roles = plan.not_in_place.iter().map(|id| &plan.buffer(*id).role);
        roles.all(|role| matches!(role, Role::Output(OutputKind::State(_))))
    };
    let plans = Target::ALL.map(|target| compile(graph, target).unwrap());
    assert!(plans.iter().all(is_new));
    plans.iter().map(|plan| !plan.not_in_place.is_empty()).collect()
}

/// `0.5 s + sum(x)`, as normalisation's running statistics are.
fn running(b: &mut Builder, x: NodeId, s: NodeId) -> NodeId {
    let half = b.constant(0.5, DType::F32);
    let kept = b.binary(BinaryOp::Mul, s, half).unwrap();
    let sum = b.reduce(ReduceOp::Sum, x, &[0], false).unwrap();
    b.binary(BinaryOp::Add, kept, sum).unwrap()
}

#[test]
fn elementwise_updates_stay_in_place() {
    let graph = function(|b, x, s| {
        let largest = b.reduce(ReduceOp::Max, x, &[0, 1], false).unwrap();
        [running(b, x, s), largest]
    });
    assert_eq!(not_in_place(&graph), [false; 3]);
}

#[test]
fn updates_that_read_other_elements_do_not() {
    let turned = |b: &mut Builder, s: NodeId| {
        let back = AxisIndex { terms: vec![(0, -1)], offset: Dim::from(63), divisor: 1 };
        b.view(s, Shape::of(&[64]), vec![back]).unwrap()
    };
    let flipped = function(|b, x, s| {
        let largest = b.reduce(ReduceOp::Max, x, &[0, 1], false).unwrap();
        let turned = turned(b, s);
        [running(b, x, turned), largest]
    });
    assert_eq!(not_in_place(&flipped), [true; 3]);
    // Every element of the new value needs all of the old one.
    let total = function(|b, x, s| {
        let sum = b.reduce(ReduceOp::Sum, s, &[0], false).unwrap();
        let scaled = b.binary(BinaryOp::Mul, s, sum).unwrap();
        let largest = b.reduce(ReduceOp::Max, x, &[0, 1], false).unwrap();
        [scaled, largest]
    });
    assert_eq!(not_in_place(&total)[1..], [true; 2]);
}

/// C promises nothing about `restrict` pointers to one place.
#[test]
fn pointers_to_what_may_be_one_place_are_not_restrict() {
    let graph = function(|b, x, s| {
        let largest = b.reduce(ReduceOp::Max, x, &[1], false).unwrap();
        [running(b, x, s), largest]
    });
    for target in [Target::Cpu, Target::Gpu] {
        let source = compile(&graph, target).unwrap().source.to_string();
        for shared in ["float* s", "float* new_s"] {
            assert!(source.contains(shared), "`{shared}` is restrict:\n{source}");
        }
        assert!(source.contains("float* restrict x"), "{source}");
    }
}
