//! MISSING_KEY

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8)]
    hidden: Linear,
}

fn main() {}
