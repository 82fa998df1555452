//! One mistake is one error: what follows from it is not spoken of.

use netcl::prelude::*;

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 4, outputs = 4)]
    hidden: Linear,
    #[layer(inputs = 4, outputs = 4)]
    more: [Linear; 3],
}

#[netcl::model]
impl Mlp {
    pub fn without_let(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        h = self.hidden.forward(x);
        h
    }

    pub fn questioned(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let h = self.hidden.forward(x)?;
        Ok(h)
    }

    pub fn wrapped(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        Ok(self.hidden.forward(x))
    }

    pub fn kernel_inside(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        netcl::kernel! {
            fn sq(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
                |n, c| x[n, c] * x[n, c]
            }
        }
        self.hidden.forward(sq(x))
    }

    pub fn outside(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let (y, pullback) = squared.vjp(x);
        self.hidden.forward(pullback(y))
    }

    pub fn rest(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = x;
        for layer in &self.more[1..] {
            h = layer.forward(h);
        }
        h
    }
}

netcl::kernel! {
    fn squared(x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        |n, c| x[n, c] * x[n, c]
    }

    fn backwards(x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        |n| (0..T).rev().fold(0.0, |h, k| 0.5 * h + x[n, k])
    }
}

#[netcl::function]
fn changed(x: &mut Tensor<f32, N>) {
    *x = x * 2.0;
}

fn main() {}
