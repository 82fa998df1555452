//! A misspelt function.

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let far = x[global_id(0)].expp();
        y[global_id(0)] = far;
    }
}

fn main() {}
