//! UNKNOWN_ATTRIBUTE

#[netcl::model]
pub struct Mlp {
    #[layers(inputs = 8, outputs = 4)]
    hidden: Linear,
    #[paramter(init = 0.0)]
    shift: Tensor<f32, 4>,
}

fn main() {}
