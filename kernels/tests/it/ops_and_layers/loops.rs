//! What operations ask of sizes that are others in each round of a loop.

use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::ops::{self, Value};

/// Sizes that are seen to be least in the first round or the last are looked at there in each call.
#[test]
fn sizes_in_loops_are_not_negative_in_any_round() {
    let mut b = Builder::new("rounds");
    let x = b.full(1.0, &Shape::of(&[9]), DType::F32);
    let draft = b.begin_scan("t", Dim::symbol("T"), &[]);
    let pad = |b: &mut Builder, before: Dim| {
        let after = Dim::constant(9) - before.clone();
        let args =
            [Value::Tensor(x), Value::Dim(Dim::constant(0)), Value::Dim(before), Value::Dim(after), Value::Number(0.0)];
        ops::call(b, ops::find("pad").unwrap(), &args).map_err(|error| error.message)
    };
    let t = draft.round();
    pad(&mut b, t.clone()).unwrap();
    let limits: Vec<String> = b.graph().limits.iter().map(|limit| limit.beyond(&limit.end, &limit.size)).collect();
    assert_eq!(limits, ["`pad` expects sizes of at least 0, found -T + 10"]);
    let square = t.clone() * t.clone() - t.clone() * Dim::constant(4) + Dim::constant(4);
    let wanted =
        "`pad` expects sizes of at least 0, found t*t - t*4 + 4, which may be negative in some round of the loop";
    assert_eq!(pad(&mut b, square).unwrap_err(), wanted);
    let wanted = "`pad` expects sizes of at least 0, found -1";
    assert_eq!(pad(&mut b, t - Dim::constant(1)).unwrap_err(), wanted);
}
