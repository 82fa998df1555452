//! What things cost, in additions, and how much one kernel may compute.

use crate::graph::{BinaryOp, Op};

/// Roughly the cost of reading one element from memory.
pub(super) const READ: u32 = 40;

/// The most that a kernel computes for an element, in additions, what it reads included. Layers and losses have a tenth of it;
/// a driver for processors builds so much in about a second.
pub(super) const MOST: u32 = 512;

/// What a tensor that is read or written counts.
pub(super) const TENSOR: u32 = 4;

/// What is computed where that is the cost of each node, and so many tensors are read and one is written.
pub(super) fn weight(costs: impl IntoIterator<Item = u32>, tensors: usize) -> u32 {
    let tensors = u32::try_from(tensors).unwrap_or(u32::MAX).saturating_add(1);
    costs.into_iter().fold(tensors.saturating_mul(TENSOR), u32::saturating_add)
}

/// The cost of one element of `op` itself, its operands being there.
pub(super) fn own_cost(op: &Op) -> u32 {
    match op {
        Op::Unary(op, _) => op.cost(),
        Op::Random { .. } => 24,
        Op::Binary(BinaryOp::Pow | BinaryOp::Atan2, ..) => 16,
        Op::View { .. } | Op::Reshape(_) | Op::Constant(_) | Op::Iota { .. } | Op::Size(_) => 0,
        _ => 1,
    }
}
