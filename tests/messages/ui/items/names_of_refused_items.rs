//! Items where none may stand: what they bring is not unknown as well.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn imported(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        use std::f32::consts::{PI, TAU as TURN};
        x * PI + TURN
    }

    pub fn declared(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let y = half(x) * SCALE;
        const SCALE: f32 = 2.0;
        fn half(x: f32) -> f32 {
            twice(x) / OTHER
        }
        y
    }
}

netcl::kernel! {
    const A: f32 = 2.0;
    static SHIFT: f32 = 1.0;

    pub fn scaled(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * A + SHIFT
    }

    #[launch(global = [N])]
    fn shifted(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        const B: f32 = 3.0;
        let i = global_id(0);
        y[i] = x[i] * A + B;
    }
}

fn main() {
    let _ = (Net::imported, Net::declared, &scaled, &shifted);
}
