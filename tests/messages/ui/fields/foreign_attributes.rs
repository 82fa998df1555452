//! Attributes that mean nothing on a field of a model. On one that is a field of Rust too, rustc does not say so again.

#[netcl::model]
pub struct Part {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Part {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x)
    }
}

#[netcl::model]
pub struct Net {
    /// Documentation and lints stay.
    #[allow(dead_code)]
    #[trainable]
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    #[layer(inputs = 8, outputs = 8)]
    #[init(normal(0.02))]
    b: Linear,
    #[serde(skip)]
    #[parameter(init = 0.0)]
    c: Tensor<f32, 8>,
    #[serde(skip)]
    d: Part,
    #[freeze]
    e: Part,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.b.forward(self.a.forward(x)) + &self.c
    }
}

fn main() {}
