//! SIMT_DIMENSION

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(3)] = 1.0 + x[0];
    }
}

fn main() {}
