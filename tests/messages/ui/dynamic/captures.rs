//! What a compiled function captures, takes and gives.

use netcl::nn::{Mode, Network};
use netcl::prelude::*;

fn captured(net: Network) {
    let _ = netcl::compile(move |x: &Tensor| net.forward("line", &[x], Mode::Inference));
}

fn taken() {
    let _ = netcl::compile(|x: &Tensor, name: &String| x.apply(name, &[]));
}

fn given() {
    let _ = netcl::compile(|x: &Tensor| x.sum([0]).item::<f32>());
}

fn main() {}
