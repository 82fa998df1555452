//! IF_WITHOUT_ELSE

#[netcl::function]
fn relu(x: f32) -> f32 {
    if x > 0.0 {
        x
    }
}

fn main() {}
