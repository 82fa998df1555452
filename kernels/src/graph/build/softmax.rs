//! Softmax along one axis.

use super::{AxisIndex, BinaryOp, Builder, NodeId, ReduceOp, Result, Shape, UnaryOp};

impl Builder {
    /// Repeats `x`, which has every axis of `shape` but those in `axes`, to `shape`.
    pub fn spread(&mut self, x: NodeId, shape: &Shape, axes: &[usize]) -> Result<NodeId> {
        let kept = (0..shape.rank()).filter(|axis| !axes.contains(axis)).map(AxisIndex::axis).collect();
        self.view(x, shape.clone(), kept)
    }

    /// `x` less its largest element along `axis`, which is a constant to the gradient: what follows does not depend on it.
    pub fn shifted(&mut self, x: NodeId, axis: usize) -> Result<NodeId> {
        let shape = self.shape(x).clone();
        let largest = self.reduce(ReduceOp::Max, x, &[axis], false)?;
        let largest = self.detach(largest);
        let largest = self.spread(largest, &shape, &[axis])?;
        self.binary(BinaryOp::Sub, x, largest)
    }

    /// `log(sum(e^shifted))` along `axis`, which disappears.
    pub fn log_of_sum(&mut self, shifted: NodeId, axis: usize) -> Result<NodeId> {
        let power = self.unary(UnaryOp::Exp, shifted)?;
        let sum = self.reduce(ReduceOp::Sum, power, &[axis], false)?;
        self.unary(UnaryOp::Log, sum)
    }

    /// `e^x / sum(e^x)` along `axis`, of the type that is computed in. A row of -inf alone gives NaN, as does a +inf.
    pub fn softmax(&mut self, x: NodeId, axis: usize) -> Result<NodeId> {
        let (shape, dtype) = (self.shape(x).clone(), self.dtype(x));
        let x = self.cast(x, dtype.compute())?;
        let shifted = self.shifted(x, axis)?;
        let power = self.unary(UnaryOp::Exp, shifted)?;
        let sum = self.reduce(ReduceOp::Sum, power, &[axis], false)?;
        // One division for each row, not for each element.
        let scale = self.unary(UnaryOp::Recip, sum)?;
        let scale = self.spread(scale, &shape, &[axis])?;
        let y = self.binary(BinaryOp::Mul, power, scale)?;
        self.cast(y, dtype)
    }
}
