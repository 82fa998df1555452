//! Scaled dot-product attention, composed from products and a softmax.

use super::args::{Args, arg, float, tensor_arg};
use super::{ArgKind, Operation, softmax};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId, UnaryOp};
use crate::span::{Diagnostic, Result};

pub(super) const OPERATIONS: &[Operation] = &[Operation {
    name: "scaled_dot_product_attention",
    doc: "`softmax(q . k^T / sqrt(d)) . v` (Vaswani et al. 2017): `q [.., t, d]`, `k [.., s, d]`, `v [.., s, e]`, \
          `-> [.., t, e]`; if `causal`, position `i` sees positions `0..=i`",
    args: &[tensor_arg("q"), tensor_arg("k"), tensor_arg("v"), arg("causal", ArgKind::Bool)],
    build: |b, a| scaled_dot_product_attention(b, a.tensor(0)?, a.tensor(1)?, a.tensor(2)?, a.bool(3)?),
}];

/// `softmax(q . kᵀ / sqrt(d)) . v`; if `causal`, position `i` sees positions `0..=i`.
pub fn scaled_dot_product_attention(b: &mut Builder, q: NodeId, k: NodeId, v: NodeId, causal: bool) -> Result<NodeId> {
    const NAME: &str = "scaled_dot_product_attention";
    let dtype = float(b, NAME, q)?;
    for (name, tensor) in [("q", q), ("k", k), ("v", v)] {
        if b.shape(tensor).rank() < 2 {
            let found = b.shape(tensor);
            return Err(Diagnostic::new(format!("`{NAME}` expects `{name}` with at least 2 axes, found {found}")));
        }
    }
    let (shape, key_shape) = (b.shape(q).clone(), b.shape(k).clone());
    let width = shape[shape.rank() - 1].clone();
    if width != key_shape[key_shape.rank() - 1] {
        let (left, right) = (b.origin_note(q, shape.rank() - 1), b.origin_note(k, key_shape.rank() - 1));
        return Err(Diagnostic::new(format!(
            "`{NAME}` expects queries and keys of one width, found {width}{left} and {}{right}",
            key_shape[key_shape.rank() - 1]
        )));
    }
    let keys = b.transpose(k)?;
    let scores = b.matmul(q, keys)?;
    let scale = match width.as_constant() {
        Some(width) => b.constant(1.0 / (width as f64).sqrt(), dtype),
        None => {
            let width = b.dim(&width, dtype)?;
            b.unary(UnaryOp::Rsqrt, width)?
        }
    };
    let mut scores = b.binary(BinaryOp::Mul, scores, scale)?;
    if causal {
        let full = b.shape(scores).clone();
        let position = b.iota(&full, full.rank() - 2, DType::I32)?;
        let seen = b.iota(&full, full.rank() - 1, DType::I32)?;
        let visible = b.compare(CompareOp::Le, seen, position)?;
        let hidden = b.constant(f64::NEG_INFINITY, dtype);
        scores = b.select(visible, scores, hidden)?;
    }
    let axis = b.shape(scores).rank() - 1;
    let weights = softmax::softmax(b, scores, axis)?;
    b.matmul(weights, v)
}
