//! OPTION_METHOD, OPTION_NONE

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    #[layer(inputs = 8, outputs = 8, present = true)]
    more: Option<Linear>,
    #[constant(3)]
    depth: usize,
    #[state(init = 0.0)]
    mean: Tensor<f32, 8>,
}

#[netcl::model]
impl Net {
    pub fn of_layer(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.more.forward(x)
    }

    pub fn of_none(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let mut best = None;
        if self.depth > 5 {
            best = Some(self.a.forward(x));
        }
        best.unwrap()
    }
}

fn main() {}
