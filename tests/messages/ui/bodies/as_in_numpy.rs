//! SELECT_RECEIVER, NUMBER_ELSEWHERE, UNKNOWN_METHOD, ELSEWHERE, GRAD_VALUE: names and orders of other frameworks

use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn misspelt(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.a.forward(x).rleu()
    }

    pub fn chosen(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let h = self.a.forward(x);
        Tensor::where_(h > 0.0, h, 0.0)
    }

    pub fn condition_behind(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let h = self.a.forward(x);
        h.select(h > 0.0, 0.0)
    }

    pub fn infinite(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x.masked_fill(x > 0.0, -inf)
    }

    pub fn infinite_text(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x.masked_fill(x > 0.0, float("-inf"))
    }

    pub fn rearranged(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 4> {
        x.rearrange("n t c -> (n t) c")
    }

    pub fn text(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x.regroup("n c")
    }

    pub fn half(&self, x: &Tensor<f32, N, 4>) -> Tensor<f16, N, 4> {
        x.to(torch::float16)
    }

    pub fn derivative(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        let g = grad(|x| self.a.forward(x).sum_all(), x);
        g.square().sum_all()
    }

    pub fn derivative_of(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        grad(&|y| self.a.forward(y).sum_all(), x).sum_all()
    }

    pub fn derivative_of_layer(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        grad(&self.a, x).sum_all()
    }
}

fn main() {}
