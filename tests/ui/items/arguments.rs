//! NO_ARGUMENTS

#[netcl::model(fast)]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
}

#[netcl::function(fast)]
fn twice(x: f32) -> f32 {
    x + x
}

#[netcl::constant(fast)]
const WIDTH: usize = 4;

fn main() {}
