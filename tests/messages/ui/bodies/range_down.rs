//! RANGE_DOWN: ranges that go down are empty.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn open(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 8> {
        let mut h = Tensor::zeros([N, 8]);
        for t in T..0 {
            h = h + self.a.forward(x.get(1, t));
        }
        h
    }

    pub fn closed(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 8> {
        let mut h = Tensor::zeros([N, 8]);
        for t in T - 1..=0 {
            h = h + self.a.forward(x.get(1, t));
        }
        h
    }

    pub fn meant(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 8> {
        let mut h = Tensor::zeros([N, 8]);
        for t in (0..T).rev() {
            h = h + self.a.forward(x.get(1, t));
        }
        h
    }
}

netcl::kernel! {
    fn rows(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum(C..0, |c| x[n, c])
    }
}

fn main() {}
