//! SIMT_ARRAY

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut scratch = local!([f32; N]);
        y[0] = x[0];
    }
}

fn main() {}
