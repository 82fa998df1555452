//! No message names an operation that nobody wrote: each operation of the table is called with much that is wrong.

use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::InputKind;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::ops::{self, ArgKind, Operation, Value};
use std::collections::BTreeSet;

/// Shapes of which some are wrong for each operation.
fn shapes() -> Vec<Shape> {
    let n = || Dim::symbol("N");
    let known: [&[usize]; 8] = [&[], &[4], &[3, 4], &[0, 4], &[2, 3, 4], &[1, 3, 4, 4], &[2, 2, 0, 3], &[2, 2, 3, 3]];
    let mut shapes: Vec<Shape> = known.into_iter().map(Shape::of).collect();
    shapes.push(Shape(vec![n()]));
    shapes.push(Shape(vec![n(), n()]));
    shapes.push(Shape(vec![Dim::constant(1), Dim::constant(4), n(), n() * Dim::constant(2)]));
    shapes
}

const NUMBERS: [i64; 6] = [0, 1, 3, -1, i64::MAX, i64::MIN];

fn int(value: i64) -> Value {
    Value::Dim(Dim::constant(value))
}

/// What is given for the other arguments: the choice of all at once.
fn given(b: &mut Builder, kind: ArgKind, choice: usize, tensor: (&Shape, DType), position: usize) -> Value {
    let number = NUMBERS[choice];
    let mut input =
        |shape: &Shape, dtype| Value::Tensor(b.input(InputKind::Argument(position), "y", shape.clone(), dtype));
    match kind {
        ArgKind::Tensor => input(tensor.0, tensor.1),
        ArgKind::Tensors => Value::List(vec![input(tensor.0, tensor.1)]),
        ArgKind::Axis | ArgKind::Size | ArgKind::DType => int(number),
        ArgKind::Axes => Value::List(vec![int(number)]),
        ArgKind::Sizes => Value::List(vec![int(number), int(number)]),
        ArgKind::Number | ArgKind::Scalar => Value::Number(number as f64),
        ArgKind::Bool => Value::Bool(number > 0),
        ArgKind::Text => Value::Text(number.to_string()),
    }
}

/// Whether the message of `operation` names another one; behind `;`, where it says what to write instead, it may.
fn names_another(operation: &Operation, message: &str) -> bool {
    let parts = ["conv2d_input_grad", "conv2d_weight_grad", "scatter_add", "mul", "mean", "view"];
    let message = message.split_once(';').map_or(message, |(problem, _)| problem);
    message.split('`').skip(1).step_by(2).any(|word| {
        let is_own = word == operation.name || operation.args.iter().any(|arg| arg.name == word);
        !is_own && (ops::find(word).is_some() || parts.contains(&word))
    })
}

/// What `operation` says of these arguments: problems, bounds that are looked at when it runs, and where sizes came from.
fn said(operation: &Operation, x: (&Shape, DType), y: (&Shape, DType), choices: [usize; 2]) -> Vec<String> {
    let mut b = Builder::new("wrong");
    let mut args = vec![match operation.args[0].kind {
        ArgKind::Tensors => Value::List(vec![Value::Tensor(b.input(InputKind::Argument(0), "x", x.0.clone(), x.1))]),
        _ => Value::Tensor(b.input(InputKind::Argument(0), "x", x.0.clone(), x.1)),
    }];
    for (position, spec) in operation.args.iter().enumerate().skip(1) {
        // The first other argument, which is an axis often, may be right where the rest is not.
        let choice = choices[usize::from(position > 1)];
        args.push(given(&mut b, spec.kind, choice, y, position));
    }
    match ops::call(&mut b, operation, &args) {
        Ok(_) => {
            let graph = b.finish();
            let origins = graph.iter().flat_map(|(_, node)| node.origins.iter().flatten());
            let limits = graph.limits.iter().map(|limit| limit.words.concat());
            limits.chain(origins.map(|origin| origin.to_string())).collect()
        }
        Err(problem) => vec![problem.message],
    }
}

#[test]
fn messages_name_the_operation_that_was_called() {
    let shapes = shapes();
    let types = [DType::F32, DType::I32, DType::Bool];
    let (mut refused, mut wrong) = (0, Vec::new());
    for operation in ops::all() {
        let mut found = BTreeSet::new();
        let kinds: Vec<ArgKind> = operation.args[1..].iter().map(|arg| arg.kind).collect();
        let is_tensor = |kind: &ArgKind| matches!(kind, ArgKind::Tensor | ArgKind::Tensors);
        let others = if kinds.iter().any(is_tensor) { shapes.len() } else { 1 };
        // Where there is no number, the choice among them makes no difference.
        let choices = |count: usize| if count > 0 { NUMBERS.len() } else { 1 };
        let (firsts, rests) = (choices(kinds.len()), choices(kinds.len().saturating_sub(1)));
        for (x, dtype) in shapes.iter().flat_map(|x| types.map(|dtype| (x, dtype))) {
            for (y, other) in shapes[..others].iter().flat_map(|y| types.map(|dtype| (y, dtype))) {
                for choice in (0..firsts).flat_map(|first| (0..rests).map(move |rest| [first, rest])) {
                    found.extend(said(operation, (x, dtype), (y, other), choice));
                }
            }
        }
        refused += usize::from(!found.is_empty());
        wrong
            .extend(found.into_iter().filter(|message| names_another(operation, message)).map(|m| (operation.name, m)));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(refused > 100, "{refused} operations refused something");
}
