//! Whether a type has an operation, said where it stands. The verifier, which asks the same of every kernel, knows no tokens.

use super::state::{Simt, Val};
use crate::lower::Operator;
use crate::messages as m;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{BinaryOp, CompareOp};
use netcl_kernels::kir::{ArrayId, ExprId, Space, ValueType};
use proc_macro2::Span;

/// What is done with truths instead of computing with them.
const OF_TRUTHS: &str = "truths are joined by `&`, `|` and `^`, and compared by `==` and `!=`; a number is chosen: `if b { 1.0 } else { 0.0 }`";

impl Simt<'_> {
    /// Rule: an operator of two is one that their type has. Wrong: `x[i] ^ 2.0`, `a + b` of truths. `None` of what is right.
    pub(super) fn judge_operator(&self, op: Operator, written: &str, ty: ValueType, span: Span) -> Option<Val> {
        use BinaryOp::{And, Atan2, Or, Pow, Shl, Shr, Xor};
        let truth = ty.dtype == DType::Bool;
        let refused = match op {
            Operator::Compare(CompareOp::Eq | CompareOp::Ne) => return None,
            Operator::Binary(Shl | Shr) => return None,
            Operator::Binary(And | Or | Xor) if ty.dtype.is_float() => {
                self.report(span, &m::BITS_OF_FLOAT, &[&written])
            }
            Operator::Binary(And | Or | Xor) => return None,
            _ if truth => self.report(span, &m::OF_NUMBERS, &[&written, &ty, &OF_TRUTHS]),
            Operator::Binary(Pow | Atan2) if !ty.dtype.is_float() => {
                self.report(span, &m::SIMT_FLOATS, &[&written, &ty, &""])
            }
            _ => return None,
        };
        Some(refused)
    }

    /// Rule: `-` is of numbers, and `!` of whole ones and truths. Wrong: `!x[i]` of `f32`, `-(x[i] > 0.0)`.
    pub(super) fn judge_sign(&self, op: &syn::UnOp, ty: ValueType, span: Span) -> Option<Val> {
        match op {
            syn::UnOp::Neg(_) if ty.dtype == DType::Bool => {
                Some(self.report(span, &m::OF_NUMBERS, &[&"-", &ty, &"the opposite of a truth is `!b`"]))
            }
            syn::UnOp::Not(_) if ty.dtype.is_float() => {
                Some(self.report(span, &m::NOT_OF_FLOATS, &[&ty, &"x[i] as i32"]))
            }
            _ => None,
        }
    }

    /// Rule: `&&` and `||` are of truths. Wrong: `x[i] && y[i]` of numbers.
    pub(super) fn judge_logic(&self, written: &str, ty: ValueType, span: Span) -> Option<Val> {
        let fits = ty.dtype == DType::Bool || self.changed;
        (!fits).then(|| self.report(span, &m::OF_TRUTHS, &[&written, &ty]))
    }

    /// Rule: a condition is one truth. Wrong: `if x.load4(i) > splat4(0.0) { .. }`.
    pub(super) fn judge_condition(&self, condition: ExprId, span: Span) -> bool {
        let ty = self.ty(condition);
        if ty.lanes > 1 {
            let lanes = ty.lanes;
            self.report(span, &m::CONDITION_LANES, &[&lanes, &lanes, &lanes]);
        }
        ty.lanes == 1
    }

    /// Rule: what a sub-group does together is of numbers that its functions have. Wrong: `sub_group_add(x[i] > 0.0)`.
    pub(super) fn judge_across(&self, name: &str, value: ExprId, span: Span) -> bool {
        let ty = self.ty(value);
        let fits = ty.lanes == 1 && matches!(ty.dtype, DType::I32 | DType::U32 | DType::I64 | DType::F32 | DType::F64);
        if !fits && !self.changed {
            let instead = match (ty.lanes, ty.dtype) {
                (1, DType::Bool) => "choose one: write `if b { 1 } else { 0 }`".to_string(),
                (1, dtype) if dtype.is_integer() => "convert it, `.. as u32`".to_string(),
                (1, _) => "convert it, `.. as f32`".to_string(),
                _ => format!("combine its lanes first: `{name}(sum_lanes(v))`"),
            };
            self.report(span, &m::SIMT_ACROSS, &[&name, &ty, &instead]);
        }
        fits
    }

    /// Rule: atomic functions are of memory that others see. Wrong: `atomic_add(&mut p[0], 1)` of a `private!`.
    pub(super) fn judge_shared(&self, name: &str, array: ArrayId, (element, value): (&str, &str), span: Span) -> bool {
        let declared = &self.builder.kernel().arrays[array.0 as usize];
        if declared.space == Space::Local {
            return true;
        }
        let instead = match name {
            "atomic_add" => format!("write `{element} += {value};`"),
            _ => format!("write to `{element}` as to a variable"),
        };
        self.report(span, &m::SIMT_PRIVATE_ATOMIC, &[&name, &element, &instead]);
        false
    }
}
