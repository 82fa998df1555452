//! SIMT_AXES

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N, 2, 3, 4, 5>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0), 1, 2, 3, 4];
    }
}

fn main() {}
