//! The types that Rust has for whole numbers, where something says them: a suffix, a `let`, or `as`.

use super::value::Integer;
use super::{Lowering, Val};
use crate::parse;
use netcl_kernels::dtype::DType;
use syn::spanned::Spanned;
use syn::{BinOp, Expr};

/// The methods that give a number of the type of what they are called on.
const OF_OWN_TYPE: [&str; 8] = ["abs", "max", "min", "clamp", "pow", "signum", "rem_euclid", "div_euclid"];

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
    /// Notes what is known of the variable's type.
    pub(super) fn note_types(&mut self, name: &str, whole: Option<DType>, integer: Option<Integer>) {
        if let Some(variable) = self.frame_mut().scopes.iter_mut().flatten().rev().find(|own| own.name == name) {
            variable.whole = whole.or(variable.whole);
            variable.integer = integer.or(variable.integer);
        }
    }

    /// The type of the whole number. Unlike [`whole_type`](Lowering::whole_type), by which types are compared, it goes through `as`:
    /// what has been converted is computed with as Rust does.
    pub(super) fn integer_type(&self, expr: &Expr) -> Option<Integer> {
        match expr {
            Expr::Paren(inner) => self.integer_type(&inner.expr),
            Expr::Group(inner) => self.integer_type(&inner.expr),
            Expr::Unary(unary) => self.integer_type(&unary.expr),
            Expr::Cast(cast) => Integer::named(&parse::text(&cast.ty)),
            Expr::Binary(binary) => match binary.op {
                BinOp::Shl(_) | BinOp::Shr(_) => self.integer_type(&binary.left),
                BinOp::Add(_)
                | BinOp::Sub(_)
                | BinOp::Mul(_)
                | BinOp::Div(_)
                | BinOp::Rem(_)
                | BinOp::BitAnd(_)
                | BinOp::BitOr(_)
                | BinOp::BitXor(_) => self.integer_type(&binary.left).or_else(|| self.integer_type(&binary.right)),
                _ => None,
            },
            Expr::MethodCall(call) if OF_OWN_TYPE.contains(&call.method.to_string().as_str()) => {
                self.integer_type(&call.receiver)
            }
            Expr::Path(path) => {
                let name = parse::name(path.path.get_ident()?);
                self.frame().scopes.iter().flatten().rev().find(|variable| variable.name == name)?.integer
            }
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => Integer::named(number.suffix()),
            _ => None,
        }
    }

    /// Rule: what `as i32` gives is divided towards zero, as in Rust; sizes, which are never negative there, are rounded down. Returns
    /// such a size, `N as i32 - 5`, as a tensor of that type, of which `/` truncates.
    pub(super) fn dividend(&mut self, op: &BinOp, written: &Expr, left: Val<'a>) -> Val<'a> {
        let Val::Dim(size) = &left else { return left };
        let divides = matches!(op, BinOp::Div(_) | BinOp::DivAssign(_) | BinOp::Rem(_) | BinOp::RemAssign(_));
        let of_bits =
            matches!(op, BinOp::Shl(_) | BinOp::Shr(_) | BinOp::BitAnd(_) | BinOp::BitOr(_) | BinOp::BitXor(_));
        if !divides && !of_bits || size.as_constant().is_some() || self.never_negative(size) || self.is_open(size) {
            return left;
        }
        match self.integer_type(written) {
            Some(Integer::Of(dtype @ (DType::I32 | DType::I64))) => {
                self.tensor(left, Some(dtype), written.span()).map_or(Val::Unknown, Val::Tensor)
            }
            _ => left,
        }
    }
}
