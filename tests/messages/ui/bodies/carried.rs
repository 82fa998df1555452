//! LOOP_CARRIED, LOOP_STATE, CONDITION_ROUND, PLAIN_ROUNDS, KERNEL_RANGE: what loops carry and run over

use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    a: Linear,
    #[layer(inputs = 8, outputs = 16)]
    wide: Linear,
    #[state(init = 0.0)]
    mean: Tensor<f32, 4>,
}

#[netcl::model]
impl Net {
    pub fn number(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        let mut h = 0.0;
        for t in 0..T {
            h = h + self.a.forward(x.get(1, t));
        }
        h
    }

    pub fn grows(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, T, 4> {
        let mut ys = Tensor::zeros([N, 1, 4]);
        for t in 0..T {
            ys = ys.concat([self.a.forward(x.get(1, t)).unsqueeze(1)], 1);
        }
        ys
    }

    pub fn cell(&self, x: &Tensor<f32, N, T, 8>) -> Tensor<f32, N, 8> {
        let (mut h, mut c) = (Tensor::zeros([N, 8]), Tensor::zeros([N, 4]));
        for t in 0..T {
            let g = self.wide.forward(x.get(1, t)) + self.wide.forward(h);
            c = g.narrow(1, 0, 4).sigmoid() * c + g.narrow(1, 4, 4).tanh();
            h = g.narrow(1, 8, 4).sigmoid() * c.tanh();
        }
        h
    }

    pub fn state(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..T {
            h = h + x.get(1, t);
            self.mean.set(h.mean([0]));
        }
        h
    }

    pub fn stops(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..T {
            h = h + self.a.forward(x.get(1, t));
            if t == 3 {
                break;
            }
        }
        h
    }

    pub fn backwards(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in T..0 {
            h = h + self.a.forward(x.get(1, t));
        }
        h
    }

    pub fn back_to(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in T - 1..=0 {
            h = h + self.a.forward(x.get(1, t));
        }
        h
    }

    pub fn brought(&self, x: &Tensor<f32, N, T, 4>, k: u32) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..k {
            h = h + self.a.forward(x.get(1, t));
        }
        h
    }

    pub fn computed(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        let mut h = Tensor::zeros([N, 4]);
        for t in 0..x.sum_all() {
            h = h + self.a.forward(x.get(1, t));
        }
        h
    }
}

fn main() {}
