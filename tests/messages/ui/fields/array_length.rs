//! ARRAY_LENGTH

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 8)]
    a: [Linear; 0],
    #[layer(count = -1, inputs = 8, outputs = 8)]
    b: Vec<Linear>,
}

fn main() {}
