//! The reference semantics, operation by operation, against values worked out by hand.

use netcl_kernels::dim::Symbol;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::interp::{HostTensor, Precision, TensorData, evaluate};
use netcl_kernels::graph::text::parse;
use netcl_kernels::graph::{InputKind, Op};
use netcl_kernels::philox;
use netcl_kernels::span::Result;

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// The first result of the graph on inputs given by position.
fn result(text: &str, inputs: &[&[f64]], precision: Precision) -> Result<HostTensor> {
    let graph = parse(&format!("graph test\n{text}")).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let bindings = [(Symbol::new("N"), 3)];
    let give = |kind: &InputKind, _: &str| {
        let (InputKind::Argument(position) | InputKind::Scalar(position)) = kind else { return None };
        let node = graph.nodes.iter().find(|node| node.op == Op::Input(kind.clone()))?;
        HostTensor::from_f64(node.dtype, &node.shape.evaluate(&bindings)?, inputs.get(*position)?).ok()
    };
    Ok(evaluate(&graph, &bindings, &give, precision)?.remove(0).1)
}

fn check(text: &str, inputs: &[&[f64]], expected: &[f64]) {
    check_typed(text, inputs, expected, Precision::F64);
}

fn check_typed(text: &str, inputs: &[&[f64]], expected: &[f64], precision: Precision) {
    let found = result(text, inputs, precision).unwrap_or_else(|error| panic!("{error}\n{text}")).to_f64();
    let same = |(x, y): (&f64, &f64)| x.to_bits() == y.to_bits() || x == y || (x.is_nan() && y.is_nan());
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(same),
        "{text}\nfound {found:?}\nexpected {expected:?}"
    );
}

/// `op` between two vectors.
fn check_binary(op: &str, dtype: &str, a: &[f64], b: &[f64], expected: &[f64]) {
    let shape = format!("{dtype}[{}]", a.len());
    let text = format!(
        "%0 = input argument 0 : {shape}\n%1 = input argument 1 : {shape}\n%2 = {op} %0, %1 : {shape}\n\
         output result 0 = %2"
    );
    check(&text, &[a, b], expected);
}

#[test]
fn integers_wrap_and_division_by_zero_is_zero() {
    check_binary("add", "i32", &[2147483647.0, -1.0], &[1.0, 1.0], &[-2147483648.0, 0.0]);
    check_binary("add", "u8", &[250.0], &[10.0], &[4.0]);
    check_binary("sub", "u32", &[0.0], &[1.0], &[4294967295.0]);
    check_binary("mul", "i32", &[65536.0], &[65536.0], &[0.0]);
    check_binary(
        "div",
        "i32",
        &[7.0, -7.0, 7.0, -2147483648.0],
        &[2.0, 2.0, 0.0, -1.0],
        &[3.0, -3.0, 0.0, -2147483648.0],
    );
    check_binary("rem", "i32", &[7.0, -7.0, 7.0], &[3.0, 3.0, 0.0], &[1.0, -1.0, 0.0]);
    check_binary("xor", "u8", &[12.0], &[10.0], &[6.0]);
    let negated = "%0 = input argument 0 : u32[2]\n%1 = neg %0 : u32[2]\noutput result 0 = %1";
    check(negated, &[&[0.0, 1.0]], &[0.0, 4294967295.0]);
}

#[test]
fn floats_follow_ieee_and_keep_nan() {
    check_binary("max", "f32", &[NAN, 1.0, 1.0], &[1.0, NAN, 2.0], &[NAN, NAN, 2.0]);
    check_binary("min", "f32", &[NAN, 1.0, 1.0], &[1.0, NAN, 2.0], &[NAN, NAN, 1.0]);
    check_binary("div", "f32", &[1.0, -1.0, 0.0], &[0.0, 0.0, 0.0], &[INF, -INF, NAN]);
    check_binary("rem", "f32", &[5.5, -5.5, 1.0], &[2.0, 2.0, 0.0], &[1.5, -1.5, NAN]);
    for (op, expected) in [("sign", [NAN, 0.0, -1.0]), ("round", [NAN, 0.0, -2.0]), ("abs", [NAN, 0.0, 2.5])] {
        let text = format!("%0 = input argument 0 : f32[3]\n%1 = {op} %0 : f32[3]\noutput result 0 = %1");
        check(&text, &[&[NAN, 0.0, -2.5]], &expected);
    }
}

#[test]
fn comparisons_with_nan() {
    for (op, expected) in [
        ("eq", [0.0, 1.0]),
        ("ne", [1.0, 0.0]),
        ("lt", [0.0; 2]),
        ("le", [0.0, 1.0]),
        ("gt", [0.0; 2]),
        ("ge", [0.0, 1.0]),
    ] {
        let text = format!(
            "%0 = input argument 0 : f32[2]\n%1 = input argument 1 : f32[2]\n%2 = {op} %0, %1 : bool[2]\n\
             output result 0 = %2"
        );
        check(&text, &[&[NAN, 1.0], &[1.0, 1.0]], &expected);
    }
}

#[test]
fn casts_truncate_saturate_and_wrap() {
    let cast = |from: &str, to: &str, x: f64, expected: f64| {
        let text = format!("%0 = input argument 0 : {from}[1]\n%1 = cast %0 : {to}[1]\noutput result 0 = %1");
        check(&text, &[&[x]], &[expected]);
    };
    for (to, x, expected) in [
        ("i32", -2.9, -2.0),
        ("i32", 1e20, 2147483647.0),
        ("i32", NAN, 0.0),
        ("u8", -3.0, 0.0),
        ("u8", 300.0, 255.0),
        ("u32", -1.0, 0.0),
        ("bool", 0.5, 1.0),
        ("bool", 0.0, 0.0),
    ] {
        cast("f32", to, x, expected);
    }
    cast("i32", "u8", 257.0, 1.0);
    cast("i32", "u32", -1.0, 4294967295.0);
    cast("u32", "i32", 4294967295.0, -1.0);
    cast("i32", "f32", -7.0, -7.0);
    cast("bool", "f32", 1.0, 1.0);
}

#[test]
fn typed_values_are_rounded() {
    let text = "%0 = input argument 0 : f32[1]\n%1 = cast %0 : f16[1]\n%2 = cast %1 : f32[1]\noutput result 0 = %2";
    check_typed(text, &[&[0.1]], &[0.0999755859375], Precision::Typed);
    check(text, &[&[0.1]], &[0.1]);
    let text = "%0 = constant 0.1 : f32[1]\noutput result 0 = %0";
    check_typed(text, &[], &[f64::from(0.1f32)], Precision::Typed);
    let text = "%0 = input argument 0 : f32[2]\n%1 = cast %0 : bf16[2]\noutput result 0 = %1";
    check_typed(text, &[&[1.00390625, 3.0e38]], &[1.0, f64::from(half::bf16::from_f32(3.0e38))], Precision::Typed);
}

#[test]
fn views_read_zero_outside_and_between() {
    let view = |source: &str, index: &str, shape: &str, expected: &[f64]| {
        let text =
            format!("%0 = input argument 0 : f32{source}\n%1 = view %0 {index} : f32{shape}\noutput result 0 = %1");
        let count = expected.len().max(16);
        let values: Vec<f64> = (1..=count).map(|i| i as f64).collect();
        let elements = match source {
            "[4]" => 4,
            "[N]" => 3,
            "[2, 3]" => 6,
            other => panic!("{other}"),
        };
        check(&text, &[&values[..elements]], expected);
    };
    view("[4]", "[$0 - 1]", "[6]", &[0.0, 1.0, 2.0, 3.0, 4.0, 0.0]);
    view("[4]", "[$0*-1 + 3]", "[4]", &[4.0, 3.0, 2.0, 1.0]);
    view("[4]", "[$0 over 2]", "[5]", &[1.0, 0.0, 2.0, 0.0, 3.0]);
    view("[4]", "[$0*-1 - 1 over 3]", "[3]", &[0.0, 0.0, 0.0]);
    view("[4]", "[$0 + $1]", "[3, 2]", &[1.0, 2.0, 2.0, 3.0, 3.0, 4.0]);
    view("[2, 3]", "[$1, $0]", "[3, 2]", &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
    view("[2, 3]", "[$0, $0]", "[2]", &[1.0, 5.0]);
    view("[N]", "[N - 1]", "[2]", &[3.0, 3.0]);
    let text = "%0 = constant true : bool[2]\n%1 = view %0 [$0 - 1] : bool[3]\noutput result 0 = %1";
    check(text, &[], &[0.0, 1.0, 1.0]);
}

#[test]
fn reductions() {
    let reduce = |op: &str, shape: &str, axes: &str, to: &str, x: &[f64], expected: &[f64]| {
        let text =
            format!("%0 = input argument 0 : {shape}\n%1 = reduce {op} %0 over {axes} : {to}\noutput result 0 = %1");
        check(&text, &[x], expected);
    };
    let x = [1.0, 5.0, 3.0, 4.0, 2.0, 5.0];
    reduce("sum", "f32[2, 3]", "[0]", "f32[3]", &x, &[5.0, 7.0, 8.0]);
    reduce("prod", "f32[2, 3]", "[1]", "f32[2]", &x, &[15.0, 40.0]);
    reduce("max", "f32[2, 3]", "[0, 1]", "f32[]", &x, &[5.0]);
    reduce("argmax", "f32[2, 3]", "[0, 1]", "i32[]", &x, &[1.0]);
    reduce("argmin", "f32[2, 3]", "[1]", "i32[2]", &x, &[0.0, 1.0]);
    reduce("argmax", "f32[3]", "[0]", "i32[]", &[1.0, NAN, 3.0], &[1.0]);
    reduce("max", "f32[3]", "[0]", "f32[]", &[1.0, NAN, 3.0], &[NAN]);
    reduce("sum", "u8[3]", "[0]", "u8[]", &[200.0, 50.0, 10.0], &[4.0]);
    for (op, neutral) in [("sum", 0.0), ("prod", 1.0), ("max", -INF), ("min", INF)] {
        reduce(op, "f32[2, 0]", "[1]", "f32[2]", &[], &[neutral, neutral]);
    }
    reduce("argmax", "f32[2, 0]", "[1]", "i32[2]", &[], &[0.0, 0.0]);
    reduce("max", "i32[0]", "[0]", "i32[]", &[], &[-2147483648.0]);
}

#[test]
fn products() {
    let text = "%0 = input argument 0 : f32[2, 2, 2]\n%1 = input argument 1 : f32[2, 2, 1]\n\
                %2 = matmul %0, %1 : f32[2, 2, 1]\noutput result 0 = %2";
    check(text, &[&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], &[1.0, 10.0, 2.0, 1.0]], &[21.0, 43.0, 16.0, 22.0]);
    // Two groups, each with its own 1x2 kernel; stride 2, dilation 2, padding 1 along the width.
    let text = "%0 = input argument 0 : f32[1, 2, 1, 4]\n%1 = input argument 1 : f32[2, 1, 1, 2]\n\
                %2 = conv2d %0, %1 stride [1, 2] padding [0, 1] dilation [1, 2] groups 2 : f32[1, 2, 1, 2]\n\
                output result 0 = %2";
    let (x, w) = ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0], [1.0, 10.0, 100.0, 1000.0]);
    check(text, &[&x, &w], &[20.0, 42.0, 6000.0, 8600.0]);
}

#[test]
fn rows_out_of_range_are_zero_or_left_out() {
    let text = "%0 = input argument 0 : f32[2, 2]\n%1 = input argument 1 : i32[N]\n%2 = gather %0, %1 : f32[N, 2]\n\
                output result 0 = %2";
    check(text, &[&[1.0, 2.0, 3.0, 4.0], &[1.0, -1.0, 2.0]], &[3.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
    let text = "%0 = input argument 0 : u32[N]\n%1 = input argument 1 : f32[N]\n\
                %2 = scatter_add %0, %1 : f32[2]\noutput result 0 = %2";
    check(text, &[&[1.0, 7.0, 1.0], &[1.0, 2.0, 4.0]], &[0.0, 5.0]);
}

#[test]
fn random_numbers_are_philox_by_position() {
    let text = "%0 = input scalar 0 : u32[]\n%1 = random %0 stream 5 : f32[N, 3]\noutput result 0 = %1";
    let expected: Vec<f64> = (0..9).map(|i| f64::from(philox::uniform(4000000000, 5, i))).collect();
    check(text, &[&[4000000000.0]], &expected);
}

#[test]
fn coordinates_and_sizes() {
    check("%0 = iota 0 : f32[N, 2]\noutput result 0 = %0", &[], &[0.0, 0.0, 1.0, 1.0, 2.0, 2.0]);
    check("%0 = iota 1 : i64[N, 2]\noutput result 0 = %0", &[], &[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]);
    check("%0 = size N*2 + 1 : f32[]\noutput result 0 = %0", &[], &[7.0]);
    check("%0 = size N*2 - 7 : i32[]\noutput result 0 = %0", &[], &[-1.0]);
    check("%0 = constant 1.0 : f32[N - 3]\noutput result 0 = %0", &[], &[]);
}

#[test]
fn bad_use_is_an_error() {
    let message = |text: &str, inputs: &[&[f64]]| result(text, inputs, Precision::F64).unwrap_err().message;
    let input = "%0 = input argument 0 : f32[2]  # x\noutput result 0 = %0";
    assert_eq!(message(input, &[]), "the input `x` (Argument(0)) is missing");
    let unbound = "%0 = constant 1.0 : f32[M]\noutput result 0 = %0";
    assert_eq!(message(unbound, &[]), "the size [M] is unknown or negative");
    assert_eq!(
        message("%0 = constant 1.0 : f32[N - 4]\noutput result 0 = %0", &[]),
        "the size [N - 4] is unknown or negative"
    );
    assert_eq!(message("%0 = size M : f32[]\noutput result 0 = %0", &[]), "the size M is unknown or negative");
    let huge = "%0 = constant 1.0 : f32[N*4000000000, 4000000000]\noutput result 0 = %0";
    assert!(message(huge, &[]).ends_with("is too large to evaluate"));
    let broken = "%0 = constant 1.0 : f32[2]\n%1 = not %0 : f32[2]\noutput result 0 = %1";
    assert!(message(broken, &[]).ends_with("(G04)"));
    let wrong = HostTensor::new(DType::F32, vec![2], TensorData::Int(vec![1, 2])).unwrap_err();
    assert_eq!(wrong.message, "2 integer elements do not make a tensor f32[2]");
    let wrong = HostTensor::from_f64(DType::U8, &[3], &[1.0]).unwrap_err();
    assert_eq!(wrong.message, "1 integer elements do not make a tensor u8[3]");
}
