//! RANGE_DOWN: what such loops would write is never written.
use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [1])]
    pub fn down(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        for k in 10..0 {
            y[k] = x[k];
        }
    }

    #[launch(global = [1])]
    pub fn empty(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        for k in 3..3 {
            y[k] = x[k];
        }
    }

    #[launch(global = [1])]
    pub fn one(x: &Tensor<f32, N>, y: &mut Tensor<f32, 1>) {
        for _ in 3..=3 {
            y[0] = x[0];
        }
    }
}

fn main() {}
