//! OF_TENSORS_ALONE: a function of numbers is Rust as well, whose numbers have other functions.

#[netcl::function]
fn operation(x: f32) -> f32 {
    x.relu() + x.pow(2.0)
}

#[netcl::function]
fn elsewhere(x: f32) -> f32 {
    x.swish() + torch::relu(x)
}

#[netcl::function]
fn alone(x: f32) -> f32 {
    x.erf()
}

#[netcl::function]
fn truth(x: f32, k: f32) -> f32 {
    x > k
}

fn main() {}
