//! SLOT_KEY, SLOT_SHARED
use netcl::prelude::*;

#[netcl::model]
pub struct Block<const C: usize, L> {
    #[layer(features = C, epsilom = 1e-6)]
    a: L,
    #[layer(features = C, shared = a)]
    b: L,
    #[layer(features = true)]
    c: L,
    #[layer(features = C, count = 2)]
    d: L,
    e: Vec<L>,
    #[parameter]
    f: L,
}

fn main() {}
