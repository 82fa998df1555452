//! Parameters that no optimizer could step.

#[netcl::model]
pub struct Net {
    #[parameter(init = normal(0.1))]
    weight: Tensor<f16, 8, 4>,
    #[parameter(init = 3.0)]
    places: Tensor<u32, 8>,
    #[parameter(init = 1.0)]
    mask: Tensor<bool, 8>,
    #[state(init = 3.0)]
    kept: Tensor<u32, 8>,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f16, N, 8>) -> Tensor<f16, N, 4> {
        x.matmul(&self.weight)
    }
}

fn main() {}
