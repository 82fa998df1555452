//! SIMT_TYPES

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = x[i] + i;
    }
}

fn main() {}
