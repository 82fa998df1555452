//! Products of views: each operand flipped, strided, cut, repeated, or a diagonal of more axes, against the reference interpreter.
//!
//! A product reads views through strides, negative ones too, where it is in memory; the host hands them to its library.

use crate::Case;
use crate::model_cases::example;
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{AxisIndex, BinaryOp, Graph, InputKind, NodeId, OutputKind, ReduceOp};

/// Batches, rows and columns of every operand.
const SIZES: [usize; 3] = [2, 5, 4];

/// A view: its name, the shape of what it is a view of, and the coordinate of each of that one's axes by
/// `(coefficients of batch, row and column, offset)`.
struct Form {
    name: &'static str,
    source: &'static [usize],
    axes: &'static [([i64; 3], i64)],
}

/// The forms of an operand `[2, 5, 4]`.
const FORMS: &[Form] = &[
    Form { name: "rows flipped", source: &[2, 5, 4], axes: &[([1, 0, 0], 0), ([0, -1, 0], 4), ([0, 0, 1], 0)] },
    Form { name: "columns flipped", source: &[2, 5, 4], axes: &[([1, 0, 0], 0), ([0, 1, 0], 0), ([0, 0, -1], 3)] },
    Form { name: "batch flipped", source: &[2, 5, 4], axes: &[([-1, 0, 0], 1), ([0, 1, 0], 0), ([0, 0, 1], 0)] },
    Form { name: "all flipped", source: &[2, 5, 4], axes: &[([-1, 0, 0], 1), ([0, -1, 0], 4), ([0, 0, -1], 3)] },
    Form { name: "flipped and turned", source: &[4, 2, 5], axes: &[([0, 0, -1], 3), ([1, 0, 0], 0), ([0, -1, 0], 4)] },
    Form {
        name: "every second backwards",
        source: &[2, 10, 9],
        axes: &[([1, 0, 0], 0), ([0, -2, 0], 9), ([0, 0, -2], 7)],
    },
    Form { name: "part backwards", source: &[3, 7, 6], axes: &[([-1, 0, 0], 2), ([0, -1, 0], 5), ([0, 0, 1], 1)] },
    Form { name: "diagonals", source: &[6, 5, 4], axes: &[([1, 1, 0], 0), ([0, 1, 0], 0), ([0, 0, 1], 0)] },
    Form { name: "diagonals backwards", source: &[6, 5, 4], axes: &[([1, -1, 0], 4), ([0, 1, 0], 0), ([0, 0, 1], 0)] },
    Form { name: "windows backwards", source: &[2, 8], axes: &[([1, 0, 0], 0), ([0, 1, -1], 3)] },
    Form { name: "repeated rows, columns flipped", source: &[2, 4], axes: &[([1, 0, 0], 0), ([0, 0, -1], 3)] },
    Form { name: "repeated batch, rows flipped", source: &[5, 4], axes: &[([0, -1, 0], 4), ([0, 0, 1], 0)] },
];

pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for left in [true, false] {
        let side = if left { "left" } else { "right" };
        cases.push(Case::new(format!("views::products, {side} operand"), move |device| {
            example(products(left), &[]).check(device, 2e-5)
        }));
    }
    cases.push(Case::new("views::gradients of products of flipped batches of any size".to_owned(), |device| {
        let graph = append_gradients(flipped_loss(), Arguments::Floats).map_err(|error| error.to_string())?;
        [1, 6].into_iter().try_for_each(|size| example(graph.clone(), &[("N", size)]).check(device, 5e-5))
    }));
    cases
}

/// Products of each form by, or with, one matrix for each batch, as a result each.
fn products(left: bool) -> Graph {
    let mut b = Builder::new("views");
    let [batch, rows, columns] = SIZES;
    let other = if left { [batch, columns, 3] } else { [batch, 3, rows] };
    let other = b.input(InputKind::Argument(0), "other", Shape::of(&other), DType::F32);
    for (number, form) in FORMS.iter().enumerate() {
        let source = b.input(InputKind::Argument(number + 1), "x", Shape::of(form.source), DType::F32);
        let view = view(&mut b, source, form);
        let product = if left { b.matmul(view, other) } else { b.matmul(other, view) };
        let product = product.unwrap_or_else(|error| panic!("{}: {error}", form.name));
        b.output(OutputKind::Result(number), product);
    }
    b.finish()
}

fn view(b: &mut Builder, source: NodeId, form: &Form) -> NodeId {
    let index = form.axes.iter().map(|(coefficients, offset)| AxisIndex {
        terms: coefficients.iter().copied().enumerate().filter(|(_, coefficient)| *coefficient != 0).collect(),
        offset: Dim::constant(*offset),
        divisor: 1,
    });
    let index = index.collect();
    b.view(source, Shape::of(&SIZES), index).unwrap_or_else(|error| panic!("{}: {error}", form.name))
}

/// The sum of squares of `flip(x) w` along each axis of `x`, `[N, 5, 4]`, and of `flip(x w)`.
fn flipped_loss() -> Graph {
    let mut b = Builder::new("flipped");
    let dims = Shape(vec![Dim::symbol("N"), Dim::from(5), Dim::from(4)]);
    let x = b.input(InputKind::Argument(0), "x", dims.clone(), DType::F32);
    let w = b.input(InputKind::Argument(1), "w", Shape::of(&[4, 3]), DType::F32);
    let flip = |b: &mut Builder, x: NodeId, axis: usize| {
        let shape = b.shape(x).clone();
        let index = (0..3).map(|at| match at == axis {
            true => AxisIndex { terms: vec![(at, -1)], offset: shape[at].clone() - Dim::from(1), divisor: 1 },
            false => AxisIndex::axis(at),
        });
        let index = index.collect();
        b.view(x, shape, index).expect("a flip")
    };
    let by = |b: &mut Builder, x: NodeId| {
        let (rows, width) = (b.shape(x)[0].clone(), b.shape(x)[1].clone());
        let flat = b.reshape(x, Shape(vec![rows.clone() * width.clone(), Dim::from(4)])).expect("rows");
        let y = b.matmul(flat, w).expect("a product");
        b.reshape(y, Shape(vec![rows, width, Dim::from(3)])).expect("batches")
    };
    let mut total = None;
    for axis in 0..3 {
        let flipped = flip(&mut b, x, axis);
        let before = by(&mut b, flipped);
        let whole = by(&mut b, x);
        let after = flip(&mut b, whole, axis);
        for y in [before, after] {
            let square = b.binary(BinaryOp::Mul, y, y).expect("a square");
            let sum = b.reduce(ReduceOp::Sum, square, &[0, 1, 2], false).expect("a sum");
            total = Some(match total {
                None => sum,
                Some(total) => b.binary(BinaryOp::Add, total, sum).expect("a sum"),
            });
        }
    }
    b.output(OutputKind::Result(0), total.expect("three axes"));
    b.finish()
}
