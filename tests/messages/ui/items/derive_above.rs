//! A derive above the attribute sees the struct without what the attribute adds.

#[derive(Clone)]
#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

fn main() {}
