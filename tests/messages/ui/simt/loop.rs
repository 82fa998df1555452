//! SIMT_LOOP

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        for v in x {
            y[0] = v;
        }
    }
}

fn main() {}
