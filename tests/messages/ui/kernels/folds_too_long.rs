//! FOLDS_TOO_LONG: short folds, each in the other's rounds.
use netcl::prelude::*;

netcl::kernel! {
    pub fn nested(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| fold(0..8, 0.0, |a, _| {
            a * 0.5 + fold(0..8, 0.0, |b, _| {
                b * 0.5 + fold(0..8, 0.0, |c, _| c * 0.5 + fold(0..8, 0.0, |d, _| d * 0.5 + fold(0..8, 0.0, |e, _| e * 0.5 + x[n])))
            })
        })
    }
}

fn main() {}
