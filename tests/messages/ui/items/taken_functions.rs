//! Functions that a model gets, and functions that it has already.

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }

    pub fn report() -> String {
        String::new()
    }

    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x).relu()
    }
}

fn main() {}
