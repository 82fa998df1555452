//! LOOP_CARRIED, LOOP_PUSHED, LOOP_LIST_READ, LOOP_LIST, LOOP_STACK, LOOP_STATE, EMPTY_STACK, MAKER, CONDITION_ROUND

use netcl::prelude::*;

#[netcl::model]
pub struct Rounds {
    #[layer(features = 4)]
    norm: BatchNorm,
}

#[netcl::model]
impl Rounds {
    pub fn grows(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        let mut sum = 0.0;
        for t in 0..T {
            sum = sum + x.get(1, t);
        }
        sum
    }

    pub fn kind(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        let mut sum = x.get(1, 0);
        for t in 0..T {
            sum = sum.cast(f16);
        }
        sum
    }

    pub fn twice(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, T, N> {
        let mut ys = Vec::new();
        for t in 0..T {
            ys.push(x.get(1, t));
            ys.push(x.get(1, t));
        }
        ys.stack(0)
    }

    pub fn full(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, T, N> {
        let mut ys = Vec::new();
        ys.push(x.get(1, 0));
        for t in 0..T {
            ys.push(x.get(1, t));
        }
        ys.stack(0)
    }

    pub fn axis(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, T, N> {
        let mut ys = Vec::new();
        for t in 0..T {
            ys.push(x.get(1, t));
        }
        ys.stack(2)
    }

    pub fn empty(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, T, N> {
        let ys = Vec::new();
        ys.stack(0)
    }

    pub fn state(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32> {
        let mut sum = Tensor::zeros([N, 4]);
        for t in 0..T {
            sum = sum + self.norm.forward(x.get(1, t));
        }
        sum.mean_all()
    }

    pub fn sizes(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        let mut sum = Tensor::zeros([N]);
        for t in 0..T {
            sum = sum + x.narrow(1, 0, t).sum([1]);
        }
        sum
    }

    pub fn first(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        let mut sum = Tensor::zeros([N]);
        for t in 0..T {
            if t > 0 {
                sum = sum + x.get(1, t);
            }
        }
        sum
    }

    pub fn made(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x + Tensor::zeros(N, 4)
    }

    pub fn beyond(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        let mut sum = Tensor::zeros([N]);
        for t in 0..T {
            sum = sum + x.get(1, t + 1);
        }
        sum
    }

    pub fn reads(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, T, N> {
        let mut ys = Vec::new();
        for t in 0..T {
            let before = match ys.last() {
                Some(y) => y,
                None => x.get(1, 0),
            };
            ys.push(before + x.get(1, t));
        }
        ys.stack(0)
    }

    pub fn counts(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        let mut ys = Vec::new();
        let mut h = Tensor::zeros([N]);
        for t in 0..T {
            ys.push(x.get(1, t));
            for y in &ys {
                h = h + y;
            }
        }
        h + ys.stack(0).sum([0])
    }

    pub fn halves(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        let mut i = 1;
        let mut h = Tensor::zeros([N]);
        for t in 0..T {
            i += 1;
            h = h + x.get(1, t) * (i / 2) as f32;
        }
        h * (-3i32 as usize) as f32
    }

    pub fn inner(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, N> {
        let mut sum = Tensor::zeros([N]);
        for t in 0..T {
            for s in 0..t {
                sum = sum + x.get(1, t) * s;
            }
        }
        sum
    }
}

fn main() {}
