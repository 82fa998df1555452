//! LIST_METHOD, ARGUMENT_COUNT, PLAIN_POSITION, UNSUPPORTED, ELSEWHERE_CALLED: lists, their parts and what is called on them

use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    ls: [Linear; 3],
}

#[netcl::model]
impl Net {
    pub fn folded(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.ls.iter().fold(|h, l| l.forward(h))
    }

    pub fn one_of(&self, x: &Tensor<f32, N, 4>, k: u32) -> Tensor<f32, N, 4> {
        self.ls[k].forward(x)
    }

    pub fn part(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = x;
        for l in &self.ls[1..3] {
            h = l.forward(h);
        }
        h
    }

    pub fn inserted(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut v = Vec::new();
        v.insert(0, x);
        v[0] + x
    }

    pub fn taken(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut v = Vec::new();
        v.push(x);
        v.swap_remove(0)
    }

    pub fn joined(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, { T * 4 }> {
        let mut ys = Vec::new();
        for t in 0..T {
            ys.push(x.get(1, t));
        }
        ys.cat(1)
    }

    pub fn turned(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, T, 4> {
        let mut ys = Vec::new();
        for t in 0..T {
            ys.push(x.get(1, t));
        }
        ys.reverse().stack(1)
    }

    pub fn first(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        let mut ys = Vec::new();
        for t in 0..T {
            ys.push(self.ls[0].forward(x.get(1, t)));
        }
        ys[0]
    }
}

fn main() {}
