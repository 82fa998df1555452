//! A crate for the tests of the analysis; nothing compiles it.

mod area;
mod shapes;
mod user;

pub use shapes::Square;
