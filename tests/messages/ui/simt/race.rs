//! SIMT_RACE: all work-items write to one element.
use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [N])]
    pub fn total(x: &Tensor<f32, N>, y: &mut Tensor<f32, 1>) {
        let i = global_id(0);
        y[0] += x[i];
    }

    #[launch(global = [N, M], local = [8, 8])]
    pub fn largest(x: &Tensor<f32, N, M>, y: &mut Tensor<f32, 1>) {
        let (i, j) = (global_id(0), global_id(1));
        if i < N && j < M {
            y[0] = max(y[0], x[i, j]);
        }
    }

    #[launch(global = [N])]
    pub fn last(x: &Tensor<f16, N>, y: &mut Tensor<f16, 1>) {
        y[0] = x[global_id(0)];
    }
}

fn main() {
    let _ = (&total, &largest, &last);
}
