//! NO_ARGUMENTS, MODEL_ARGUMENTS

#[netcl::model(fast)]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model(block = training)]
pub struct Named {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model(training)]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }
}

#[netcl::function(fast)]
fn twice(x: f32) -> f32 {
    x + x
}

#[netcl::constant(fast)]
const WIDTH: usize = 4;

fn main() {}
