//! A kernel without checks of its indices is an `unsafe fn`: so is its pullback.

use netcl::{Result, Tensor};

netcl::kernel! {
    #[launch(global = [N], unchecked)]
    #[gradient(moved_back)]
    fn moved(x: &Tensor<f32, N>, by: u32, y: &mut Tensor<f32, N>) {
        y[global_id(0) + by] = x[global_id(0)];
    }

    #[launch(global = [N])]
    fn moved_back(_x: &Tensor<f32, N>, by: u32, dy: &Tensor<f32, N>, dx: &mut Tensor<f32, N>) {
        dx[global_id(0)] = dy[global_id(0) + by];
    }
}

fn main() -> Result<()> {
    let x = Tensor::from_slice(&netcl::Device::host(), &[1.0f32], &[1])?;
    moved(&x, 1_000_000)?;
    moved.vjp(&x, 1_000_000)?;
    Ok(())
}
