//! SIMT_RESULT

netcl::kernel! {
    #[launch(global = [N], local = [64])]
    fn scale(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) -> Tensor<f32, N> {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(global = [N])]
    fn scaled(mut x: Tensor<f32, N>, a: f32) -> Tensor<f32, N> {
        x[global_id(0)] = x[global_id(0)] * a;
        x
    }
}

fn main() {}
