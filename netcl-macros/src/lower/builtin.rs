//! What can be called without a declaration.

use super::own_function_hint::own_is_called;
use crate::words;
use netcl_kernels::graph::{BinaryOp, UnaryOp};
use netcl_kernels::ops;

/// Whether `name` can be called without a declaration.
pub(crate) fn is_builtin(name: &str) -> bool {
    builtins().contains(&name)
}

/// What to write where an operation is called with another number of arguments than it has, or does not fit: a function may be meant.
pub(super) fn own_is_meant(name: &str, given: usize) -> Option<String> {
    let operation = ops::find(name)?;
    if operation.args.len() == given {
        return Some(own_is_called(name));
    }
    let args = operation.args.iter().map(|arg| arg.name).collect::<Vec<_>>().join(", ");
    Some(format!(
        "the operation is called as `{name}({args})`, a function or a kernel of your own by that name as `self::{name}(..)`"
    ))
}

pub(super) fn builtins() -> Vec<&'static str> {
    let unary = UnaryOp::ALL.into_iter().map(UnaryOp::name);
    let binary = BinaryOp::ALL.into_iter().map(BinaryOp::name);
    let own = words::REDUCTIONS.into_iter().chain([words::PAD, "select"]);
    unary.chain(binary).chain(own).chain(ops::names()).chain(super::float::rust_names()).collect()
}
