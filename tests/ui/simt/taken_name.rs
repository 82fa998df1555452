//! A kernel with a word of OpenCL C as its name.

netcl::kernel! {
    #[launch(global = [N])]
    fn double(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }
}

fn main() {}
