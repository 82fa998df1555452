//! RETURNED

#[netcl::function]
fn of_two_types(x: f32, n: i32) -> f32 {
    if x > 0.0 {
        return n;
    }
    x * x
}

fn main() {}
