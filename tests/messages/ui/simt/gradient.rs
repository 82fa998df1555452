//! SIMT_GRADIENT, SIMT_OWN_GRADIENT

netcl::kernel! {
    #[launch(global = [N])]
    #[gradient(2.0)]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(global = [N])]
    #[gradient(own)]
    fn own(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }
}

fn main() {}
