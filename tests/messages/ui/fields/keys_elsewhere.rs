//! Keys and attributes that layers have elsewhere.
use netcl::prelude::*;

#[netcl::model]
pub struct Net<const DEPTH: usize> {
    #[layer(inputs = 8, outputs = 8, init = normal(0.02))]
    a: Linear,
    #[layer(inputs = 8, outputs = 8, shared = a)]
    b: Linear,
    #[layer(sizes = [8, 16, 4])]
    c: Linear,
    #[layer(8, 4)]
    d: Linear,
    #[init(normal(0.02))]
    #[layer(inputs = 8, outputs = 8)]
    e: Linear,
    #[layer(count = DEPTH, inputs = 8, outputs = 8)]
    f: Vec<Linear>,
    #[layer(inputs = Self::WIDTH, outputs = 8)]
    g: Linear,
    #[cfg_attr(all(), layer(inputs = 8, outputs = 8))]
    h: Linear,
}

fn main() {}
