//! Attention as one node, and as those that it stands for.

use super::{BinaryOp, Builder, CompareOp, Graph, InputKind, NodeId, Op, OutputKind, ReduceOp, Result, Shape, UnaryOp};
use crate::dtype::DType;
use crate::graph::{Attention, AttentionKind, AttentionSizes};

impl Builder {
    /// The results of an attention, of the type `dtype`: that of its operands, or the one that is computed in.
    pub fn attention(&mut self, attention: Attention, dtype: DType) -> Result<Vec<NodeId>> {
        let kind = attention.kind;
        let shapes: Vec<&Shape> = attention.operands.iter().map(|id| self.shape(*id)).collect();
        let Some(sizes) = AttentionSizes::of(kind, &shapes) else {
            let found: Vec<String> = shapes.iter().map(ToString::to_string).collect();
            return self.fail(format!("`{}` does not take {}", kind.operation(), found.join(", ")));
        };
        let mut all: Vec<NodeId> = Vec::new();
        for (result, (shape, dtype)) in kind.results(&sizes, dtype).into_iter().enumerate() {
            let op = match all.first() {
                None => Op::Attention(attention.clone()),
                Some(&call) => Op::CustomResult { call, result },
            };
            all.push(self.push(op, shape, dtype));
        }
        Ok(all)
    }

    /// `q . k^T / sqrt(d)`; -inf where a key is not seen.
    pub fn attention_scores(&mut self, q: NodeId, k: NodeId, causal: bool) -> Result<NodeId> {
        let dtype = self.dtype(q);
        let keys = self.transpose(k)?;
        let scores = self.matmul(q, keys)?;
        let scale = self.attention_scale(q)?;
        let scores = self.binary(BinaryOp::Mul, scores, scale)?;
        if !causal {
            return Ok(scores);
        }
        let full = self.shape(scores).clone();
        let position = self.iota(&full, full.rank() - 2, DType::I32)?;
        let seen = self.iota(&full, full.rank() - 1, DType::I32)?;
        let visible = self.compare(CompareOp::Le, seen, position)?;
        let hidden = self.constant(f64::NEG_INFINITY, dtype);
        self.select(visible, scores, hidden)
    }

    /// `1 / sqrt(d)`.
    fn attention_scale(&mut self, q: NodeId) -> Result<NodeId> {
        let (shape, dtype) = (self.shape(q).clone(), self.dtype(q));
        let width = &shape[shape.rank() - 1];
        match width.as_constant() {
            Some(width) => Ok(self.constant(1.0 / (width as f64).sqrt(), dtype)),
            None => {
                let width = self.dim(width, dtype)?;
                self.unary(UnaryOp::Rsqrt, width)
            }
        }
    }

    /// `softmax(q . k^T / sqrt(d)) . v`, written out.
    pub fn composed_attention(&mut self, [q, k, v]: [NodeId; 3], causal: bool) -> Result<NodeId> {
        let scores = self.attention_scores(q, k, causal)?;
        let axis = self.shape(scores).rank() - 1;
        let weights = self.softmax(scores, axis)?;
        self.matmul(weights, v)
    }

    /// The logarithm of the sum of `e^scores` of each row.
    pub fn log_of_rows(&mut self, scores: NodeId) -> Result<NodeId> {
        let dtype = self.dtype(scores);
        let axis = self.shape(scores).rank() - 1;
        let scores = self.cast(scores, dtype.compute())?;
        let shifted = self.shifted(scores, axis)?;
        let log = self.log_of_sum(shifted, axis)?;
        // A constant, as what was taken off is.
        let largest = self.reduce(ReduceOp::Max, scores, &[axis], false)?;
        let largest = self.detach(largest);
        self.binary(BinaryOp::Add, log, largest)
    }
}

/// What a node of attention means, of operands of these shapes and types: a graph of other nodes, that has them as arguments and its
/// results as results. It computes in the type that the node's is computed in, and its results are of the node's.
pub fn attention_meaning(kind: AttentionKind, causal: bool, given: &[(Shape, DType)], dtype: DType) -> Result<Graph> {
    let mut b = Builder::new(kind.operation());
    let mut operands = Vec::new();
    for (position, (shape, own)) in given.iter().enumerate() {
        let operand = b.input(InputKind::Argument(position), "", shape.clone(), *own);
        operands.push(b.cast(operand, dtype.compute())?);
    }
    let scores = b.attention_scores(operands[0], operands[1], causal)?;
    let results = if kind == AttentionKind::Forward {
        let axis = b.shape(scores).rank() - 1;
        let weights = b.softmax(scores, axis)?;
        vec![b.matmul(weights, operands[2])?, b.log_of_rows(scores)?]
    } else {
        gradients(&mut b, kind, scores, &operands)?
    };
    for (position, result) in results.into_iter().enumerate() {
        // Numbers of rows are not rounded.
        let own = if kind == AttentionKind::Forward && position == 1 { dtype.compute() } else { dtype };
        let result = b.cast(result, own)?;
        b.output(OutputKind::Result(position), result);
    }
    Ok(b.finish())
}

fn gradients(b: &mut Builder, kind: AttentionKind, scores: NodeId, operands: &[NodeId]) -> Result<Vec<NodeId>> {
    let &[q, k, v, g, lse, delta] = operands else {
        return b.fail(format!("`{}` does not take {}", kind.operation(), operands.len()));
    };
    let (shape, axis) = (b.shape(scores).clone(), b.shape(scores).rank() - 1);
    let lse = b.spread(lse, &shape, &[axis])?;
    let shifted = b.binary(BinaryOp::Sub, scores, lse)?;
    let weights = b.unary(UnaryOp::Exp, shifted)?;
    let values = b.transpose(v)?;
    let slope = b.matmul(g, values)?;
    let delta = b.spread(delta, &shape, &[axis])?;
    let slope = b.binary(BinaryOp::Sub, slope, delta)?;
    let slope = b.binary(BinaryOp::Mul, weights, slope)?;
    let scale = b.attention_scale(q)?;
    let slope = b.binary(BinaryOp::Mul, slope, scale)?;
    if kind == AttentionKind::QueryGrad {
        return Ok(vec![b.matmul(slope, k)?]);
    }
    let (slope, weights) = (b.transpose(slope)?, b.transpose(weights)?);
    Ok(vec![b.matmul(slope, q)?, b.matmul(weights, g)?])
}
