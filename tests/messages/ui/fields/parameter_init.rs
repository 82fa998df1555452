//! PARAMETER_INIT, INIT_GAIN

#[netcl::model]
pub struct Mlp {
    #[parameter(init = random())]
    a: Tensor<f32, 4>,
    #[parameter(init = uniform(-1.0))]
    b: Tensor<f32, 4>,
    #[parameter(init = kaiming_normal(a = 0.2))]
    c: Tensor<f32, 4, 4>,
}

fn main() {}
