//! Numbers that the compiler must know cannot be parameters.

#[netcl::model]
pub struct Mlp<const HIDDEN: usize, const HEADS: usize> {
    #[layer(features = HIDDEN, heads = HEADS)]
    attention: SelfAttention,
    #[layer(features = HIDDEN, heads = 4)]
    other: SelfAttention,
    #[layer(inputs = HIDDEN, outputs = HIDDEN)]
    more: [Linear; HEADS],
}

fn main() {}
