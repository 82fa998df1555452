//! Blocks of one model that have one name: a second one without, a second one of another's.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x)
    }
}

#[netcl::model]
impl Net {
    pub fn bent(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x).relu()
    }
}

#[netcl::model(block = training)]
impl Net {
    pub fn sum(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        self.forward(x).sum_all()
    }
}

#[netcl::model(block = training)]
impl Net {
    pub fn mean(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        self.forward(x).mean_all()
    }
}

fn main() {
    let _ = (Net::forward, Net::bent, Net::report, Net::sum, Net::mean_with_gradients, Net::report_training);
}
