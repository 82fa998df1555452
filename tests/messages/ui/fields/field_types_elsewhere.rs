//! Types of fields that a model has not, and what there is instead.
use netcl::prelude::*;

#[netcl::model]
pub struct Net<'a, const H: usize> {
    #[layer(inputs = 8, outputs = 8)]
    slice: [Linear],
    #[layer(inputs = 8, outputs = 8)]
    pair: (Linear, Linear),
    #[layer(inputs = 8, outputs = 8, present = true)]
    maybe: Option<Linear>,
    map: std::collections::HashMap<String, Linear>,
    list: Sequential<(Linear, ReLU)>,
    sized: Linear<8, 2>,
    typed: Block<f32>,
    computed: Block<{ H * 2 }>,
    mark: std::marker::PhantomData<f32>,
    name: &'a str,
    label: String,
    #[layer(kernel = 2)]
    sound: MaxPool1d,
    #[layer(width = 8)]
    block: Block<8>,
    #[layer(inputs = 8, outputs = 8)]
    twice: Linear,
    #[layer(inputs = 8, outputs = 8)]
    twice: Linear,
}

fn main() {}
