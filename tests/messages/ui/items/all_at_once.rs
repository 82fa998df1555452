//! Errors of a struct, all at once; nothing else turns red.

#[netcl::model]
pub struct Mlp {
    #[layer(input = 8, outputs = 4)]
    hidden: Linear,
    #[layer(inputs = 4, outputs = 0)]
    output: Linear,
    scale: Tensor<f32, 4>,
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }
    pub fn loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        self.forward(x).mean_all()
    }
}

pub fn train(model: &Mlp, x: &netcl::Tensor) -> netcl::Result<netcl::Tensor> {
    let (loss, _gradients) = model.loss_with_gradients(x)?;
    model.forward(x)?;
    Ok(loss)
}

fn main() {}
