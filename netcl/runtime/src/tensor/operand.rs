//! What operations of tensors are given.

use crate::tensor::Tensor;
use netcl_kernels::dtype::DType;

/// An argument of [`Tensor::apply`].
#[derive(Clone, Copy, Debug)]
pub enum Operand<'a> {
    /// A tensor.
    Tensor(&'a Tensor),
    /// Several tensors.
    Tensors(&'a [&'a Tensor]),
    /// A number.
    Number(f64),
    /// An axis or a size.
    Integer(i64),
    /// Axes or sizes.
    Integers(&'a [i64]),
    /// A truth value.
    Bool(bool),
    /// An element type.
    DType(DType),
}

impl<'a> From<&'a Tensor> for Operand<'a> {
    fn from(tensor: &'a Tensor) -> Self {
        Operand::Tensor(tensor)
    }
}

impl From<f64> for Operand<'_> {
    fn from(number: f64) -> Self {
        Operand::Number(number)
    }
}

impl From<i64> for Operand<'_> {
    fn from(integer: i64) -> Self {
        Operand::Integer(integer)
    }
}

impl<'a> From<&'a [i64]> for Operand<'a> {
    fn from(integers: &'a [i64]) -> Self {
        Operand::Integers(integers)
    }
}

impl From<bool> for Operand<'_> {
    fn from(truth: bool) -> Self {
        Operand::Bool(truth)
    }
}

impl From<DType> for Operand<'_> {
    fn from(dtype: DType) -> Self {
        Operand::DType(dtype)
    }
}
