//! OPERATION_ARGUMENT, and the number of arguments

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
    pub fn nothing(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N> {
        x.mean(())
    }

    pub fn plain(&self, x: &Tensor<f32, N, 8>, start: usize) -> Tensor<f32, N, 2> {
        x.narrow(1, start, 2)
    }

    pub fn none(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x.softmax()
    }
}

fn main() {}
