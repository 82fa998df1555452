//! SIMT_INPUT: assignment to an input

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        x[i] = 2.0 * x[i];
    }
}

fn main() {}
