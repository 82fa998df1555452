//! MISSING_FIELD_ATTRIBUTE

#[netcl::model]
pub struct Mlp {
    scale: Tensor<f32, 4>,
    rate: f32,
}

fn main() {}
