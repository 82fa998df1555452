//! Indices that only a call knows, `x[n + by]`, in 64 bits: those of 32 would wrap into a tensor.
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
use std::collections::{BTreeMap, BTreeSet};

/// The same in `i64` of what has been built so.
type Widened = BTreeMap<NodeId, NodeId>;

impl Lowering<'_> {
    /// The whole numbers of `id`, computed in `i64`.
    pub(super) fn widened(&mut self, id: NodeId) -> Result<NodeId> {
        // A loop's rounds make chains that are longer than a stack is deep. What a node is computed of stands before it.
        let (mut wanted, mut pending) = (BTreeSet::new(), vec![id]);
        while let Some(id) = pending.pop() {
            if wanted.insert(id) && self.is_widened(id) {
                self.builder.node(id).op.visit_operands(|operand| pending.push(operand));
            }
        }
        let mut known = Widened::new();
        for node in wanted {
            let wide = self.widen(node, &known)?;
            known.insert(node, wide);
        }
        Ok(known[&id])
    }

    /// Whether the node is computed once more of its operands.
    fn is_widened(&self, id: NodeId) -> bool {
        let node = self.builder.node(id);
        let whole = |dtype: DType| dtype.is_integer() || dtype == DType::Bool;
        if self.given(id).is_some() || self.marks.from_indices.contains_key(&id) || !whole(node.dtype) {
            return false;
        }
        match &node.op {
            // Shifts are by so many bits of their type.
            Op::Binary(op, ..) => !matches!(op, BinaryOp::Shl | BinaryOp::Shr),
            Op::Unary(op, _) => *op != UnaryOp::Not || node.dtype == DType::Bool,
            Op::Cast(a) => node.dtype.is_integer() && whole(self.builder.dtype(*a)),
            Op::Compare(_, a, _) => whole(self.builder.dtype(*a)),
            Op::Select(..) | Op::View { .. } | Op::Reshape(_) => true,
            Op::Reduce { op, .. } => {
                matches!(op, ReduceOp::Sum | ReduceOp::Prod | ReduceOp::Max | ReduceOp::Min)
            }
            _ => false,
        }
    }

    /// Truths stay truths; what compares numbers compares wide ones.
    fn widen(&mut self, id: NodeId, known: &Widened) -> Result<NodeId> {
        let node = self.builder.node(id).clone();
        if let Some(index) = self.marks.from_indices.get(&id).filter(|_| self.given(id).is_none()).cloned() {
            // It has the sizes of the axes that it goes along, also of a range that has ended.
            return numbers(&mut self.builder, &index, &node.shape.0, DType::I64);
        }
        let computed = self.is_widened(id);
        let builder = &mut self.builder;
        match node.op {
            Op::Constant(Literal::Int(value, _)) if node.shape.rank() == 0 => builder.integer(value, DType::I64),
            Op::Size(size) => builder.dim(&size, DType::I64),
            _ if !computed => self.as_it_is(id),
            Op::Unary(op, a) => builder.unary(op, known[&a]),
            Op::Binary(op @ (BinaryOp::Div | BinaryOp::Rem), a, b) if node.dtype == DType::U32 => {
                self.unsigned_part(op, known[&a], known[&b])
            }
            Op::Binary(op, a, b) => builder.binary(op, known[&a], known[&b]),
            Op::Compare(op, a, b) => builder.compare(op, known[&a], known[&b]),
            Op::Select(condition, then, otherwise) => {
                builder.select(known[&condition], known[&then], known[&otherwise])
            }
            // `as` wraps, whatever it is of.
            Op::Cast(a) => {
                let narrow = builder.cast(known[&a], node.dtype)?;
                self.as_it_is(narrow)
            }
            Op::View { source, index } => builder.view(known[&source], node.shape, index),
            Op::Reshape(a) => builder.reshape(known[&a], node.shape),
            Op::Reduce { op, source, axes } => builder.reduce(op, known[&source], &axes, false),
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
