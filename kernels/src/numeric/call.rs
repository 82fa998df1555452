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

/// A kernel of netcl's own, of a float type.
pub(super) struct NumericKernel<'a> {
    pub(super) name: &'a str,
    /// `T` stands for the type.
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

impl NumericKernel<'_> {
    /// Calls it on tensors, with the sizes of its symbols.
    pub(super) fn call(
        &self,
        b: &mut Builder,
        sizes: &[Dim],
        tensors: &[NodeId],
        numbers: &[i64],
    ) -> Result<Vec<NodeId>> {
        let shape = |sizes: &[AxisSize<'_>]| {
            let size = |size: &AxisSize<'_>| match *size {
                AxisSize::Symbol(name) => Dim::symbol(name),
                AxisSize::Known(size) => Dim::constant(size),
            };
            Shape(sizes.iter().map(size).collect())
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
        for &number in numbers {
            operands.push(b.integer(number, DType::I32)?);
        }
        b.custom(&Arc::new(custom), sizes, &operands)
    }
}

/// The whole number that an operand is.
pub(super) fn number(b: &Builder, operand: NodeId) -> i64 {
    match b.node(operand).op {
        Op::Constant(literal) => literal.as_f64() as i64,
        _ => unreachable!("its numbers are known"),
    }
}
