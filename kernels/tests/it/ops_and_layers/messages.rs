//! Every message of operations, layers and the graph's builder has a case that shows it: in this table, in `errors.rs`, or
//! in a UI case of the macros.

use netcl_kernels::autodiff::{Arguments, append_vjp};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{AxisIndex, ConvGeometry, InputKind, NodeId, OutputKind, ReduceOp};
use netcl_kernels::layers::{Init, TensorSpec};
use netcl_kernels::ops::{self, Value};
use netcl_kernels::span::Diagnostic;
use std::path::{Path, PathBuf};

/// An argument of a case.
#[derive(Clone)]
pub(super) enum Arg {
    Tensor(DType, &'static [usize]),
    Tensors(&'static [(DType, &'static [usize])]),
    Value(Value),
}

/// What the operation says of these arguments.
pub(super) fn said(operation: &str, args: &[Arg]) -> String {
    let mut builder = Builder::new("bad");
    let mut inputs = 0;
    let mut tensor = |dtype: DType, shape: &[usize]| {
        inputs += 1;
        Value::Tensor(builder.input(InputKind::Argument(inputs - 1), "x", Shape::of(shape), dtype))
    };
    let args: Vec<Value> = args
        .iter()
        .map(|arg| match arg {
            Arg::Tensor(dtype, shape) => tensor(*dtype, shape),
            Arg::Tensors(list) => Value::List(list.iter().map(|(dtype, shape)| tensor(*dtype, shape)).collect()),
            Arg::Value(value) => value.clone(),
        })
        .collect();
    match ops::call(&mut builder, ops::find(operation).expect("an operation"), &args) {
        Ok(_) => panic!("`{operation}` accepts it"),
        Err(error) => error.message,
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of messages")]
fn operations_say_what_does_not_fit() {
    use Arg::{Tensor, Tensors};
    use DType::{Bool, F16, F32, I32, U32};
    let int = |value: i64| Arg::Value(Value::Dim(Dim::constant(value)));
    let ints = |values: &[i64]| Arg::Value(Value::List(values.iter().map(|&v| Value::Dim(Dim::constant(v))).collect()));
    let number = |value: f64| Arg::Value(Value::Number(value));
    let no = || Arg::Value(Value::Bool(false));
    let [one, two] = [int(1), int(2)];
    let image = || Tensor(F32, &[1, 3, 5, 5]);
    let pair = || Tensor(F32, &[2, 3]);
    let convolution = |x: Arg, weight: Arg| vec![x, weight, one.clone(), int(0), one.clone(), one.clone()];
    let cases: Vec<(&str, Vec<Arg>, &str)> = vec![
        (
            "upsample_nearest2d",
            vec![pair(), two.clone()],
            "`upsample_nearest2d` expects a tensor [n, c, h, w], found [2, 3]",
        ),
        (
            "upsample_bilinear2d",
            vec![image(), int(0)],
            "`upsample_bilinear2d` expects a `scale` of at least 1, found 0",
        ),
        (
            "upsample_bilinear2d",
            vec![image(), Arg::Value(Value::List(vec![Value::Dim(Dim::symbol("H"))]))],
            "`upsample_bilinear2d` expects an integer constant of at least 1 as `scale`, found H",
        ),
        (
            "matmul",
            vec![pair(), Tensor(F32, &[4, 2])],
            "`matmul` cannot multiply [2, 3] by [4, 2]: the left has 3 columns, the right 4 rows",
        ),
        (
            "matmul",
            vec![pair(), Tensor(F16, &[3, 2])],
            "`matmul` expects two float tensors of one type, found f32 and f16",
        ),
        (
            "matmul",
            vec![Tensor(F32, &[3]), pair()],
            "`matmul` expects tensors of at least 2 axes, found [3] and [2, 3]",
        ),
        ("add", vec![pair(), Tensor(I32, &[2, 3])], "`add` expects operands of one type, found f32 and i32"),
        (
            "add",
            vec![pair(), Tensor(F32, &[2, 4])],
            "`add` cannot combine shapes [2, 3] and [2, 4]: axis 1 is 3 on the left and 4 on the right",
        ),
        ("neg", vec![Tensor(Bool, &[2])], "`neg` is not defined for bool tensors"),
        ("broadcast_to", vec![pair(), ints(&[3])], "[2, 3] does not broadcast to [3]"),
        ("broadcast_to", vec![pair(), ints(&[2, 4])], "[2, 3] does not broadcast to [2, 4]"),
        ("select", vec![pair(), pair(), pair()], "`select` expects a bool condition, found f32"),
        ("gather", vec![pair(), Tensor(F32, &[2])], "`gather` expects i32 or u32 indices, found f32"),
        (
            "gather",
            vec![Tensor(F32, &[]), Tensor(U32, &[2])],
            "`gather` expects a source of at least 1 axis, found a scalar",
        ),
        ("mean", vec![Tensor(I32, &[2]), int(0)], "`mean` is not defined for i32 tensors"),
        ("sum", vec![Tensor(Bool, &[2]), int(0)], "`sum` is not defined for bool tensors"),
        ("permute", vec![pair(), ints(&[0])], "`permute` of [2, 3] expects each axis once, found [0]"),
        ("unsqueeze", vec![Tensor(F32, &[1; 64]), int(0)], "`unsqueeze` would give 65 axes, a tensor has at most 64"),
        ("t", vec![Tensor(F32, &[2])], "`t` expects at least 2 axes, found [2]"),
        (
            "pad_reflect",
            vec![Tensor(F32, &[3, 4]), int(0), int(3), int(0)],
            "`pad_reflect` of 3 elements on a side along axis 0 of [3, 4], which has 3",
        ),
        (
            "pad_circular",
            vec![Tensor(F32, &[3, 4]), int(0), int(0), int(4)],
            "`pad_circular` of 4 elements on a side along axis 0 of [3, 4], which has 3",
        ),
        (
            "pad_replicate",
            vec![Tensor(F32, &[0, 4]), int(0), int(1), int(0)],
            "`pad_replicate` of 1 element on a side along axis 0 of [0, 4], which has 0",
        ),
        (
            "pad_replicate",
            vec![pair(), int(0), int(i64::MAX), int(0)],
            "`pad_replicate` makes axis 0 of [2, 3] longer than 2147483647 elements, found 9223372036854775807 before and 0 \
             behind",
        ),
        (
            "adaptive_avg_pool2d",
            vec![Tensor(F32, &[1, 3, 0, 5]), int(2)],
            "`adaptive_avg_pool2d` expects at least 1 pixel along axis 2 of [1, 3, 0, 5], found 0",
        ),
        ("xlogy", vec![pair(), Tensor(Bool, &[2, 3])], "`xlogy` expects a float tensor, found bool"),
        (
            "conv1d",
            vec![Tensor(F32, &[1, 3, 5]), Tensor(F32, &[4, 2, 3]), one.clone(), int(0), one.clone(), one.clone()],
            "`conv1d` expects 2 input channels, found 3",
        ),
        ("reshape", vec![pair(), ints(&[4, 2])], "`reshape` cannot turn [2, 3] (6 elements) into [4, 2] (8 elements)"),
        (
            "concat",
            vec![pair(), Tensors(&[(F32, &[2, 4])]), int(0)],
            "`concat` along axis 0 of f32 [2, 3] expects others that differ in that axis alone, found f32 [2, 4]: \
             axis 1 is 3 against 4",
        ),
        (
            "stack",
            vec![pair(), Tensors(&[(F32, &[2, 4])]), int(0)],
            "`stack` expects tensors of one shape, found [2, 3] and [2, 4]: axis 1 is 3 against 4",
        ),
        (
            "scaled_dot_product_attention",
            vec![Tensor(F32, &[5, 8]), Tensor(F32, &[5, 4]), Tensor(F32, &[5, 8]), no()],
            "`scaled_dot_product_attention` expects queries and keys of one width, found 8 and 4",
        ),
        (
            "scaled_dot_product_attention",
            vec![Tensor(F32, &[5, 8]), Tensor(F32, &[8]), Tensor(F32, &[5, 8]), no()],
            "`scaled_dot_product_attention` expects `k` with at least 2 axes, found [8]",
        ),
        (
            "index_select",
            vec![pair(), int(0), Tensor(U32, &[2, 2])],
            "`index_select` expects indices with one axis, found [2, 2]",
        ),
        ("one_hot", vec![Tensor(U32, &[2]), int(0)], "`one_hot` expects at least 1 class, found 0"),
        ("tril", vec![Tensor(F32, &[2]), int(0)], "`tril` expects at least 2 axes, found [2]"),
        ("huber_loss", vec![pair(), pair(), number(0.0)], "`huber_loss` expects a `delta` above 0, found 0"),
        (
            "smooth_l1_loss",
            vec![pair(), pair(), number(-1.0)],
            "`smooth_l1_loss` expects a `beta` of at least 0, found -1",
        ),
        (
            "max_pool2d",
            vec![image(), int(-1), one.clone(), int(0), one.clone()],
            "`max_pool2d` expects an integer constant of at least 0 as `kernel`, found -1",
        ),
        (
            "avg_pool2d",
            vec![image(), two.clone(), ints(&[1, 2, 3]), int(0)],
            "`avg_pool2d` expects one integer or [height, width] as `stride`, found a list of 3",
        ),
        (
            "conv2d",
            convolution(image(), Tensor(F16, &[4, 3, 3, 3])),
            "`conv2d` expects two float tensors of one type, found f32 and f16",
        ),
        (
            "conv2d",
            convolution(image(), Tensor(F32, &[4, 3, 3])),
            "`conv2d` expects input [n, c, h, w] and weight [o, c, kh, kw], found [1, 3, 5, 5] and [4, 3, 3]",
        ),
        (
            "conv2d",
            vec![image(), Tensor(F32, &[4, 3, 3, 3]), one.clone(), int(0), one.clone(), int(0)],
            "`conv2d` expects at least 1 group, found 0",
        ),
        (
            "conv2d",
            vec![image(), Tensor(F32, &[4, 3, 3, 3]), int(i64::MAX), int(0), one.clone(), one.clone()],
            "`conv2d` expects an integer constant of at most 2147483647 as `stride`, found 9223372036854775807",
        ),
        (
            "clamp",
            vec![pair(), number(-1e300), number(1.0)],
            "`clamp` cannot combine a f32 tensor with -1e300, which f32 cannot hold",
        ),
        ("conv2d", convolution(image(), Tensor(F32, &[4, 2, 3, 3])), "`conv2d` expects 2 input channels, found 3"),
        ("conv2d", convolution(image(), Tensor(F32, &[4, 3, 7, 7])), "`conv2d`: a window of 7 does not fit into 5"),
        (
            "conv2d",
            vec![Tensor(F32, &[1, 4, 5, 5]), Tensor(F32, &[3, 2, 3, 3]), one.clone(), int(0), one.clone(), two.clone()],
            "`conv2d` cannot split 3 output channels into 2 groups",
        ),
    ];
    let told: Vec<String> = cases.iter().map(|(operation, args, _)| said(operation, args)).collect();
    let expected: Vec<&str> = cases.iter().map(|(.., expected)| *expected).collect();
    assert_eq!(told, expected);
}

/// The graph's own methods, which layers and both drivers call.
#[test]
fn the_builder_says_what_does_not_fit() {
    let mut b = Builder::new("bad");
    let n = Dim::symbol("N");
    let x = b.input(InputKind::Argument(0), "x", Shape::of(&[1, 3, 5, 5]), DType::F32);
    let weight = b.input(
        InputKind::Parameter,
        "w",
        Shape([4, 3].map(Dim::from).into_iter().chain([n.clone(), n.clone()]).collect()),
        DType::F32,
    );
    let seed = b.input(InputKind::Scalar(0), "seed", Shape::scalar(), DType::F32);
    let message = |result: Result<NodeId, Diagnostic>| result.expect_err("a mistake").message;
    assert_eq!(message(b.reduce(ReduceOp::Sum, x, &[0, 0], false)), "`sum` names an axis twice: [0, 0]");
    let expected = "`conv2d` expects a kernel of fixed size, found [4, 3, N, N]";
    assert_eq!(message(b.conv2d(x, weight, ConvGeometry::default())), expected);
    assert_eq!(message(b.random(seed, &Shape::of(&[2]))), "`random` expects a u32 scalar as seed, found f32 []");
    assert_eq!(message(b.dim(&n, DType::Bool)), "the size N is a number, not a bool");
    assert_eq!(message(b.iota(&Shape::of(&[2]), 1, DType::I32)), "`iota` names axis 1 of [2], which has 1 axes",);
    assert_eq!(
        message(b.view(x, Shape::of(&[2]), vec![AxisIndex::axis(0)])),
        "a view of [1, 3, 5, 5] needs 4 coordinates, found 1",
    );
    let shape = vec![n.clone()];
    let init = Init::Constant(0.0);
    let spec = TensorSpec { name: "weight", shape, dtype: DType::F32, init, trainable: true };
    let error = spec.fixed().expect_err("a mistake");
    assert_eq!(error.message, "`weight` expects a number for a size, found N");
}

#[test]
fn gradients_say_what_has_none() {
    let mut b = Builder::new("whole");
    let x = b.input(InputKind::Argument(0), "x", Shape::of(&[4]), DType::I32);
    b.output(OutputKind::Result(0), x);
    let error = append_vjp(b.finish(), Arguments::Floats).expect_err("a mistake");
    assert_eq!(error.message, "`whole` has no float result to differentiate");

    // Two coordinates whose elimination multiplies their coefficients.
    let mut b = Builder::new("far");
    let far = i64::MAX / 2;
    let x = b.input(InputKind::Argument(0), "x", Shape::of(&[4, 4]), DType::F32);
    let along = |terms: Vec<(usize, i64)>| AxisIndex { terms, offset: Dim::constant(0), divisor: 1 };
    let index = vec![along(vec![(0, far), (1, far - 1)]), along(vec![(0, far - 2), (1, far - 4)])];
    let view = b.view(x, Shape::of(&[2, 2]), index).expect("a view");
    b.output(OutputKind::Result(0), view);
    let error = append_vjp(b.finish(), Arguments::Floats).expect_err("a mistake");
    assert_eq!(error.message, "the gradient of this view needs index arithmetic beyond 64 bits");
}

/// Where users' mistakes are told, in `kernels/src`.
const SOURCES: [&str; 3] = ["ops", "layers", "graph/build"];

/// Messages that no user of operations and layers can get: parts of the compiler that call each other wrongly.
const INTERNAL: [&str; 8] = [
    "`{}` takes {takes} operands, found {given}",
    "`{}` expects {expected} as `{}`, found {dtype}{shape}",
    "`{}` expects a number as `{}` that is known when it is launched, found one that is computed",
    "argument {position} of an operation is no {wanted}",
    "`scatter_add` expects numbers at i32 or u32 indices, found {} at {}",
    "`scatter_add` cannot add {u} at indices {i} to {shape}",
    "`{op}`: a convolution of {input} with {weight} does not give {output}",
    "`{}` does not take {}",
];

#[test]
fn every_message_has_a_case() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut shown: Vec<String> = Vec::new();
    for file in files(&root.join("tests/it/ops_and_layers"), "rs") {
        shown.extend(literals(&read(&file)));
    }
    for file in files(&root.join("../tests/messages/ui"), "stderr") {
        shown.extend(read(&file).lines().filter_map(|line| line.strip_prefix("error: ")).map(String::from));
    }
    let (mut all, mut missing) = (0, Vec::new());
    for file in SOURCES.iter().flat_map(|folder| files(&root.join("src").join(folder), "rs")) {
        for message in messages(&read(&file)) {
            all += 1;
            if !INTERNAL.contains(&message.as_str()) && !shown.iter().any(|line| shows(line, &message)) {
                missing.push(format!("{}: {message}", file.file_name().unwrap_or_default().to_string_lossy()));
            }
        }
    }
    assert!(all > 60, "only {all} messages found");
    assert!(missing.is_empty(), "no case shows\n{}", missing.join("\n"));
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).expect("a text")
}

/// The files under `folder` with that extension.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path, extension));
        } else if path.extension().is_some_and(|own| own == extension) {
            found.push(path);
        }
    }
    found
}

/// The texts in `Diagnostic::new(..)` and `fail(..)`.
fn messages(source: &str) -> Vec<String> {
    let calls = source.match_indices("Diagnostic::new(").chain(source.match_indices(".fail("));
    let texts = calls.filter_map(|(at, call)| {
        let rest = source[at + call.len()..].trim_start();
        let rest = rest.strip_prefix("format!(").unwrap_or(rest).trim_start();
        // What is given as a variable has its text elsewhere.
        rest.starts_with('"').then(|| literals(rest).into_iter().next()).flatten()
    });
    texts.collect()
}

/// The string literals of Rust source, lines that go on joined.
fn literals(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some((_, after)) = rest.split_once('"') {
        let mut text = String::new();
        let mut letters = after.char_indices();
        let mut end = after.len();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    end = at + 1;
                    break;
                }
                '\\' => match letters.next() {
                    Some((at, '\n')) => {
                        let skipped = after[at + 1..].len() - after[at + 1..].trim_start().len();
                        letters = after.char_indices();
                        letters.by_ref().take_while(|(position, _)| *position < at + skipped).for_each(drop);
                    }
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, other)) => text.push(other),
                    None => {}
                },
                letter => text.push(letter),
            }
        }
        found.push(text);
        rest = &after[end..];
    }
    found
}

/// Whether `line` begins with the message, with something in its gaps.
fn shows(line: &str, message: &str) -> bool {
    let mut rest = line;
    for (position, part) in message.split('{').enumerate() {
        let part = if position == 0 { part } else { part.split_once('}').map_or("", |(_, part)| part) };
        match rest.find(part) {
            Some(at) if position > 0 || at == 0 => rest = &rest[at + part.len()..],
            _ => return false,
        }
    }
    true
}

#[test]
fn a_message_is_found_in_its_case() {
    let source = "Err(Diagnostic::new(format!(\"`{op}` of {}: \\\n    none\", a))) \"other\" .fail(\"plain\".into())";
    assert_eq!(messages(source), ["`{op}` of {}: none", "plain"]);
    assert!(shows("`sum` of 3: none", "`{op}` of {}: none") && !shows("the `sum` of 3: none", "`{op}` of {}: none"));
}
