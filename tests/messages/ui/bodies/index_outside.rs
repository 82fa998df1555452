//! INDEX_OUTSIDE

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
    #[layer(inputs = 4, outputs = 2)]
    output: Linear,
    #[layer(count = 2, inputs = 4, outputs = 4)]
    more: Vec<Linear>,
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.more[2].forward(x)
    }

    pub fn named(&self, x: &Tensor<f32, N, 4>, which: usize) -> Tensor<f32, N, 4> {
        self.more[which].forward(x)
    }
}

fn main() {}
