//! A barrier under divergent control flow.

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        if local_id(0) < 3 {
            barrier();
        }
        y[global_id(0)] = x[global_id(0)];
    }
}

fn main() {}
