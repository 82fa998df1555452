//! PLAIN_OPERANDS

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
    pub fn negative(&self, x: &Tensor<f32, N, 8>, level: usize) -> Tensor<f32, N, 8> {
        if level > -1 { x.relu() } else { x.tanh() }
    }

    pub fn fraction(&self, x: &Tensor<f32, N, 8>, level: usize) -> Tensor<f32, N, 8> {
        if level > 1.5 { x.relu() } else { x.tanh() }
    }

    pub fn bool(&self, x: &Tensor<f32, N, 8>, deep: bool, level: usize) -> Tensor<f32, N, 8> {
        if deep > 1 || deep && level { x.relu() } else { x.tanh() }
    }
}

fn main() {}
