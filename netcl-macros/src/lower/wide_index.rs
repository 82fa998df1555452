//! Indices that only a call knows, `x[n + by]`, in 64 bits: none of them wraps into a tensor.
//!
//! As a value `n + by` is of the argument's type and wraps as that does. Where it is an index, the nodes that compute it are built
//! once more in `i64`, down to the indices of the closure, the sizes and the arguments. What elements take part in is data, and
//! wraps in their type, as elements do everywhere.

use super::Lowering;
use super::space::numbers;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::{BinaryOp, CompareOp, NodeId, Op, ReduceOp, UnaryOp};
use netcl_kernels::span::Result;
use std::collections::BTreeMap;

/// The same in `i64` of what has been built so.
type Widened = BTreeMap<NodeId, NodeId>;

impl Lowering<'_> {
    /// The whole numbers of `id`, computed in `i64`.
    pub(super) fn widened(&mut self, id: NodeId) -> Result<NodeId> {
        self.widen(id, &mut Widened::new())
    }

    fn widen(&mut self, id: NodeId, known: &mut Widened) -> Result<NodeId> {
        if let Some(wide) = known.get(&id) {
            return Ok(*wide);
        }
        let wide = self.widen_node(id, known)?;
        known.insert(id, wide);
        Ok(wide)
    }

    /// Truths stay truths; what compares numbers compares wide ones.
    fn widen_node(&mut self, id: NodeId, known: &mut Widened) -> Result<NodeId> {
        let node = self.builder.node(id).clone();
        let dtype = node.dtype;
        if self.given(id).is_some() || !(dtype.is_integer() || dtype == DType::Bool) {
            return self.as_it_is(id);
        }
        if let Some(index) = self.from_indices.get(&id).cloned() {
            // It has the sizes of the axes that it goes along, also of a range that has ended.
            return numbers(&mut self.builder, &index, &node.shape.0, DType::I64);
        }
        match node.op {
            Op::Constant(Literal::Int(value, _)) if node.shape.rank() == 0 => self.builder.integer(value, DType::I64),
            Op::Size(size) => self.builder.dim(&size, DType::I64),
            Op::Unary(UnaryOp::Not, a) if dtype == DType::Bool => {
                let a = self.widen(a, known)?;
                self.builder.unary(UnaryOp::Not, a)
            }
            Op::Unary(op @ (UnaryOp::Neg | UnaryOp::Abs | UnaryOp::Sign), a) => {
                let a = self.widen(a, known)?;
                self.builder.unary(op, a)
            }
            // Shifts are by so many bits of their type.
            Op::Binary(BinaryOp::Shl | BinaryOp::Shr, ..) => self.as_it_is(id),
            Op::Binary(op, a, b) => {
                let (a, b) = (self.widen(a, known)?, self.widen(b, known)?);
                match op {
                    BinaryOp::Div | BinaryOp::Rem if dtype == DType::U32 => self.unsigned_part(op, a, b),
                    _ => self.builder.binary(op, a, b),
                }
            }
            Op::Compare(op, a, b) => {
                let (a, b) = (self.widen(a, known)?, self.widen(b, known)?);
                self.builder.compare(op, a, b)
            }
            Op::Select(condition, then, otherwise) => {
                let condition = self.widen(condition, known)?;
                let (then, otherwise) = (self.widen(then, known)?, self.widen(otherwise, known)?);
                self.builder.select(condition, then, otherwise)
            }
            // `as` wraps, whatever it is of.
            Op::Cast(a) if dtype.is_integer() => {
                let a = self.widen(a, known)?;
                let narrow = self.builder.cast(a, dtype)?;
                self.as_it_is(narrow)
            }
            Op::View { source, index } => {
                let source = self.widen(source, known)?;
                self.builder.view(source, node.shape, index)
            }
            Op::Reshape(a) => {
                let a = self.widen(a, known)?;
                self.builder.reshape(a, node.shape)
            }
            Op::Reduce { op: op @ (ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min), source, axes } => {
                let source = self.widen(source, known)?;
                self.builder.reduce(op, source, &axes, false)
            }
            _ => self.as_it_is(id),
        }
    }

    /// What has been computed in its own type.
    fn as_it_is(&mut self, id: NodeId) -> Result<NodeId> {
        if self.builder.dtype(id).is_integer() { self.builder.cast(id, DType::I64) } else { Ok(id) }
    }

    /// A part of a number that is meant not to be negative, and may be in 64 bits: rounded down, so that the quotient of what is
    /// negative is no index and the remainder is the position on a ring.
    fn unsigned_part(&mut self, part: BinaryOp, a: NodeId, b: NodeId) -> Result<NodeId> {
        let builder = &mut self.builder;
        let (result, rest) = (builder.binary(part, a, b)?, builder.binary(BinaryOp::Rem, a, b)?);
        let none = builder.integer(0, DType::I64)?;
        let negative = builder.compare(CompareOp::Lt, rest, none)?;
        let by = if part == BinaryOp::Rem { b } else { builder.integer(-1, DType::I64)? };
        let moved = builder.binary(BinaryOp::Add, result, by)?;
        builder.select(negative, moved, result)
    }

    /// Whether an index is one of an axis of that size, and the index as an `i32`, which it is there.
    pub(super) fn in_bounds(&mut self, index: NodeId, size: &Dim) -> Result<(NodeId, NodeId)> {
        let builder = &mut self.builder;
        // Of `u32` what is beyond `i32` is negative then, and no index of a gather either.
        let index = if builder.dtype(index) == DType::U32 { builder.cast(index, DType::I32)? } else { index };
        let dtype = builder.dtype(index);
        let (none, size) = (builder.integer(0, dtype)?, builder.dim(size, dtype)?);
        let (low, high) = (builder.compare(CompareOp::Ge, index, none)?, builder.compare(CompareOp::Lt, index, size)?);
        let inside = builder.binary(BinaryOp::And, low, high)?;
        let number = if dtype == DType::I32 { index } else { builder.cast(index, DType::I32)? };
        Ok((inside, number))
    }
}
