//! Gradients in arguments that cannot have them.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 1)]
    line: Linear,
}

#[netcl::model]
impl Net {
    #[gradients]
    pub fn nothing(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        self.line.forward(x).sum_all()
    }
    #[gradients(0)]
    pub fn by_position(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        self.line.forward(x).sum_all()
    }
    #[gradients(x, x)]
    pub fn twice(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        self.line.forward(x).sum_all()
    }
    #[gradients(x)]
    #[gradients(y)]
    pub fn two_attributes(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N, 8>) -> Tensor<f32> {
        self.line.forward(x + y).sum_all()
    }
    #[gradients(x)]
    pub fn no_loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 1> {
        self.line.forward(x)
    }
    #[gradients(labels, by, deep, imge)]
    pub fn no_floats(
        &self,
        image: &Tensor<f32, N, 8>,
        labels: &Tensor<u32, N>,
        by: f32,
        deep: bool,
    ) -> Tensor<f32> {
        let h = self.line.forward(image).sum_all() * by + labels.cast(f32).sum_all();
        if deep { h * 2.0 } else { h }
    }
    #[gradients(y)]
    pub fn independent(&self, x: &Tensor<f32, N, 8>, y: &Tensor<f32, N, 8>) -> Tensor<f32> {
        self.line.forward(x + y.detach()).sum_all()
    }
    #[gradient(x)]
    pub fn misspelt(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        self.line.forward(x).sum_all()
    }
    #[gradients(xs)]
    pub fn list(&self, xs: &[Tensor<f32, N>; 2]) -> Tensor<f32> {
        (xs[0] * xs[1]).sum_all()
    }

    #[gradients(x)]
    #[netcl::dynamic]
    pub fn at_run_time(&self, x: &netcl::Tensor) -> netcl::Tensor {
        x.clone()
    }
}

#[netcl::function]
#[gradients(x)]
fn unit(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    x / x.square().sum_all().sqrt()
}

netcl::kernel! {
    #[gradients(x)]
    fn doubled(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] * 2.0 }
}

fn main() {}
