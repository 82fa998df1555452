//! LAYER_ELSEWHERE: layers by their names in Keras, Flax and PyTorch, and numbers that no key takes

use netcl::prelude::*;

#[netcl::model]
pub struct Net {
    #[layer(features = 4)]
    dense: Dense,
    #[layer(features = 4)]
    norm: InstanceNorm,
    #[layer(features = 4)]
    act: PReLU,
    #[layer(inputs = 4, outputs = 4)]
    cell: LSTMCell,
    #[layer(inputs = 4, outputs = 6, kernel = 3)]
    volume: Conv3d,
}

#[netcl::model]
pub struct Large {
    #[layer(inputs = 18446744073709551615, outputs = 4)]
    huge: Linear,
    #[layer(inputs = 99999999999999999999999, outputs = 4)]
    larger: Linear,
}

fn main() {}
