//! What the three convolutions have in common: one is a function of input and weight, two are its adjoints.

use super::{ConvGeometry, Graph, NodeId, Op};
use crate::dim::Shape;
use serde::{Deserialize, Serialize};

/// Which of the three convolutions; operands are in the order named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ConvKind {
    /// input, weight → output.
    Forward,
    /// output gradient, weight → input gradient.
    InputGrad,
    /// input, output gradient → weight gradient.
    WeightGrad,
}

impl ConvKind {
    /// Every kind.
    pub const ALL: [ConvKind; 3] = [ConvKind::Forward, ConvKind::InputGrad, ConvKind::WeightGrad];

    /// `forward`, `input_grad` or `weight_grad`: the name in tasks and records.
    pub const fn name(self) -> &'static str {
        match self {
            ConvKind::Forward => "forward",
            ConvKind::InputGrad => "input_grad",
            ConvKind::WeightGrad => "weight_grad",
        }
    }

    /// The name of the node's operation: `conv2d`, `conv2d_input_grad` or `conv2d_weight_grad`.
    pub const fn operation(self) -> &'static str {
        match self {
            ConvKind::Forward => "conv2d",
            ConvKind::InputGrad => "conv2d_input_grad",
            ConvKind::WeightGrad => "conv2d_weight_grad",
        }
    }
}

/// One of the three convolutions, as a node computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvNode {
    /// Which.
    pub kind: ConvKind,
    /// In the order of [`ConvKind`].
    pub operands: [NodeId; 2],
    /// Of the forward convolution.
    pub geometry: ConvGeometry,
}

/// The shapes of a convolution, whichever of them is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConvShapes<'a> {
    /// `[n, c, h, w]`.
    pub input: &'a Shape,
    /// `[o, c/groups, kh, kw]`.
    pub weight: &'a Shape,
    /// `[n, o, oh, ow]`.
    pub output: &'a Shape,
}

impl ConvNode {
    /// What the node computes.
    pub fn op(self) -> Op {
        let ConvNode { kind, operands: [first, second], geometry } = self;
        match kind {
            ConvKind::Forward => Op::Conv2d { input: first, weight: second, geometry },
            ConvKind::InputGrad => Op::Conv2dInputGrad { grad: first, weight: second, geometry },
            ConvKind::WeightGrad => Op::Conv2dWeightGrad { input: first, grad: second, geometry },
        }
    }

    /// The shapes, of which `own` is that of the node itself.
    pub fn shapes<'a>(&self, graph: &'a Graph, own: &'a Shape) -> ConvShapes<'a> {
        let [first, second] = self.operands.map(|operand| &graph[operand].shape);
        match self.kind {
            ConvKind::Forward => ConvShapes { input: first, weight: second, output: own },
            ConvKind::InputGrad => ConvShapes { input: own, weight: second, output: first },
            ConvKind::WeightGrad => ConvShapes { input: first, weight: own, output: second },
        }
    }
}

impl Op {
    /// The convolution that this is, if it is one.
    pub fn as_conv(&self) -> Option<ConvNode> {
        let (kind, operands, geometry) = match *self {
            Op::Conv2d { input, weight, geometry } => (ConvKind::Forward, [input, weight], geometry),
            Op::Conv2dInputGrad { grad, weight, geometry } => (ConvKind::InputGrad, [grad, weight], geometry),
            Op::Conv2dWeightGrad { input, grad, geometry } => (ConvKind::WeightGrad, [input, grad], geometry),
            _ => return None,
        };
        Some(ConvNode { kind, operands, geometry })
    }

    /// The two operands of a product or convolution, in order.
    pub fn factors(&self) -> Option<[NodeId; 2]> {
        match self {
            Op::MatMul(a, b) => Some([*a, *b]),
            other => Some(other.as_conv()?.operands),
        }
    }
}

impl Graph {
    /// The convolution that `id` is, if it is one, and its shapes.
    pub fn conv(&self, id: NodeId) -> Option<(ConvNode, ConvShapes<'_>)> {
        let conv = self[id].op.as_conv()?;
        Some((conv, conv.shapes(self, &self[id].shape)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dim::Dim;
    use crate::dtype::DType;
    use crate::graph::InputKind;
    use crate::graph::build::Builder;

    #[test]
    fn a_convolution_knows_its_shapes_whichever_it_is() {
        let shape = |sizes: [i64; 4]| Shape(sizes.into_iter().map(Dim::constant).collect());
        let all = [shape([2, 3, 9, 8]), shape([4, 3, 3, 2]), shape([2, 4, 7, 7])];
        for kind in ConvKind::ALL {
            let mut b = Builder::new("conv");
            let mut argument = |shape: &Shape| b.input(InputKind::Argument(0), "x", shape.clone(), DType::F32);
            let [input, weight, output] = &all;
            let (operands, own) = match kind {
                ConvKind::Forward => ([argument(input), argument(weight)], output),
                ConvKind::InputGrad => ([argument(output), argument(weight)], input),
                ConvKind::WeightGrad => ([argument(input), argument(output)], weight),
            };
            let node = ConvNode { kind, operands, geometry: ConvGeometry::default() };
            assert_eq!(node.op().as_conv(), Some(node));
            assert_eq!(node.op().factors(), Some(operands));
            let id = b.push(node.op(), own.clone(), DType::F32);
            b.output(crate::graph::OutputKind::Result(0), id);
            let graph = b.finish();
            let (found, shapes) = graph.iter().find_map(|(id, _)| graph.conv(id)).unwrap();
            assert_eq!((found.kind, [shapes.input, shapes.weight, shapes.output]), (kind, all.each_ref()));
        }
        assert_eq!(Op::Reshape(NodeId(0)).factors(), None);
    }
}
