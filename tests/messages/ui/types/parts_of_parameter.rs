//! As many tensors as a parameter says, in arguments and results.

#[netcl::model]
pub struct Copies<const W: usize> {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl<const W: usize> Copies<W> {
    pub fn copies(&self, x: &Tensor<f32, N, 4>) -> [Tensor<f32, N, 4>; W] {
        [self.line.forward(x); W]
    }
    pub fn first(&self, xs: &[Tensor<f32, N, 4>; W]) -> Tensor<f32, N, 4> {
        self.line.forward(&xs[0])
    }
}

fn main() {}
