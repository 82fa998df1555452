//! FIELD_TYPE

#[netcl::model]
pub struct Mlp {
    names: &'static str,
    #[layer(inputs = 8, outputs = 8)]
    boxed: Box<Linear>,
    rate: f23,
}

fn main() {}
