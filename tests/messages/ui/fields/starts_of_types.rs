//! Starts that are no numbers of their tensors' types.

#[netcl::constant]
const MANY: usize = 300;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4, init = 1e39, bias_init = "up")]
    line: Linear,
    #[state(init = 0.5)]
    fraction: Tensor<u32>,
    #[state(init = -1)]
    negative: Tensor<u32, 4>,
    #[state(init = MANY)]
    large: Tensor<u8>,
    #[state(init = 1e30)]
    huge: Tensor<i32>,
    #[state(init = 9223372036854775808)]
    beyond: Tensor<i64>,
    #[state(init = normal(0.5))]
    drawn: Tensor<u32, 4>,
    #[state(init = true)]
    truth: Tensor<i32>,
    #[state(init = 2)]
    two: Tensor<bool>,
    #[state(init = uniform(1.0))]
    coins: Tensor<bool, 4>,
    #[state(init = -1e6)]
    half: Tensor<f16>,
    #[state(init = normal(1e6))]
    halves: Tensor<f16, 4>,
    #[state(init = false)]
    float: Tensor<f32>,
    #[state(init = zeros)]
    word: Tensor<u32>,
    #[state(init = randn)]
    random: Tensor<i32>,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.line.forward(x)
    }
}

fn main() {}
