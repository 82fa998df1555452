//! SIMT_LAUNCH

netcl::kernel! {
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(local = [64])]
    fn rows(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }
}

fn main() {}
