//! SIMT_STEP

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        for i in (0..N).step_by(0) {
            y[i] = x[i];
        }
    }
}

fn main() {}
