//! What users can call on tensors, by name: one table for the macro and for run time.
//!
//! An [`Operation`] is composed from graph nodes by its `build` function; the macro finds it by method name, `Tensor`
//! methods call the same function. A file per family.

use crate::dim::Dim;
use crate::graph::NodeId;
use crate::graph::build::Builder;
use crate::span::{Diagnostic, Result};

/// A value while a function is being compiled: a tensor of the graph, or something known already.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A node.
    Tensor(NodeId),
    /// A size: a number or an expression over symbols. Integer literals are these.
    Dim(Dim),
    /// A float literal or constant.
    Number(f64),
    /// A constant truth value.
    Bool(bool),
    /// `[a, b, ..]` or `(a, b, ..)`.
    List(Vec<Value>),
}

impl Value {
    /// What it is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Value::Tensor(_) => "a tensor",
            Value::Dim(_) => "an integer",
            Value::Number(_) => "a number",
            Value::Bool(_) => "a bool",
            Value::List(_) => "a list",
        }
    }
}

/// What one argument of an [`Operation`] must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A tensor. A number literal is taken as a scalar tensor of the receiver's type.
    Tensor,
    /// An integer constant that may be negative (an axis; negative counts from the end).
    Axis,
    /// A list of axes.
    Axes,
    /// A size or count: an integer constant or symbol.
    Size,
    /// A list of sizes.
    Sizes,
    /// A float (an integer literal will do).
    Number,
    /// `true` or `false`.
    Bool,
    /// An element type, passed as `Value::Dim` of its position in `DType::ALL`.
    DType,
}

/// One parameter of an [`Operation`].
#[derive(Clone, Copy, Debug)]
pub struct ArgSpec {
    /// Its name, for messages.
    pub name: &'static str,
    /// What it must be.
    pub kind: ArgKind,
}

/// Something users can call on a tensor.
pub struct Operation {
    /// The method's name.
    pub name: &'static str,
    /// One line: shapes and formula.
    pub doc: &'static str,
    /// The parameters; the first is the receiver.
    pub args: &'static [ArgSpec],
    /// Builds it. The number and kinds of the arguments have been checked by [`call`].
    pub build: fn(&mut Builder, &[Value]) -> Result<NodeId>,
}

/// Checks the arguments of `operation` and builds it.
pub fn call(builder: &mut Builder, operation: &Operation, args: &[Value]) -> Result<NodeId> {
    if args.len() != operation.args.len() {
        let expected: Vec<&str> = operation.args[1..].iter().map(|arg| arg.name).collect();
        return Err(Diagnostic::new(format!(
            "`{}` expects {} argument{} ({}), found {}",
            operation.name,
            expected.len(),
            if expected.len() == 1 { "" } else { "s" },
            expected.join(", "),
            args.len().saturating_sub(1)
        )));
    }
    let mut ready = Vec::with_capacity(args.len());
    for (spec, arg) in operation.args.iter().zip(args) {
        ready.push(convert(builder, operation, spec, arg, &args[0])?);
    }
    (operation.build)(builder, &ready)
}

fn convert(
    builder: &mut Builder,
    operation: &Operation,
    spec: &ArgSpec,
    arg: &Value,
    receiver: &Value,
) -> Result<Value> {
    let fits = match (spec.kind, arg) {
        (ArgKind::Tensor, Value::Tensor(_))
        | (ArgKind::Size | ArgKind::DType, Value::Dim(_))
        | (ArgKind::Number, Value::Number(_))
        | (ArgKind::Bool, Value::Bool(_)) => true,
        (ArgKind::Axis, Value::Dim(dim)) => dim.as_constant().is_some(),
        (ArgKind::Number, Value::Dim(dim)) => {
            if let Some(value) = dim.as_constant() {
                return Ok(Value::Number(value as f64));
            }
            false
        }
        (ArgKind::Tensor, Value::Number(_) | Value::Dim(_)) => {
            if let Value::Tensor(receiver) = receiver {
                let dtype = builder.dtype(*receiver);
                return Ok(Value::Tensor(match arg {
                    Value::Number(value) => builder.constant(*value, dtype),
                    Value::Dim(dim) => builder.dim(dim, dtype)?,
                    _ => unreachable!("matched above"),
                }));
            }
            false
        }
        (ArgKind::Axes, Value::List(list)) => {
            list.iter().all(|item| matches!(item, Value::Dim(dim) if dim.as_constant().is_some()))
        }
        (ArgKind::Sizes, Value::List(list)) => list.iter().all(|item| matches!(item, Value::Dim(_))),
        _ => false,
    };
    if fits {
        return Ok(arg.clone());
    }
    let wanted = match spec.kind {
        ArgKind::Tensor => "a tensor",
        ArgKind::Axis => "an axis (an integer constant)",
        ArgKind::Axes => "a list of axes (integer constants)",
        ArgKind::Size => "a size (an integer constant or a symbol)",
        ArgKind::Sizes => "a list of sizes",
        ArgKind::Number => "a number",
        ArgKind::Bool => "`true` or `false`",
        ArgKind::DType => "an element type",
    };
    Err(Diagnostic::new(format!("`{}` expects {wanted} as `{}`, found {}", operation.name, spec.name, arg.kind())))
}
