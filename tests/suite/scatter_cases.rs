//! Scatter-adds, the gradients of rows by number: as the device runs them, and on OpenCL devices also in the forms that other
//! kinds of devices have. Against the reference interpreter in f64, of every size and however the rows are hit; a run repeats
//! bit by bit.

use crate::Case;
use crate::graphs::{Example, download};
use libtest_mimic::{Completion, Failed};
use netcl::{Device, Vendor};
use netcl_kernels::dim::{Dim, IndexWidth, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::HostTensor;
use netcl_kernels::graph::{BinaryOp, InputKind, OutputKind, UnaryOp};
use netcl_kernels::plan::Target;
use netcl_kernels::variant::Defaults;

/// Types of what is added, with the error that is allowed, relative to the largest sum: half precision is rounded once.
const TYPES: [(DType, f64); 6] = [
    (DType::F32, 1e-5),
    (DType::F64, 1e-13),
    (DType::F16, 1e-3),
    (DType::BF16, 8e-3),
    (DType::I32, 0.0),
    (DType::U8, 0.0),
];

/// How rows are hit.
const PATTERNS: [fn(u64, u64) -> i64; 5] = [
    |at, rows| (at * 7919 % rows) as i64,
    // One row alone; one that most hit.
    |_, rows| rows as i64 - 1,
    |at, rows| if at.is_multiple_of(9) { (at * 31 % rows) as i64 } else { rows as i64 / 2 },
    // Rows that do not exist.
    |at, rows| [(at % rows) as i64, rows as i64, i64::from(i32::MAX)][at as usize % 3],
    |_, rows| rows as i64,
];

pub(crate) fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for (dtype, tolerance) in TYPES {
        let run = move |device: &Device| of(device, dtype, tolerance);
        cases.push(Case { name: format!("scatter::any size of {dtype}"), run: Box::new(run) });
    }
    cases.push(Case::new("scatter::indices of two axes".to_owned(), several_axes));
    cases
}

/// `count` rows added to `[rows, features]`, at numbers by a pattern; the table's sizes are constants or those of the call.
fn example(dtype: DType, [rows, count, features]: [u64; 3], known: bool, pattern: fn(u64, u64) -> i64) -> Example {
    let size = |name: &str, value: u64| if known { Dim::from(value as usize) } else { Dim::symbol(name) };
    let mut b = Builder::new("add_rows");
    let n = Dim::symbol("N");
    let index_dtype = if known { DType::I32 } else { DType::U32 };
    let indices = b.input(InputKind::Argument(0), "indices", Shape(vec![n.clone()]), index_dtype);
    let updates = b.input(InputKind::Argument(1), "updates", Shape(vec![n, size("F", features)]), dtype);
    let shape = Shape(vec![size("R", rows), size("F", features)]);
    let sums = b.scatter_add(indices, updates, &shape).expect("rows to add");
    b.output(OutputKind::Result(0), sums);
    // Numbers of few digits: sums of them are exact but for those of half precision.
    let value = |at: u64| match dtype.is_float() {
        true => ((at * 37 + 11) % 101) as f64 / 8.0 - 6.0,
        false => ((at * 37 + 11) % 3) as f64,
    };
    let values: Vec<f64> = (0..count * features).map(value).collect();
    let numbers: Vec<f64> = (0..count).map(|at| pattern(at, rows) as f64).collect();
    let (count, features) = (count as usize, features as usize);
    let inputs = vec![
        (InputKind::Argument(0), "indices".to_owned(), HostTensor::from_f64(index_dtype, &[count], &numbers)),
        (InputKind::Argument(1), "updates".to_owned(), HostTensor::from_f64(dtype, &[count, features], &values)),
    ];
    let mut bindings = vec![(Symbol::new("N"), count as u64)];
    if !known {
        bindings.extend([(Symbol::new("F"), features as u64), (Symbol::new("R"), rows)]);
    }
    let inputs = inputs.into_iter().map(|(kind, name, value)| (kind, name, value.expect("values for the shape")));
    Example { graph: b.finish(), bindings, inputs: inputs.collect() }
}

fn of(device: &Device, dtype: DType, tolerance: f64) -> Result<Completion, Failed> {
    if dtype == DType::F64 && !device.profile().fp64 {
        return Ok(Completion::ignored_with("the device has no fp64"));
    }
    if is_simulator(device) {
        return simulated(device, dtype);
    }
    // Sizes are those of calls, so that one plan serves them all; and constants, as those of most tables are.
    for (known, tables) in [(false, &[[1, 4], [9, 1], [300, 17]][..]), (true, &[[1025, 5]])] {
        let [rows, features] = tables[0];
        let first = example(dtype, [rows, 1, features], known, PATTERNS[0]);
        let compiled =
            other_forms(device).iter().map(|target| first.compiled(device, *target, &Defaults, IndexWidth::Narrow));
        let compiled = compiled.collect::<Result<Vec<_>, _>>()?;
        let counts: &[u64] = if dtype == DType::F32 { &[1, 7, 64, 700, 4096] } else { &[7, 700] };
        for (number, &count) in counts.iter().enumerate() {
            for &[rows, features] in tables {
                let own = (number + rows as usize) % PATTERNS.len();
                let all = dtype == DType::F32 && count == 700;
                for (_, &pattern) in PATTERNS.iter().enumerate().filter(|(position, _)| all || *position == own) {
                    let example = example(dtype, [rows, count, features], known, pattern);
                    let what = |error: Failed| format!("{count} into [{rows}, {features}]: {:?}", error.message());
                    example.check(device, tolerance).map_err(what)?;
                    for compiled in &compiled {
                        example.check_compiled(device, compiled, tolerance).map_err(what)?;
                    }
                }
            }
        }
    }
    repeats(device, dtype)
}

/// Oclgrind takes half a minute for a pass of a sort, however few rows.
fn is_simulator(device: &Device) -> bool {
    device.profile().vendor == Vendor::Oclgrind
}

/// What a simulator does in minutes: 300 rows added in every form, to a table whose rows one pass of a sort tells apart.
fn simulated(device: &Device, dtype: DType) -> Result<Completion, Failed> {
    if dtype != DType::F32 {
        return Ok(Completion::ignored_with(
            "a simulator sorts for minutes, and kernels of this type are of the same text",
        ));
    }
    let example = example(dtype, [200, 300, 5], true, PATTERNS[2]);
    example.check(device, 1e-5)?;
    for target in other_forms(device) {
        example.check_compiled(device, &example.compiled(device, *target, &Defaults, IndexWidth::Narrow)?, 1e-5)?;
    }
    Ok(Completion::Completed)
}

/// The kinds of devices whose forms an OpenCL device tries besides what it runs by itself.
fn other_forms(device: &Device) -> &'static [Target] {
    match device.profile().target {
        Target::Host => &[],
        Target::Cpu | Target::Gpu => &[Target::Cpu, Target::Gpu],
    }
}

/// Whether several runs give the same bits, of sums that depend on the order of their terms.
fn repeats(device: &Device, dtype: DType) -> Result<Completion, Failed> {
    let mut example = example(dtype, [300, 5000, 17], false, PATTERNS[2]);
    if dtype.is_float() {
        let (shape, count) = ([5000, 17], 5000 * 17);
        let values: Vec<f64> = (0..count).map(|at| f64::from(at % 977).sin() * f64::from(1 << (at % 10))).collect();
        example.inputs[1].2 = HostTensor::from_f64(dtype, &shape, &values).map_err(|error| error.to_string())?;
    }
    let once = download(&example.run(device)?[0])?;
    for _ in 0..3 {
        let again = download(&example.run(device)?[0])?;
        if once.iter().zip(&again).any(|(once, again)| once.to_bits() != again.to_bits()) {
            return Err("another run gives other bits".into());
        }
    }
    Ok(Completion::Completed)
}

/// Rows of two axes at numbers of two axes, both computed; the sums are computed with.
fn several_axes(device: &Device) -> Result<(), Failed> {
    let mut b = Builder::new("add_planes");
    let (n, m) = (Dim::symbol("N"), Dim::symbol("M"));
    let numbers = b.input(InputKind::Argument(0), "numbers", Shape(vec![n.clone(), m.clone()]), DType::I32);
    let shape = Shape(vec![n, m, Dim::from(3), Dim::from(2)]);
    let values = b.input(InputKind::Argument(1), "values", shape, DType::F32);
    let failed = |error: netcl_kernels::span::Diagnostic| Failed::from(error.to_string());
    let indices = b.binary(BinaryOp::Add, numbers, numbers).map_err(failed)?;
    let updates = b.binary(BinaryOp::Mul, values, values).map_err(failed)?;
    let table = Shape::of(&[21, 3, 2]);
    let sums = b.scatter_add(indices, updates, &table).map_err(failed)?;
    let gathered = b.gather(sums, indices).map_err(failed)?;
    let result = b.binary(BinaryOp::Sub, gathered, values).map_err(failed)?;
    b.output(OutputKind::Result(0), result);
    let root = b.unary(UnaryOp::Sqrt, sums).map_err(failed)?;
    b.output(OutputKind::Result(1), root);
    let graph = b.finish();
    let sizes: &[(u64, u64)] = if is_simulator(device) { &[(5, 7)] } else { &[(1, 1), (5, 7), (40, 9)] };
    for &(rows, columns) in sizes {
        let example = crate::model_cases::example(graph.clone(), &[("N", rows), ("M", columns)]);
        example.check(device, 1e-5)?;
        for target in other_forms(device) {
            example.check_compiled(device, &example.compiled(device, *target, &Defaults, IndexWidth::Narrow)?, 1e-5)?;
        }
    }
    Ok(())
}
