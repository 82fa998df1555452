//! A block of a struct that is no model.

struct Mlp;

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        x.relu()
    }
}

fn main() {}
