//! Functions of tensors: what is wrong in them is said as in a model's, and nobody calls a broken one.
use netcl::prelude::*;

#[netcl::function]
fn square(x: &Tensor<f32, N>) -> f32 {
    x * x
}

#[netcl::function]
fn owned(x: Tensor<f32, N>) -> Tensor<f32, N> {
    x
}

#[netcl::function]
fn flat(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
    x * 2.0
}

#[netcl::function]
fn again(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    again(x) + 1.0
}

#[netcl::function]
#[mode(training)]
fn training(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    x.relu()
}

#[netcl::function]
fn element(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    |n| x[n]
}

#[netcl::function]
fn doubled(mut x: f32) -> f32 {
    x *= 2.0;
    x
}

#[netcl::model]
struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        // Nothing is said of what calls them.
        square(self.a.forward(x)) + flat(x)
    }
}

fn main() -> Result<()> {
    let x = Tensor::full(&Device::host(), 1.0f32, &[3])?;
    let (_, pullback) = flat.vjp(&x)?;
    pullback(&x)?;
    let _ = (&square, &owned, &again, &training, &element, doubled, Net::forward);
    Ok(())
}
