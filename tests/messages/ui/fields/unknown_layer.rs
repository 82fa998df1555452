//! UNKNOWN_LAYER

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linaer,
}

fn main() {}
