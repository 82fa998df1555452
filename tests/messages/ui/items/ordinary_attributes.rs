//! ORDINARY_ATTRIBUTE: what is said of compiled functions, on one that is not.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    #[precision(bf16)]
    pub fn scaled(&self, k: f32) -> f32 {
        k * 2.0
    }

    #[netcl::dynamic]
    #[mode(training)]
    pub fn waiting(&self, x: &Tensor) -> Result<Tensor> {
        self.forward(x)
    }

    #[netcl::dynamic(yes)]
    pub fn said_with_words(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x)
    }

    #[netcl::dynamic]
    #[netcl::dynamic]
    pub fn said_twice(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x)
    }

    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x)
    }
}

netcl::kernel! {
    #[netcl::dynamic]
    pub fn double(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * 2.0
    }
}

fn main() {}
