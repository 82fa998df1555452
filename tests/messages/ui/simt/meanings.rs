//! Operations that a type has not, each at its place.

use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [N])]
    fn bits(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = !x[i] + (x[i] & 1.0) + (x[i] ^ 2.0);
    }

    #[launch(global = [N])]
    fn truths(x: &Tensor<bool, N>, y: &mut Tensor<bool, N>) {
        let i = global_id(0);
        y[i] = -x[i];
        y[i] = x[i] + x[i];
        y[i] = max(x[i], true);
        y[i] = x[i] > false;
        y[i] = x[i] % true;
    }

    #[launch(global = [N])]
    fn numbers(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        if x[i] && x[i] {
            y[i] = 1.0;
        }
    }

    #[launch(global = [N], local = [64])]
    fn across(x: &Tensor<bool, N>, y: &mut Tensor<bool, N>) {
        y[global_id(0)] = sub_group_add(x[global_id(0)]);
    }

    #[launch(global = [N], local = [64])]
    fn apart(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        if x[i] > 0.0 {
            y[i] = sub_group_add(x[i]);
        }
    }

    #[launch(global = [N])]
    fn lanes(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        let v = x.load4(i);
        if v > splat4(0.0) {
            y[i] = 1.0;
        }
    }

    #[launch(global = [N])]
    fn own(x: &Tensor<u32, N>, y: &mut Tensor<u32, N>) {
        let mut p = private!([u32; 4]);
        let i = global_id(0);
        atomic_add(&mut p[0], x[i]);
        y[i] = p[0];
    }

    #[launch(global = [N])]
    fn unknown(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        atomic_sub(&mut y[0], x[global_id(0)]);
    }

    #[launch(global = [N])]
    fn not_called(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id.x;
        y[i] = x[i];
    }

    #[launch(global = [N, M], local = [64, 64])]
    fn many(x: &Tensor<f32, N, M>, y: &mut Tensor<f32, N, M>) {
        let (i, j) = (global_id(0), global_id(1));
        y[i, j] = x[i, j];
    }
}

fn main() {}
