//! Functions with `#[netcl::dynamic]` whose tensors have sizes are read as compiled ones.

use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    l: Linear,
}

#[netcl::model]
impl Net {
    #[netcl::dynamic]
    pub fn said(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        println!("{x:?}");
        self.l.forward(x)
    }

    #[netcl::dynamic]
    pub fn sized(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 8> {
        self.l.forward(x)
    }

    #[netcl::dynamic]
    pub fn value(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        if x.sum_all().item() > 0.0 { self.l.forward(x) } else { self.l.forward(-x) }
    }

    #[netcl::dynamic]
    pub fn called(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.rust(x)
    }

    #[netcl::dynamic]
    pub fn rust(&self, x: &Tensor) -> Result<Tensor> {
        self.called(x)
    }
}

fn main() {}
