//! Graphs as parts of others.

use super::*;

impl Builder {
    /// The results of `graph`, whose arguments are `operands`, by their positions: its nodes, in the place of one.
    pub(crate) fn splice(&mut self, graph: &Graph, operands: &[NodeId]) -> Result<Vec<NodeId>> {
        self.splice_of(graph, |builder, kind, dtype| match kind {
            InputKind::Argument(position) => builder.cast(operands[*position], dtype),
            kind => Ok(builder.push(Op::Input(kind.clone()), Shape::scalar(), dtype)),
        })
    }

    /// The outputs of `graph`, in their order, built here: its symbols are those of this graph, and `input` gives what each of its
    /// inputs is here, of the same shape.
    ///
    /// # Errors
    ///
    /// Those of `input`.
    pub fn splice_of(
        &mut self,
        graph: &Graph,
        mut input: impl FnMut(&mut Builder, &InputKind, DType) -> Result<NodeId>,
    ) -> Result<Vec<NodeId>> {
        let mut moved: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
        for (_, node) in graph.iter() {
            let op = node.op.clone().map_operands(|operand| moved[operand.index()]);
            moved.push(match op {
                Op::Input(kind) => input(self, &kind, node.dtype)?,
                Op::View { source, index } => self.view(source, node.shape.clone(), index)?,
                Op::Reshape(source) => self.reshape(source, node.shape.clone())?,
                // What was longer before is rounded to what it was.
                Op::Cast(x) => match self.node(x).op {
                    Op::Cast(own) if self.dtype(own) == node.dtype && node.dtype.compute() == self.dtype(x) => own,
                    _ => self.push(op, node.shape.clone(), node.dtype),
                },
                op => self.push(op, node.shape.clone(), node.dtype),
            });
        }
        Ok(graph.outputs.iter().map(|(_, id)| moved[id.index()]).collect())
    }
}
