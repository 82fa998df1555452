//! What operations of tensors are given.

use crate::tensor::Tensor;
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use std::fmt::Write;

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
    /// A text.
    Text(&'a str),
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

impl<'a> From<&'a str> for Operand<'a> {
    fn from(text: &'a str) -> Self {
        Operand::Text(text)
    }
}

impl From<DType> for Operand<'_> {
    fn from(dtype: DType) -> Self {
        Operand::DType(dtype)
    }
}

/// How many operands are shown; of long lists, how many numbers.
const SHOWN: usize = 4;

/// What an operation was given, the receiver first: `f32 [2, 3], 0.5, axes [1]`.
pub(crate) fn shown(operands: &[Operand<'_>]) -> String {
    let mut text = String::new();
    for (position, operand) in operands.iter().enumerate() {
        if position == SHOWN {
            let _ = write!(text, " and {} more", operands.len() - SHOWN);
            break;
        }
        if position > 0 {
            text.push_str(", ");
        }
        // Text takes all that is written.
        let _ = match operand {
            Operand::Tensor(tensor) => write!(text, "{} {}", tensor.dtype(), Shape::of(tensor.shape())),
            Operand::Tensors(tensors) => {
                let tensors: Vec<Operand<'_>> = tensors.iter().map(|tensor| Operand::Tensor(tensor)).collect();
                write!(text, "({})", shown(&tensors))
            }
            Operand::Number(number) => write!(text, "{number}"),
            Operand::Integer(value) => write!(text, "{value}"),
            Operand::Integers(list) if list.len() > 2 * SHOWN => {
                write!(text, "{:?} and {} more", &list[..SHOWN], list.len() - SHOWN)
            }
            Operand::Integers(list) => write!(text, "{list:?}"),
            Operand::Bool(truth) => write!(text, "{truth}"),
            Operand::Text(given) => write!(text, "{given:?}"),
            Operand::DType(dtype) => write!(text, "{dtype}"),
        };
    }
    text
}
