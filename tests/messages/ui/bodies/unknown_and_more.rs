//! A function that does not exist, and what else is wrong beside it.

use netcl::prelude::*;

#[netcl::model]
struct Mlp {
    #[layer(inputs = 4, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        swoosh(self.hidden.forward(x))
    }

    fn again(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.hiden.forward(x)
    }
}

netcl::kernel! {
    fn sum(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| swoosh(x[n]) + x[n + 1]
    }
}

fn main() {
    let _ = Mlp::forward;
    let _ = &sum;
}
