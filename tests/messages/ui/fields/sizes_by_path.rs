//! PATH_SIZE, OWN_SIZE, PARAMETER_WHOLE, LARGE_TENSOR
use netcl::prelude::*;

mod config {
    pub const WIDTH: usize = 8;
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = config::WIDTH, outputs = 2)]
    a: Linear,
    #[layer(inputs = Self::WIDTH, outputs = 2)]
    b: Linear,
    #[parameter(init = 0.0)]
    numbers: Tensor<u32, 8>,
    #[parameter(init = 1.0)]
    mask: Tensor<bool, 8>,
    #[parameter(init = 0.0)]
    huge: Tensor<f32, 4000000000, 4000000000>,
}

fn main() {}
