//! What can be called without a declaration.

use crate::words;
use netcl_kernels::graph::{BinaryOp, UnaryOp};
use netcl_kernels::ops;

/// Whether `name` can be called without a declaration.
pub(crate) fn is_builtin(name: &str) -> bool {
    builtins().contains(&name)
}

pub(super) fn builtins() -> Vec<&'static str> {
    let unary = UnaryOp::ALL.into_iter().map(UnaryOp::name);
    let binary = BinaryOp::ALL.into_iter().map(BinaryOp::name);
    let own = words::REDUCTIONS.into_iter().chain([words::PAD, "select"]);
    unary.chain(binary).chain(own).chain(ops::names()).chain(super::float::rust_names()).collect()
}
