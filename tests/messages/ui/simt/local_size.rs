//! SIMT_LOCAL_SIZE

netcl::kernel! {
    #[launch(global = [N], local = [N])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }
}

fn main() {}
