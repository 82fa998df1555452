//! Structs of tensors whose fields have no sizes, and what holds and uses one: one error where each stands.

#[netcl::tensors]
pub struct Batch {
    x: Tensor,
    y: Tensor<u32, N>,
}

#[netcl::tensors]
pub struct Both {
    batch: Batch,
    weight: Tensor<f32, N>,
}

#[netcl::tensors]
pub struct Named {
    name: String,
    x: Tensor<f32, N, 4>,
}

#[netcl::tensors]
pub struct Inner {
    x: Tensor<f32, N, 4>,
}

#[netcl::tensors]
pub struct Outer {
    inner: Inner,
    weight: Tensor<f32, N>,
}

#[netcl::model]
pub struct A {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl A {
    pub fn loss(&self, b: &Both) -> Tensor<f32> {
        self.l.forward(&b.batch.x).cross_entropy(&b.batch.y)
    }
}

#[netcl::function]
fn lacks(outer: &Outer) -> Outer {
    Outer { inner: Inner {}, weight: outer.weight }
}

#[netcl::function]
fn misspelt(outer: &Outer) -> Tensor<f32, N, 4> {
    outer.inner.y * 2.0
}

fn main() {}
