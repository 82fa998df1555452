//! Kernels in SIMT form have no `check`.
use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [N])]
    fn cube(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)].powi(3);
    }

    #[launch(global = [N])]
    #[gradient(square_gradient)]
    fn square(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)] * x[global_id(0)];
    }

    #[launch(global = [N])]
    fn square_gradient(x: &Tensor<f32, N>, dy: &Tensor<f32, N>, dx: &mut Tensor<f32, N>) {
        dx[global_id(0)] = 2.0 * x[global_id(0)] * dy[global_id(0)];
    }
}

fn main() -> Result<()> {
    let x = Tensor::full(&Device::host(), 0.5f32, &[3])?;
    cube.check(&x)?;
    square.check(&x)?;
    Ok(())
}
