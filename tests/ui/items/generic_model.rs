//! GENERIC_MODEL

#[netcl::model]
struct Mlp<const WIDTH: usize> {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

fn main() {}
