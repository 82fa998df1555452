//! COUNT_WITHOUT_VEC

#[netcl::model]
pub struct Mlp {
    #[layer(count = 2, inputs = 8, outputs = 8)]
    hidden: Linear,
}

fn main() {}
