//! Matrix products.

use super::Operation;
use super::args::{Args, OTHER, X, float, tensor_arg};
use super::shape::keep_origins;
use crate::dim::{Dim, Shape};
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, NodeId};
use crate::span::{Diagnostic, Result};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "matmul",
        doc: "the matrix product `[.., m, k] x [.., k, n] -> [.., m, n]` of floats; leading axes broadcast",
        args: &[X, OTHER],
        build: |b, a| matmul(b, a.tensor(0)?, a.tensor(1)?),
    },
    Operation {
        name: "linear",
        doc: "`x . weight + bias`: `x [.., inputs]`, `weight [inputs, outputs]`, `bias [outputs]`",
        args: &[X, tensor_arg("weight"), tensor_arg("bias")],
        build: |b, a| linear(b, a.tensor(0)?, a.tensor(1)?, Some(a.tensor(2)?)),
    },
];

/// The matrix product; leading axes broadcast.
pub fn matmul(b: &mut Builder, x: NodeId, y: NodeId) -> Result<NodeId> {
    if b.shape(x).rank() > 2 && b.shape(y).rank() == 2 { linear(b, x, y, None) } else { b.matmul(x, y) }
}

/// `x . weight + bias` for `x [.., inputs]`, `weight [inputs, outputs]`, `bias [outputs]`.
///
/// Leading axes become rows of one product: as a batch of products they would be slower, and the weight's gradient
/// would be a sum of as many products.
pub fn linear(b: &mut Builder, x: NodeId, weight: NodeId, bias: Option<NodeId>) -> Result<NodeId> {
    float(b, "linear", x)?;
    for (name, tensor, rank) in [("weight", Some(weight), 2), ("bias", bias, 1)] {
        if let Some(tensor) = tensor
            && b.shape(tensor).rank() != rank
        {
            let axes = if rank == 1 { "1 axis" } else { "2 axes" };
            let found = b.shape(tensor);
            return Err(Diagnostic::new(format!("`linear` expects a `{name}` with {axes}, found {found}")));
        }
    }
    let shape = b.shape(x).clone();
    let rows = match shape.rank() {
        0 => return b.matmul(x, weight),
        2 => x,
        rank => {
            let count = Shape(shape.0[..rank - 1].to_vec()).elements();
            let rows = b.reshape(x, Shape(vec![count, shape[rank - 1].clone()]))?;
            if let Some(origin) = b.origin(x, rank - 1).cloned() {
                b.set_origin(rows, 1, origin);
            }
            rows
        }
    };
    let (inputs, given) = (&shape[shape.rank() - 1], b.shape(weight));
    if given[0] != *inputs && given[1] == *inputs && bias.is_some() {
        let problem = format!(
            "`linear` cannot multiply {shape} by {given}: the left has {inputs} columns{}, the right {} rows{}",
            b.origin_note(x, shape.rank() - 1),
            given[0],
            b.origin_note(weight, 0)
        );
        return Err(Diagnostic::new(problem).hint("exchange its axes: `x.linear(weight.t(), bias)`"));
    }
    let mut product = b.matmul(rows, weight)?;
    if let Some(bias) = bias {
        product = b.binary(BinaryOp::Add, product, bias)?;
    }
    if shape.rank() == 2 {
        return Ok(product);
    }
    let outputs: Dim = b.shape(product)[1].clone();
    let mut dims = shape.0[..shape.rank() - 1].to_vec();
    dims.push(outputs);
    let result = b.reshape(product, Shape(dims))?;
    keep_origins(b, x, result, shape.rank() - 1);
    Ok(result)
}
