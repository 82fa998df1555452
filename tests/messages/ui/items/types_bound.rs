//! TYPES_BOUND

use netcl::prelude::*;

#[netcl::model]
pub struct Half {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Half {
    #[types(T = [f32, f16])]
    pub fn forward<T: Float>(&self, x: &Tensor<T, N, 8>) -> Tensor<T, N, 8> {
        self.a.forward(x.cast(f32)).cast(T)
    }
}

fn main() {}
