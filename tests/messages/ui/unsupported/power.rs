//! UNSUPPORTED: a power as other languages write it, which Rust reads as a product with `*2`.

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn squared(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x) ** 2 + 1.0
    }

    pub fn borrowed(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        *x * 2.0
    }

    pub fn number(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x + *2.0
    }
}

netcl::kernel! {
    fn cubed(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] ** 3
    }
}

fn main() {}
