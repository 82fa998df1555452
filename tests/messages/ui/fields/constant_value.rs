//! CONSTANT_VALUE

#[netcl::model]
pub struct Mlp {
    #[constant("half")]
    a: f32,
    #[constant]
    b: usize,
    #[constant(1.5)]
    c: i32,
    #[constant(1)]
    d: bool,
    #[constant(true)]
    e: f64,
    #[constant(-1)]
    f: usize,
    #[constant(1e50)]
    g: f32,
}

fn main() {}
