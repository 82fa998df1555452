//! LOOP_TOO_LONG, LOOPS_TOO_LONG

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
        let mut h = self.hidden.forward(x);
        for _ in 0..1000000 {
            h = h.relu();
        }
        h
    }

    pub fn nested(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        for _ in 0..1000 {
            for _ in 0..1000 {}
        }
        x
    }
}

fn main() {}
