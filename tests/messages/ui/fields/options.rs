//! `Option`s of what has none, and lists of them.
use netcl::prelude::*;

#[netcl::model]
pub struct Net<const B: usize> {
    #[parameter(init = 1.0, present = B)]
    scale: Option<Tensor<f32, 4>>,
    #[layer(inputs = 4, outputs = 4, present = [true, false, true])]
    three: [Option<Linear>; 3],
    #[layer(inputs = 4, outputs = 4, present = B)]
    two: Option<[Linear; 2]>,
    #[layer(inputs = 4, outputs = 4, present = B)]
    many: Vec<Option<Linear>>,
    held: Rc<Relu>,
}

#[netcl::model]
impl<const B: usize> Net<B> {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        x.relu()
    }
}

fn main() {}
