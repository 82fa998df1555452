//! A gradient that is not shaped as what it is of.

netcl::kernel! {
    #[launch(global = [N])]
    #[gradient(double_gradient)]
    pub fn double(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)] * 2.0;
    }

    #[launch(global = [M])]
    fn double_gradient(x: &Tensor<f32, M>, dy: &Tensor<f32, M>, dx: &mut Tensor<f32, { M + 1 }>) {
        dx[global_id(0)] = dy[global_id(0)] * 2.0 + x[global_id(0)] * 0.0;
    }
}

fn main() {}
