//! UNKNOWN_KEY: keys that fields of every layer have.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4, presnt = true)]
    a: Option<Linear>,
    #[layer(inputs = 4, outputs = 4, int = 0.0)]
    b: Linear,
    #[layer(inputs = 4, outputs = 4, cuont = 3)]
    c: Vec<Linear>,
}

fn main() {}
