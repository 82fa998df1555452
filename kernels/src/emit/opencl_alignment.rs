//! Which vectors of a buffer lie on a multiple of their own size, so that a device may access them as one.
//!
//! `vloadn` and `vstoren` take any place, for which NVIDIA's compiler makes an access of each element: eight stores of two bytes for two
//! vectors of four halves.

use super::opencl_stmt::Body;
use super::opencl_types::storage_type;
use crate::dtype::{DType, Literal};
use crate::graph::BinaryOp;
use crate::kir::*;

/// The most bytes that GPUs access at a time. Buffers begin on multiples of more.
const LARGEST: usize = 16;

/// More zeros than any alignment asks for: of what is 0.
const ALL: u32 = 31;

impl Body<'_, '_> {
    /// The vector of so many elements from `index` on as an lvalue, if its place is a multiple of its size.
    pub(super) fn aligned_vector(&self, buffer: ParamId, index: ExprId, place: &str, lanes: u8) -> Option<String> {
        let kernel = self.verified.kernel();
        let ParamKind::Buffer(dtype, access) = kernel.params[buffer.0 as usize].kind else { return None };
        let whole = dtype.size() * usize::from(lanes) <= LARGEST && self.low_zeros(index) >= u32::from(lanes).ilog2();
        let constant = if access == Access::Read { "const " } else { "" };
        // Of halves the bits, as elsewhere: devices need not compute with them.
        let element = if dtype == DType::F16 { "ushort" } else { storage_type(dtype) };
        whole.then(|| format!("*(__global {constant}{element}{lanes}*){place}"))
    }

    /// How many of the lowest bits of an integer are 0, whatever a launch passes.
    pub(super) fn low_zeros(&self, id: ExprId) -> u32 {
        let of = |id: ExprId| self.low_zeros(id);
        match *self.expr(id) {
            Expr::Literal(Literal::Int(value, _)) => value.trailing_zeros().min(ALL),
            Expr::Var(var) => self.zeros_of_vars[var.0 as usize],
            Expr::Param(param) => match self.verified.kernel().params[param.0 as usize].kind {
                ParamKind::Position(step) => u32::from(step).trailing_zeros().min(ALL),
                _ => 0,
            },
            // Wrapping leaves the lowest bits as they are.
            Expr::Binary(BinaryOp::Mul, a, b) => (of(a) + of(b)).min(ALL),
            Expr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Min | BinaryOp::Max | BinaryOp::Rem, a, b)
            | Expr::Select(_, a, b) => of(a).min(of(b)),
            Expr::MulAdd(a, b, c) => (of(a) + of(b)).min(of(c)),
            Expr::Cast(dtype, a) if dtype.is_integer() && self.ty(a).dtype.is_integer() => of(a),
            _ => 0,
        }
    }
}
