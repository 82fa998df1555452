//! Halves of another kind than the precision's, where the precision's are declared.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Net {
    #[precision(bf16)]
    pub fn named(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let h: Tensor<bf16, N, 8> = self.line.forward(x).cast(f16);
        h.cast(f32)
    }

    #[precision(bf16)]
    pub fn result(&self, x: &Tensor<f32, N, 8>) -> Tensor<bf16, N, 8> {
        self.line.forward(x).cast(f16)
    }

    #[precision(f16)]
    pub fn other(&self, x: &Tensor<f32, N, 8>) -> Tensor<f16, N, 8> {
        self.line.forward(x).cast(bf16)
    }

    // What the precision makes is what is declared.
    #[precision(bf16)]
    pub fn sound(&self, x: &Tensor<f32, N, 8>) -> (Tensor<bf16, N, 8>, Tensor<f16, N, 8>, Tensor<f32, N, 8>) {
        let h: Tensor<bf16, N, 8> = self.line.forward(x);
        (h, h, h.cast(f16))
    }
}

fn main() {}
