//! Lists of a model's parts are taken apart as lists of tensors are; layers are not.

use netcl::prelude::*;

#[netcl::model]
pub struct Attention {
    #[layer(inputs = 4, outputs = 4)]
    parts: [Linear; 3],
    #[layer(inputs = 4, outputs = 4)]
    output: Linear,
    #[state(init = 0.0)]
    means: [Tensor<f32, 4>; 2],
}

#[netcl::model]
impl Attention {
    pub fn too_few(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let [q, k] = &self.parts;
        q.forward(k.forward(x))
    }

    pub fn too_few_in_match(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        match &self.parts {
            [q, k] => q.forward(k.forward(x)),
        }
    }

    pub fn layer(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let Self { output: Linear { weight, .. }, .. } = self;
        x.matmul(weight)
    }

    pub fn no_list(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let Some(y) = x;
        self.output.forward(y)
    }

    pub fn typed(&self, xs: &[Tensor<f32, N, 4>; 3]) -> Tensor<f32, N, 4> {
        let weigh = |(i, h): (usize, &Tensor)| h * (i as f32 + 1.0).rellu();
        let all = xs.iter().enumerate().map(weigh).collect::<Vec<_>>();
        self.output.forward(all[0])
    }

    pub fn empty(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut all = vec![];
        all.push(self.output.forward(x));
        all[0]
    }

    pub fn sound(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let Self { parts: [first, rest @ ..], output, means: [a, _] } = self;
        let [.., last] = &self.parts;
        let y = match &self.parts {
            [q, k, v] => q.forward(k.forward(v.forward(x))),
        };
        rest[0].forward(first.forward(last.forward(output.forward(y)))) + a
    }
}

fn main() {}
