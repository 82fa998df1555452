//! LAYER_ARGUMENTS: A mask for a layer that takes none.

#[netcl::model]
pub struct Net {
    #[layer(features = 8, heads = 2)]
    a: SelfAttention,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, T, 8>, mask: &Tensor<bool, T, T>) -> Tensor<f32, N, T, 8> {
        self.a.forward(x, mask)
    }
}

fn main() {}
