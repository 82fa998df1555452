//! A result that nothing is written to.

netcl::kernel! {
    #[launch(global = [N])]
    pub fn copy(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>, z: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)] + z[0];
    }
}

fn main() {}
