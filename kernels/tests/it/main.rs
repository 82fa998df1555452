//! The compiler from outside. What is a table of cases has a test for each in `tests/cases`.

mod compile;
mod graph;
mod imports;
mod kir;
mod ops_and_layers;
mod variants;
