//! Tensors that could not be computed: what went wrong is their value.

use crate::error::Error;
use crate::tensor::Operand;
use netcl_kernels::dim::Shape;
use std::fmt::Write;
use std::panic::Location;
use std::sync::Arc;

/// The first thing that went wrong on the way to a tensor. It is told by whatever needs the tensor's value, and handed on to
/// what is computed from it.
#[derive(Debug)]
pub(crate) struct Mistake {
    operation: String,
    operands: String,
    caller: &'static Location<'static>,
    cause: Arc<Error>,
}

impl Mistake {
    /// Of `operation` with these operands, which the program called there.
    pub(crate) fn new(
        operation: &str,
        operands: &[Operand<'_>],
        caller: &'static Location<'static>,
        cause: Error,
    ) -> Mistake {
        let operation = operation.to_owned();
        match cause {
            // The innermost one says where it was.
            Error::Operation { operation, operands, caller, cause } => Mistake { operation, operands, caller, cause },
            cause => Mistake { operation, operands: shown(operands), caller, cause: Arc::new(cause) },
        }
    }

    /// As what is returned.
    pub(crate) fn error(&self) -> Error {
        Error::Operation {
            operation: self.operation.clone(),
            operands: self.operands.clone(),
            caller: self.caller,
            cause: self.cause.clone(),
        }
    }
}

/// How many operands are shown; of long lists, how many numbers.
const SHOWN: usize = 4;

/// What an operation was given, the receiver first: `f32 [2, 3], 0.5, axes [1]`.
fn shown(operands: &[Operand<'_>]) -> String {
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
            Operand::DType(dtype) => write!(text, "{dtype}"),
        };
    }
    text
}
