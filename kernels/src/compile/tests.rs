//! Names: a tensor, a size or a function may be called anything, whatever the compiler and its templates call their own.

use super::compile;
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, ConvGeometry, Graph, InputKind, NodeId, OutputKind, ReduceOp, UnaryOp};
use crate::identifier::{self, is_identifier};
use crate::target::Target;
use crate::template;
use std::collections::BTreeSet;

/// How many names [`graph`] takes.
const ROLES: usize = 10;

/// Products whose operands are computed at each load and whose results are gone on with, a convolution of an image that is
/// shifted, sums and maxima of long rows, a random mask: each with tensors, sizes and a scalar of the given names.
fn graph(names: &[&str; ROLES]) -> Graph {
    let [function, rows, left, right, residual, image, offset, table, scale, value] = names;
    let mut b = Builder::new(function);
    let d = |sizes: &[usize]| Shape::of(sizes);
    let n = Dim::symbol(rows);
    let seed = b.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::U32);
    let scale = b.input(InputKind::Scalar(1), scale, Shape::scalar(), DType::F32);
    let mut arguments = 0;
    let mut argument = |b: &mut Builder, name: &str, shape: Shape| {
        arguments += 1;
        b.input(InputKind::Argument(arguments - 1), name, shape, DType::F32)
    };
    let q = argument(&mut b, left, Shape(vec![n.clone(), Dim::constant(8)]));
    let k = argument(&mut b, right, Shape(vec![n.clone(), Dim::constant(8)]));
    let more = argument(&mut b, residual, Shape(vec![n.clone(), n]));
    let pixels = argument(&mut b, image, d(&[2, 3, 8, 8]));
    let shift = argument(&mut b, offset, d(&[3, 1, 1]));
    let table = b.input(InputKind::Parameter, table, d(&[4, 3, 3, 3]), DType::F32);
    let long = argument(&mut b, "long", d(&[3, 5000]));
    let two = |b: &mut Builder, op, x: NodeId, y: NodeId| b.binary(op, x, y).unwrap();
    let (left, right) = (two(&mut b, BinaryOp::Mul, q, scale), b.unary(UnaryOp::Neg, k).unwrap());
    let right = b.transpose(right).unwrap();
    let scores = b.matmul(left, right).unwrap();
    let scores = two(&mut b, BinaryOp::Add, scores, more);
    b.name(scores, value);
    let moved = two(&mut b, BinaryOp::Sub, pixels, shift);
    let geometry = ConvGeometry { stride: [1, 1], padding: [0, 0], dilation: [1, 1], groups: 1 };
    let conv = b.conv2d(moved, table, geometry).unwrap();
    let keep = b.random(seed, &d(&[3, 5000])).unwrap();
    let kept = two(&mut b, BinaryOp::Mul, long, keep);
    let sum = b.reduce(ReduceOp::Sum, kept, &[1], true).unwrap();
    let shares = two(&mut b, BinaryOp::Div, kept, sum);
    let largest = b.reduce(ReduceOp::ArgMax, kept, &[1], false).unwrap();
    for (position, result) in [scores, conv, shares, largest].into_iter().enumerate() {
        b.output(OutputKind::Result(position), result);
    }
    b.finish()
}

/// The identifiers in a text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').filter(|word| is_identifier(word))
}

#[test]
fn everything_may_be_called_anything() {
    let neutral = ["f", "N", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"];
    let mut all: BTreeSet<String> = identifier::reserved().chain(neutral.map(String::from)).collect();
    for target in [Target::Cpu, Target::Gpu] {
        let plan = compile(&graph(&neutral), target).unwrap();
        all.extend(words(&plan.source.to_string()).map(str::to_owned));
    }
    for template in template::ALL {
        all.extend(template.sources.iter().flat_map(|text| words(text)).map(str::to_owned));
    }
    let own =
        ["batch", "m", "n", "k", "value", "offset", "scratch0", "places0", "batch_2", "value_2", "größe", "Ω", "_"];
    all.extend(own.map(str::to_owned));
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    assert!(all.len() > 500, "{}", all.len());
    // Each name in each role, beside its neighbours: a role's words are mostly others than these.
    let stride = all.len() / ROLES + 1;
    for first in 0..all.len() {
        let names = std::array::from_fn(|role| all[(first + role * stride) % all.len()]);
        let graph = graph(&names);
        for target in [Target::Cpu, Target::Gpu] {
            let plan = compile(&graph, target).unwrap_or_else(|error| panic!("{names:?}: {error}"));
            let source = plan.source.to_string();
            let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
            code.for_each(|line| assert!(line.is_ascii(), "{names:?}: {line}"));
        }
    }
}
