//! NO_VARIANTS, VARIANT_NUMBER, VARIANT_ATTRIBUTE, and a layer of a variant without its keys
use netcl::prelude::*;

#[netcl::model]
pub enum Never {}

#[netcl::model]
pub enum Norm {
    None = 0,
    #[layer(features = 8)]
    Both(LayerNorm, LayerNorm),
}

#[netcl::model]
pub enum Layer {
    A(Linear),
    B,
}

fn main() {}
