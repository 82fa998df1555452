//! SIMT_NO_RESULT

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>) {
        let a = x[global_id(0)];
    }
}

fn main() {}
