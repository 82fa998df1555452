//! Attributes and keys that are nearly netcl's, and kernels of one name.
use netcl::prelude::*;

netcl::kernel! {
    #[lanuch(global = [N])]
    fn attribute(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[global_id(0)] = x[global_id(0)]; }

    #[launch(global = [N], uncheked)]
    fn key(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[global_id(0)] = x[global_id(0)]; }

    #[launch(global = N, local = 64)]
    fn brackets(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[global_id(0)] = x[global_id(0)]; }

    #[launch(global = [N])]
    fn returns(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] }

    #[launch(global = [N])]
    fn twice(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) { y[global_id(0)] = x[global_id(0)]; }

    fn twice(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| x[n] }

    #[launch(global = [N], local = [64])]
    fn outside(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut s = local!([f32; 64]);
        s[64] = x[global_id(0)];
        y[global_id(0)] = s[0];
    }

    #[launch(global = [N, C])]
    fn brackets_apart(x: &Tensor<f32, N, C>, y: &mut Tensor<f32, N, C>) {
        y[global_id(0), global_id(1)] = x[global_id(0)][global_id(1)];
    }
}

fn main() {}
