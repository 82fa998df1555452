//! What an operation is, and what it is called with.

use crate::dim::Dim;
use crate::graph::NodeId;
use crate::graph::build::Builder;
use crate::span::{Result, WrongArgument};

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
    /// `"text"`.
    Text(String),
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
            Value::Text(_) => "a text",
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

    /// Calls `visit` for every tensor, in order.
    pub(super) fn visit_tensors<'v>(&'v mut self, visit: &mut impl FnMut(&'v mut NodeId)) {
        match self {
            Value::Tensor(id) => visit(id),
            Value::List(list) => list.iter_mut().for_each(|value| value.visit_tensors(visit)),
            _ => {}
        }
    }

    pub(super) fn is_integer(&self) -> bool {
        matches!(self, Value::Dim(dim) if dim.as_constant().is_some())
    }
}

/// What one argument of an [`Operation`] must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgKind {
    /// A tensor. A number is taken as a scalar tensor of the type of the first tensor among the arguments.
    Tensor,
    /// A list of tensors; one tensor is a list of one.
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
    /// The same, a size, or a tensor without axes, of the type of the first tensor among the arguments.
    Scalar,
    /// `true` or `false`.
    Bool,
    /// A text.
    Text,
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
            ArgKind::Scalar => "a number, or a tensor without axes,",
            ArgKind::Bool => "`true` or `false`",
            ArgKind::Text => "a text",
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

impl ArgSpec {
    /// What it takes, for messages: other places than those of axes take integers as well.
    pub fn describe(&self) -> &'static str {
        match (self.kind, self.name) {
            (ArgKind::Axis, "shift" | "diagonal" | "offset" | "ignored") => "an integer constant",
            (kind, _) => kind.describe(),
        }
    }
}

/// Something users can call on a tensor.
pub struct Operation {
    /// The method's name.
    pub name: &'static str,
    /// One line: shapes and formula.
    pub doc: &'static str,
    /// The parameters; the first is the receiver.
    pub args: &'static [ArgSpec],
    /// Builds it. The number and kinds of the arguments have been checked by [`call`](super::call).
    pub build: fn(&mut Builder, &[Value]) -> Result<NodeId>,
}

impl Operation {
    /// The position of an argument among those that were given, from the receiver on.
    pub fn position(&self, argument: WrongArgument, given: &[Value]) -> Option<usize> {
        fn is(value: &Value, number: i64) -> bool {
            match value {
                Value::Dim(dim) => dim.is(number),
                Value::List(items) => items.iter().any(|item| is(item, number)),
                _ => false,
            }
        }
        let mut args = self.args.iter().zip(given);
        args.position(|(spec, value)| match (argument, spec.kind) {
            (WrongArgument::Named(name), _) => spec.name == name,
            (WrongArgument::Axis(axis), ArgKind::Axis | ArgKind::Axes) => is(value, axis),
            (WrongArgument::Size(size), ArgKind::Size | ArgKind::Sizes) => is(value, size),
            _ => false,
        })
    }
}

/// Something users can call on a tensor that gives several: each is an operation of its own with the same arguments, and a graph with
/// more than one of them computes what they share once.
pub struct Several {
    /// The method's name.
    pub name: &'static str,
    /// One line: shapes and formula.
    pub doc: &'static str,
    /// The parameters; the first is the receiver.
    pub args: &'static [ArgSpec],
    /// The operations that give its results, in order.
    pub parts: &'static [&'static str],
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
    /// Those with several results.
    pub several: &'static [Several],
}
