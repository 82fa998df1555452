//! A kernel that is called and is not there.
use netcl::prelude::*;

netcl::kernel! {
    fn smooth(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| (pad(x[n - 1]) + x[n] + pad(x[n + 1])) / 3.0
    }

    #[launch(global = [N])]
    #[gradient(half_gradient)]
    fn half(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = 0.5 * x[global_id(0)];
    }
}

#[netcl::model]
struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        smoth(self.a.forward(x))
    }
}

fn main() {
    let _ = (&smooth, &half, Net::forward);
}
