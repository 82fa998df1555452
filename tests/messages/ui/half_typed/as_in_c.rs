//! Expressions and declarations as C has them.
use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [N])]
    fn chosen(x: &Tensor<i32, N>, y: &mut Tensor<i32, N>) {
        let i = global_id(0);
        y[i] = x[i] > 0 ? 1 : x[i] + 1;
    }

    #[launch(global = [N])]
    fn declared(x: &Tensor<i32, N>, y: &mut Tensor<i32, N>) {
        int i = get_global_id(0);
        y[i] = x[i];
    }

    fn vector(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| {
            float4 v = x[n];
            v
        }
    }
}

fn main() {}
