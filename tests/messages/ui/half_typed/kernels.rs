//! Half-typed kernels: rustc does not look into `kernel!`, so these are netcl's words; the other kernels are kept.
use netcl::prelude::*;

netcl::kernel! {
    fn relu(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| max(x[n], 0.0)
    }

    fn operand(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] *
    }

    fn read(x: &Tensor<f32, N, C>) -> Tensor<f32, N> {
        |n| sum(0..C, |c| x[n, c] * x[n, ].)
    }

    fn closure(x: &Tensor<f32, N>, y: &Tensor<f32, N>) -> (Tensor<f32, N>, Tensor<f32, N>) {
        |n
    }

    fn result(x: &Tensor<f32, N>) -> {
        |n| x[n]
    }

    fn argument(x: &Tensor<f32, N>, scale: ) -> Tensor<f32, N> {
        |n| x[n] * scale
    }

    fn no_braces(x: &Tensor<f32, N>) -> Tensor<f32, N>

    #[launch(global = [N], local = )]
    fn launched(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>) {
        y[global_id(0)] = x[global_id(0)];
    }

    #[launch(global = [N], local = [64])]
    fn assigned(x: &Tensor<f32, N>, y: &mut Tensor<f32, N>, z: &mut Tensor<f32, N>) {
        let i = global_id(0);
        y[i] = ;
        z[i] = x[i];
    }

    fn square(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| x[n] * x[n]
    }

    fn
}

fn main() -> Result<()> {
    let device = Device::host();
    let x = Tensor::zeros(&device, &[2], DType::F32)?;
    let rows = Tensor::zeros(&device, &[2, 3], DType::F32)?;
    let (y, pullback) = operand.vjp(&x)?;
    pullback(&y)?;
    read(&rows)?;
    let ((a, b), pullback) = closure.vjp(&relu(&x)?, &square(&x)?)?;
    let (_, _) = pullback(&a, &b)?;
    result(&x)?;
    argument(&x, 0.5)?;
    no_braces(&x)?;
    launched(&x)?;
    let (_, _) = assigned(&x)?;
    println!("{}{}", operand.report(netcl::Target::Host)?, assigned.source(netcl::Target::Gpu)?);
    Ok(())
}
