//! Order of rows of every length, against Rust's own; what is said of rows that cannot be ordered.

use super::messages::{Arg, said};
use netcl_kernels::dim::{Dim, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::interp::{HostTensor, Precision, evaluate};
use netcl_kernels::graph::{Graph, InputKind, OutputKind};
use netcl_kernels::ops::{self, Value};
use netcl_kernels::philox;
use std::cmp::Ordering;

fn int(value: i64) -> Value {
    Value::Dim(Dim::constant(value))
}

fn call(builder: &mut Builder, name: &str, args: &[Value]) -> netcl_kernels::graph::NodeId {
    let operation = ops::find(name).unwrap_or_else(|| panic!("no operation `{name}`"));
    ops::call(builder, operation, args).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn results(graph: &Graph, bindings: &[(Symbol, u64)], x: &HostTensor) -> Vec<Vec<f64>> {
    let inputs = |kind: &InputKind, _: &str| (*kind == InputKind::Argument(0)).then(|| x.clone());
    let all = evaluate(graph, bindings, &inputs, Precision::F64).expect("evaluates");
    all.into_iter().map(|(_, tensor)| tensor.to_f64()).collect()
}

/// Sorted rows `[rows, length]` and their positions.
fn sorted(shape: Shape, descending: bool) -> Graph {
    let mut b = Builder::new("order");
    let x = b.input(InputKind::Argument(0), "x", shape, DType::F32);
    for (position, name) in ["sort", "argsort"].into_iter().enumerate() {
        let y = call(&mut b, name, &[Value::Tensor(x), int(-1), Value::Bool(descending)]);
        b.output(OutputKind::Result(position), y);
    }
    b.finish()
}

/// Lengths around those of one step, of several, and of runs that are left over; each known and not.
#[test]
fn rows_of_all_lengths_are_sorted_and_equal_elements_keep_their_order() {
    for length in [1, 2, 3, 31, 63, 64, 65, 127, 128, 511, 512, 513, 1000, 4097] {
        for (descending, known) in [(false, true), (true, true), (true, false)] {
            let rows = 2;
            let value = |i: u32| {
                if i.is_multiple_of(17) { f64::NAN } else { f64::from(philox::uniform(1, 0, i.into()) * 40.0).floor() }
            };
            let values: Vec<f64> = (0..rows * length).map(value).collect();
            let (dim, bindings) = if known {
                (Dim::from(length as usize), Vec::new())
            } else {
                (Dim::symbol("N"), vec![(Symbol::new("N"), u64::from(length))])
            };
            let graph = sorted(Shape(vec![Dim::from(rows as usize), dim]), descending);
            let x = HostTensor::from_f64(DType::F32, &[rows as usize, length as usize], &values).expect("rows");
            let found = results(&graph, &bindings, &x);
            for row in 0..rows as usize {
                let part = row * length as usize..(row + 1) * length as usize;
                let own = &values[part.clone()];
                // A NaN is the largest.
                let larger = |a: &f64, b: &f64| a.partial_cmp(b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()));
                let mut order: Vec<usize> = (0..own.len()).collect();
                order.sort_by(|&a, &b| {
                    let ascending: Ordering = larger(&own[a], &own[b]);
                    if descending { ascending.reverse() } else { ascending }
                });
                let places: Vec<f64> = order.iter().map(|&place| place as f64).collect();
                assert_eq!(found[1][part.clone()], places, "{length} {descending} {known}");
                let expected: Vec<u64> = order.iter().map(|&place| own[place].to_bits()).collect();
                let found: Vec<u64> = found[0][part].iter().map(|value| value.to_bits()).collect();
                assert_eq!(found, expected, "{length} {descending} {known}");
            }
        }
    }
}

/// Nothing is taken between an element and itself, where PyTorch gives NaN.
#[test]
fn an_infinite_element_is_a_quantile() {
    let mut b = Builder::new("quantile");
    let x = b.input(InputKind::Argument(0), "x", Shape::of(&[5]), DType::F32);
    let y = call(&mut b, "quantile", &[Value::Tensor(x), Value::Number(0.5), int(0)]);
    b.output(OutputKind::Result(0), y);
    let (infinity, one) = (f64::INFINITY, 1.0);
    let x = HostTensor::from_f64(DType::F32, &[5], &[infinity, one, infinity, -infinity, infinity]).expect("a row");
    assert_eq!(results(&b.finish(), &[], &x), [[infinity]]);
}

/// The distance of the ends, and as many times it as there are bins, may be past f32's numbers.
#[test]
fn bins_between_any_ends_are_counted() {
    let cases: [(f64, f64, &[f64], [f64; 3]); 6] = [
        (-1e38, 1e38, &[0.0, 1.0, -9e37, 2e38], [1.0, 2.0, 0.0]),
        (-1.5e38, 1.5e38, &[0.0, 1.0, -1.4e38, 1.4e38], [1.0, 2.0, 1.0]),
        (-3e38, 3e38, &[0.0, 1.0, f64::INFINITY, f64::NAN], [0.0, 2.0, 0.0]),
        (-1e39, 1e39, &[0.0, 1.0, 3e38, f64::NEG_INFINITY], [0.0, 3.0, 0.0]),
        (-1e300, 1e300, &[0.0, 1.0, 3e38, f64::INFINITY], [0.0, 3.0, 0.0]),
        (0.0, 3e-38, &[0.0, 1.5e-38, 2.9e-38, 1.0], [1.0, 1.0, 1.0]),
    ];
    for (min, max, values, counts) in cases {
        let mut b = Builder::new("histogram");
        let x = b.input(InputKind::Argument(0), "x", Shape::of(&[4]), DType::F32);
        let y = call(&mut b, "histogram", &[Value::Tensor(x), int(3), Value::Number(min), Value::Number(max)]);
        b.output(OutputKind::Result(0), y);
        let x = HostTensor::from_f64(DType::F32, &[4], values).expect("a row");
        assert_eq!(results(&b.finish(), &[], &x), [counts], "{min}..{max}");
    }
}

#[test]
fn bytes_are_in_order() {
    let mut b = Builder::new("bytes");
    let x = b.input(InputKind::Argument(0), "x", Shape::of(&[6]), DType::U8);
    let y = call(&mut b, "sort", &[Value::Tensor(x), int(0), Value::Bool(true)]);
    assert_eq!(b.dtype(y), DType::U8);
    b.output(OutputKind::Result(0), y);
    let x = HostTensor::from_f64(DType::U8, &[6], &[3.0, 255.0, 2.0, 3.0, 0.0, 128.0]).expect("a row");
    assert_eq!(results(&b.finish(), &[], &x), [[255.0, 128.0, 3.0, 3.0, 2.0, 0.0]]);
}

/// The work of a row grows as its length and the logarithm's square do: no step compares all elements with all.
#[test]
fn long_rows_take_more_steps_and_not_longer_ones() {
    let steps = |length: usize| {
        let graph = sorted(Shape(vec![Dim::from(3), Dim::from(length)]), false);
        graph.nodes.iter().filter(|node| matches!(node.op, netcl_kernels::graph::Op::Custom { .. })).count()
    };
    assert_eq!([64, 65, 512, 513, 1 << 20].map(steps), [1, 2, 2, 3, 6]);
}

#[test]
fn what_cannot_be_ordered_is_said() {
    use Arg::Tensor;
    use DType::{Bool, F32, I32};
    let int = |value: i64| Arg::Value(int(value));
    let number = |value: f64| Arg::Value(Value::Number(value));
    let no = || Arg::Value(Value::Bool(false));
    let pair = || Tensor(F32, &[2, 3]);
    let cases: Vec<(&str, Vec<Arg>, &str)> = vec![
        ("sort", vec![pair(), int(2), no()], "`sort` names axis 2 of [2, 3], which has 2 axes"),
        ("sort", vec![Tensor(F32, &[]), int(0), no()], "`sort` names axis 0 of [], which has 0 axes"),
        (
            "argsort",
            vec![Tensor(F32, &[2, 1 << 30]), int(1), no()],
            "`argsort` counts up to 1073741824 elements, [2, 1073741824] has 2147483648",
        ),
        ("topk", vec![pair(), int(4), int(1)], "`topk` expects a `k` of at most 3, as axis 1 of [2, 3] has, found 4"),
        ("topk_indices", vec![pair(), int(-1), int(1)], "`topk_indices` expects a `k` of at least 0, found -1"),
        ("kthvalue", vec![pair(), int(0), int(1)], "`kthvalue` expects a `k` of at least 1, found 0"),
        (
            "kthvalue",
            vec![pair(), int(3), int(0)],
            "`kthvalue` expects a `k` of at most 2, as axis 0 of [2, 3] has, found 3",
        ),
        (
            "median",
            vec![Tensor(F32, &[2, 0]), int(1)],
            "`median` expects at least one element along axis 1, found [2, 0]",
        ),
        ("quantile", vec![pair(), number(1.5), int(1)], "`quantile` expects a `q` from 0 to 1, found 1.5"),
        ("quantile", vec![Tensor(I32, &[2]), number(0.5), int(0)], "`quantile` expects a float tensor, found i32"),
        (
            "searchsorted",
            vec![pair(), Tensor(F32, &[3, 3]), no()],
            "`searchsorted` in [2, 3] expects values [.., m] with the same leading axes, found [3, 3]",
        ),
        (
            "searchsorted",
            vec![pair(), Tensor(I32, &[2, 3]), no()],
            "`searchsorted` expects values of the sorted elements' type, f32, found i32",
        ),
        (
            "searchsorted",
            vec![Tensor(F32, &[]), pair(), no()],
            "`searchsorted` expects sorted elements [.., n], found one number",
        ),
        ("bucketize", vec![pair(), pair(), no()], "`bucketize` expects sorted boundaries [n], found [2, 3]"),
        (
            "histogram",
            vec![pair(), int(4), number(1.0), number(1.0)],
            "`histogram` expects a `min` below `max`, found 1 and 1",
        ),
        (
            "histogram",
            vec![pair(), int(0), number(0.0), number(1.0)],
            "`histogram` expects at least 1 of `bins`, found 0",
        ),
        (
            "histogram",
            vec![Tensor(Bool, &[2]), int(3), number(0.0), number(1.0)],
            "`histogram` expects a float tensor, found bool",
        ),
        ("bincount", vec![pair(), int(3)], "`bincount` expects i32 or u32 numbers, found f32"),
    ];
    for (operation, args, expected) in cases {
        assert_eq!(said(operation, &args), expected);
    }
}

/// How many there are need not be known, but must be enough.
#[test]
fn of_rows_of_unknown_length_as_many_are_taken_as_there_are() {
    let mut b = Builder::new("largest");
    let x = b.input(InputKind::Argument(0), "x", Shape(vec![Dim::symbol("N")]), DType::F32);
    for (position, (name, args)) in [
        ("topk", vec![Value::Tensor(x), int(3), int(0)]),
        ("kthvalue", vec![Value::Tensor(x), int(2), int(0)]),
        ("median", vec![Value::Tensor(x), int(0)]),
        ("quantile", vec![Value::Tensor(x), Value::Number(0.25), int(0)]),
    ]
    .into_iter()
    .enumerate()
    {
        let y = call(&mut b, name, &args);
        b.output(OutputKind::Result(position), y);
    }
    let graph = b.finish();
    let limits: Vec<String> = graph.limits.iter().map(|limit| limit.words.concat()).collect();
    assert!(limits.iter().any(|words| words == "`topk` takes  elements along axis 0 of [N], which has"), "{limits:?}");
    let x = HostTensor::from_f64(DType::F32, &[5], &[3.0, 1.0, 7.0, 2.0, 5.0]).expect("a row");
    let found = results(&graph, &[(Symbol::new("N"), 5)], &x);
    assert_eq!(found, [vec![7.0, 5.0, 3.0], vec![2.0], vec![3.0], vec![2.0]]);
}

/// Between an infinite element and another one, and where what is between them is larger than all numbers. Between both infinities there
/// is no proportion.
#[test]
fn quantiles_beside_infinite_elements() {
    let (infinity, nan, huge) = (f64::INFINITY, f64::NAN, f64::MAX);
    let cases: [(&[f64], f64, f64); 11] = [
        (&[-infinity, 1.0], 0.0, -infinity),
        (&[-infinity, 1.0], 0.3, -infinity),
        (&[-infinity, 1.0], 0.75, -infinity),
        (&[-infinity, 1.0], 1.0, 1.0),
        (&[1.0, infinity], 0.25, infinity),
        (&[1.0, infinity], 0.0, 1.0),
        (&[-1.0, 1.0, infinity, infinity], 0.75, infinity),
        (&[-infinity, infinity], 0.5, nan),
        (&[-huge, huge], 0.5, 0.0),
        (&[1.0, 4.0, 3.0], 0.25, 2.0),
        (&[1.0, nan, infinity], 0.25, nan),
    ];
    for (values, q, expected) in cases {
        let mut b = Builder::new("quantile");
        let x = b.input(InputKind::Argument(0), "x", Shape::of(&[values.len()]), DType::F64);
        let y = call(&mut b, "quantile", &[Value::Tensor(x), Value::Number(q), int(0)]);
        b.output(OutputKind::Result(0), y);
        let x = HostTensor::from_f64(DType::F64, &[values.len()], values).expect("a row");
        let found = results(&b.finish(), &[], &x)[0][0];
        assert!(
            found == expected || found.is_nan() && expected.is_nan(),
            "{q} of {values:?}: {found}, expected {expected}"
        );
    }
}
