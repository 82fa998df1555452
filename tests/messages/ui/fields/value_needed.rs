//! Numbers that the compiler must know come from parameters by sums, products and quotients.

#[netcl::model]
pub struct Inner<const F: usize> {
    #[layer(features = F, heads = 4)]
    attention: SelfAttention,
}

#[netcl::model]
impl<const F: usize> Inner<F> {}

#[netcl::model]
pub struct Mlp<const HIDDEN: usize> {
    #[layer(features = HIDDEN, heads = HIDDEN % 2)]
    attention: SelfAttention,
    #[layer(inputs = HIDDEN, outputs = HIDDEN, kernel = (3, HIDDEN % 2))]
    filter: Conv2d,
    #[layer(inputs = HIDDEN, outputs = HIDDEN)]
    more: [Linear; HIDDEN % 4],
    #[parameter]
    scale: Tensor<f32, { HIDDEN / N }>,
    blocks: [Inner<HIDDEN>; HIDDEN * 2],
}

fn main() {}
