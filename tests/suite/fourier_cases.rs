//! Fourier transforms of long rows as the device computes them, against sums of `f64`.

use crate::Case;
use crate::graphs::{Example, download};
use libtest_mimic::{Completion, Failed};
use netcl::Device;
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{InputKind, OutputKind};
use netcl_kernels::ops::{self, Value};
use netcl_kernels::philox;
use std::f64::consts::TAU;

/// Powers of 2, small primes and their products, and primes.
const LENGTHS: [usize; 9] = [64, 243, 343, 1000, 1001, 1009, 2048, 2310, 4096];
/// What the error may be, as a share of the numbers' mean size, in units of what the type tells apart: half a unit more than that of
/// drivers that add up in another order (Intel's for processors, 4.2 of 343).
const TOLERANCE: f64 = 4.7;
/// Of a transform whose length has a long prime factor, which is three others.
const OF_PRIMES: f64 = 12.0;
/// The sums in `f64` have an error of their own.
const OF_SUMS: f64 = 32.0;

pub(crate) fn all() -> Vec<Case> {
    let case = |dtype: DType| Case {
        name: format!("fourier::long rows of {dtype}"),
        run: Box::new(move |device| of(device, dtype)),
    };
    [DType::F32, DType::F64].map(case).into()
}

fn of(device: &Device, dtype: DType) -> Result<Completion, Failed> {
    if dtype == DType::F64 && !device.profile().fp64 {
        return Ok(Completion::ignored_with("the device has no fp64"));
    }
    LENGTHS.into_iter().try_for_each(|length| check(device, dtype, length))?;
    Ok(Completion::Completed)
}

/// The transform of two rows along the first axis, and what its inverse makes of that.
fn check(device: &Device, dtype: DType, length: usize) -> Result<(), Failed> {
    const ROWS: usize = 2;
    let (name, axis) = ("x".to_owned(), Value::Dim(Dim::constant(0)));
    let mut b = Builder::new("fourier");
    let shape = Shape(vec![Dim::from(length), Dim::symbol("N"), Dim::from(2)]);
    let x = b.input(InputKind::Argument(0), &name, shape, dtype);
    let mut y = x;
    for (position, operation) in ["fft", "ifft"].into_iter().enumerate() {
        let operation = ops::find(operation).ok_or("no such operation")?;
        y = ops::call(&mut b, operation, &[Value::Tensor(y), axis.clone()]).map_err(|error| error.to_string())?;
        b.output(OutputKind::Result(position), y);
    }
    // The numbers of both types are the same.
    let values: Vec<f64> =
        (0..(length * ROWS * 2) as u64).map(|at| f64::from(philox::uniform(11, 0, at)) * 2.0 - 1.0).collect();
    let input = HostTensor::from_f64(dtype, &[length, ROWS, 2], &values).map_err(|error| error.to_string())?;
    let bindings = vec![(Symbol::new("N"), ROWS as u64)];
    let example = Example { graph: b.finish(), bindings, inputs: vec![(InputKind::Argument(0), name, input)] };
    let results = example.run(device)?;
    let expected = transformed(&values, length, ROWS);
    let unit = if dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) } / 2.0;
    let most = match length {
        _ if dtype == DType::F64 => OF_SUMS,
        1009 => OF_PRIMES,
        _ => TOLERANCE,
    };
    for (what, found, expected) in
        [("transform", download(&results[0])?, expected), ("inverse", download(&results[1])?, values)]
    {
        let squares = |values: &mut dyn Iterator<Item = f64>| values.map(|value| value * value).sum::<f64>();
        let size = squares(&mut expected.iter().copied());
        let error = squares(&mut found.into_iter().zip(&expected).map(|(found, expected)| found - expected));
        let error = (error / size).sqrt() / unit;
        // A NaN is no success either.
        if error >= most || error.is_nan() {
            return Err(format!("the {what} of {length} {dtype} is {error:.1} units off, {most} are expected").into());
        }
    }
    Ok(())
}

/// By its definition.
fn transformed(values: &[f64], length: usize, rows: usize) -> Vec<f64> {
    let roots: Vec<(f64, f64)> = (0..length).map(|turn| (-TAU * turn as f64 / length as f64).sin_cos()).collect();
    let mut all = vec![0.0; values.len()];
    for (k, row) in (0..length).flat_map(|k| (0..rows).map(move |row| (k, row))) {
        let (mut real, mut imaginary) = (0.0, 0.0);
        for j in 0..length {
            let at = (j * rows + row) * 2;
            let (s, c) = roots[j * k % length];
            real += values[at] * c - values[at + 1] * s;
            imaginary += values[at] * s + values[at + 1] * c;
        }
        all[(k * rows + row) * 2] = real;
        all[(k * rows + row) * 2 + 1] = imaginary;
    }
    all
}
