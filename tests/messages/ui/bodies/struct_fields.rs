//! STRUCT_FIELDS, MATCH_VALUES: Structs without a field, and enums that have values.

use netcl::prelude::*;

#[netcl::tensors]
pub struct Pair {
    a: Tensor<f32, N, 4>,
    b: Tensor<f32, N>,
}

#[derive(Clone, Copy)]
pub enum Activation {
    Relu,
    Leaky(f32),
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl Net {
    pub fn half(&self, x: &Tensor<f32, N, 4>) -> Pair {
        Pair { a: self.l.forward(x) }
    }

    pub fn chosen(&self, x: &Tensor<f32, N, 4>, act: Activation) -> Tensor<f32, N, 4> {
        match act {
            Activation::Relu => x.relu(),
            Activation::Leaky(slope) => x.leaky_relu(slope),
        }
    }

    pub fn early(&self, x: &Tensor<f32, N, 4>, deep: bool) -> Tensor<f32, N, 4> {
        if deep {
            return self.l.forward(x).sum([1]);
        }
        x
    }

    pub fn parts(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let fixed = [x, self.l.forward(x)];
        fixed[0] = x + 1.0;
        let mut pair = (x, 1.0);
        pair.1 = true;
        fixed[0]
    }
}

fn main() {}
