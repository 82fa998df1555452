//! TENSOR_LEFT_OUT
use netcl::prelude::*;

#[netcl::model]
struct Net {
    #[layer(inputs = 8, outputs = 8, bias = false)]
    a: Linear,
}

#[netcl::model]
impl Net {
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x) + &self.a.bias
    }
}

fn main() {}
