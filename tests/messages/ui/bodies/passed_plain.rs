//! What is passed as a plain argument: numbers below zero, sizes that something is decided by, variants that there are not.
use netcl::prelude::*;

#[derive(Clone, Copy)]
pub enum Way {
    Up,
    Down,
}

netcl::kernel! {
    pub fn pick(x: &Tensor<f32, N, C>, k: usize) -> Tensor<f32, N, C> {
        |n, c| if k > 2 { x[n, c] } else { -x[n, c] }
    }
}

#[netcl::function]
fn chosen(x: &Tensor<f32, N>, k: usize) -> Tensor<f32, N> {
    match k {
        0 => x.relu(),
        _ => x.tanh(),
    }
}

#[netcl::function]
fn number(x: &Tensor<f32, N>, k: u32) -> Tensor<f32, N> {
    x * k as f32
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Net {
    pub fn own(&self, x: &Tensor<f32, N, 8>, k: usize) -> Tensor<f32, N, 8> {
        if k > 2 { x } else { self.line.forward(x) }
    }

    pub fn way(&self, x: &Tensor<f32, N, 8>, way: Way) -> Tensor<f32, N, 8> {
        match way {
            Way::Up => x,
            Way::Down => self.line.forward(x),
        }
    }

    pub fn kernel(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        pick(x, -1)
    }

    pub fn difference(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.own(x, 0 - 1)
    }

    pub fn function(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        chosen(x, -1)
    }

    pub fn of_u32(&self, x: &Tensor<f32, N>) -> Tensor<f32, N> {
        number(x, -1)
    }

    pub fn named(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        let k: usize = -1;
        self.own(x, k)
    }

    pub fn size(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        pick(x, N)
    }

    pub fn axis(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.own(x, x.dim(0))
    }

    pub fn sound(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.own(x, 0) + pick(x, 3)
    }

    pub fn variant(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.way(x, Way::Upp)
    }

    pub fn list(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        pick([x, x], 3)
    }
}

fn main() {}
