//! UNKNOWN_FIELD_ATTRIBUTE_USE

#[netcl::model]
pub struct Mlp {
    #[parameter(init = 0.0)]
    hidden: Flatten,
    #[layer(inputs = 8, outputs = 8)]
    #[parameter]
    scale: Tensor<f32, 8>,
}

fn main() {}
