//! The types that Rust has for whole numbers, where something says them: a suffix, a `let`, or `as`.

use super::value::Integer;
use super::{Lowering, Val};
use netcl_kernels::dtype::DType;
use proc_macro2::Span;
use syn::BinOp;

impl Integer {
    /// The type of that name.
    pub(super) fn named(name: &str) -> Option<Integer> {
        match name {
            "usize" | "u64" => Some(Integer::Size),
            "isize" => Some(Integer::Of(DType::I64)),
            name => DType::from_name(name).filter(|dtype| dtype.is_integer()).map(Integer::Of),
        }
    }

    /// What holds it where it is computed.
    pub(super) fn dtype(self) -> DType {
        match self {
            Integer::Of(dtype) => dtype,
            Integer::Size => DType::I64,
        }
    }
}

impl<'a> Lowering<'a> {
    /// Rule: what `as i32` gives is divided towards zero, as in Rust; sizes, which are never negative there, are rounded down. Returns
    /// such a size, `N as i32 - 5`, as a tensor of that type, of which `/` truncates.
    pub(super) fn dividend(&mut self, op: &BinOp, left: Val<'a>, place: Span) -> Val<'a> {
        let Val::Dim(size) = &left else { return left };
        let divides = matches!(op, BinOp::Div(_) | BinOp::DivAssign(_) | BinOp::Rem(_) | BinOp::RemAssign(_));
        let of_bits =
            matches!(op, BinOp::Shl(_) | BinOp::Shr(_) | BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_));
        if !divides && !of_bits || size.as_constant().is_some() || self.never_negative(size) || self.is_open(size) {
            return left;
        }
        match size.ty {
            Some(Integer::Of(dtype @ (DType::I32 | DType::I64))) => {
                self.tensor(left, Some(dtype), place).map_or(Val::Unknown, Val::Tensor)
            }
            _ => left,
        }
    }
}
