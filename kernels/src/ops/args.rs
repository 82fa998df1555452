//! Reading the arguments of an operation, and the checks that many operations share.

use super::{ArgKind, ArgSpec, Value};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, NodeId};
use crate::span::{Diagnostic, Result, WrongArgument};

/// The receiver.
pub(super) const X: ArgSpec = tensor_arg("x");
/// The right-hand operand.
pub(super) const OTHER: ArgSpec = tensor_arg("other");
/// One axis.
pub(super) const AXIS: ArgSpec = arg("axis", ArgKind::Axis);
/// Several axes.
pub(super) const AXES: ArgSpec = arg("axes", ArgKind::Axes);

/// A parameter.
pub(super) const fn arg(name: &'static str, kind: ArgKind) -> ArgSpec {
    ArgSpec { name, kind }
}

/// A parameter that is a tensor.
pub(super) const fn tensor_arg(name: &'static str) -> ArgSpec {
    arg(name, ArgKind::Tensor)
}

/// A parameter that is a number.
pub(super) const fn number_arg(name: &'static str) -> ArgSpec {
    arg(name, ArgKind::Number)
}

/// A parameter that is a number, or a tensor without axes.
pub(super) const fn scalar_arg(name: &'static str) -> ArgSpec {
    arg(name, ArgKind::Scalar)
}

/// Arguments as `call` has checked them. A mismatch is a mistake in a table; it is reported, not a panic.
pub(super) trait Args {
    /// The tensor at `position`.
    fn tensor(&self, position: usize) -> Result<NodeId>;
    /// The tensors of the list at `position`.
    fn tensors(&self, position: usize) -> Result<Vec<NodeId>>;
    /// The number at `position`.
    fn number(&self, position: usize) -> Result<f64>;
    /// The number at `position` as it was written, or a tensor without axes, for [`literal`]: whole numbers have all their digits.
    fn scalar(&self, position: usize) -> Result<&Value>;
    /// The truth value at `position`.
    fn bool(&self, position: usize) -> Result<bool>;
    /// The text at `position`.
    fn text(&self, position: usize) -> Result<&str>;
    /// The size at `position`.
    fn size(&self, position: usize) -> Result<Dim>;
    /// The sizes of the list at `position`.
    fn sizes(&self, position: usize) -> Result<Vec<Dim>>;
    /// The integer at `position`.
    fn integer(&self, position: usize) -> Result<i64>;
    /// The integers of the list at `position`.
    fn integers(&self, position: usize) -> Result<Vec<i64>>;
    /// The element type at `position`.
    fn dtype(&self, position: usize) -> Result<DType>;
}

fn mismatch<T>(position: usize, wanted: &str) -> Result<T> {
    Err(Diagnostic::new(format!("argument {position} of an operation is no {wanted}")))
}

impl Args for [Value] {
    fn tensor(&self, position: usize) -> Result<NodeId> {
        match self.get(position) {
            Some(Value::Tensor(id)) => Ok(*id),
            _ => mismatch(position, "tensor"),
        }
    }

    fn tensors(&self, position: usize) -> Result<Vec<NodeId>> {
        match self.get(position) {
            Some(Value::List(list)) => (0..list.len()).map(|item| list.tensor(item)).collect(),
            _ => mismatch(position, "list of tensors"),
        }
    }

    fn number(&self, position: usize) -> Result<f64> {
        self.get(position).and_then(Value::as_number).map_or_else(|| mismatch(position, "number"), Ok)
    }

    fn scalar(&self, position: usize) -> Result<&Value> {
        let fits = |value: &&Value| matches!(value, Value::Number(_) | Value::Dim(_) | Value::Tensor(_));
        self.get(position).filter(fits).map_or_else(|| mismatch(position, "number"), Ok)
    }

    fn bool(&self, position: usize) -> Result<bool> {
        match self.get(position) {
            Some(Value::Bool(value)) => Ok(*value),
            _ => mismatch(position, "bool"),
        }
    }

    fn text(&self, position: usize) -> Result<&str> {
        match self.get(position) {
            Some(Value::Text(text)) => Ok(text),
            _ => mismatch(position, "text"),
        }
    }

    fn size(&self, position: usize) -> Result<Dim> {
        match self.get(position) {
            Some(Value::Dim(dim)) => Ok(dim.clone()),
            _ => mismatch(position, "size"),
        }
    }

    fn sizes(&self, position: usize) -> Result<Vec<Dim>> {
        match self.get(position) {
            Some(Value::List(list)) => (0..list.len()).map(|item| list.size(item)).collect(),
            _ => mismatch(position, "list of sizes"),
        }
    }

    fn integer(&self, position: usize) -> Result<i64> {
        self.size(position)?.as_constant().map_or_else(|| mismatch(position, "integer"), Ok)
    }

    fn integers(&self, position: usize) -> Result<Vec<i64>> {
        match self.get(position) {
            Some(Value::List(list)) => (0..list.len()).map(|item| list.integer(item)).collect(),
            _ => mismatch(position, "list of integers"),
        }
    }

    fn dtype(&self, position: usize) -> Result<DType> {
        let index = self.integer(position)?;
        match usize::try_from(index).ok().and_then(|index| DType::ALL.get(index)) {
            Some(dtype) => Ok(*dtype),
            None => mismatch(position, "element type"),
        }
    }
}

/// `value` as a scalar of `dtype`; an error where the type cannot hold it, never a silent truncation. A tensor is of that type.
pub(super) fn literal(builder: &mut Builder, op: &str, value: &Value, dtype: DType) -> Result<NodeId> {
    match value {
        Value::Bool(value) if dtype == DType::Bool => Ok(builder.constant(f64::from(u8::from(*value)), dtype)),
        Value::Bool(value) => {
            Err(Diagnostic::new(format!("`{op}` cannot combine a {dtype} tensor with `{value}`"))
                .hint("write a number"))
        }
        Value::Number(value) => scalar(builder, op, *value, dtype),
        Value::Dim(dim) => match dim.as_constant() {
            Some(value) => integer(builder, op, value, dtype),
            None => builder.dim(dim, dtype),
        },
        Value::Tensor(id) => Ok(*id),
        Value::List(_) | Value::Text(_) => {
            Err(Diagnostic::new(format!("`{op}` expects a number, found {}", value.kind())))
        }
    }
}

/// `value` as a scalar of `dtype`; an error where the type cannot hold it.
fn scalar(builder: &mut Builder, op: &str, value: f64, dtype: DType) -> Result<NodeId> {
    /// The first number that is too large for 64 bits with a sign.
    const BEYOND: f64 = 9_223_372_036_854_775_808.0;
    if dtype.is_float() {
        return if dtype.reaches(value) { Ok(builder.constant(value, dtype)) } else { Err(misfit(op, value, dtype)) };
    }
    if value.fract() == 0.0 && (-BEYOND..BEYOND).contains(&value) {
        return integer(builder, op, value as i64, dtype);
    }
    Err(misfit(op, value, dtype))
}

/// The whole number `value` as a scalar of `dtype`; an error where the type cannot hold it.
fn integer(builder: &mut Builder, op: &str, value: i64, dtype: DType) -> Result<NodeId> {
    if dtype.holds(value) { builder.integer(value, dtype) } else { Err(misfit(op, value, dtype)) }
}

fn misfit(op: &str, value: impl std::fmt::Display + std::fmt::Debug, dtype: DType) -> Diagnostic {
    // Nobody counts more digits than 64 bits have: `{:?}` writes `1e300`.
    const DIGITS: usize = 20;
    let (digits, exponent) = (value.to_string(), format!("{value:?}"));
    let value = if digits.len() > DIGITS { exponent } else { digits };
    let problem = match dtype {
        DType::Bool => format!("`{op}` cannot combine a bool tensor with the number {value}"),
        _ => format!("`{op}` cannot combine a {dtype} tensor with {value}, which {dtype} cannot hold"),
    };
    Diagnostic::new(problem).hint("convert the tensor with `.cast(..)`")
}

/// What converts a tensor to that type, as it is written in functions that are compiled and where the program runs.
pub(super) fn cast_to(dtype: DType) -> String {
    format!(".cast(DType::{})", dtype.name().to_uppercase())
}

/// The element type of `x`, which must be a float type.
pub(super) fn float(builder: &Builder, op: &str, x: NodeId) -> Result<DType> {
    let dtype = builder.dtype(x);
    if dtype.is_float() {
        return Ok(dtype);
    }
    Err(Diagnostic::new(format!("`{op}` expects a float tensor, found {dtype}"))
        .hint("convert it with `.cast(DType::F32)`"))
}

/// `axis` of a tensor of `shape`, counted from the end if negative.
pub(super) fn axis(op: &str, shape: &Shape, axis: i64) -> Result<usize> {
    axis_in(op, shape, axis, shape.rank())
}

/// `axis` among `rank` axes, counted from the end if negative.
pub(super) fn axis_in(op: &str, shape: &Shape, axis: i64, rank: usize) -> Result<usize> {
    let counted = if axis < 0 { axis + rank as i64 } else { axis };
    if (0..rank as i64).contains(&counted) {
        return Ok(counted as usize);
    }
    let hint = match rank {
        0 => format!("it is one number, of all elements: leave `{op}` out"),
        _ if rank > shape.rank() => format!("a new axis is put at 0 to {}; -1 puts it behind the last", shape.rank()),
        _ => "axes count from 0; -1 is the last".to_string(),
    };
    Err(Diagnostic::new(format!(
        "`{op}` names axis {axis} of {shape}, which has {} {}",
        shape.rank(),
        if shape.rank() == 1 { "axis" } else { "axes" }
    ))
    .hint(hint)
    .of_argument(WrongArgument::Axis(axis)))
}

/// The axes, counted from the end where negative, ascending; an error if one is named twice.
pub(super) fn axes(op: &str, shape: &Shape, axes: &[i64]) -> Result<Vec<usize>> {
    let mut counted = axes.iter().map(|&a| axis(op, shape, a)).collect::<Result<Vec<_>>>()?;
    counted.sort();
    if counted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Diagnostic::new(format!("`{op}` names an axis of {shape} twice: {axes:?}")));
    }
    Ok(counted)
}

/// The order of axes in which `axis` is the last, and the one that undoes it.
pub(super) fn to_last(rank: usize, axis: usize) -> (Vec<usize>, Vec<usize>) {
    let order: Vec<usize> = (0..rank).filter(|&other| other != axis).chain([axis]).collect();
    let back = (0..rank).map(|place| order.iter().position(|&from| from == place).unwrap_or(place)).collect();
    (order, back)
}

/// Every axis.
pub(super) fn all_axes(builder: &Builder, x: NodeId) -> Vec<usize> {
    (0..builder.shape(x).rank()).collect()
}

/// A view of `x` that repeats it along the axes of `shape` that are not in `axes`; axis `k` of `x` is `axes[k]`.
pub(crate) fn along(builder: &mut Builder, x: NodeId, shape: &Shape, axes: &[usize]) -> Result<NodeId> {
    builder.view(x, shape.clone(), axes.iter().map(|&axis| AxisIndex::axis(axis)).collect())
}
