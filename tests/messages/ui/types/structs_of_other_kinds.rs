//! TENSORS_FORM SELF_FIELD
//! `#[netcl::tensors]` above what is no struct of tensors with names, and structs that hold themselves.
use netcl::prelude::*;

#[netcl::tensors]
pub struct Pair(Tensor<f32, N, 8>, Tensor<f32, N, 8>);

#[netcl::tensors]
pub struct Nothing;

#[netcl::tensors]
pub struct Of<T> {
    x: Tensor<T, N, 8>,
}

#[netcl::tensors]
pub struct Lent<'a> {
    x: &'a Tensor<f32, N, 8>,
}

#[netcl::tensors]
pub struct Sized<const C: usize> {
    x: Tensor<f32, N, C>,
}

#[netcl::tensors]
pub enum Inputs {
    One(Tensor<f32, N, 8>),
    Two(Tensor<f32, N, 8>, Tensor<f32, N, 8>),
}

#[netcl::tensors]
fn twice(x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
    x + x
}

#[netcl::tensors]
pub struct Cell {
    x: Tensor<f32, N, 8>,
    inner: Cell,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn pair(&self, pair: &Pair) -> Tensor<f32, N, 8> {
        self.line.forward(&pair.0)
    }
    pub fn inputs(&self, inputs: &Inputs) -> Tensor<f32, N, 8> {
        self.line.forward(inputs)
    }
    pub fn cell(&self, cell: &Cell) -> Tensor<f32, N, 8> {
        self.line.forward(&cell.inner.x)
    }
}

fn main() {}
