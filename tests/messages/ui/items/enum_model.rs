//! ENUM_MODEL
use netcl::prelude::*;

#[netcl::model]
pub enum Norm {
    Batch(BatchNorm),
    Layer(LayerNorm),
    None,
}

fn main() {}
