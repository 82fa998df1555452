//! SET_PARAMETER, SET_VALUE, ASSIGN_FIELD

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
    pub fn parameter(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.weight.set(0.0);
        x.relu()
    }

    pub fn shape(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.mean.set(x);
        x.relu()
    }

    pub fn kind(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.mean.set([1.0, 2.0]);
        x.relu()
    }

    pub fn assigned(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.mean = x.mean([0]);
        x.relu()
    }

    pub fn stepped(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.weight = self.a.weight - 0.1 * grad(&self.a.forward(x).sum_all(), self.a.weight);
        self.a.forward(x)
    }
}

fn main() {}
