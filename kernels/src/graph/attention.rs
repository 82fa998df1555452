//! Attention as one node, and its gradients: sizes, results, and their meaning in other nodes.

use super::NodeId;
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use serde::{Deserialize, Serialize};

/// Which part of attention a node computes.
///
/// With `s = q . k^T / sqrt(d)`, where position `i` of the queries sees the keys `0..=i` alone if it is causal, and `p` the softmax
/// of `s` over the keys, the output is `p . v`; `lse` is the logarithm of the sum of `e^s` of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttentionKind {
    /// Of `q`, `k`, `v`: the output, and `lse`.
    Forward,
    /// Of `q`, `k`, `v`, the output's cotangent `g`, `lse` and `delta`, the sum of `g` times the output over each row: that of `q`.
    /// With `p = e^(s - lse)` it is `(p * (g . v^T - delta)) . k / sqrt(d)`.
    QueryGrad,
    /// Of the same: the cotangents of `k`, `(p * (g . v^T - delta))^T . q / sqrt(d)`, and of `v`, `p^T . g`.
    KeyValueGrad,
}

impl AttentionKind {
    /// Every kind.
    pub const ALL: [AttentionKind; 3] = [AttentionKind::Forward, AttentionKind::QueryGrad, AttentionKind::KeyValueGrad];

    /// The word for it in the text form.
    pub const fn operation(self) -> &'static str {
        match self {
            AttentionKind::Forward => "attention",
            AttentionKind::QueryGrad => "attention_query_grad",
            AttentionKind::KeyValueGrad => "attention_key_value_grad",
        }
    }

    /// How many operands it has.
    pub const fn operands(self) -> usize {
        match self {
            AttentionKind::Forward => 3,
            AttentionKind::QueryGrad | AttentionKind::KeyValueGrad => 6,
        }
    }

    /// How many of its operands are matrices of each batch, the first ones; the others are numbers of rows.
    pub(crate) const fn matrices(self) -> usize {
        match self {
            AttentionKind::Forward => 3,
            AttentionKind::QueryGrad | AttentionKind::KeyValueGrad => 4,
        }
    }

    /// Shapes and types of its results, if its operands have those sizes and its node that type.
    pub fn results(self, sizes: &AttentionSizes, dtype: DType) -> Vec<(Shape, DType)> {
        match self {
            AttentionKind::Forward => {
                vec![(sizes.matrix(&sizes.queries, &sizes.value_width), dtype), (Shape(sizes.rows()), dtype.compute())]
            }
            AttentionKind::QueryGrad => vec![(sizes.matrix(&sizes.queries, &sizes.width), dtype)],
            AttentionKind::KeyValueGrad => vec![
                (sizes.matrix(&sizes.keys, &sizes.width), dtype),
                (sizes.matrix(&sizes.keys, &sizes.value_width), dtype),
            ],
        }
    }
}

/// An attention node apart from its shape and type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attention {
    /// What is computed.
    pub kind: AttentionKind,
    /// Whether position `i` of the queries sees the keys `0..=i` alone.
    pub causal: bool,
    /// Those that the kind says, in its order.
    pub operands: Vec<NodeId>,
}

/// The sizes of an attention.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttentionSizes {
    /// The axes in front: each element of them is an attention of its own.
    pub batch: Vec<Dim>,
    /// Rows of `q`.
    pub queries: Dim,
    /// Rows of `k` and `v`.
    pub keys: Dim,
    /// Columns of `q` and `k`.
    pub width: Dim,
    /// Columns of `v`.
    pub value_width: Dim,
}

impl AttentionSizes {
    /// Those of operands with these shapes; `None` where they do not fit.
    pub fn of(kind: AttentionKind, operands: &[&Shape]) -> Option<AttentionSizes> {
        let [q, k, v] = operands.get(..3)? else { return None };
        let rank = q.rank();
        if rank < 2 || k.rank() != rank || v.rank() != rank || operands.len() != kind.operands() {
            return None;
        }
        let sizes = AttentionSizes {
            batch: q.0[..rank - 2].to_vec(),
            queries: q[rank - 2].clone(),
            keys: k[rank - 2].clone(),
            width: q[rank - 1].clone(),
            value_width: v[rank - 1].clone(),
        };
        let mut expected = vec![
            sizes.matrix(&sizes.queries, &sizes.width),
            sizes.matrix(&sizes.keys, &sizes.width),
            sizes.matrix(&sizes.keys, &sizes.value_width),
        ];
        if kind != AttentionKind::Forward {
            expected.push(sizes.matrix(&sizes.queries, &sizes.value_width));
            expected.extend([Shape(sizes.rows()), Shape(sizes.rows())]);
        }
        operands.iter().copied().eq(expected.iter()).then_some(sizes)
    }

    fn matrix(&self, rows: &Dim, columns: &Dim) -> Shape {
        Shape(self.batch.iter().chain([rows, columns]).cloned().collect())
    }

    /// The shape of a number for each row of the queries.
    fn rows(&self) -> Vec<Dim> {
        self.batch.iter().chain([&self.queries]).cloned().collect()
    }
}
