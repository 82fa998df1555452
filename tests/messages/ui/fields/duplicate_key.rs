//! DUPLICATE_KEY

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, inputs = 9, outputs = 4)]
    hidden: Linear,
}

fn main() {}
