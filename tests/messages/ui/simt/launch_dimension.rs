//! SIMT_LAUNCH_DIMENSION

netcl::kernel! {
    #[launch(global = [N])]
    fn twice(x: &Tensor<f32, N, M>, y: &mut Tensor<f32, N, M>) {
        y[global_id(0), global_id(1)] = 2.0 * x[global_id(0), 0];
    }

    #[launch(global = [N, M], local = [8, 8])]
    fn groups(x: &Tensor<f32, N, M>, y: &mut Tensor<f32, N, M>) {
        y[global_id(0), global_id(1)] = x[0, 0] + num_groups(2) as f32;
    }
}

fn main() {}
