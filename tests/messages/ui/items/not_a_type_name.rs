//! NOT_A_TYPE_NAME

#[netcl::model]
impl (u8, u8) {}

fn main() {}
