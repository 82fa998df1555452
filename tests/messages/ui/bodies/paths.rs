//! Mistakes on each of the paths that conditions over plain arguments decide: all at once, and once.

use netcl::prelude::*;

#[netcl::model]
struct Mlp {
    #[layer(inputs = 4, outputs = 4)]
    hidden: Linear,
}

#[netcl::model]
impl Mlp {
    fn forward(&self, x: &Tensor<f32, N, 4>, deep: bool, count: usize) -> Tensor<f32, N, 4> {
        let y = if deep { self.hiden.forward(x) } else { self.hidden.forwards(x) };
        let z = if count > 2 { missing } else { x.rellu() };
        y + z + other
    }

    fn unsound(&self, x: &Tensor<f32, N, 4>, labels: Labels, deep: bool) -> Tensor<f32, N, 4> {
        if deep { self.hiden.forward(x) } else { self.hidden.forwards(labels) + x.rellu() }
    }
}

fn main() {
    let _ = Mlp::forward;
}
