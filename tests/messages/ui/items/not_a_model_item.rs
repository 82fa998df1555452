//! NOT_A_MODEL_ITEM

#[netcl::model]
fn forward() {}

#[netcl::model]
enum Layer {
    Hidden,
}

fn main() {}
