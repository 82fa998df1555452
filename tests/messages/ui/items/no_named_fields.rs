//! NO_NAMED_FIELDS

#[netcl::model]
struct Tuple(Linear, Linear);

#[netcl::model]
struct Empty;

fn main() {}
