//! RESERVED_NAME

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 8)]
    __netcl_hidden: Linear,
}

fn main() {}
