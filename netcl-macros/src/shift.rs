//! Shifts by as many bits as a number has, or more: Rust refuses those that the text says, and so are they here. A distance that is
//! known only when the program runs counts from 0 again behind the last bit.

use crate::ast::Constant;
use crate::lower::{Operator, operator};
use crate::parse::constant::{self, Constants};
use crate::parse::names_in;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::BinaryOp;
use quote::ToTokens;
use syn::{BinOp, Expr};

/// A shift that no number has.
pub(crate) struct Beyond {
    /// What is shifted, in words.
    pub(crate) what: String,
    /// The last distance that it has.
    pub(crate) last: u32,
    /// The distance.
    pub(crate) by: i64,
    pub(crate) instead: String,
}

/// That of `.. op right` where the left side is of the type, if the text says one that the type has not; of numbers without
/// a type 64 bits are shifted. `bound` says which names are variables and not constants.
pub(crate) fn beyond(
    op: &BinOp,
    right: &Expr,
    dtype: Option<DType>,
    constants: &Constants,
    bound: impl Fn(&str) -> bool,
) -> Option<Beyond> {
    let shifts = matches!(operator(op), Some(Operator::Binary(BinaryOp::Shl | BinaryOp::Shr)));
    if !shifts || dtype.is_some_and(|dtype| !dtype.is_integer()) {
        return None;
    }
    let Some(Constant::Integer(by)) = constant::evaluate(right, constants) else { return None };
    let last = dtype.map_or(i64::BITS, |dtype| dtype.size() as u32 * 8) - 1;
    if (0..=i64::from(last)).contains(&by) || names_in(right.to_token_stream()).iter().any(|name| bound(name)) {
        return None;
    }
    let what = match dtype {
        Some(dtype @ (DType::I32 | DType::I64)) => format!("an `{dtype}`"),
        Some(dtype) => format!("a `{dtype}`"),
        None => "a number".to_string(),
    };
    let instead = match dtype {
        Some(DType::I64) | None => format!("write a distance from 0 to {last}"),
        Some(_) => format!("write a distance from 0 to {last}; an `i64` has 64 bits"),
    };
    Some(Beyond { what, last, by, instead })
}
