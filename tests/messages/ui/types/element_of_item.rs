//! An element type that nothing says
use netcl::prelude::*;

fn main() -> Result<()> {
    let loss = Tensor::full(&Device::host(), 0.5f32, &[])?;
    let value = loss.item()?;
    Ok(())
}
