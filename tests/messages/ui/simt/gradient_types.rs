//! SIMT_GRADIENT_TYPE
use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [N])]
    #[gradient(cube_gradient)]
    pub fn cube(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = x[i].powi(3);
    }

    #[launch(global = [N])]
    fn cube_gradient(x: &Tensor<f32, N>, dy: &Tensor<f16, N>, dx: &mut Tensor<f32, N>) {
        let i = global_id(0);
        dx[i] = 3.0 * x[i] * x[i] * dy[i] as f32;
    }
}

fn main() {}
