//! Mistakes whose obvious mend is another one.
use netcl::prelude::*;

#[netcl::model]
pub struct Image {
    #[layer(inputs = 4, outputs = 4, kernel = 3, padding = 1)]
    filter: Conv2d,
}

#[netcl::model]
impl Image {
    /// Without the batch.
    pub fn forward(&self, x: &Tensor<f32, 4, H, W>) -> Tensor<f32, 4, H, W> {
        self.filter.forward(x)
    }
}

#[netcl::model]
pub struct Stack {
    #[frozen]
    #[frozen]
    #[layer(inputs = 4, outputs = 4)]
    lines: [Linear; 2],
}

#[netcl::model]
pub struct Called {
    #[layer(inputs = 4, outputs = 4)]
    lines: [Linear; 2],
}

#[netcl::model]
impl Called {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let mut h = x;
        for line in &self.lines {
            h = line(h);
        }
        h
    }
}

fn main() {}
