//! STRAY_ATTRIBUTE, DYNAMIC_SIZES, SIZE_WITHOUT_CONST, BLOCK_PARAMETER, and functions that are there twice: each is one mistake

use netcl::prelude::*;

#[netcl::model]
#[types(T = [f32, f16])]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl Net {
    #[frozen]
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x)
    }

    #[launch(global = [N])]
    pub fn launched(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x)
    }
}

#[netcl::model(block = more)]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x).relu()
    }

    pub fn other(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x).tanh()
    }
}

#[netcl::function]
#[launch(global = [N])]
fn twice(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    x * 2.0
}

#[netcl::model]
pub struct Block<I: usize> {
    #[layer(inputs = I, outputs = I)]
    l: Linear,
}

#[netcl::model]
impl<I: usize> Block<I> {
    pub fn forward(&self, x: &Tensor<f32, N, I>) -> Tensor<f32, N, I> {
        self.l.forward(x)
    }
}

#[netcl::model]
pub struct Undeclared<const I: usize, A> {
    #[layer(inputs = I, outputs = I)]
    l: Linear,
    act: A,
}

#[netcl::model]
impl Undeclared<I, A> {
    pub fn forward(&self, x: &Tensor<f32, N, I>) -> Tensor<f32, N, I> {
        self.act.forward(self.l.forward(x))
    }
}

#[netcl::model]
pub struct Trait {
    #[layer(inputs = 4, outputs = 4)]
    l: Linear,
}

#[netcl::model]
impl Module for Trait {
    fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        self.l.forward(x)
    }
}

fn main() {}
