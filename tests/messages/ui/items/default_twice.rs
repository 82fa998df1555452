//! DEFAULT_TWICE

#[netcl::model]
pub enum Act {
    #[default]
    Relu,
    #[default]
    Tanh,
}

fn main() {}
