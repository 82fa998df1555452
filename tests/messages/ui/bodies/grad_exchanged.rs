//! `grad` with its arguments exchanged.

#[netcl::model]
pub struct A {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl A {
    pub fn slope(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        grad(x, &self.l.forward(x).sum_all())
    }

    pub fn named(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let loss = self.l.forward(x).sum_all();
        grad(x, loss)
    }
}

fn main() {}
