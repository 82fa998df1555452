//! What only the layer itself can judge.

#[netcl::model]
pub struct Mlp {
    #[layer(rate = 1.5)]
    dropout: Dropout,
    #[layer(inputs = 3, outputs = 4, kernel = 3, groups = 2)]
    conv: Conv2d,
    #[layer(inputs = 3, outputs = 4, kernel = 0)]
    none: Conv2d,
}

fn main() {}
