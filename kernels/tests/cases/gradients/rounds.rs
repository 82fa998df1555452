//! Gradients through loops over a symbolic number of rounds.

use super::{Case, Checked};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{AxisIndex, BinaryOp, NodeId, UnaryOp};

fn shape(sizes: &[Dim]) -> Shape {
    Shape(sizes.to_vec())
}

/// The part of `x [N, T, ..]` that the round `t` reads.
fn part(b: &mut Builder, x: NodeId, t: &Dim) -> NodeId {
    let mut own = b.shape(x).clone();
    own.0.remove(1);
    let mut index: Vec<AxisIndex> = (0..own.rank()).map(AxisIndex::axis).collect();
    index.insert(1, AxisIndex::fixed(t.clone()));
    b.view(x, own, index).unwrap()
}

/// A recurrent network of which all states count, and the last one more: products with weights in front of the loop, in it, and
/// behind it.
fn recurrent() -> Checked {
    let mut case = Case::new();
    let [n, t] = ["N", "T"].map(Dim::symbol);
    let x = case.symbolic(shape(&[n.clone(), t.clone(), Dim::from(2)]), &[3, 4, 2], -1.0, 1.0);
    let (w, u, bias) = (case.float(&[2, 5], -0.7, 0.7), case.float(&[5, 5], -0.7, 0.7), case.float(&[5], -0.7, 0.7));
    let start = case.symbolic(shape(&[n, Dim::from(5)]), &[3, 5], -1.0, 1.0);
    let b = &mut case.builder;
    let draft = b.begin_scan("t", t, &[start]);
    let x = part(b, x, &draft.round());
    let (x, h) = (b.matmul(x, w).unwrap(), b.matmul(draft.carried()[0], u).unwrap());
    let sum = b.binary(BinaryOp::Add, x, h).unwrap();
    let sum = b.binary(BinaryOp::Add, sum, bias).unwrap();
    let h = b.unary(UnaryOp::Tanh, sum).unwrap();
    let out = b.binary(BinaryOp::Mul, h, h).unwrap();
    let results = b.end_scan(&draft, &[h], &[out]).unwrap();
    let all = b.reduce(netcl_kernels::graph::ReduceOp::Sum, results[1], &[0], false).unwrap();
    let y = b.binary(BinaryOp::Mul, results[0], all).unwrap();
    case.of("recurrent", y, false)
}

/// `s = s * sin(x_t) + a * t`: the sum of what rounds give `a` is carried, and the number of the round counts. Twice: the gradient
/// is a loop with a gradient of its own.
fn numbered() -> Checked {
    let mut case = Case::new();
    let [n, t] = ["N", "T"].map(Dim::symbol);
    let x = case.symbolic(shape(&[n.clone(), t.clone()]), &[3, 4], 0.3, 1.2);
    let a = case.symbolic(shape(std::slice::from_ref(&n)), &[3], -1.0, 1.0);
    let b = &mut case.builder;
    let start = b.full(0.5, &shape(&[n]), DType::F32);
    let draft = b.begin_scan("t", t, &[start]);
    let x = part(b, x, &draft.round());
    let x = b.unary(UnaryOp::Sin, x).unwrap();
    let number = b.dim(&draft.round(), DType::F32).unwrap();
    let more = b.binary(BinaryOp::Mul, a, number).unwrap();
    let s = b.binary(BinaryOp::Mul, draft.carried()[0], x).unwrap();
    let s = b.binary(BinaryOp::Add, s, more).unwrap();
    let results = b.end_scan(&draft, &[s], &[]).unwrap();
    case.of("numbered", results[0], true)
}

/// Linear attention: `s = s + k_t v_t'`, `y_t = q_t s`, nothing but `y` being used.
fn attention() -> Checked {
    let mut case = Case::new();
    let t = Dim::symbol("T");
    let sizes = shape(&[Dim::from(1), t.clone(), Dim::from(3)]);
    let [q, k, v] = [0, 1, 2].map(|_| case.symbolic(sizes.clone(), &[1, 4, 3], -1.0, 1.0));
    let b = &mut case.builder;
    let start = b.full(0.0, &Shape::of(&[3, 3]), DType::F32);
    let draft = b.begin_scan("t", t, &[start]);
    let [q, k, v] = [q, k, v].map(|x| part(b, x, &draft.round()));
    let k = b.permute(k, &[1, 0]).unwrap();
    let outer = b.matmul(k, v).unwrap();
    let s = b.binary(BinaryOp::Add, draft.carried()[0], outer).unwrap();
    let y = b.matmul(q, s).unwrap();
    let results = b.end_scan(&draft, &[s], &[y]).unwrap();
    case.of("attention", results[1], false)
}

pub(super) fn rounds() -> Vec<Checked> {
    vec![recurrent(), numbered(), attention()]
}
