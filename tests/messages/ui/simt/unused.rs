//! SIMT_UNUSED

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        x[0] + 1.0;
        y[0] = x[0];
    }
}

fn main() {}
