//! Functions that are called wrongly, and what else is wrong beside that: all of it at once, and once.

use netcl::prelude::*;

#[netcl::function]
fn blend(a: f32, b: f32) -> f32 {
    a * 0.25 + b * 0.75
}

#[netcl::function]
fn half(_x: f32) -> f32 {
    0.5
}

#[netcl::function]
fn swish(x: f32) -> f32 {
    x * scale + blend(x)
}

#[netcl::model]
struct Mlp {
    #[layer(inputs = 4, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        blend(self.hidden.forward(x))
    }

    fn again(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        blend(self.hiden.forward(x), x, x)
    }
}

netcl::kernel! {
    fn mixed(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| blend(x[n]) + blend(x[n]) + x[n + 1]
    }

    // What the function's result decides is only seen with the function; outside of that the same is said without it.
    fn decided(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            let a = scale;
            if half(x[n]) > 0.25 { scale } else { offset }
        }
    }

    #[launch(global = [N])]
    fn launched(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let n = global_id(0);
        let a = x[n] * scale;
        let b = blend(n, half(x[n], 1.0));
        y[n] = blend(a) + scale;
    }
}

fn main() {
    let _ = (Mlp::forward, Mlp::again, swish(1.0));
    let _ = (&mixed, &decided, &launched);
}
