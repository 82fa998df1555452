//! STEP_ZERO

use netcl::prelude::*;

#[netcl::model]
struct Sum {
    #[layer(inputs = 8, outputs = 8)]
    layer: Linear,
}

#[netcl::model]
impl Sum {
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N> {
        let mut sum = x.get(1, 0);
        for i in (0..8).step_by(0) {
            sum = sum + x.get(1, i);
        }
        sum
    }
}

fn main() {}
