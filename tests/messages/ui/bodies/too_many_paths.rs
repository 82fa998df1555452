//! TOO_MANY_PATHS

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
    #[layer(inputs = 4, outputs = 2)]
    output: Linear,
    #[layer(count = 2, inputs = 4, outputs = 4)]
    more: Vec<Linear>,
}

#[netcl::model]
impl Mlp {
    pub fn forward(&self, x: &Tensor<f32, N, 8>, a: bool, b: bool, c: bool, d: bool, e: bool, f: bool) -> Tensor<f32, N, 4> {
        let mut h = self.hidden.forward(x);
        if a { h = h.relu(); }
        if b { h = h.tanh(); }
        if c { h = h.exp(); }
        if d { h = h.abs(); }
        if e { h = h.sqrt(); }
        if f { h = h.sin(); }
        h
    }
}

fn main() {}
