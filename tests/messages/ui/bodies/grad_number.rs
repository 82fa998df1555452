//! GRAD_NUMBER

use netcl::prelude::*;

netcl::kernel! {
    fn pole(x: &Tensor<f32, N, T>, a: f32) -> Tensor<f32, N, T> {
        |n, t| fold(0..t + 1, 0.0, |y, k| a * y + x[n, k])
    }
}

#[netcl::model]
pub struct Filter {
    #[parameter(init = 0.5)]
    gain: Tensor<f32>,
}

#[netcl::model]
impl Filter {
    pub fn slope(&self, x: &Tensor<f32, N, T>, a: f32) -> Tensor<f32> {
        grad(&(pole(x * &self.gain, a).sum_all() * a), a)
    }

    pub fn by_loop(&self, x: &Tensor<f32, N, T>, a: f32) -> Tensor<f32> {
        let mut y = Tensor::zeros([N]);
        for t in 0..T {
            y = y * a + x.get(1, t) * &self.gain;
        }
        grad(&(y.sum_all() * a), a)
    }
}

fn main() {}
