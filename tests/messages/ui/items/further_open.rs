//! A function that needs the model's numbers, in a block that no use of the model sees.

#[netcl::model]
pub struct Block<const F: usize, const H: usize> {
    #[layer(features = F, heads = H)]
    attend: SelfAttention,
}

#[netcl::model]
impl<const F: usize, const H: usize> Block<F, H> {
    pub fn forward(&self, x: &Tensor<f32, N, T, F>) -> Tensor<f32, N, T, F> {
        self.attend.forward(x)
    }
}

#[netcl::model(block = training)]
impl<const F: usize, const H: usize> Block<F, H> {
    pub fn loss(&self, x: &Tensor<f32, N, T, F>) -> Tensor<f32> {
        self.forward(x).square().mean_all()
    }
}

fn main() {}
