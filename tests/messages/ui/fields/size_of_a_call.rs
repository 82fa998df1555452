//! FIELD_SIZE

use netcl::prelude::*;

#[netcl::model]
pub struct Running {
    #[state(init = 0.0)]
    past: Tensor<f32, N, 4>,
}

#[netcl::model]
impl Running {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x + &self.past
    }
}

fn main() {}
