//! Where a part is wrong, nothing is said of a loss that calls it and sets states beside.
use netcl::prelude::*;

#[netcl::model]
pub struct Tower {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
    #[layer(p = 0.5)]
    drop: Dropout,
}

#[netcl::model]
impl Tower {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.drop.forward(self.line.forward(x))
    }
}

#[netcl::model]
pub struct Other {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Other {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.lin.forward(x)
    }
}

#[netcl::model]
pub struct Two {
    a: Tower,
    b: Other,
    #[layer(features = 4)]
    norm: BatchNorm,
    #[state(init = 0.0)]
    seen: Tensor<f32, 4>,
}

#[netcl::model]
impl Two {
    pub fn loss(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        self.seen.set(&self.seen * 0.5 + x.mean([0]));
        self.a.forward(x).square().mean_all()
    }

    pub fn with_statistics(&self, x: &Tensor<f32, N, 4>) -> (Tensor<f32>, Tensor<f32, N, 4>) {
        let h = self.norm.forward(x);
        (self.b.forward(h).square().mean_all(), h)
    }
}

fn main() {}
