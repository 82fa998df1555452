//! Calls of operations with whatever a user gave them.

use super::args;
use super::operation::{ArgKind, ArgSpec, Operation, Several, Value};
use crate::dim::{Dim, MOST_AXES};
use crate::dtype::DType;
use crate::graph::NodeId;
use crate::graph::build::Builder;
use crate::span::{Diagnostic, Result, WrongArgument};

/// Checks the arguments of `operation` and builds it.
pub fn call(builder: &mut Builder, operation: &Operation, args: &[Value]) -> Result<NodeId> {
    if args.len() != operation.args.len() {
        let expected: Vec<&str> = operation.args[1..].iter().map(|arg| arg.name).collect();
        let listed = if expected.is_empty() { String::new() } else { format!(" ({})", expected.join(", ")) };
        return Err(Diagnostic::new(format!(
            "`{}` expects {} argument{}{listed}, found {}",
            operation.name,
            expected.len(),
            if expected.len() == 1 { "" } else { "s" },
            args.len().saturating_sub(1)
        ))
        .hint(format!("it is called as `{}({})`", operation.name, expected.join(", "))));
    }
    let mut args = args.to_vec();
    let mut tensors = Vec::with_capacity(args.len());
    args.iter_mut().for_each(|arg| arg.visit_tensors(&mut |id| tensors.push(id)));
    builder.autocast(operation.name, &mut tensors)?;
    // Numbers take the type of the first tensor, wherever it stands: `2.0 * x` as well as `x * 2.0`; that of a condition only where
    // there is no other.
    let types: Vec<DType> = operation
        .args
        .iter()
        .zip(&args)
        .filter_map(|(spec, arg)| match (spec.kind, arg) {
            (ArgKind::Tensor, Value::Tensor(id)) => Some(builder.dtype(*id)),
            _ => None,
        })
        .collect();
    let dtype = types.iter().find(|&&dtype| dtype != DType::Bool).or(types.first()).copied();
    let mut ready = Vec::with_capacity(args.len());
    for (spec, arg) in operation.args.iter().zip(&args) {
        ready.push(convert(builder, operation, spec, arg, dtype)?);
    }
    let (limits, windows) = (builder.limits().len(), builder.windows());
    let outer = builder.set_operation(Some(operation.name));
    let result = builder.as_given(|builder| (operation.build)(builder, &ready));
    builder.set_operation(outer);
    for limit in &mut builder.limits()[limits..] {
        limit.words[0] = said_of(operation, &limit.words[0]);
    }
    builder.name_windows(windows, operation.name);
    let result = result.map_err(|problem| Diagnostic { message: said_of(operation, &problem.message), ..problem })?;
    match builder.shape(result).0.len() {
        axes if axes > MOST_AXES => Err(Diagnostic::new(format!(
            "`{}` would give {axes} axes, a tensor has at most {MOST_AXES}",
            operation.name
        ))
        .hint("join some: `reshape` makes one axis of several")),
        _ => Ok(result),
    }
}

/// Checks the arguments of what has several results, and builds these.
pub fn call_several(builder: &mut Builder, several: &Several, args: &[Value]) -> Result<Vec<NodeId>> {
    let limits = builder.limits().len();
    let mut results = Vec::with_capacity(several.parts.len());
    for part in several.parts {
        let Some(operation) = super::find(part) else { unreachable!("`{part}` is an operation") };
        let result = call(builder, operation, args).map_err(|problem| problem.renamed(part, several.name))?;
        for limit in &mut builder.limits()[limits..] {
            limit.words[0] = limit.words[0].replace(&format!("`{part}`"), &format!("`{}`", several.name));
        }
        results.push(result);
    }
    Ok(results)
}

/// The message of `operation`, whichever of its parts found what is wrong: nobody wrote `narrow` who called `roll`. Messages start
/// with the name of an operation, or with that of an argument.
fn said_of(operation: &Operation, message: &str) -> String {
    let part = message.strip_prefix('`').and_then(|rest| rest.split_once('`'));
    match part {
        Some((part, rest)) if is_name(part) && operation.args.iter().all(|arg| arg.name != part) => {
            format!("`{}`{rest}", operation.name)
        }
        _ => message.to_string(),
    }
}

/// Whether it is written as operations are.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
        && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

/// A tensor where a number may stand: it has no axes, and is of the type of the others.
fn scalar(b: &Builder, operation: &Operation, spec: &ArgSpec, id: NodeId, dtype: Option<DType>) -> Result<Value> {
    let (found, shape) = (b.dtype(id), b.shape(id));
    if shape.rank() == 0 && dtype.is_none_or(|dtype| dtype == found) {
        return Ok(Value::Tensor(id));
    }
    let expected = dtype.map(|dtype| format!(" of {dtype}")).unwrap_or_default();
    let problem = Diagnostic::new(format!(
        "`{}` expects a number, or a tensor without axes{expected}, as `{}`, found {found} {shape}",
        operation.name, spec.name
    ));
    Err(match (shape.rank(), dtype) {
        (0, Some(dtype)) => problem.hint(format!("convert it with `{}`", args::cast_to(dtype))),
        _ if operation.name == "clamp" => {
            problem.hint("bounds of other shapes are operations of their own: `.maximum(least).minimum(most)`")
        }
        _ => problem.hint("it is one number for all elements"),
    })
}

fn convert(
    builder: &mut Builder,
    operation: &Operation,
    spec: &ArgSpec,
    arg: &Value,
    dtype: Option<DType>,
) -> Result<Value> {
    let fits = match (spec.kind, arg) {
        (ArgKind::Scalar, Value::Tensor(id)) => return scalar(builder, operation, spec, *id, dtype),
        (ArgKind::Scalar, Value::Number(_) | Value::Dim(_)) => true,
        (ArgKind::Tensor, Value::Tensor(_))
        | (ArgKind::Size, Value::Dim(_))
        | (ArgKind::Number, Value::Number(_))
        | (ArgKind::Bool, Value::Bool(_))
        | (ArgKind::Text, Value::Text(_)) => true,
        (ArgKind::Axis | ArgKind::DType | ArgKind::Number, Value::Dim(_)) => arg.is_integer(),
        (ArgKind::Tensor, Value::Number(_) | Value::Dim(_) | Value::Bool(_)) => {
            if let Some(dtype) = dtype {
                return Ok(Value::Tensor(match arg {
                    Value::Dim(dim) if dim.as_constant().is_none() => builder.dim(dim, dtype)?,
                    _ => args::literal(builder, operation.name, arg, dtype)?,
                }));
            }
            false
        }
        (ArgKind::Axes | ArgKind::Sizes, Value::Dim(_)) => {
            return convert(builder, operation, spec, &Value::List(vec![arg.clone()]), dtype);
        }
        (ArgKind::Tensors, Value::Tensor(_)) => return Ok(Value::List(vec![arg.clone()])),
        (ArgKind::Tensors | ArgKind::Axes | ArgKind::Sizes, Value::List(list)) => {
            list.iter().all(|item| is_item(spec.kind, item))
        }
        _ => false,
    };
    if fits {
        return Ok(arg.clone());
    }
    let found = match arg {
        Value::List(list) if matches!(spec.kind, ArgKind::Tensors | ArgKind::Axes | ArgKind::Sizes) => {
            match list.iter().find(|item| !is_item(spec.kind, item)) {
                Some(Value::Number(number)) => format!("{number:?} among them"),
                Some(other) => format!("{} among them", other.kind()),
                None => arg.kind().to_string(),
            }
        }
        _ => arg.kind().to_string(),
    };
    let problem =
        Diagnostic::new(format!("`{}` expects {} as `{}`, found {found}", operation.name, spec.describe(), spec.name,));
    let problem = problem.hint(instead(operation, spec, arg)).of_argument(WrongArgument::Named(spec.name));
    Err(match number_of(builder, spec.kind, arg) {
        Some(size) => problem.needs_number(&size),
        None => problem,
    })
}

/// The size whose number makes of `arg` what an argument of that kind is.
fn number_of(b: &Builder, kind: ArgKind, arg: &Value) -> Option<Dim> {
    match (kind, arg) {
        (ArgKind::Axis | ArgKind::Number, Value::Dim(size)) => Some(size.clone()),
        (ArgKind::Axes, Value::List(list)) => list.iter().find_map(|item| number_of(b, ArgKind::Axis, item)),
        (ArgKind::Number, Value::Tensor(id)) => b.size_behind(*id),
        _ => None,
    }
}

/// Whether it may stand in a list of that kind.
fn is_item(kind: ArgKind, item: &Value) -> bool {
    match kind {
        ArgKind::Tensors => matches!(item, Value::Tensor(_)),
        ArgKind::Axes => item.is_integer(),
        ArgKind::Sizes => matches!(item, Value::Dim(_)),
        _ => false,
    }
}

/// What to write instead of an argument of another kind.
fn instead(operation: &Operation, spec: &ArgSpec, arg: &Value) -> String {
    match (operation.name, spec.kind, arg) {
        ("get", ArgKind::Size, Value::Tensor(_)) => {
            "the elements whose numbers a tensor holds are `.index_select(axis, numbers)`; positions that a loop's `t` makes are sums, \
             `%`, `min`, `max` and `clamp` of it and of sizes: `min(t + 1, T - 1)`"
                .to_string()
        }
        (_, ArgKind::Axes | ArgKind::Sizes, Value::List(list))
            if list.iter().any(|item| matches!(item, Value::Number(_))) =>
        {
            format!("whole numbers are written without a point: `{}([1])`", operation.name)
        }
        (_, ArgKind::Axis, Value::List(list)) => match list.as_slice() {
            [Value::Dim(axis)] => format!("it takes one axis, which stands in no list: `{axis}`"),
            _ => "it takes one axis: call it once for each".to_string(),
        },
        ("roll", ArgKind::Axis, Value::Tensor(_)) if spec.name == "shift" => {
            "a number of each call is a `u32` or `i32` argument, or a tensor of these without axes".to_string()
        }
        ("narrow", ArgKind::Size, Value::Tensor(_)) if spec.name == "start" => {
            "a number of each call is a `u32` or `i32` argument, or a tensor of these without axes; the elements whose numbers a \
             tensor holds are `.index_select(axis, numbers)`"
                .to_string()
        }
        ("scaled_dot_product_attention", _, Value::Tensor(_)) if spec.name == "causal" => {
            "a mask of your own is applied to the scores: `(q.matmul(k.t()) * scale).masked_fill(hidden, -1e9).softmax(-1).matmul(v)`, \
             with `hidden` true for what is not to be seen"
                .to_string()
        }
        (_, ArgKind::Number, Value::Tensor(_)) => {
            format!("write a number, or a constant: a program is built for one `{}`", spec.name)
        }
        _ => format!("it is called as `{}`", called(operation)),
    }
}

/// How it is called.
fn called(operation: &Operation) -> String {
    let names: Vec<&str> = operation.args.iter().skip(1).map(|arg| arg.name).collect();
    format!("{}({})", operation.name, names.join(", "))
}
