//! DYNAMIC_OUTSIDE

#[netcl::dynamic]
fn forward() {}

fn main() {}
