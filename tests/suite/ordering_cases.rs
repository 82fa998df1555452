//! Order along an axis, as the device computes it: rows of every length, known or not, of every type that is compared.

use crate::Case;
use crate::graphs::{Example, download};
use libtest_mimic::{Completion, Failed};
use netcl::Device;
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{InputKind, NodeId, OutputKind};
use netcl_kernels::ops::{self, Value};
use netcl_kernels::philox;

const TYPES: [DType; 7] = [DType::F32, DType::F64, DType::F16, DType::BF16, DType::I32, DType::I64, DType::U32];
/// Of one step, of several, and of runs that are left over; whether the length is known while compiling.
const LENGTHS: [(usize, bool); 5] = [(1, true), (65, true), (5000, true), (2, false), (600, false)];

pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in TYPES {
        cases.push(Case { name: format!("ordering::rows of {dtype}"), run: Box::new(move |device| of(device, dtype)) });
    }
    cases
}

fn call(b: &mut Builder, name: &str, args: &[Value]) -> Result<NodeId, Failed> {
    let operation = ops::find(name).ok_or("no such operation")?;
    Ok(ops::call(b, operation, args).map_err(|error| error.to_string())?)
}

fn of(device: &Device, dtype: DType) -> Result<Completion, Failed> {
    if dtype == DType::F64 && !device.profile().fp64 {
        return Ok(Completion::ignored_with("the device has no fp64"));
    }
    for (length, known) in LENGTHS {
        check(device, dtype, length, known)?;
    }
    Ok(Completion::Completed)
}

/// The elements of `[length, 3]` in order along the first axis, where they stand, and where they go among themselves.
fn check(device: &Device, dtype: DType, length: usize, known: bool) -> Result<(), Failed> {
    const COLUMNS: usize = 3;
    let (name, int) = ("x".to_owned(), |value: i64| Value::Dim(Dim::constant(value)));
    let mut b = Builder::new("order");
    let rows = if known { Dim::from(length) } else { Dim::symbol("N") };
    let x = b.input(InputKind::Argument(0), &name, Shape(vec![rows, Dim::from(COLUMNS)]), dtype);
    let order = [Value::Tensor(x), int(0), Value::Bool(true)];
    let (sorted, places) = (call(&mut b, "sort", &order)?, call(&mut b, "argsort", &order)?);
    let rising = call(&mut b, "sort", &[Value::Tensor(x), int(0), Value::Bool(false)])?;
    let line = call(&mut b, "get", &[Value::Tensor(rising), int(1), int(0)])?;
    let found = call(&mut b, "searchsorted", &[Value::Tensor(line), Value::Tensor(x), Value::Bool(false)])?;
    for (position, id) in [sorted, places, found].into_iter().enumerate() {
        b.output(OutputKind::Result(position), id);
    }
    // Numbers that every type has, some alike, and NaN among floats.
    let value = |at: u64| match philox::uniform(3, 0, at) {
        draw if draw < 0.05 && dtype.is_float() => f64::NAN,
        draw => f64::from(draw * 200.0).floor(),
    };
    let values: Vec<f64> = (0..(length * COLUMNS) as u64).map(value).collect();
    let input = HostTensor::from_f64(dtype, &[length, COLUMNS], &values).map_err(|error| error.to_string())?;
    let bindings = if known { Vec::new() } else { vec![(Symbol::new("N"), length as u64)] };
    let example = Example { graph: b.finish(), bindings, inputs: vec![(InputKind::Argument(0), name, input)] };
    let results = example.run(device)?;
    let [sorted, places, found] =
        [download(&results[0])?, download(&results[1])?, download(&results[2])?].map(|all| all.into_iter());
    let larger = |a: f64, b: f64| a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()));
    let column = |column: usize| (0..length).map(move |row| row * COLUMNS + column);
    let mut expected = vec![0; values.len()];
    for own in 0..COLUMNS {
        let mut order: Vec<usize> = column(own).collect();
        order.sort_by(|&a, &b| larger(values[b], values[a]));
        column(own).zip(order).for_each(|(at, from)| expected[at] = from);
    }
    let mut line: Vec<f64> = column(0).map(|at| values[at]).collect();
    line.sort_by(|a, b| larger(*a, *b));
    for (at, (((sorted, place), found), from)) in sorted.zip(places).zip(found).zip(expected).enumerate() {
        let what = format!("element {at} of {length} in each column, known: {known}");
        if sorted.to_bits() != values[from].to_bits() && !(sorted.is_nan() && values[from].is_nan()) {
            return Err(format!("{what}: {sorted} instead of {}", values[from]).into());
        }
        if place != (from / COLUMNS) as f64 {
            return Err(format!("{what} comes from {place} and not {}", from / COLUMNS).into());
        }
        let before = line.partition_point(|other| larger(*other, values[at]).is_lt());
        if found != before as f64 {
            return Err(format!("{what} goes to {found} and not {before}").into());
        }
    }
    Ok(())
}
