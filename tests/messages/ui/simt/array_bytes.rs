//! SIMT_ARRAY_BYTES

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let mut table = local!([f32; 2147483648]);
        let mut own = private!([f64; 100000]);
        y[0] = x[0];
    }
}

fn main() {}
