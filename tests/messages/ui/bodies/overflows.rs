//! OVERFLOWS, CAST_TRUTH: whole numbers that their type has not, and numbers that are no truths.
use netcl::prelude::*;

#[netcl::function]
fn power(x: i32) -> i32 {
    x + 2i32.pow(40)
}

#[netcl::function]
fn size(x: i32) -> i32 {
    x + i32::MIN.abs()
}

netcl::kernel! {
    pub fn opposite(x: &Tensor<i32, N>) -> Tensor<i32, N> {
        |n| if 5 as bool { x[n] } else { -i32::MIN }
    }

    pub fn nonzero(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| if (x[n] + 1.0) as bool { 1.0 } else { 0.0 }
    }

    #[launch(global = [N])]
    pub fn items(x: &Tensor<i32, N>, y: &mut Tensor<i32, N>) {
        let i = global_id(0);
        y[i] = if x[i] as bool { -i32::MIN } else { 0 };
    }
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
}

#[netcl::model]
impl Net {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.a.forward(x) * (2i64.pow(70) as f32)
    }
}

fn main() {}
