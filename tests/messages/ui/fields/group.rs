//! GROUP_FORM, GROUP_STATE, GROUP_FIELD: a group has one name, which is no field's, and is of what optimizers step.
use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[group]
    #[layer(inputs = 8, outputs = 8)]
    a: Linear,
    #[group()]
    #[layer(inputs = 8, outputs = 8)]
    b: Linear,
    #[group("no-decay")]
    #[layer(inputs = 8, outputs = 8)]
    c: Linear,
    #[group(slow, still)]
    #[layer(inputs = 8, outputs = 8)]
    d: Linear,
    #[group = "slow"]
    #[layer(inputs = 8, outputs = 8)]
    e: Linear,
    #[group(name = slow)]
    #[layer(inputs = 8, outputs = 8)]
    f: Linear,
    #[group(weight_decay = 0.0)]
    #[layer(inputs = 8, outputs = 8)]
    g: Linear,
    #[group(slow)]
    #[state(init = 0.0)]
    h: Tensor<f32, 8>,
    #[group(slow)]
    #[constant(0.5)]
    i: f32,
    #[group(slow)]
    #[group(slow)]
    #[layer(inputs = 8, outputs = 8)]
    j: Linear,
    #[group(a)]
    #[layer(inputs = 8, outputs = 8)]
    k: Linear,
    #[group(l)]
    #[parameter(init = 0.0)]
    l: Tensor<f32, 8>,
    #[groups(slow)]
    #[layer(inputs = 8, outputs = 8)]
    m: Linear,
    #[layer(inputs = 8, outputs = 8, group = slow)]
    n: Linear,
    #[group(slow)]
    o: Tensor<f32, 8>,
}

#[netcl::model]
impl Net {
    #[group(slow)]
    pub fn loss(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32> {
        let h = self.b.forward(self.a.forward(x)) + &self.h;
        let h = self.d.forward(self.c.forward(h)) * self.i;
        self.k.forward(h + &self.l).sum_all()
    }
}

fn main() -> Result<()> {
    Ok(())
}
