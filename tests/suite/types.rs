//! Element types at their edges: half precision rounded, at any place in memory and beside literals; sums of bytes;
//! integers that wrap; unsigned division by zero; literals that `f64` does not have.

use crate::Case;
use crate::graphs::download;
use half::{bf16, f16};
use libtest_mimic::Failed;
use netcl::{Device, Tensor};
use netcl_kernels::autodiff::{Arguments, append_gradients};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{AxisIndex, BinaryOp, CompareOp, Graph, InputKind, NodeId, OutputKind, ReduceOp};
use netcl_kernels::ops::{self, Value};

netcl::kernel! {
    /// Quotients and remainders that nothing guards.
    #[launch(global = [N])]
    fn unsigned_division(
        a: &Tensor<u32, N>,
        b: &Tensor<u32, N>,
        quotient: &mut Tensor<u32, N>,
        remainder: &mut Tensor<u32, N>,
    ) {
        let i = global_id(0);
        if i < N {
            quotient[i] = a[i] / b[i];
            remainder[i] = a[i] % b[i];
        }
    }

    /// With 2^53 + 1, which lies in the middle between two numbers of `f64`.
    fn long_numbers(x: &Tensor<i64, N>) -> (Tensor<i64, N>, Tensor<i64, N>, Tensor<i64, N>, Tensor<i64, N>) {
        |n| {
            let (sum, product) = (x[n] + 9007199254740993, x[n] * 9007199254740993);
            (sum, product, x[n] / 9007199254740993, x[n] % 9007199254740993)
        }
    }

    /// With it, and with the ends of 64 bits.
    fn long_comparisons(x: &Tensor<i64, N>) -> (Tensor<bool, N>, Tensor<bool, N>, Tensor<bool, N>, Tensor<bool, N>) {
        |n| {
            let equal = x[n] == 9007199254740993;
            (equal, x[n] < 9007199254740993, x[n] >= 9223372036854775807, x[n] <= -9223372036854775807 - 1)
        }
    }

    /// Positions past a byte, and numbers of which parts alone are negative.
    fn coordinates(x: &Tensor<u32, N>) -> (Tensor<u8, N>, Tensor<u8, N>, Tensor<u32, N>, Tensor<i64, N>) {
        |n| ((n + 300) as u8, (n / 2) as u8, x[n] + (n * 2 - n) as u32, n as i64 - 5)
    }
}

pub(crate) fn all() -> Vec<Case> {
    vec![
        Case::new("types::casts to f16 round".into(), |device| rounds(device, DType::F16)),
        Case::new("types::casts to bf16 round".into(), |device| rounds(device, DType::BF16)),
        Case::new("types::literals beside f16".into(), |device| literals(device, DType::F16)),
        Case::new("types::literals beside bf16".into(), |device| literals(device, DType::BF16)),
        Case::new("types::sums of bytes are wider".into(), sums_of_bytes),
        Case::new("types::f16 at any place".into(), anywhere),
        Case::new("types::numbers made of coordinates wrap".into(), coordinates_wrap),
        Case::new("types::numbers made of coordinates are of their type".into(), coordinates_of_types),
        Case::new("types::literals of 64 bits in kernels".into(), long_kernels),
        Case::new("types::literals of 64 bits at run time".into(), long_at_run_time),
        Case::new("types::diagonals beyond all elements".into(), far_diagonals),
        Case::new("types::extremes beside f16".into(), |device| extremes(device, DType::F16)),
        Case::new("types::extremes beside bf16".into(), |device| extremes(device, DType::BF16)),
        Case::new("types::unsigned division by zero".into(), |device| {
            let tensor = |values: &[u32]| Tensor::from_slice(device, values, &[values.len()]);
            let divided = || -> netcl::Result<[Vec<u32>; 2]> {
                let (a, b) = (tensor(&[7, 7, 0, u32::MAX, 5])?, tensor(&[2, 0, 0, 0, u32::MAX])?);
                let (quotient, remainder) = unsigned_division(&a, &b)?;
                Ok([quotient.to_vec()?, remainder.to_vec()?])
            };
            let found = divided().map_err(|error| error.to_string())?;
            expect(&found, &[vec![3, 0, 0, 0, 0], vec![1, 0, 0, 0, 5]])
        }),
    ]
}

fn expect<T: PartialEq + std::fmt::Debug>(found: &T, expected: &T) -> Result<(), Failed> {
    if found == expected { Ok(()) } else { Err(format!("found {found:?}, expected {expected:?}").into()) }
}

/// A function of one argument of `dtype` and `[N]`.
fn function(dtype: DType, build: impl Fn(&mut Builder, NodeId) -> NodeId) -> Graph {
    let mut builder = Builder::new("types");
    let shape = Shape(vec![Dim::symbol("N")]);
    let x = builder.input(InputKind::Argument(0), "x", shape, dtype);
    let y = build(&mut builder, x);
    builder.output(OutputKind::Result(0), y);
    builder.finish()
}

fn run(graph: &Graph, argument: netcl::Result<Tensor>) -> Result<Vec<f64>, Failed> {
    let argument = argument.map_err(|error| error.to_string())?;
    let results = netcl::jit::run(graph, &[&argument]).map_err(|error| error.to_string())?;
    download(&results[0])
}

/// There and back within one kernel, where nothing is stored in between.
fn rounds(device: &Device, dtype: DType) -> Result<(), Failed> {
    let edges = [1.0001f32, 70000.0, -70000.0, 65519.0, 1e-8, 6e-8, 3.4e38, -0.0, f32::INFINITY, 0.1, 2049.0];
    let values: Vec<f32> = edges.iter().cycle().take(50).copied().collect();
    let graph = function(DType::F32, |b, x| {
        let half = b.cast(x, dtype).expect("a cast");
        b.cast(half, DType::F32).expect("a cast")
    });
    let found = run(&graph, Tensor::from_slice(device, &values, &[values.len()]))?;
    let rounded = |x: f32| if dtype == DType::F16 { f16::from_f32(x).to_f64() } else { bf16::from_f32(x).to_f64() };
    expect(&found, &values.iter().map(|&x| rounded(x)).collect())
}

/// What PyTorch gives: a literal is an element of the type where it is compared or converted, and as exact as it is
/// written where it is computed with.
fn literals(device: &Device, dtype: DType) -> Result<(), Failed> {
    let rounded = |x: f32| if dtype == DType::F16 { f16::from_f32(x).to_f32() } else { bf16::from_f32(x).to_f32() };
    let values = [0.1f32, 0.0, 2.0, 1023.0, 0.3].map(rounded);
    let argument = || match dtype {
        DType::F16 => Tensor::from_slice(device, &values.map(f16::from_f32), &[values.len()]),
        _ => Tensor::from_slice(device, &values.map(bf16::from_f32), &[values.len()]),
    };
    let equal = function(dtype, |b, x| {
        let tenth = b.constant(0.1, dtype);
        let equal = b.compare(CompareOp::Eq, x, tenth).expect("a comparison");
        b.cast(equal, DType::F32).expect("a cast")
    });
    expect(&run(&equal, argument())?, &vec![1.0, 0.0, 0.0, 0.0, 0.0])?;
    let converted = function(dtype, |b, x| {
        let (tenth, x) = (b.constant(0.1, dtype), b.cast(x, DType::F32).expect("a cast"));
        let tenth = b.cast(tenth, DType::F32).expect("a cast");
        b.binary(BinaryOp::Add, x, tenth).expect("a sum")
    });
    let sums = values.iter().map(|x| f64::from(x + rounded(0.1))).collect();
    expect(&run(&converted, argument())?, &sums)?;
    let scaled = function(dtype, |b, x| {
        let tenth = b.constant(0.1, dtype);
        b.binary(BinaryOp::Mul, x, tenth).expect("a product")
    });
    expect(&run(&scaled, argument())?, &values.iter().map(|x| f64::from(rounded(x * 0.1))).collect())?;
    // A literal that the type cannot hold is still a number.
    let masked = function(dtype, |b, x| {
        let (zero, large) = (b.constant(0.0, dtype), b.constant(1e9, dtype));
        let none = b.binary(BinaryOp::Mul, x, zero).expect("a product");
        b.binary(BinaryOp::Mul, none, large).expect("a product")
    });
    expect(&run(&masked, argument())?, &vec![0.0; values.len()])
}

/// The gradient of `max(x, c)` and `min(x, c)` where `x` is `c` as the type has it: none, as of relu at 0.
fn extremes(device: &Device, dtype: DType) -> Result<(), Failed> {
    for (op, written) in [(BinaryOp::Max, 0.1), (BinaryOp::Min, 0.1), (BinaryOp::Max, 0.3), (BinaryOp::Min, 0.3)] {
        let clamped = function(dtype, |b, x| {
            let bound = b.constant(written, dtype);
            let y = b.binary(op, x, bound).expect("an extreme");
            b.reduce(ReduceOp::Sum, y, &[0], false).expect("a sum")
        });
        let graph = append_gradients(clamped, Arguments::Floats).map_err(|error| error.to_string())?;
        let gradient = graph.outputs[1].1;
        let graph = Graph { outputs: vec![(OutputKind::Result(0), gradient)], ..graph };
        let bound =
            if dtype == DType::F16 { f16::from_f64(written).to_f32() } else { bf16::from_f64(written).to_f32() };
        let (below, above) = (bound / 2.0, bound * 2.0);
        let argument = match dtype {
            DType::F16 => Tensor::from_slice(device, &[below, bound, above].map(f16::from_f32), &[3]),
            _ => Tensor::from_slice(device, &[below, bound, above].map(bf16::from_f32), &[3]),
        };
        let expected = if op == BinaryOp::Max { vec![0.0, 0.0, 1.0] } else { vec![1.0, 0.0, 0.0] };
        expect(&run(&graph, argument)?, &expected)?;
    }
    Ok(())
}

/// Vectors of `half` that begin at odd elements, read and written: neighbours' sums, and rows of odd length.
fn anywhere(device: &Device) -> Result<(), Failed> {
    let values: Vec<f16> = (0..5 * 37).map(|i| f16::from_f32((i % 7) as f32)).collect();
    let argument = Tensor::from_slice(device, &values, &[values.len()]);
    let graph = function(DType::F16, |b, x| {
        let fewer = Shape(vec![b.shape(x)[0].clone() - Dim::from(1)]);
        let next = AxisIndex { offset: Dim::from(1), ..AxisIndex::axis(0) };
        let next = b.view(x, fewer.clone(), vec![next]).expect("all but the first");
        let here = b.view(x, fewer, vec![AxisIndex::axis(0)]).expect("all but the last");
        b.binary(BinaryOp::Add, here, next).expect("a sum")
    });
    let expected = values.windows(2).map(|pair| pair[0].to_f64() + pair[1].to_f64()).collect();
    expect(&run(&graph, argument)?, &expected)?;

    let mut builder = Builder::new("rows");
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(&[5, 37]), DType::F16);
    let sum = builder.reduce(ReduceOp::Sum, x, &[1], true).expect("a sum");
    let less = builder.binary(BinaryOp::Sub, x, sum).expect("a difference");
    builder.output(OutputKind::Result(0), less);
    let found = run(&builder.finish(), Tensor::from_slice(device, &values, &[5, 37]))?;
    let rows = values.chunks(37).flat_map(|row| {
        let sum: f64 = row.iter().map(|x| x.to_f64()).sum();
        row.iter().map(move |x| x.to_f64() - sum)
    });
    expect(&found, &rows.collect())
}

/// `n * 100000 / 100000` is not `n`.
fn coordinates_wrap(device: &Device) -> Result<(), Failed> {
    let graph = function(DType::U8, |b, x| {
        let shape = b.shape(x).clone();
        let n = b.iota(&shape, 0, DType::I32).expect("coordinates");
        let factor = b.constant(100_000.0, DType::I32);
        let product = b.binary(BinaryOp::Mul, n, factor).expect("a product");
        b.binary(BinaryOp::Div, product, factor).expect("a quotient")
    });
    let count = 60_000;
    let found = run(&graph, Tensor::from_slice(device, &vec![0u8; count], &[count]))?;
    let wrapped = |n: usize| f64::from((n as i32).wrapping_mul(100_000) / 100_000);
    expect(&found, &(0..count).map(wrapped).collect())
}

fn coordinates_of_types(device: &Device) -> Result<(), Failed> {
    let count = 600u32;
    let run = || -> netcl::Result<_> {
        let x = Tensor::from_slice(device, &vec![7u32; count as usize], &[count as usize])?;
        let (past, half, sum, less) = coordinates(&x)?;
        Ok((past.to_vec::<u8>()?, half.to_vec::<u8>()?, sum.to_vec::<u32>()?, less.to_vec::<i64>()?))
    };
    let (past, half, sum, less) = run().map_err(|error| error.to_string())?;
    expect(&past, &(0..count).map(|n| (n + 300) as u8).collect())?;
    expect(&half, &(0..count).map(|n| (n / 2) as u8).collect())?;
    expect(&sum, &(0..count).map(|n| 7 + n).collect())?;
    expect(&less, &(0..i64::from(count)).map(|n| n - 5).collect())
}

/// 2^53 + 1.
const ODD: i64 = 9_007_199_254_740_993;
const LONG: [i64; 7] = [0, ODD - 1, ODD, ODD + 1, -ODD, i64::MIN, i64::MAX];

fn long_kernels(device: &Device) -> Result<(), Failed> {
    let run = || -> netcl::Result<_> {
        let x = Tensor::from_slice(device, &LONG, &[LONG.len()])?;
        let (sum, product, quotient, remainder) = long_numbers(&x)?;
        let (equal, less, last, first) = long_comparisons(&x)?;
        let numbers = [sum, product, quotient, remainder].map(|tensor| tensor.to_vec::<i64>());
        let truths = [equal, less, last, first].map(|tensor| tensor.to_vec::<bool>());
        Ok((
            numbers.into_iter().collect::<netcl::Result<Vec<_>>>()?,
            truths.into_iter().collect::<netcl::Result<Vec<_>>>()?,
        ))
    };
    let (numbers, truths) = run().map_err(|error| error.to_string())?;
    let functions = [i64::wrapping_add, i64::wrapping_mul, i64::wrapping_div, i64::wrapping_rem];
    expect(&numbers, &functions.map(|function| LONG.map(|x| function(x, ODD)).to_vec()).to_vec())?;
    let conditions: [fn(i64) -> bool; 4] = [|x| x == ODD, |x| x < ODD, |x| x == i64::MAX, |x| x == i64::MIN];
    expect(&truths, &conditions.map(|condition| LONG.map(condition).to_vec()).to_vec())
}

fn long_at_run_time(device: &Device) -> Result<(), Failed> {
    let x = Tensor::from_slice(device, &LONG, &[LONG.len()]).map_err(|error| error.to_string())?;
    let apply = |name: &str, number: i64| -> Result<Vec<i64>, Failed> {
        let found = x.apply(name, &[number.into()]).to_vec::<i64>();
        found.map_err(|error| error.to_string().into())
    };
    expect(&apply("add", ODD)?, &LONG.map(|x| x.wrapping_add(ODD)).to_vec())?;
    expect(&apply("sub", i64::MAX)?, &LONG.map(|x| x.wrapping_sub(i64::MAX)).to_vec())?;
    expect(&apply("maximum", i64::MIN)?, &LONG.to_vec())?;
    expect(&apply("div", i64::MIN)?, &LONG.map(|x| x.wrapping_div(i64::MIN)).to_vec())?;
    let equal = x.apply("eq", &[ODD.into()]).to_vec::<bool>();
    expect(&equal.map_err(|error| error.to_string())?, &LONG.map(|x| x == ODD).to_vec())
}

/// `row + diagonal` wrapped where the diagonal was far away.
fn far_diagonals(device: &Device) -> Result<(), Failed> {
    let values: Vec<i32> = (1..=6).collect();
    let x = Tensor::from_slice(device, &values, &[2, 3]).map_err(|error| error.to_string())?;
    for (name, diagonal, all) in [("tril", i32::MAX, true), ("tril", i32::MIN, false), ("triu", i32::MIN, true)] {
        let found = x.apply(name, &[i64::from(diagonal).into()]).to_vec::<i32>();
        expect(&found.map_err(|error| error.to_string())?, &if all { values.clone() } else { vec![0; 6] })?;
    }
    Ok(())
}

fn sums_of_bytes(device: &Device) -> Result<(), Failed> {
    let sum = |b: &mut Builder, name: &str, args: &[Value]| {
        ops::call(b, ops::find(name).expect("an operation"), args).expect("a reduction of bytes")
    };
    let values = vec![200u8; 100];
    let graph = function(DType::U8, |b, x| sum(b, "sum_all", &[Value::Tensor(x)]));
    let found = run(&graph, Tensor::from_slice(device, &values, &[values.len()]))?;
    expect(&found, &vec![20000.0])?;
    let graph = function(DType::U8, |b, x| sum(b, "prod", &[Value::Tensor(x), Value::Dim(Dim::constant(0))]));
    expect(&run(&graph, Tensor::from_slice(device, &[200u8, 30, 2], &[3]))?, &vec![12000.0])
}
