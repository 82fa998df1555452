//! Loops over a symbolic number of rounds, as nodes hold them.

use super::{AxisIndex, InputKind, Node, NodeId, Op, OutputKind, Scan};
use crate::dim::{Dim, Factor, Shape, Symbol};
use crate::dtype::DType;

impl Scan {
    /// The body's argument at that position.
    pub fn argument(&self, position: usize) -> Option<(NodeId, &Node)> {
        self.body.iter().find(|(_, node)| node.op == Op::Input(InputKind::Argument(position)))
    }

    /// The node that is the body's result at that position.
    pub fn result(&self, position: usize) -> Option<NodeId> {
        let is = |kind: &OutputKind| *kind == OutputKind::Result(position);
        self.body.outputs.iter().find(|(kind, _)| is(kind)).map(|(_, id)| *id)
    }

    /// Shape and type of the loop's result at that position, if it has `length` rounds.
    pub fn gives(&self, length: &Dim, position: usize) -> Option<(Shape, DType)> {
        let node = self.body.nodes.get(self.result(position)?.index())?;
        let shape = if position < self.carried { node.shape.clone() } else { stacked(length, &node.shape) };
        Some((shape, node.dtype))
    }

    /// How many results there are.
    pub fn results(&self) -> usize {
        self.body.outputs.len()
    }

    /// How many arguments the body may have.
    pub fn arguments(&self) -> usize {
        let position = |node: &Node| match node.op {
            Op::Input(InputKind::Argument(position)) => Some(position + 1),
            _ => None,
        };
        self.body.nodes.iter().filter_map(position).max().unwrap_or(0).max(self.carried)
    }

    /// The number of the round, from 0 on.
    pub fn round(&self) -> Dim {
        round(&self.step)
    }

    /// Whether the size depends on the round.
    pub fn steps(&self, size: &Dim) -> bool {
        size.mentions(&self.step)
    }
}

/// The number of a loop's round, from 0 on: symbols are at least 1.
pub(crate) fn round(step: &Symbol) -> Dim {
    Dim::symbol(step.name()) - Dim::constant(1)
}

/// The shape of what `length` rounds leave behind, of that shape each.
pub(crate) fn stacked(length: &Dim, shape: &Shape) -> Shape {
    Shape(std::iter::once(length).chain(&shape.0).cloned().collect())
}

/// The coordinates of a round's part, of so many axes, in a stack of all rounds.
pub(crate) fn part_of_round(round: Dim, rank: usize) -> Vec<AxisIndex> {
    std::iter::once(AxisIndex::fixed(round)).chain((0..rank).map(AxisIndex::axis)).collect()
}

/// The coordinates of a view in a loop's body, for all rounds along a new first axis of what is seen; none where a coordinate is no
/// multiple of the round.
pub(crate) fn lifted(index: &[AxisIndex], step: &Symbol) -> Option<Vec<AxisIndex>> {
    let lift = |axis: &AxisIndex| {
        let mut terms: Vec<(usize, i64)> = Vec::new();
        let mut offset = axis.offset.clone();
        for (factors, coefficient) in axis.offset.terms() {
            if matches!(factors, [Factor::Symbol(symbol)] if symbol == step) {
                terms.push((0, coefficient));
                // Rounds count from 1, coordinates from 0.
                offset = offset - Dim::symbol(step.name()) * Dim::constant(coefficient) + Dim::constant(coefficient);
            }
        }
        terms.extend(axis.terms.iter().map(|(axis, coefficient)| (axis + 1, *coefficient)));
        (!offset.mentions(step)).then_some(AxisIndex { terms, offset, divisor: axis.divisor })
    };
    index.iter().map(lift).collect()
}

impl Op {
    /// Calls `visit` for every size that is written in the operation itself.
    pub fn visit_sizes(&self, visit: &mut dyn FnMut(&Dim)) {
        match self {
            Op::View { index, .. } => index.iter().for_each(|axis| visit(&axis.offset)),
            Op::Size(dim) => visit(dim),
            Op::Custom { sizes, .. } => sizes.iter().for_each(visit),
            Op::Scan { scan, length, .. } => {
                visit(length);
                // The step is the body's own.
                let mut outside = |dim: &Dim| {
                    if !scan.steps(dim) {
                        visit(dim);
                        return;
                    }
                    dim.visit_symbols(&mut |symbol| {
                        if *symbol != scan.step {
                            visit(&Dim::symbol(symbol.name()));
                        }
                    });
                };
                for node in &scan.body.nodes {
                    node.shape.0.iter().for_each(&mut outside);
                    node.op.visit_sizes(&mut outside);
                }
            }
            _ => {}
        }
    }
}
