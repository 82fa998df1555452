//! Fourier transforms of what is not complex, along the axis of the parts, of sizes that are not known, and back to another number.

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    l: Linear,
}

#[netcl::model]
impl Net {
    pub fn real(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.l.forward(x).fft(1)
    }

    pub fn parts(&self, x: &Tensor<f32, N, 8, 2>) -> Tensor<f32, N, 8, 2> {
        x.fft(-1)
    }

    pub fn unknown(&self, x: &Tensor<f32, N, T>) -> Tensor<f32, N, T, 2> {
        x.rfft(1)
    }

    pub fn back(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 7> {
        self.l.forward(x).rfft(1).irfft(7, 1)
    }

    pub fn product(&self, x: &Tensor<f32, N, 8, 2>, y: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8, 2> {
        x.complex_mul(y)
    }
}

fn main() {}
