//! Attention, by the nodes that it stands for.

use super::{HostTensor, InputKind, Node, NodeId, Precision, Run, evaluate};
use crate::dim::Shape;
use crate::graph::Attention;
use crate::graph::build::attention_meaning;
use crate::span::{Diagnostic, Result};

impl Run<'_> {
    /// The first result of the attention `id`; the others are kept. Nothing between is rounded: sums are kept in registers.
    pub(super) fn attention(&mut self, id: NodeId, node: &Node, attention: &Attention) -> Result<HostTensor> {
        let operands: Vec<HostTensor> = attention.operands.iter().map(|operand| self.value(*operand).clone()).collect();
        let given: Vec<_> = operands.iter().map(|operand| (Shape::of(operand.shape()), operand.dtype())).collect();
        let graph = attention_meaning(attention.kind, attention.causal, &given, node.dtype)?;
        let own = |kind: &InputKind, _: &str| match kind {
            InputKind::Argument(position) => operands.get(*position).cloned(),
            _ => None,
        };
        let mut results = evaluate(&graph, self.bindings, &own, Precision::F64)?.into_iter().map(|(_, value)| value);
        let first = results.next().ok_or_else(|| Diagnostic::new("an attention has a result"))?;
        self.results.extend(results.enumerate().map(|(position, value)| ((id, position + 1), value)));
        Ok(first)
    }
}
