//! What an expression consists of.

use super::words::{Binary, Unary};

/// A position in an expression's nodes.
pub(super) type Id = usize;

/// A part of an expression; operands stand before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ExprNode {
    Variable(usize),
    Integer(u64),
    Float(f64),
    /// The largest and the smallest finite number of the type.
    Largest,
    Smallest,
    Unary(Unary, Id),
    Binary(Binary, Id, Id),
    Select(Id, Id, Id),
}
