//! One mistake is one error: what would follow from it is not said.
use netcl::prelude::*;

#[netcl::model]
struct Typed<B: Clone> {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    b: B,
}

#[netcl::model]
impl<B: Clone> Typed<B> {
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x)
    }
}

#[netcl::model]
struct Flagged<const DEEP: bool> {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl<const DEEP: bool> Flagged<DEEP> {
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        if DEEP { self.a.forward(x) } else { x.relu() }
    }
}

#[netcl::model]
struct Node {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    next: Node,
}

#[netcl::model]
impl Node {
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.next.forward(&self.a.forward(x))
    }
}

#[netcl::model]
struct Block<const W: usize> {
    #[layer(inputs = W, outputs = W)]
    a: Linear,
}

#[netcl::model]
impl<const W: usize> Block<W> {
    fn forward(&self, x: &Tensor<f32, N, W>) -> Tensor<f32, N, W> {
        self.a.forward(x)
    }
}

#[netcl::model]
struct WithoutSize {
    block: Block,
}

#[netcl::model]
impl WithoutSize {
    fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.block.forward(x)
    }
}

#[netcl::model]
struct Conditional {
    #[cfg_attr(all(), layer(inputs = 8, outputs = 4))]
    a: Linear,
}

#[netcl::model]
struct Unconfigured {
    a: Linear,
}

#[netcl::model]
struct Computed<const H: usize> {
    #[layer(inputs = H, outputs = H)]
    a: Linear,
}

#[netcl::model]
impl<const H: usize> Computed<{ H + 1 }> {
    fn forward(&self, x: &Tensor<f32, N, H>) -> Tensor<f32, N, H> {
        self.a.forward(x)
    }
}

#[netcl::function]
fn of_tensors(x: &Tensor<f32, N>) -> f32 {
    x * x
}

#[netcl::function]
fn of_any<T: std::ops::Mul<Output = T> + Copy>(x: T) -> T {
    x * x
}

struct Plain;

impl Plain {
    #[netcl::function]
    fn method(&self, x: f32) -> f32 {
        x * x
    }
}

fn main() {}
