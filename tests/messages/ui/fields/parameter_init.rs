//! PARAMETER_INIT

#[netcl::model]
pub struct Mlp {
    #[parameter(init = random())]
    a: Tensor<f32, 4>,
    #[parameter(init = uniform(-1.0))]
    b: Tensor<f32, 4>,
}

fn main() {}
