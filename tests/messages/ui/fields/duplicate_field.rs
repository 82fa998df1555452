//! DUPLICATE_FIELD
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 2)]
    a: Linear,
    #[parameter]
    a: Tensor<f32, 2>,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 2> {
        self.a.forward(x)
    }
}

fn main() {
    let _ = Net::forward;
}
