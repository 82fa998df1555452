//! Whole models of many kinds, small, with inputs from names: what tests compare with other frameworks and benches time.
//!
//! `tests/references/twins.py` has the same models in PyTorch and makes the same inputs.

pub mod images;
pub mod inputs;
pub mod sequences;
pub mod steps;
pub mod tables;
pub mod vectors;

pub use inputs::Input;
