//! Functions that do not exist: each of them, whatever else is called.

use netcl::prelude::*;

#[netcl::function]
fn known(x: f32) -> f32 {
    x * 0.5
}

#[netcl::function]
fn own(x: f32) -> f32 {
    swosh(x) + known(x) + soft(x)
}

#[netcl::model]
struct Mlp {
    #[layer(inputs = 4, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    fn forward(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32, N, 4> {
        known(bend(self.hidden.forward(x)) + bow(x))
    }
}

netcl::kernel! {
    fn index(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| known(bend(x[n])) + bow(x[n])
    }

    #[launch(global = [N])]
    fn launched(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let n = global_id(0);
        let a = missing;
        y[n] = bend(known(x[n])) + bow(x[n]);
    }
}

fn main() {
    let _ = (Mlp::forward, own(1.0));
    let _ = (&index, &launched);
}
