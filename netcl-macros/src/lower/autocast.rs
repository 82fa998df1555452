//! `#[precision(bf16)]`: in a body activations are of the types that operations give them, whatever is declared inside; kernels,
//! functions of scalars and results are of those that are declared.

use super::{Lowering, Val};
use crate::ast::{ArgDecl, ArgType, FunctionItem};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::NodeId;
use netcl_kernels::precision::Precision;

impl<'a> Lowering<'a> {
    /// The precision that a function is computed in which is called here.
    pub(super) fn precision_of(&self, function: &FunctionItem) -> Precision {
        match function.indexed {
            true => Precision::F32,
            false => function.precision.unwrap_or(self.builder.precision()),
        }
    }

    /// The value of the body of a function that is called, computed in that precision.
    pub(super) fn body_in(&mut self, precision: Precision, function: &'a FunctionItem) -> Val<'a> {
        let outer = self.builder.set_precision(precision);
        let value = self.body(function);
        let value = if function.precision.is_some() { self.as_results(function, value) } else { value };
        self.builder.set_precision(outer);
        value
    }

    /// Whether a tensor of the type `found` may stand as it is where `declared` is written. Of halves there are the precision's alone: no
    /// `f16` holds a `bf16`.
    pub(super) fn stands_for(&self, found: DType, declared: DType) -> bool {
        let is_own = declared == DType::F32 || self.builder.precision().half() == Some(declared);
        found == declared || is_own && self.converts(found, declared) && !self.is_other_half(found, declared)
    }

    /// Whether somebody has made halves of a tensor that are not the precision's, where others are declared: `x.cast(f16)` in a function in
    /// `bf16`.
    fn is_other_half(&self, found: DType, declared: DType) -> bool {
        let is_half = |dtype: DType| matches!(dtype, DType::F16 | DType::BF16);
        found != declared && is_half(found) && is_half(declared) && self.builder.precision().half() != Some(found)
    }

    /// Whether the precision makes one of two types of the other, if they are two.
    pub(super) fn converts(&self, found: DType, declared: DType) -> bool {
        let precision = self.builder.precision();
        found == declared || precision.converts(found) && precision.converts(declared)
    }

    /// The tensor as that type, if it is converted; else as it is, which somebody will say.
    pub(super) fn as_declared(&mut self, id: NodeId, dtype: DType) -> NodeId {
        match self.converts(self.builder.dtype(id), dtype) {
            true => self.builder.cast(id, dtype).unwrap_or(id),
            false => id,
        }
    }

    /// The same of a result: no halves of a kind of their own become others.
    pub(super) fn as_result(&mut self, id: NodeId, dtype: DType) -> NodeId {
        if self.is_other_half(self.builder.dtype(id), dtype) { id } else { self.as_declared(id, dtype) }
    }

    /// The value as the type that the argument declares.
    pub(super) fn as_argument(&mut self, arg: &ArgDecl, value: Val<'a>) -> Val<'a> {
        match (&arg.ty, value) {
            (ArgType::Tensor(ty), Val::Tensor(id)) => Val::Tensor(self.as_declared(id, ty.dtype)),
            (ArgType::Scalar(dtype), Val::Tensor(id)) => Val::Tensor(self.as_declared(id, *dtype)),
            (_, value) => value,
        }
    }

    /// What a function gives, as the types that it declares.
    fn as_results(&mut self, function: &FunctionItem, mut value: Val<'a>) -> Val<'a> {
        let Some(values) = super::parts::values(&function.composed, &value) else { return value };
        let declared = values.iter().zip(&function.results).filter_map(|(value, ty)| match value {
            Val::Tensor(id) => Some((*id, ty.dtype)),
            _ => None,
        });
        let declared: Vec<(NodeId, DType)> = declared.collect();
        let tensors: Vec<NodeId> = declared.into_iter().map(|(id, dtype)| self.as_result(id, dtype)).collect();
        if values.iter().all(|value| matches!(value, Val::Tensor(_))) {
            super::carried::replace_tensors(&mut value, &mut tensors.iter());
        }
        value
    }
}
