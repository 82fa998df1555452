//! What users can call on tensors, by name: one table for the macro and for run time.
//!
//! An [`Operation`] is composed from graph nodes by its `build` function; the macro finds it by method name, `Tensor`
//! methods call the same function. A file per family, each with its part of the table (`OPERATIONS`) and the functions
//! themselves, which layers call directly.
//!
//! Nothing here writes derivatives: they follow from the nodes. The formulas are chosen so that they follow well:
//! no branch that is not taken may overflow, because its gradient would be `0 * inf`, and the value at a kink is taken
//! from the side that PyTorch takes.
//!
//! # Errors
//!
//! All functions check their operands, and return a diagnostic that names the operation, what was given (shapes, types,
//! values of configuration) and what was expected.
#![allow(clippy::missing_errors_doc, reason = "all have the same, which is written once: above")]

pub mod activation;
mod args;
pub mod arithmetic;
pub mod attention;
pub mod convolution;
pub mod index;
pub mod linear;
pub mod loss;
pub mod reduction;
pub mod shape;
pub mod softmax;

pub(crate) use args::{along, spread};
pub(crate) use reduction::moments;

use crate::dim::Dim;
use crate::dtype::DType;
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

    /// The number, if it is one that is known; whole numbers beyond 2^53 as the nearest that there is.
    pub(crate) fn as_number(&self) -> Option<f64> {
        match self {
            Value::Number(value) => Some(*value),
            Value::Dim(dim) => dim.as_constant().map(|value| value as f64),
            _ => None,
        }
    }

    fn is_integer(&self) -> bool {
        matches!(self, Value::Dim(dim) if dim.as_constant().is_some())
    }
}

/// What one argument of an [`Operation`] must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A tensor. A number is taken as a scalar tensor of the type of the first tensor among the arguments.
    Tensor,
    /// A list of tensors.
    Tensors,
    /// An integer constant that may be negative (an axis; negative counts from the end).
    Axis,
    /// A list of axes; one axis is a list of one.
    Axes,
    /// A size or count: an integer constant or symbol.
    Size,
    /// A list of sizes; one size is a list of one.
    Sizes,
    /// A float (an integer literal will do).
    Number,
    /// `true` or `false`.
    Bool,
    /// An element type, passed as `Value::Dim` of its position in `DType::ALL`.
    DType,
}

impl ArgKind {
    /// What it takes, for messages and documentation.
    pub fn describe(self) -> &'static str {
        match self {
            ArgKind::Tensor => "a tensor",
            ArgKind::Tensors => "a list of tensors",
            ArgKind::Axis => "an axis (an integer constant)",
            ArgKind::Axes => "a list of axes (integer constants)",
            ArgKind::Size => "a size (an integer constant or a symbol)",
            ArgKind::Sizes => "a list of sizes",
            ArgKind::Number => "a number",
            ArgKind::Bool => "`true` or `false`",
            ArgKind::DType => "an element type",
        }
    }
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

/// Operations that belong together: a file, and a section of the documentation.
pub struct Family {
    /// The section's title.
    pub title: &'static str,
    /// Whether an element of the result depends on the operands' elements at its place alone. Such operations have a
    /// meaning for single elements too, as kernels in index form and functions of scalars compute with them.
    pub elementwise: bool,
    /// The operations.
    pub operations: &'static [Operation],
}

/// Every operation, family by family.
pub fn all() -> impl Iterator<Item = &'static Operation> {
    families().iter().flat_map(|family| family.operations.iter())
}

/// The operation of that method name.
pub fn find(name: &str) -> Option<&'static Operation> {
    all().find(|operation| operation.name == name)
}

/// Whether there is an operation of that name and its family is [elementwise](Family::elementwise).
pub fn is_elementwise(name: &str) -> bool {
    let mut families = families().iter().filter(|family| family.elementwise);
    families.any(|family| family.operations.iter().any(|operation| operation.name == name))
}

/// The families in the order of the documentation.
pub fn families() -> &'static [Family] {
    const fn family(title: &'static str, elementwise: bool, operations: &'static [Operation]) -> Family {
        Family { title, elementwise, operations }
    }
    const FAMILIES: &[Family] = &[
        family("Arithmetic", true, arithmetic::OPERATIONS),
        family("Activations", true, activation::OPERATIONS),
        family("Reductions", false, reduction::OPERATIONS),
        family("Softmax", false, softmax::OPERATIONS),
        family("Shapes", false, shape::OPERATIONS),
        family("Indexing", false, index::OPERATIONS),
        family("Products", false, linear::OPERATIONS),
        family("Convolution and pooling", false, convolution::OPERATIONS),
        family("Attention", false, attention::OPERATIONS),
        family("Losses", false, loss::OPERATIONS),
    ];
    FAMILIES
}

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
    // Numbers take the type of the first tensor, wherever it stands: `2.0 * x` as well as `x * 2.0`.
    let dtype = operation.args.iter().zip(args).find_map(|(spec, arg)| match (spec.kind, arg) {
        (ArgKind::Tensor, Value::Tensor(id)) => Some(builder.dtype(*id)),
        _ => None,
    });
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
        | (ArgKind::Bool, Value::Bool(_)) => true,
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
