//! A size from Rust that is no size.

const NONE: usize = 0;
#[netcl::constant]
const TEN: usize = 10;

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = NONE)]
    hidden: Linear,
    #[parameter(init = 0.0)]
    scale: Tensor<f32, { TEN - 10 }>,
}

fn main() {}
