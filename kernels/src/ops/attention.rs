//! Scaled dot-product attention.

use super::args::{Args, arg, float, tensor_arg};
use super::{ArgKind, Operation};
use crate::graph::build::Builder;
use crate::graph::{Attention, AttentionKind, AttentionSizes, NodeId, Op};
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
        ))
        .hint("each query is multiplied with each key along their last axes; values may have another width"));
    }
    if !is_one_node(b, [q, k, v]) {
        return b.composed_attention([q, k, v], causal);
    }
    let operands = vec![q, k, v];
    let results = b.attention(Attention { kind: AttentionKind::Forward, causal, operands }, dtype)?;
    Ok(results[0])
}

/// Whether the operands are as a node wants them, of the same batch. What is repeated for several matrices of a batch is one product
/// over all of their rows.
fn is_one_node(b: &Builder, operands: [NodeId; 3]) -> bool {
    let shapes = operands.map(|id| b.shape(id));
    let repeats = |id: &NodeId| {
        let node = b.node(*id);
        let batch = 0..node.shape.rank() - 2;
        matches!(&node.op, Op::View { index, .. } if batch.into_iter().any(|axis| {
            index.iter().all(|own| own.terms.iter().all(|(out, _)| *out != axis))
        }))
    };
    AttentionSizes::of(AttentionKind::Forward, &shapes).is_some()
        && operands.iter().all(|id| b.dtype(*id) == b.dtype(operands[0]))
        && !operands.iter().any(repeats)
}
