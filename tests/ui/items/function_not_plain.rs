//! FUNCTION_NOT_PLAIN

#[netcl::function]
fn norm(x: &[f32]) -> f32 {
    x[0]
}

#[netcl::function]
fn nothing(x: f32) {}

#[netcl::function]
struct Gelu;

fn main() {}
