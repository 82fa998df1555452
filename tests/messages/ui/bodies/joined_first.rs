//! JOINED_FIRST: The first of the tensors that are joined beside the list of the others.

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 3)]
    l: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 4>, y: &Tensor<f32, N, 4>) -> Tensor<f32, N, 3> {
        self.l.forward(Tensor::concat(x, [y], 1))
    }

    pub fn stacked(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 2, 4> {
        Tensor::stack(x, [x], 1)
    }
}

fn main() {}
