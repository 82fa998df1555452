//! SIMT_ARGUMENT

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>, n: usize) {
        y[global_id(0)] = x[global_id(0)];
    }
}

fn main() {}
