//! A launch that runs nothing, and two launches.

netcl::kernel! {
    #[launch(global = [0], local = [64])]
    fn none(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(global = [{ N - N }])]
    fn less(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(global = [N], local = [64])]
    #[launch(global = [N], local = [32])]
    fn twice(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(global = [N], global = [N], local = [64])]
    fn keys(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }
}

fn main() {}
