//! One mistake, of which other things would follow.

use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Net {
    /// Assigned, it is spoken of once.
    pub fn scaled(&self, x: &Tensor<f32, N, 4>, mut s: f32) -> Tensor<f32, N, 4> {
        s *= 2.0;
        self.line.forward(x) * s
    }

    /// The second argument is called as a kernel.
    pub fn active(&self, mut x: &Tensor<f32, N, 4>, summed: f32) -> Tensor<f32, N, 4> {
        x = x.relu() * summed;
        self.line.forward(x)
    }

    pub fn forward(&self, x: &Tensor<f32>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }
}

/// The attribute is called as the layer.
#[netcl::model]
pub struct Named {
    #[linear(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Named {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }
}

#[netcl::constant]
pub static RATE: f32 = 2.0;

#[netcl::constant]
pub const COMPUTED: f32 = compute();

#[netcl::constant]
pub const LARGE: u32 = 1 << 40;

#[netcl::constant]
pub const BY_ZERO: i32 = 1 / 0;

fn compute() -> f32 {
    2.0
}

#[netcl::function]
pub fn rated(x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
    x * RATE * COMPUTED
}

netcl::kernel! {
    #[launch(global = [N])]
    pub fn copied(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0) as i32;
        y[i] = x[i];
    }

    pub fn summed(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| sum(0..99999999999, |k| x[n] * k)
    }
}

fn main() {}
