//! GROUP_FORM, GROUP_STATE, GROUP_FIELD, GROUP_AS_FIELD: a group has one name, which is no field's, and is of what optimizers step.
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
    #[group(slow, rate = 0.1)]
    #[layer(inputs = 8, outputs = 8)]
    x: Linear,
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
    #[group(no-decay)]
    #[layer(inputs = 8, outputs = 8)]
    q: Linear,
    #[group("no" "decay")]
    #[layer(inputs = 8, outputs = 8)]
    r: Linear,
    #[group(encoder.norm)]
    #[layer(inputs = 8, outputs = 8)]
    s: Linear,
    #[parameter(init = 1.0, group = "slow")]
    t: Tensor<f32, 8>,
    #[parameter(init = 1.0, weight_decay = 0.0)]
    u: Tensor<f32, 8>,
    #[layer(inputs = 8, outputs = 8, lr = 0.1)]
    v: Linear,
    #[group(still)]
    w: Part,
}

#[netcl::model]
pub struct Part {
    #[group(no_decay)]
    #[layer(features = 8)]
    norm: LayerNorm,
    #[layer(inputs = 8, outputs = 8)]
    line: Linear,
}

#[netcl::model]
impl Part {
    pub fn forward(&self, x: &Tensor<f32, N, 8>) -> Tensor<f32, N, 8> {
        self.line.forward(self.norm.forward(x)) + &self.no_decay.scale
    }
}

#[netcl::model]
#[group(slow)]
pub enum Mix {
    #[group(slow)]
    Relu,
    #[group(slow)]
    Gated {
        #[layer(inputs = 8, outputs = 8)]
        a: Linear,
        #[layer(inputs = 8, outputs = 8)]
        b: Linear,
    },
}

#[netcl::model]
#[frozen]
pub type Small = Of<8>;

#[netcl::model]
pub struct Of<const C: usize> {
    #[layer(inputs = C, outputs = C)]
    line: Linear,
}

#[netcl::model]
impl<const C: usize> Of<C> {
    pub fn forward(&self, x: &Tensor<f32, N, C>) -> Tensor<f32, N, C> {
        self.line.forward(x)
    }
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
