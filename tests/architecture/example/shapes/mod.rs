//! Defines nothing that others name: it re-exports. The function is no module, though it is called as one.

pub(crate) mod circle;
mod square;

pub(crate) use circle::Circle as Rounded;
pub use square::Square;

pub(crate) fn circle() -> u32 {
    3
}
