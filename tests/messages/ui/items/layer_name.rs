//! LAYER_NAME

#[netcl::model]
pub struct Sigmoid {
    #[parameter(init = 2.0)]
    slope: netcl::Tensor<f32>,
}

fn main() {}
