//! UNUSED_SIZE

#[netcl::model]
pub struct Mlp<const HIDDEN: usize> {
    #[layer(inputs = 8, outputs = HIDDEN)]
    hidden: Linear,
}

#[netcl::model]
impl<const HIDDEN: usize> Mlp<HIDDEN> {
    pub fn share(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x * (1.0 / HIDDEN)
    }
}

fn main() {}
