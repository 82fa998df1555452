//! Programs as modules: tests count and train their models.
#![allow(dead_code, missing_docs, reason = "of the programs, the models alone")]

#[path = "../digits.rs"]
pub mod digits;
#[path = "../digits_cnn.rs"]
pub mod digits_cnn;
#[path = "../transformer_block.rs"]
pub mod transformer_block;
