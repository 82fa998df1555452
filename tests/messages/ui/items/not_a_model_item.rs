//! NOT_A_MODEL_ITEM

#[netcl::model]
fn forward() {}

#[netcl::model]
union Layer {
    hidden: u32,
}

fn main() {}
