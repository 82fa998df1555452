//! TRAIT_IMPL

#[netcl::model]
pub struct Mlp {
    #[layer(inputs = 8, outputs = 4)]
    hidden: Linear,
    #[layer(inputs = 4, outputs = 2)]
    output: Linear,
    #[layer(count = 2, inputs = 4, outputs = 4)]
    more: Vec<Linear>,
}

trait Forward {
    fn depth(&self) -> usize;
}

#[netcl::model]
impl Forward for Mlp {
    fn depth(&self) -> usize {
        2
    }
}

fn main() {}
