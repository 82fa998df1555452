//! LAYER_NAME

#[netcl::model]
pub struct Sigmoid {
    #[parameter(init = 2.0)]
    slope: netcl::Tensor<f32>,
}

#[netcl::model]
pub struct Linear {
    #[layer(inputs = 8, outputs = 8)]
    inner: Linear,
}

fn main() {}
