//! Options of which only uses of the model say whether they are there, in a model that nothing uses.
use netcl::prelude::*;

#[netcl::model]
pub struct Net<const R: usize> {
    #[layer(inputs = 4, outputs = 4)]
    a: Linear,
    #[layer(inputs = 4, outputs = 4, present = R > 0)]
    b: Option<Linear>,
}

#[netcl::model]
impl<const R: usize> Net<R> {
    pub fn called(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.b.forward(self.a.forward(x))
    }

    pub fn without_none(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        match &self.b {
            Some(b) => b.forward(x),
        }
    }

    pub fn without_some(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        match self.b.as_ref() {
            None => self.a.forward(x),
        }
    }

    pub fn sound(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        let h = match &self.b {
            Some(b) => b.forward(x),
            _ => self.a.forward(x),
        };
        if self.b.is_none() { h } else { h * 2.0 }
    }
}

fn main() {}
