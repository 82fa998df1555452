//! SIMT_ATOMIC

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        atomic_add(y[0], x[0]);
    }
}

fn main() {}
