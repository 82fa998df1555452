//! A gradient that takes other arguments than it gets.

netcl::kernel! {
    #[launch(global = [N])]
    #[gradient(backward)]
    pub fn twice(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)] * 2.0;
    }

    #[launch(global = [N])]
    fn backward(dy: &Tensor<f32, N>, dx: &mut Tensor<f32, N>) {
        dx[global_id(0)] = dy[global_id(0)] * 2.0;
    }
}

fn main() {}
