//! Whole numbers keep their digits: literals beyond 2^53, the ends of 64 bits, diagonals beyond the sizes.

use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::{HostTensor, Precision, TensorData, evaluate};
use netcl_kernels::graph::{InputKind, OutputKind};
use netcl_kernels::ops::{self, Value};

/// What `f64` has no neighbours of: 2^53 + 1.
const ODD: i64 = (1 << 53) + 1;

/// An operation, what it is given beside the tensor, and the tensor's numbers before and after.
type Case<'a> = (&'a str, Vec<Value>, &'a [i64], &'a [i64]);

fn int(value: i64) -> Value {
    Value::Dim(Dim::constant(value))
}

/// The operation on a tensor of these numbers.
fn of(operation: &str, shape: &[usize], values: &[i64], rest: &[Value]) -> TensorData {
    let mut builder = Builder::new("whole");
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(shape), DType::I64);
    let args: Vec<Value> = [Value::Tensor(x)].into_iter().chain(rest.iter().cloned()).collect();
    let operation = ops::find(operation).expect("an operation");
    let y = ops::call(&mut builder, operation, &args).unwrap_or_else(|error| panic!("{}: {error}", operation.name));
    builder.output(OutputKind::Result(0), y);
    let x = HostTensor::new(DType::I64, shape.to_vec(), TensorData::Int(values.to_vec())).expect("a tensor");
    let given = |_: &InputKind, _: &str| Some(x.clone());
    evaluate(&builder.finish(), &[], &given, Precision::Typed).expect("evaluates")[0].1.data().clone()
}

#[test]
fn literals_keep_their_digits() {
    let (least, most) = (i64::MIN, i64::MAX);
    let cases: &[Case<'_>] = &[
        ("add", vec![int(ODD)], &[0, 1, -ODD], &[ODD, ODD + 1, 0]),
        ("sub", vec![int(most)], &[most, 0, -1], &[0, -most, least]),
        ("mul", vec![int(ODD)], &[1, -1, 3], &[ODD, -ODD, 3 * ODD]),
        ("div", vec![int(ODD)], &[ODD, ODD - 1, most], &[1, 0, most / ODD]),
        ("rem", vec![int(ODD)], &[ODD, ODD - 1, most], &[0, ODD - 1, most % ODD]),
        ("div", vec![int(least)], &[least, most], &[1, 0]),
        ("maximum", vec![int(least)], &[least, 0], &[least, 0]),
        ("minimum", vec![int(most - 1)], &[most, most - 2], &[most - 1, most - 2]),
        ("and", vec![int(most)], &[-1, least], &[most, 0]),
        ("clamp", vec![int(-ODD), int(ODD)], &[-ODD - 1, ODD - 1, ODD + 1], &[-ODD, ODD - 1, ODD]),
        ("clamp", vec![int(most - 1), int(most)], &[0, most], &[most - 1, most]),
        ("pad", vec![int(0), int(1), int(0), int(ODD)], &[1, 2], &[ODD, 1, 2]),
        // A whole `f64` is one of them, too.
        ("add", vec![Value::Number(9.21e18)], &[0, 7], &[9_210_000_000_000_000_000, 9_210_000_000_000_000_007]),
        ("add", vec![Value::Number(-9_223_372_036_854_775_808.0)], &[0, 1], &[least, least + 1]),
    ];
    for (operation, rest, values, expected) in cases {
        let found = of(operation, &[values.len()], values, rest);
        assert_eq!(found, TensorData::Int(expected.to_vec()), "{operation} of {values:?} and {rest:?}");
    }
    for (operation, bound, expected) in [
        ("eq", ODD, [false, true, false]),
        ("ne", ODD, [true, false, true]),
        ("lt", ODD, [true, false, false]),
        ("le", ODD, [true, true, false]),
        ("gt", most, [false; 3]),
        ("ge", least, [true; 3]),
    ] {
        let found = of(operation, &[3], &[ODD - 1, ODD, ODD + 1], &[int(bound)]);
        assert_eq!(found, TensorData::Bool(expected.to_vec()), "{operation} {bound}");
    }
}

#[test]
fn what_is_filled_in_keeps_its_digits() {
    let mut builder = Builder::new("filled");
    let x = builder.input(InputKind::Argument(0), "x", Shape::of(&[2]), DType::I64);
    let bound = builder.integer(5, DType::I64).expect("a number");
    let small = builder.compare(netcl_kernels::graph::CompareOp::Lt, x, bound).expect("a comparison");
    let fill = ops::find("masked_fill").expect("an operation");
    let y = ops::call(&mut builder, fill, &[Value::Tensor(x), Value::Tensor(small), int(ODD)]).expect("a tensor");
    builder.output(OutputKind::Result(0), y);
    let x = HostTensor::new(DType::I64, vec![2], TensorData::Int(vec![1, 9])).expect("a tensor");
    let found = evaluate(&builder.finish(), &[], &|_, _| Some(x.clone()), Precision::Typed).expect("evaluates");
    assert_eq!(*found[0].1.data(), TensorData::Int(vec![ODD, 9]));
}

/// The number is said as it was written, and only where the type does not have it.
#[test]
fn what_a_type_does_not_hold_is_refused() {
    let said = |dtype: DType, number: Value| {
        let mut builder = Builder::new("bad");
        let x = builder.input(InputKind::Argument(0), "x", Shape::of(&[2]), dtype);
        let add = ops::find(if dtype == DType::Bool { "eq" } else { "add" }).expect("an operation");
        ops::call(&mut builder, add, &[Value::Tensor(x), number]).err().map(|error| error.message)
    };
    for (dtype, fits, beyond) in [
        (DType::U8, [0, 255], [-1, 256]),
        (DType::I32, [i32::MIN.into(), i32::MAX.into()], [i64::from(i32::MIN) - 1, i64::from(i32::MAX) + 1]),
        (DType::U32, [0, u32::MAX.into()], [-1, 1 << 32]),
    ] {
        for value in fits {
            assert_eq!(said(dtype, int(value)), None, "{value}");
        }
        for value in beyond {
            let expected = format!("`add` cannot combine a {dtype} tensor with {value}, which {dtype} cannot hold");
            assert_eq!(said(dtype, int(value)), Some(expected));
        }
    }
    for value in [9_223_372_036_854_775_808.0, -9.3e18, f64::NAN, f64::INFINITY, 0.5] {
        let expected = format!("`add` cannot combine a i64 tensor with {value}, which i64 cannot hold");
        assert_eq!(said(DType::I64, Value::Number(value)), Some(expected));
    }
    for number in [int(2), Value::Number(2.0), int(1)] {
        let found = said(DType::Bool, number).expect("an error");
        assert!(found.starts_with("`eq` cannot combine a bool tensor with the number "), "{found}");
    }
    let mut builder = Builder::new("bad");
    assert_eq!(builder.integer(300, DType::U8).expect_err("too large").message, "300 is no u8 number");
    assert_eq!(builder.dim(&Dim::constant(1), DType::Bool).expect_err("no bool").message, "1 is no bool number");
}

/// PyTorch keeps all of it, or nothing.
#[test]
fn diagonals_may_be_beyond_all_elements() {
    let values: Vec<i64> = (1..=12).collect();
    let (shape, rows, columns) = ([3, 4], 3i64, 4i64);
    let far = [i32::MAX, i32::MIN].map(i64::from);
    let near = -rows - 1..=columns + 1;
    for diagonal in near.chain(far).chain(far.map(|far| far * 4)).chain([i64::MIN, i64::MAX]) {
        for (operation, lower) in [("tril", true), ("triu", false)] {
            let kept = |position: i64| {
                let own = i128::from(position % columns - position / columns);
                if lower { own <= i128::from(diagonal) } else { own >= i128::from(diagonal) }
            };
            let expected = (0..12).map(|position| if kept(position) { position + 1 } else { 0 }).collect();
            let found = of(operation, &shape, &values, &[int(diagonal)]);
            assert_eq!(found, TensorData::Int(expected), "{operation} {diagonal}");
        }
    }
}
