//! UNKNOWN_KEY

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, output = 4)]
    hidden: Linear,
    #[parameter(initial = 0.0)]
    scale: Tensor<f32, 4>,
}

fn main() {}
