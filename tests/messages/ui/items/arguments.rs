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

#[netcl::model]
pub struct Two {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Two {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }
}

#[netcl::model(block = "training")]
impl Two {
    pub fn loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        self.forward(x).mean_all()
    }
}

fn report() {
    let _ = (Two::report, Two::report_training, Two::loss_with_gradients);
}

#[netcl::function(fast)]
fn twice(x: f32) -> f32 {
    x + x
}

#[netcl::constant(fast)]
const WIDTH: usize = 4;

fn main() {}
