//! A second block without a name, in another module, that calls a function of the first.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x)
    }
}

mod more {
    use super::Net;

    #[netcl::model]
    impl Net {
        pub fn twice(&self, x: &super::Tensor<f32, N, 8>) -> super::Tensor<f32, N, 8> {
            self.forward(&self.forward(x))
        }
    }
}

fn main() {
    let _ = (Net::forward, Net::twice, Net::report);
}
