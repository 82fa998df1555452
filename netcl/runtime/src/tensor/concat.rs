//! Many tensors one after the other.
//!
//! A kernel that concatenates asks for each element which part it is of, so that its work is elements × parts, and so is what
//! compiling it takes. Many parts are therefore put together a few at a time, and what comes out of that again: each
//! element is moved a few times more, and the whole is about linear.

use crate::autograd::autocast;
use crate::autograd::known::{self, KnownWork};
use crate::autograd::work::{ArgValue, TensorWork, WorkKey};
use crate::error::{Error, Result};
use crate::tensor::pending::FEW;
use crate::tensor::{Operand, Tensor, run};
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{Graph, InputKind, OutputKind};
use netcl_kernels::ops::{Operation, Value, call, find};
use netcl_kernels::precision::Precision;
use netcl_kernels::span::Diagnostic;
use std::panic::Location;

/// The result of `concat` or `stack` of many tensors; `None` where one kernel gives it, or what says what is wrong.
pub(super) fn of_many(
    operation: &'static Operation,
    first: &Tensor,
    operands: &[Operand<'_>],
    caller: &'static Location<'static>,
) -> Result<Option<Tensor>> {
    let [Operand::Tensors(others), Operand::Integer(axis)] = *operands else { return Ok(None) };
    let concat = find("concat").filter(|_| others.len() >= FEW && ["concat", "stack"].contains(&operation.name));
    let is_new = operation.name == "stack";
    let rank = first.shape().len() + usize::from(is_new);
    let from_start = if axis < 0 { axis + rank as i64 } else { axis };
    let axis = usize::try_from(from_start).ok().filter(|axis| *axis < rank);
    let (Some(concat), Some(axis)) = (concat, axis) else { return Ok(None) };
    let fits = |other: &Tensor| {
        let (own, first_shape) = (other.shape(), first.shape());
        let differs = |at: usize| own[at] != first_shape[at] && (is_new || at != axis);
        own.len() == first_shape.len() && other.dtype() == first.dtype() && !(0..own.len()).any(differs)
    };
    // Of several types it is of the widest, which one kernel makes of them.
    let precision = autocast::current();
    let mixed = |other: &&Tensor| other.dtype() != first.dtype() && precision.converts(other.dtype());
    if precision.converts(first.dtype()) && others.iter().any(mixed) {
        return Ok(None);
    }
    if let Some(other) = others.iter().find(|other| !fits(other)) {
        // The two alone are refused, in the words that one kernel is refused with.
        let pair = [Operand::Tensors(&[other]), Operand::Integer(axis as i64)];
        return Ok(Some(first.called(operation.name, Some(operation), &pair, caller)));
    }
    let mut parts = Vec::with_capacity(others.len() + 1);
    for part in std::iter::once(&first).chain(others) {
        let mut shape = part.shape().to_vec();
        if is_new {
            shape.insert(axis, 1);
        }
        // What has nothing adds nothing.
        if shape[axis] > 0 {
            parts.push(part.reshape(&shape));
        }
    }
    if let [only] = parts.as_slice() {
        // What is computed shares no memory with what it is computed from.
        return only.copy().map(Some);
    }
    while parts.len() > 1 {
        // Each is computed by itself, by the program that serves all lengths.
        parts = parts.chunks(FEW).map(|chunk| few(concat, chunk, axis, caller)?.eval()).collect::<Result<_>>()?;
    }
    Ok(parts.pop())
}

/// A few tensors along an axis. Its sizes are symbols: one program serves all lengths.
fn few(
    concat: &'static Operation,
    parts: &[Tensor],
    axis: usize,
    caller: &'static Location<'static>,
) -> Result<Tensor> {
    if let [only] = parts {
        return Ok(only.clone());
    }
    let tensors: Vec<&Tensor> = parts.iter().collect();
    let given = [ArgValue::Tensor, ArgValue::Tensors(parts.len() - 1), ArgValue::Integer(axis as i64)];
    let (device, failed) = (parts[0].device(), |diagnostic| Error::graph(concat.name, diagnostic));
    let key = WorkKey::of_operation((concat, Precision::F32), &given, Some(parts[0].dtype()), None);
    let known = known::find_or_make(device, key, &tensors, || {
        let graph = graph(concat, parts, axis).map_err(failed)?;
        Ok(KnownWork::of_operation(given.as_slice().into(), graph, &tensors))
    })?;
    let work = TensorWork::Operation { operation: concat, given: known.shared(&given), precision: Precision::F32 };
    run::carry_out(work, &known, &tensors, caller)
}

fn graph(concat: &'static Operation, parts: &[Tensor], axis: usize) -> Result<Graph, Diagnostic> {
    let mut builder = Builder::new(concat.name);
    let mut input = |(position, part): (usize, &Tensor)| {
        let mut shape = Shape::of(part.shape());
        shape.0[axis] = Dim::symbol(&format!("N{position}"));
        Value::Tensor(builder.input(InputKind::Argument(position), &format!("x{position}"), shape, part.dtype()))
    };
    let mut inputs: Vec<Value> = parts.iter().enumerate().map(&mut input).collect();
    let others = Value::List(inputs.split_off(1));
    inputs.extend([others, Value::Dim(Dim::constant(axis as i64))]);
    let result = call(&mut builder, concat, &inputs)?;
    builder.output(OutputKind::Result(0), result);
    Ok(builder.finish())
}
