//! KEY_LIST_LENGTH, KEY_LIST_OPEN
use netcl::prelude::*;

#[netcl::model]
pub struct Net<const DEPTH: usize> {
    #[layer(inputs = [8, 16], outputs = [16, 8, 4])]
    a: [Linear; 3],
    #[layer(inputs = [8, 16], outputs = [16, 4], count = DEPTH)]
    b: Vec<Linear>,
    #[layer(inputs = [8, true], outputs = [16, 4])]
    c: Vec<Linear>,
    #[layer(sizes = [8, 16, 4])]
    d: Vec<Linear>,
    #[layer(inputs = [8, 16], outputs = 4)]
    e: Linear,
    f: (Linear, Linear),
    #[layer(inputs = 8, outputs = 8)]
    g: (Block<8>, Block<16>),
}

#[netcl::model]
pub struct Block<const C: usize> {
    #[layer(features = C)]
    norm: LayerNorm,
}

#[netcl::model]
pub struct Biases {
    #[layer(inputs = [4, 6], outputs = [6, 3], bias = [true, false])]
    lines: [Linear; 2],
}

#[netcl::model]
pub struct Misspelt {
    #[layer(inputs = [4, 5], outputs = [5, 4], bais = [true, false])]
    lines: [Linear; 2],
    #[layer(inputs = [4, 5, 6], outputs = [5, 6, 4], group = [slow, still])]
    more: Vec<Linear>,
}

#[netcl::model]
impl Misspelt {
    pub fn loss(&self, x: &Tensor<f32, N, 4>) -> Tensor<f32> {
        self.lines[1].forward(self.lines[0].forward(x)).square().mean_all()
    }
}

fn main() {}
