//! TYPE_ARGUMENT, TYPE_FUNCTION
//! What stands for the types of a model, where it does not fit.
use netcl::prelude::*;

#[netcl::model]
pub struct Block<const C: usize, L, A> {
    #[layer(features = C)]
    norm: L,
    act: A,
}

#[netcl::model]
impl<const C: usize, L, A> Block<C, L, A> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.act.forward(self.norm.forward(x))
    }

    pub fn twice(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        A::forward(A::twice(x))
    }
}

pub struct Softsign;

#[netcl::function]
impl Softsign {
    pub fn forward(x: f32) -> f32 {
        x / (1.0 + x.abs())
    }
}

#[netcl::model]
pub struct Elsewhere {
    block: Block<8, LayerNorm, GELU>,
}

#[netcl::model]
impl Elsewhere {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.block.forward(x)
    }
}

#[netcl::model]
pub struct Net {
    convolved: Block<8, Conv2d, Gelu>,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.convolved.forward(x)
    }
}

#[netcl::model]
pub struct Called {
    layers: Block<8, LayerNorm, Relu>,
    functions: Block<8, LayerNorm, Softsign>,
}

#[netcl::model]
impl Called {
    pub fn of_layer(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.layers.twice(x)
    }

    pub fn of_functions(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.functions.twice(x)
    }

    pub fn shape(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.layers.forward(x)
    }
}

#[netcl::model]
pub struct Unknown {
    block: Block<8, LayerNorm, Nothing>,
}

#[netcl::model]
impl Unknown {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.block.forward(x)
    }
}

fn alone(block: &Block<8, LayerNorm, Relu>, x: &Tensor) -> Result<Tensor> {
    block.forward(x)
}

fn main() {
    let _ = alone;
}
