//! A variant that stands twice.

#[netcl::model]
pub enum Act {
    Relu,
    Relu,
    #[layer(inputs = 4, outputs = 4)]
    Line(Linear),
    #[layer(inputs = 4, outputs = 4)]
    Line(Linear),
}

fn main() {}
