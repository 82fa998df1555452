//! CONSTANT_VALUE

#[netcl::model]
pub struct Mlp {
    #[constant("half")]
    a: f32,
    #[constant]
    b: usize,
}

fn main() {}
