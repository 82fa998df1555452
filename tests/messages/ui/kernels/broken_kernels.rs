//! What is generated for a kernel can be named where the kernel is wrong: only the mistakes are reported.
use netcl::prelude::*;

netcl::kernel! {
    fn shifted(x: &Tensor<f32, N, C>, rows: &Tensor<u32, N>, w: &Tensor<f32, C>, by: f32) -> Tensor<f32, N, C> {
        |n, c| x[n, c + 1] * w[c] + by + x[rows[n], c]
    }

    fn both(x: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<i32, N>) {
        |n| (x[n], x[n])
    }

    #[launch(global = [N], local = [64])]
    #[gradient(doubled)]
    fn twice(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)] * two;
    }

    fn doubled(x: &Tensor<f32, N>, dy: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| dy[n] * 2.0 + x[n] * 0.0
    }
}

fn main() -> Result<()> {
    let device = Device::host();
    let x = Tensor::zeros(&device, &[2, 3], DType::F32)?;
    let rows = Tensor::zeros(&device, &[2], DType::U32)?;
    let w = Tensor::zeros(&device, &[3], DType::F32)?;
    let (y, pullback) = shifted.vjp(&x, &rows, &w, 1.0)?;
    let (dx, dw) = pullback(&y)?;
    let ((a, _), pullback) = both.vjp(&dw)?;
    pullback(&a)?;
    let (y, pullback) = twice.vjp(&dx)?;
    pullback(&y)?;
    both.prepare(&device)?;
    println!("{}{}", shifted.report(netcl::Target::Host)?, twice.source(netcl::Target::Gpu)?);
    Ok(())
}
