//! Tensors that could not be computed: what went wrong is their value.

use crate::error::Error;
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
    pub(crate) fn new(operation: &str, operands: String, caller: &'static Location<'static>, cause: Error) -> Mistake {
        let operation = operation.to_owned();
        match cause {
            // The innermost one says where it was.
            Error::Operation { operation, operands, caller, cause } => Mistake { operation, operands, caller, cause },
            cause => Mistake { operation, operands, caller, cause: Arc::new(cause) },
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
