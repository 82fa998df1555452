//! What is frozen is what would be trained.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[frozen]
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    #[frozen(true)]
    #[layer(inputs = 8, outputs = 8)]
    b: Linear,
    #[frozen]
    #[state(init = 0.0)]
    c: Tensor<f32, 8>,
    #[frozen]
    #[constant(0.5)]
    d: f32,
    #[frozn]
    #[layer(inputs = 8, outputs = 8)]
    e: Linear,
}

#[netcl::model]
impl Net {
    pub fn loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        let h = self.b.forward(self.a.forward(x)) + &self.c;
        self.e.forward(h * self.d).sum_all()
    }
}

fn main() -> Result<()> {
    Ok(())
}
