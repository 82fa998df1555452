//! PARAMETER_SHAPE

#[netcl::model]
pub struct Mlp {
    #[parameter(init = 0.0)]
    scale: Tensor<f32, N>,
}

fn main() {}
