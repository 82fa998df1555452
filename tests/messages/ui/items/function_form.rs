//! FUNCTION_FORM

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
    async fn a(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }
    const fn b(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }
    unsafe fn c(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        self.hidden.forward(x)
    }
}

fn main() {}
