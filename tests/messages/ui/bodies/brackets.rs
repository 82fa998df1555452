//! OTHER_BRACKETS, REST_TWICE: patterns in the brackets of something else, `..` twice, and `ref`.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    all: [Linear; 3],
}

#[netcl::model]
impl Net {
    pub fn list(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let (a, b, c) = &self.all;
        a.forward(&b.forward(&c.forward(x)))
    }

    pub fn tuple(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let [a, b] = (x.relu(), x.tanh());
        a + b
    }

    pub fn twice(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let [a, .., b, ..] = &self.all;
        b.forward(&a.forward(x))
    }

    pub fn chosen(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        match &self.all {
            [a, .., b, .., c] => b.forward(&a.forward(&c.forward(x))),
        }
    }

    pub fn borrowed(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let [ref a, _, c] = self.all;
        a.forward(&c.forward(x))
    }
}

fn main() {}
