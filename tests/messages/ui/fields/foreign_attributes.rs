//! Attributes that mean nothing on a field of a model.

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
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.b.forward(self.a.forward(x)) + &self.c
    }
}

fn main() {}
