//! MISSING_COUNT

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 8)]
    layers: Vec<Linear>,
}

fn main() {}
