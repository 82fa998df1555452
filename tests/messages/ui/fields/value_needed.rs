//! Numbers that the compiler must know are those of a parameter or a `#[netcl::constant]`, not of a `const`.

const HEADS: usize = 4;

#[netcl::model]
pub struct Mlp<const HIDDEN: usize> {
    #[layer(features = HIDDEN, heads = { HIDDEN * N })]
    attention: SelfAttention,
    #[layer(features = WIDTH, heads = 4)]
    other: SelfAttention,
    #[layer(inputs = HIDDEN, outputs = HIDDEN, kernel = (3, HIDDEN / N))]
    filter: Conv2d,
    #[layer(inputs = HIDDEN, outputs = HIDDEN)]
    more: [Linear; { HIDDEN + N }],
    #[parameter]
    scale: Tensor<f32, { HIDDEN / N }>,
    blocks: [Inner<HIDDEN>; { HIDDEN * 2 }],
}

fn main() {}
