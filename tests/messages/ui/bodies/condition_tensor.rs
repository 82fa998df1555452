//! CONDITION_TENSOR

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
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 4> {
        let h = self.hidden.forward(x);
        if h > 0.0 { h } else { -h }
    }

    pub fn counted(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        if let 1 = (x * 3.0) as i32 { x } else { -x }
    }
}

fn main() {}
