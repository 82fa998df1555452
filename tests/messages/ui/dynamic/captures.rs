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

fn called(x: &Tensor) {
    let k = netcl::compile(|x: &Tensor, k: f32| x.mul(k));
    let _ = k.call(x, 1.0);
    let name = netcl::compile(|x: &Tensor, _: String| x.relu());
    let _ = name.call(x, "relu".to_string());
    let mask = netcl::compile(|x: &Tensor, _: Option<&Tensor>| x.relu());
    let _ = mask.call(x, None);
}

fn results(x: &Tensor) {
    let number = netcl::compile(|x: &Tensor| (x.relu(), 3.0f32));
    let _ = number.call(x);
    let nothing = netcl::compile(|x: &Tensor| { x.relu(); });
    let _ = nothing.call(x);
    let own = netcl::compile(|_: &Tensor| -> std::result::Result<Tensor, String> { Err("mine".into()) });
    let _ = own.call(x);
}

fn main() {}
