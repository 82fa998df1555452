//! TYPE_LISTED
//! Calls of what is compiled for each type of a list, with another type.
use netcl::prelude::*;

netcl::kernel! {
    #[types(T = [f32, f16])]
    pub fn twice(x: &Tensor<T, N>) -> Tensor<T, N> {
        |n| x[n] + x[n]
    }

    #[types(T = [f32, f16], U = [u32, i32])]
    #[launch(global = [N])]
    pub fn taken(x: &Tensor<T, N>, at: &Tensor<U, N>, y: &mut Tensor<T, N>) {
        let n = global_id(0);
        y[n] = if at[n] > 0 { x[n] } else { x[n] + x[n] };
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Net {
    #[types(T = [f32, f16])]
    pub fn own(&self, x: &Tensor<T, N>) -> Tensor<T, N> {
        x + x
    }

    pub fn a(&self, x: &Tensor<f64, N>) -> Tensor<f64, N> {
        twice(x)
    }

    pub fn b(&self, x: &Tensor<f16, N>, at: &Tensor<u8, N>) -> Tensor<f16, N> {
        taken(x, at)
    }

    pub fn c(&self, x: &Tensor<bf16, N>) -> Tensor<bf16, N> {
        self.own(x.abs())
    }

    pub fn line(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.line.forward(x)
    }
}

fn main() {}
