//! UNUSED_VALUE

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
        h.relu();
        h
    }

    pub fn branches(&self, x: &Tensor<f32, N, 4>, up: bool) -> Tensor<f32, N, 4> {
        let mut h = x.tanh();
        if up {
            h.relu()
        }
        match up {
            true => x.relu(),
            false => x.tanh(),
        }
        h
    }
}

fn main() {}
