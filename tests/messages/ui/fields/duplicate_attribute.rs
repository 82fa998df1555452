//! DUPLICATE_ATTRIBUTE

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    #[layer(bias = false)]
    hidden: Linear,
}

fn main() {}
