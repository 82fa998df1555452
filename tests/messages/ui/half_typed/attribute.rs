//! Half-typed: rustc says what is missing.

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = )]
    hidden: Linear,
}

fn main() {}
