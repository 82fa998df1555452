//! Half-typed functions of scalars and constants: who uses them sees nothing of it.
use netcl::prelude::*;

#[netcl::function]
fn bend(x: f32) -> f32 {
    x.
}

#[netcl::function]
fn steep(x: f32, by: ) -> f32 {
    x * by
}

#[netcl::function]
fn both(x: f32) -> f32 {
    bend(x) + steep(x, 2.0)
}

#[netcl::constant]
const WIDTH: usize

netcl::kernel! {
    fn bent(x: &Tensor<f32, N>) -> Tensor<f32, N> {
        |n| bend(x[n]) * WIDTH + both(x[n])
    }
}

fn main() -> Result<()> {
    let device = Device::host();
    let x = Tensor::zeros(&device, &[2], DType::F32)?;
    println!("{} {}", bend(1.0) + both(1.0) + steep(1.0, 2.0), WIDTH);
    bent.vjp(&x)?;
    Ok(())
}
