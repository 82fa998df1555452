//! GRADIENTS_IN, GRADIENTS_FORM: what is generated stays usable
use netcl::prelude::*;

#[netcl::tensors]
pub struct Batch {
    x: Tensor<f32, N, 4>,
    s: Tensor<f32, N>,
}

#[netcl::model]
pub struct Net {
    #[layer(inputs = 4, outputs = 4)]
    line: Linear,
}

#[netcl::model]
impl Net {
    #[gradients(b)]
    pub fn of_struct(&self, b: &Batch) -> Tensor<f32> {
        self.line.forward(&b.x).sum_all()
    }

    #[gradients(b.s)]
    pub fn of_field(&self, b: &Batch) -> Tensor<f32> {
        self.line.forward(&b.x).sum_all()
    }
}

fn step(net: &Net, b: &Batch) -> netcl::Result<()> {
    let (loss, gradients, db) = net.of_struct_with_gradients(b)?;
    let (loss, gradients, ds) = net.of_field_with_gradients(b)?;
    Ok(())
}

fn main() {}
