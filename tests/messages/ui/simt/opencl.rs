//! OpenCL C that is no text, and calls of it that promise nothing.
use netcl::prelude::*;

netcl::kernel! {
    #[launch(global = [N])]
    #[opencl(y[0] = x[0];)]
    fn tokens(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[opencl("y[get_global_id(0)] = x[get_global_id(0)];")]
    fn indexed(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n]
    }

    #[launch(global = [N])]
    #[opencl("uint i = get_global_id(0); if (i < N) y[i] = x[i];")]
    fn copied(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }
}

#[netcl::function]
fn unpromised(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    copied(x + 1.0)
}

#[netcl::function]
fn promised(x: &Tensor<f32, N>) -> Tensor<f32, N> {
    unsafe { copied(x + 1.0) }
}

fn main() -> Result<()> {
    let x = Tensor::full(&Device::host(), 1.0f32, &[3])?;
    copied(&x)?;
    promised(&x)?;
    promised.vjp(&x)?;
    Ok(())
}
