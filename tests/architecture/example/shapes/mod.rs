//! Defines nothing that others name: it re-exports.

pub(crate) mod circle;
mod square;

pub(crate) use circle::Circle as Rounded;
pub use square::Square;
