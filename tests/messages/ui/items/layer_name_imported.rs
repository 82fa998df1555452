//! Another type under the name of a layer, which a field of that type would not be.

mod parts {
    use netcl::prelude::*;

    #[netcl::model]
    pub struct Gate {
        #[parameter(init = 2.0)]
        k: Tensor<f32>,
    }

    #[netcl::model]
    impl Gate {
        pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
            x * &self.k
        }
    }
}

mod more {
    pub use super::parts::Gate as Tanh;
}

use netcl::prelude::*;
use parts::Gate as Relu;

#[netcl::model]
pub struct Block<A> {
    a: A,
}

#[netcl::model]
impl<A> Block<A> {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.a.forward(x)
    }
}

#[netcl::model]
pub struct Net {
    bare: Relu,
    all: [Gelu; 2],
    parameter: Block<Relu>,
    path: more::Tanh,
    sigmoid: netcl::layers::Sigmoid,
}

#[netcl::model]
type Small = Block<more::Tanh>;

fn main() {}
