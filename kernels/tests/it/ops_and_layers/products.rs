//! What is said of equations of products that do not fit.

use super::messages::{Arg, said};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{InputKind, Op, OutputKind};
use netcl_kernels::ops::{self, Value};

/// Types and shapes of operands.
type Others = &'static [(DType, &'static [usize])];

#[test]
fn equations_say_which_letter_does_not_fit() {
    use DType::{F32, I32};
    const PAIR: (DType, &[usize]) = (F32, &[2, 3]);
    let cases: [(&str, Others, &str); 9] = [
        ("ij,jk->ik", &[], "`einsum` of `ij,jk->ik` expects 2 operands, found 1"),
        ("ij,jk->ik", &[PAIR], "`einsum` of `ij,jk->ik`: `j` is 3 in [2, 3] and 2 in [2, 3]"),
        ("ij,kj->iik", &[PAIR], "`einsum`: the result of `ij,kj->iik` has `i` twice"),
        ("ij,kj->im", &[PAIR], "`einsum`: the result of `ij,kj->im` has `m`, which no operand has"),
        ("ijk,kj->i", &[PAIR], "`einsum` of `ijk,kj->i` names the axes of [2, 3] `ijk`"),
        ("i2,kj->i", &[PAIR], "`einsum` expects letters, `,`, `...` and one `->`, found `2` in `i2,kj->i`"),
        ("ij,kj->i->k", &[PAIR], "`einsum` expects letters, `,`, `...` and one `->`, found `-` in `ij,kj->i->k`"),
        ("...j,...k", &[(F32, &[3, 4])], "`einsum` of `...j,...k`: `...` is 2 in [2, 3] and 3 in [3, 4]"),
        ("ij,kj->ik", &[(I32, &[2, 3])], "`einsum` expects tensors of one type, found f32 and i32"),
    ];
    for (equation, others, expected) in cases {
        let args = [Arg::Tensor(F32, &[2, 3]), Arg::Value(Value::Text(equation.to_owned())), Arg::Tensors(others)];
        assert_eq!(said("einsum", &args), expected);
    }
    let args = [Arg::Tensor(F32, &[2, 3]), Arg::Value(Value::Number(1.0)), Arg::Tensors(&[])];
    assert_eq!(said("einsum", &args), "`einsum` expects a text as `equation`, found a number");
    let args = [Arg::Tensor(F32, &[2, 3]), Arg::Value(Value::Text("0".to_owned()))];
    assert_eq!(said("softmax", &args), "`softmax` expects an axis (an integer constant) as `axis`, found a text");
}

/// Whatever the letters' order, what is summed over is a matrix product, and of sizes that are not known.
#[test]
fn what_is_summed_over_is_a_matrix_product() {
    let mut b = Builder::new("scores");
    let [n, t] = ["N", "T"].map(Dim::symbol);
    let mut input = |position: usize| {
        let shape = Shape(vec![n.clone(), t.clone(), Dim::from(4), Dim::from(8)]);
        b.input(InputKind::Argument(position), "x", shape, DType::F32)
    };
    let (q, k) = (input(0), input(1));
    let equation = Value::Text("bqhd,bkhd->bhqk".to_owned());
    let others = Value::List(vec![Value::Tensor(k)]);
    let scores = ops::call(&mut b, ops::find("einsum").expect("an operation"), &[Value::Tensor(q), equation, others]);
    let scores = scores.expect("scores");
    assert_eq!(b.shape(scores).to_string(), "[N, 4, T, T]");
    b.output(OutputKind::Result(0), scores);
    let graph = b.finish();
    let products: Vec<String> = graph
        .nodes
        .iter()
        .filter(|node| matches!(node.op, Op::MatMul(..)))
        .map(|node| node.shape.to_string())
        .collect();
    assert_eq!(products, ["[N*4, T, T]"]);
}
