//! Values that derivatives are asked in.

use super::*;

impl Builder {
    /// The value of `a` as a node of its own until the graph is finished: nothing is simplified through it, and what is equal to
    /// `a` is not it. A derivative in it is of what was made of it, and of nothing else.
    pub fn distinct(&mut self, a: NodeId) -> NodeId {
        let (shape, dtype) = (self.shape(a).clone(), self.dtype(a));
        let one = self.full(1.0, &shape, dtype);
        let id = self.append(Op::Binary(BinaryOp::Mul, a, one), shape, dtype);
        self.distinct.insert(id);
        id
    }

    /// What [`Builder::distinct`] was called for, where it gave that node; the node itself otherwise.
    pub fn behind(&self, mut id: NodeId) -> NodeId {
        while let Op::Binary(BinaryOp::Mul, a, _) = self.graph[id].op
            && self.distinct.contains(&id)
        {
            id = a;
        }
        id
    }

    /// The graph with what [`Builder::distinct`] was called for in place of what it gave.
    pub(super) fn resolved(self) -> Graph {
        let Builder { mut graph, distinct, .. } = self;
        if distinct.is_empty() {
            return graph;
        }
        let mut meant: Vec<NodeId> = Vec::with_capacity(graph.nodes.len());
        for position in 0..graph.nodes.len() {
            let id = NodeId(position as u32);
            let node = &mut graph.nodes[position];
            node.op = node.op.clone().map_operands(|operand| meant[operand.index()]);
            match node.op {
                Op::Binary(BinaryOp::Mul, a, _) if distinct.contains(&id) => {
                    meant.push(a);
                    let name = std::mem::take(&mut node.name);
                    let own = &mut graph.nodes[a.index()].name;
                    if own.is_empty() {
                        *own = name;
                    }
                }
                _ => meant.push(id),
            }
        }
        graph.outputs.iter_mut().for_each(|(_, id)| *id = meant[id.index()]);
        graph
    }
}
