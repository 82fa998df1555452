//! POWER_OF_FRACTION LIST_KINDS
//! Powers by whole numbers, and lists of values of one type, as in Rust.
use netcl::prelude::*;

netcl::kernel! {
    pub fn power(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n].powi(2.5)
    }

    pub fn list(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let w = [0.25, true];
            w[0] * x[n]
        }
    }

    pub fn compared(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let w = [x[n], x[n] > 0.0];
            w[0]
        }
    }

    pub fn sound(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let (w, _) = (0.25, true);
            let v = [1, 2.0, x[n]];
            x[n].powi(3) * w + v[1]
        }
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn power(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.line.forward(x).powi(0.5)
    }

    pub fn list(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let w = [1, true, 0.5];
        x * w[2]
    }
}

fn main() {}
