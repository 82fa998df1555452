//! FUNCTION_NOT_PLAIN, FUNCTION_RECEIVER

#[netcl::function]
fn norm(x: &[f32]) -> f32 {
    x[0]
}

#[netcl::function]
fn nothing(x: f32) {}

#[netcl::function]
struct Gelu;

struct Squares;

impl Squares {
    #[netcl::function]
    fn square(&self, x: f32) -> f32 {
        x * x
    }
}

fn main() {}
