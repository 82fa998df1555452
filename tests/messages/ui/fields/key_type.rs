//! Values of another kind than a layer's keys take.

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = -8, outputs = 4)]
    a: Linear,
    #[layer(inputs = 8, outputs = 4.0)]
    b: Linear,
    #[layer(inputs = 8, outputs = 4, bias = 1)]
    c: Linear,
    #[layer(inputs = 1, outputs = 4, kernel = (3, 3, 3))]
    d: Conv2d,
    #[layer(rate = "half")]
    e: Dropout,
}

#[netcl::model]
pub struct Either<const BIAS: usize> {
    #[layer(inputs = 8, outputs = 4, bias = BIAS != 0)]
    a: Linear,
    #[layer(inputs = 8, outputs = 4, bias = BIAS)]
    b: Linear,
}

fn main() {}
