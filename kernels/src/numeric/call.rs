//! What calls of these kernels have in common.

use crate::dim::{Dim, Shape, Symbol};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{Custom, CustomInput, CustomResult, Derivative, NodeId, Op};
use crate::kir::text;
use crate::span::Result;
use std::sync::Arc;

/// A call, and the cotangents of its results, of those that have one.
pub(crate) struct Reverse<'a> {
    /// What it takes.
    pub(crate) operands: &'a [NodeId],
    /// What it gives.
    pub(crate) results: &'a [NodeId],
    /// Those of the results, in order.
    pub(crate) cotangents: &'a [Option<NodeId>],
}

/// Those of a call's operands, by position.
pub(crate) type Cotangents = Vec<(usize, NodeId)>;

/// A kernel of netcl's own, of a float type.
pub(super) struct NumericKernel<'a> {
    pub(super) name: &'a str,
    /// `%T` stands for the type.
    pub(super) text: &'a str,
    pub(super) derivative: Derivative,
    pub(super) dtype: DType,
    pub(super) symbols: &'a [&'a str],
    /// Tensors, with their sizes.
    pub(super) inputs: &'a [(&'a str, &'a [AxisSize<'a>])],
    /// Whole numbers, which are passed behind the tensors.
    pub(super) numbers: &'a [&'a str],
    pub(super) results: &'a [(&'a str, &'a [AxisSize<'a>])],
    /// Results of i32, behind the others.
    pub(super) places: &'a [(&'a str, &'a [AxisSize<'a>])],
}

/// A size of a kernel's own.
#[derive(Clone, Copy)]
pub(super) enum AxisSize<'a> {
    Symbol(&'a str),
    Known(i64),
}

/// Whether the elements of all matrices at one place lie side by side, so that work-items, which have a matrix each, read and write
/// neighbours: the axis `r` is the last one for such a kernel.
fn is_interleaved(derivative: Derivative) -> bool {
    match derivative {
        Derivative::Cholesky | Derivative::Lu | Derivative::Qr | Derivative::Eigh | Derivative::Svd => true,
        Derivative::Fourier | Derivative::FourierAdjoint | Derivative::Triangular => false,
    }
}

/// `x [r, ..]` as such a kernel has it.
fn inside(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let mut shape = b.shape(x).clone();
    shape.0.rotate_left(1);
    if b.shape(x)[0].is(1) {
        return b.reshape(x, shape);
    }
    let rank = shape.rank();
    b.permute(x, &(1..rank).chain([0]).collect::<Vec<_>>())
}

/// The same back.
fn outside(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let mut shape = b.shape(x).clone();
    shape.0.rotate_right(1);
    if shape[0].is(1) {
        return b.reshape(x, shape);
    }
    let last = shape.rank() - 1;
    b.permute(x, &[last].into_iter().chain(0..last).collect::<Vec<_>>())
}

/// The cotangents of the operands of a call of such a kernel, by position, where `rule` gives them of tensors `[r, ..]`.
pub(super) fn reversed(
    b: &mut Builder,
    of: &Reverse<'_>,
    rule: fn(&mut Builder, &Reverse<'_>) -> Result<Cotangents>,
) -> Result<Cotangents> {
    let results = of.results.iter().map(|&result| outside(b, result)).collect::<Result<Vec<_>>>()?;
    let cotangents = of.cotangents.iter().map(|given| given.map(|id| outside(b, id)).transpose());
    let cotangents = cotangents.collect::<Result<Vec<_>>>()?;
    let found = rule(b, &Reverse { operands: of.operands, results: &results, cotangents: &cotangents })?;
    found.into_iter().map(|(position, cotangent)| Ok((position, inside(b, cotangent)?))).collect()
}

impl NumericKernel<'_> {
    /// Calls it on tensors `[r, ..]`, with the sizes of its symbols.
    pub(super) fn call(
        &self,
        b: &mut Builder,
        sizes: &[Dim],
        tensors: &[NodeId],
        numbers: &[i64],
    ) -> Result<Vec<NodeId>> {
        let interleaved = is_interleaved(self.derivative);
        let shape = |sizes: &[AxisSize<'_>]| {
            let size = |size: &AxisSize<'_>| match *size {
                AxisSize::Symbol(name) => Dim::symbol(name),
                AxisSize::Known(size) => Dim::constant(size),
            };
            let mut shape = Shape(sizes.iter().map(size).collect());
            shape.0.rotate_left(usize::from(interleaved));
            shape
        };
        let tensor = |(name, sizes): &(&str, &[AxisSize<'_>])| CustomInput::tensor(name, self.dtype, shape(sizes));
        let number = |name: &&str| CustomInput::number(name, DType::I32);
        let text = self.text.replace("%T", self.dtype.name());
        let kernel = text::parse(&text).unwrap_or_else(|error| unreachable!("{}: {error}", self.name));
        let custom = Custom {
            name: self.name.to_owned(),
            symbols: self.symbols.iter().map(|name| Symbol::new(name)).collect(),
            inputs: self.inputs.iter().map(tensor).chain(self.numbers.iter().map(number)).collect(),
            results: (self.results.iter().map(|result| (self.dtype, result)))
                .chain(self.places.iter().map(|result| (DType::I32, result)))
                .map(|(dtype, (name, sizes))| CustomResult::new(name, dtype, shape(sizes)))
                .collect(),
            kernels: vec![kernel],
            gradient: None,
            derivative: Some(self.derivative),
        };
        let mut operands = tensors.to_vec();
        if interleaved {
            operands = operands.into_iter().map(|tensor| inside(b, tensor)).collect::<Result<_>>()?;
        }
        for &number in numbers {
            operands.push(b.integer(number, DType::I32)?);
        }
        let results = b.custom(&Arc::new(custom), sizes, &operands)?;
        if interleaved { results.into_iter().map(|result| outside(b, result)).collect() } else { Ok(results) }
    }
}

/// The whole number that an operand is.
pub(super) fn number(b: &Builder, operand: NodeId) -> i64 {
    match b.node(operand).op {
        Op::Constant(literal) => literal.as_f64() as i64,
        _ => unreachable!("its numbers are known"),
    }
}
