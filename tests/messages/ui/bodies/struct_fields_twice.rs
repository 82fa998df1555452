//! FIELD_TWICE, UNKNOWN_FIELD of a field too many; ASSIGN_ELEMENT; LOOP_CARRIED of a part, and of what grows
use netcl::prelude::*;

#[netcl::tensors]
pub struct Out {
    y: Tensor<f32, N, 8>,
    z: Tensor<f32, N>,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn more(&self, x: &Tensor<f32, N, 8>) -> Out {
        Out { y: x, z: x.sum([1]), w: x }
    }

    pub fn twice(&self, x: &Tensor<f32, N, 8>) -> Out {
        Out { y: x, y: x, z: x.sum([1]) }
    }

    pub fn element(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 8> {
        let mut h = self.a.forward(x);
        h[0] = 0.0;
        h
    }

    pub fn position(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 8> {
        let mut list = [Tensor::zeros([N, 8]), Tensor::zeros([N, 8])];
        for t in 0..T {
            list[t] = self.a.forward(x.get(1, t));
        }
        list[0]
    }

    pub fn carried(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 8> {
        let mut s = (Tensor::zeros([N, 8]), Tensor::zeros([N, 4]));
        for t in 0..T {
            s = (self.a.forward(x.get(1, t)), s.0);
        }
        s.0
    }

    pub fn grown(&self, x: &Tensor<f32, N, T, 4>) -> Tensor<f32, N, 8> {
        let mut h = self.a.forward(x.get(1, 0));
        for t in 0..T {
            h = h.concat([self.a.forward(x.get(1, t))], 0);
        }
        h
    }
}

fn main() {}
