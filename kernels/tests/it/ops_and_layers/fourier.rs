//! What is said of numbers that have no Fourier transform, and how many steps one takes.

use super::messages::{Arg, said};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{InputKind, Op, OutputKind};
use netcl_kernels::ops::{self, Value};

/// An operation, the type and shape that it is called on, its other arguments, and what it says.
type Wrong = (&'static str, (DType, &'static [usize]), Vec<Value>, &'static str);

fn int(value: i64) -> Value {
    Value::Dim(Dim::constant(value))
}

#[test]
fn what_has_no_transform_is_said() {
    use DType::{F32, I32};
    let axis = |axis: i64| vec![int(axis)];
    let cases: [Wrong; 14] = [
        ("fft", (I32, &[4, 2]), axis(0), "`fft` expects a float tensor, found i32"),
        (
            "fft",
            (F32, &[2, 4]),
            axis(0),
            "`fft` expects complex numbers, whose parts are a last axis of 2, found [2, 4]",
        ),
        ("fft", (F32, &[4, 2]), axis(-1), "`fft` names axis -1 of [4, 2], which is that of real and imaginary parts"),
        ("ifft", (F32, &[2]), axis(0), "`ifft` names axis 0 of [2], which is that of real and imaginary parts"),
        ("fft", (F32, &[4, 2]), axis(2), "`fft` names axis 2 of [4, 2], which has 2 axes"),
        ("fft", (F32, &[0, 2]), axis(0), "`fft` expects at least one element along axis 0, found [0, 2]"),
        ("fft2", (F32, &[4, 2]), vec![], "`fft2` expects complex numbers [.., m, n, 2], found [4, 2]"),
        ("rfft", (I32, &[4]), axis(0), "`rfft` expects a float tensor, found i32"),
        ("rfft2", (F32, &[4]), vec![], "`rfft2` expects an image [.., m, n], found [4]"),
        (
            "irfft",
            (F32, &[4, 2]),
            vec![int(8), int(0)],
            "`irfft` to 8 real numbers expects 5 frequencies along axis 0, found [4, 2]",
        ),
        ("irfft", (F32, &[1, 2]), vec![int(0), int(0)], "`irfft` expects a number of at least 1 as `n`, found 0"),
        (
            "irfft2",
            (F32, &[3, 4, 2]),
            vec![Value::Dim(Dim::symbol("N"))],
            "`irfft2` expects a number of at least 1 as `n`, found N",
        ),
        (
            "fft",
            (F32, &[1 << 30, 2]),
            axis(0),
            "`fft` counts up to 1073741824 elements, [1, 1073741824, 2] has 2147483648",
        ),
        (
            "complex_mul",
            (F32, &[3]),
            vec![Value::Number(1.0)],
            "`complex_mul` expects complex numbers, whose parts are a last axis of 2, found [3]",
        ),
    ];
    for (operation, (dtype, shape), others, expected) in cases {
        let args: Vec<Arg> =
            [Arg::Tensor(dtype, shape)].into_iter().chain(others.into_iter().map(Arg::Value)).collect();
        assert_eq!(said(operation, &args), expected);
    }
    let mut b = Builder::new("bad");
    let shape = Shape(vec![Dim::symbol("N"), Dim::from(2)]);
    let x = b.input(InputKind::Argument(0), "x", shape, DType::F32);
    let error = ops::call(&mut b, ops::find("fft").expect("an operation"), &[Value::Tensor(x), int(0)]);
    assert_eq!(
        error.expect_err("a symbol").message,
        "`fft` expects an axis whose size is known, axis 0 of [N, 2] is a symbol"
    );
}

/// Few steps, each of a short length: those of powers of 2 are of 8 elements, and primes that are no longer short are transforms of
/// powers of 2.
#[test]
fn a_transform_takes_as_many_steps_as_its_length_has_factors() {
    for (length, expected) in [(1, 0), (8, 1), (61, 1), (512, 3), (1024, 4), (2520, 5), (67, 9), (134, 9), (4099, 15)] {
        let mut b = Builder::new("steps");
        let shape = Shape(vec![Dim::symbol("N"), Dim::from(length), Dim::from(2)]);
        let x = b.input(InputKind::Argument(0), "x", shape, DType::F32);
        let y = ops::call(&mut b, ops::find("fft").expect("an operation"), &[Value::Tensor(x), int(1)]);
        b.output(OutputKind::Result(0), y.expect("a transform"));
        let steps = b.finish().nodes.iter().filter(|node| matches!(node.op, Op::Custom { .. })).count();
        assert_eq!(steps, expected, "{length}");
    }
}
