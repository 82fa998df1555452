//! NOT_OF_FLOATS, and values as Rust wraps them.

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn wrapped(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        Ok(self.a.forward(x))
    }

    pub fn taken_apart(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        if let Some(y) = x { self.a.forward(y) } else { x }
    }

    pub fn turned(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        !self.a.forward(x)
    }

    pub fn rounded(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x.cast::<f16>().cast(f32)
    }
}

fn main() {}
