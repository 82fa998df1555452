//! PARAMETER_STATE

#[netcl::model]
pub struct Net {
    #[parameter]
    #[state]
    scale: Tensor<f32, 4>,
}

fn main() {}
