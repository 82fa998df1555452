//! Calls of OpenCL C's functions, and of helpers that stand before a kernel.

use super::opencl_expr::*;
use super::opencl_stmt::Body;
use crate::dtype::DType;
use crate::graph::UnaryOp;
use crate::kir::*;
use std::borrow::Cow;

impl Body<'_, '_> {
    pub(super) fn call(&mut self, name: &str, a: ExprId) -> ExprText {
        let a = self.value(a);
        primary(format!("{name}({a})"))
    }

    pub(super) fn call_two(&mut self, name: &str, a: ExprId, b: ExprId) -> ExprText {
        let (a, b) = (self.value(a), self.value(b));
        primary(format!("{name}({a}, {b})"))
    }

    /// The function that computes it, if one does.
    pub(super) fn function_of(&mut self, ty: ValueType, op: UnaryOp) -> Option<Cow<'static, str>> {
        use UnaryOp::*;
        let unsigned = matches!(ty.dtype, DType::U8 | DType::U32);
        Some(match op {
            Neg | Not | Recip => return None,
            Abs if ty.dtype.is_float() => "fabs".into(),
            Abs | Sign if unsigned => return None,
            Abs => self.program.abs(ty).into(),
            Sign => self.program.sign(ty).into(),
            Exp => "exp".into(),
            Exp2 => "exp2".into(),
            Log => "log".into(),
            Log2 => "log2".into(),
            Log1p => "log1p".into(),
            Expm1 => "expm1".into(),
            Sqrt => "sqrt".into(),
            Rsqrt => "rsqrt".into(),
            Sin | Cos | Tan if ty.lanes > 1 && ty.dtype != DType::F64 => self.program.sine(op, ty).into(),
            Sin => "sin".into(),
            Cos => "cos".into(),
            Tan => "tan".into(),
            Tanh => self.program.tanh(ty).into(),
            Erf => "erf".into(),
            Floor => "floor".into(),
            Ceil => "ceil".into(),
            Round => "rint".into(),
        })
    }
}
