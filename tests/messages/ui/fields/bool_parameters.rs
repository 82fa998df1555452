//! A parameter of type `bool`, and a shared matrix of another size.

#[netcl::model]
pub struct A<const B: bool> {
    #[layer(inputs = 4, outputs = 4, bias = B)]
    l: Linear,
}

#[netcl::model]
impl<const B: bool> A<B> {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x)
    }
}

#[netcl::model]
pub struct Shared {
    #[layer(entries = 7, features = 4)]
    e: Embedding,
    #[layer(inputs = 4, outputs = 8, bias = false, shared = e)]
    l: Linear,
}

#[netcl::model]
impl Shared {
    pub fn forward(&self, x: &Tensor<u32, N>) -> Tensor<f32, N, 8> {
        self.l.forward(self.e.forward(x))
    }
}

fn main() {}
