//! Two blocks of one model.

#[netcl::model]
struct Mlp {
    #[layer(inputs = 8, outputs = 8)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.hidden.forward(x)
    }
}

#[netcl::model]
impl Mlp {
    pub fn twice(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.forward(&self.forward(x))
    }
}

fn main() {}
