//! Calls of operations with whatever a user gave them.

use super::args;
use super::operation::{ArgKind, ArgSpec, Operation, Value};
use crate::dtype::DType;
use crate::graph::NodeId;
use crate::graph::build::Builder;
use crate::span::{Diagnostic, Result};

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
    // Numbers take the type of the first tensor, wherever it stands: `2.0 * x` as well as `x * 2.0`; that of a condition only where
    // there is no other.
    let types: Vec<DType> = operation
        .args
        .iter()
        .zip(args)
        .filter_map(|(spec, arg)| match (spec.kind, arg) {
            (ArgKind::Tensor, Value::Tensor(id)) => Some(builder.dtype(*id)),
            _ => None,
        })
        .collect();
    let dtype = types.iter().find(|&&dtype| dtype != DType::Bool).or(types.first()).copied();
    let mut ready = Vec::with_capacity(args.len());
    for (spec, arg) in operation.args.iter().zip(args) {
        ready.push(convert(builder, operation, spec, arg, dtype)?);
    }
    (operation.build)(builder, &ready)
}

fn convert(
    builder: &mut Builder,
    operation: &Operation,
    spec: &ArgSpec,
    arg: &Value,
    dtype: Option<DType>,
) -> Result<Value> {
    let fits = match (spec.kind, arg) {
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
        (ArgKind::Tensors, Value::List(list)) => list.iter().all(|item| matches!(item, Value::Tensor(_))),
        (ArgKind::Axes, Value::List(list)) => list.iter().all(Value::is_integer),
        (ArgKind::Sizes, Value::List(list)) => list.iter().all(|item| matches!(item, Value::Dim(_))),
        _ => false,
    };
    if fits {
        return Ok(arg.clone());
    }
    Err(Diagnostic::new(format!(
        "`{}` expects {} as `{}`, found {}",
        operation.name,
        spec.kind.describe(),
        spec.name,
        arg.kind()
    )))
}
