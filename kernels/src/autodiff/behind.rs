//! What is computed behind a backward loop: sums over all rounds, of stacks that rounds have left behind.

use crate::dim::{Dim, Shape};
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, NodeId, ReduceOp, stacked};
use crate::span::Result;
use std::collections::BTreeMap;

/// A sum over all rounds of something that is linear in what rounds leave behind.
pub(super) enum Later {
    /// Of two.
    Plus(Box<[Later; 2]>),
    /// Of the sums of a stack over these axes of a round's value.
    Reduced(Stack, Vec<usize>),
    /// Of the products of matrices.
    Product([Stack; 2]),
    /// Of updates at rows of a table of that shape: the indices and the updates.
    Scattered([Stack; 2], Shape),
    /// The same elements under another shape.
    Reshape(Box<Later>, Shape),
    /// A view that does not depend on the round.
    View(Box<Later>, Shape, Vec<AxisIndex>),
}

/// A node of the body, as all rounds have it along a new first axis.
pub(super) enum Stack {
    /// The rounds leave it behind.
    Left(NodeId),
    /// A view of an operand of the loop.
    Operand(usize, Shape, Vec<AxisIndex>),
    /// A view of another one that does not depend on the round.
    View(Box<Stack>, Shape, Vec<AxisIndex>),
}

/// What is known behind the loop.
pub(super) struct Behind<'b> {
    /// Stacks of nodes of the body.
    pub(super) known: &'b BTreeMap<NodeId, NodeId>,
    pub(super) operands: &'b [NodeId],
    pub(super) length: &'b Dim,
}

impl Behind<'_> {
    /// The sum.
    pub(super) fn sum(&self, builder: &mut Builder, later: &Later) -> Result<NodeId> {
        match later {
            Later::Plus(both) => {
                let (a, b) = (self.sum(builder, &both[0])?, self.sum(builder, &both[1])?);
                builder.binary(BinaryOp::Add, a, b)
            }
            Later::Reduced(source, axes) => {
                let source = self.stack(builder, source)?;
                let axes: Vec<usize> = std::iter::once(0).chain(axes.iter().map(|axis| axis + 1)).collect();
                builder.reduce(ReduceOp::Sum, source, &axes, false)
            }
            // The rounds' inner axes one after the other.
            Later::Product([a, b]) => {
                let (a, b) = (self.stack(builder, a)?, self.stack(builder, b)?);
                let a = builder.permute(a, &[1, 0, 2])?;
                let (left, right) = (builder.shape(a).clone(), builder.shape(b).clone());
                let inner = left[1].clone() * left[2].clone();
                let a = builder.reshape(a, Shape(vec![left[0].clone(), inner.clone()]))?;
                let b = builder.reshape(b, Shape(vec![inner, right[2].clone()]))?;
                builder.matmul(a, b)
            }
            // A round's own sum would cost what the table has.
            Later::Scattered([indices, updates], shape) => {
                let (indices, updates) = (self.stack(builder, indices)?, self.stack(builder, updates)?);
                builder.scatter_add(indices, updates, shape)
            }
            Later::Reshape(source, shape) => {
                let source = self.sum(builder, source)?;
                builder.reshape(source, shape.clone())
            }
            Later::View(source, shape, index) => {
                let source = self.sum(builder, source)?;
                builder.view(source, shape.clone(), index.clone())
            }
        }
    }

    fn stack(&self, builder: &mut Builder, stack: &Stack) -> Result<NodeId> {
        match stack {
            Stack::Left(id) => Ok(self.known[id]),
            Stack::Operand(position, shape, index) => {
                builder.view(self.operands[*position], stacked(self.length, shape), index.clone())
            }
            Stack::View(source, shape, index) => {
                let source = self.stack(builder, source)?;
                let own = std::iter::once(AxisIndex::axis(0)).chain(index.iter().cloned()).collect();
                builder.view(source, stacked(self.length, shape), own)
            }
        }
    }
}
