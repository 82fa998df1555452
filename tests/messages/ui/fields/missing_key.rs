//! A layer without a key that has no default.

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8)]
    hidden: Linear,
}

fn main() {}
