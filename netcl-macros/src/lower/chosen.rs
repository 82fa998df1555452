//! Whole numbers that branches choose: they are of the type of what they are passed as, or compared with.

use super::arith::{Operator, operator};
use super::expected::Expected;
use super::{Lowering, Val};
use crate::ast::Helper;
use crate::parse;
use netcl_kernels::dtype::DType;
use syn::punctuated::Punctuated;
use syn::{Expr, Token};

impl<'a> Lowering<'a> {
    /// The arguments of a function of scalars, whose types it says.
    pub(super) fn args_for(&mut self, helper: &Helper, args: &'a Punctuated<Expr, Token![,]>) -> Vec<Val<'a>> {
        let each = args.iter().enumerate().map(|(position, arg)| {
            let declared = helper.args.get(position).and_then(|(_, dtype)| Expected::result(*dtype));
            self.expected = declared.and_then(Expected::whole);
            self.expr(arg)
        });
        each.collect()
    }

    /// The type of a whole number, or of an element that is one, where something says it.
    pub(super) fn own_whole_type(&self, value: &Val<'_>) -> Option<DType> {
        match value {
            Val::Tensor(id) if self.is_element() && self.chosen_whole(value).is_none() => {
                Some(self.builder.dtype(*id)).filter(|dtype| dtype.is_integer())
            }
            value => value.whole_dtype(),
        }
    }

    /// The type of whole numbers that a variable or a part of it has, which what is assigned to it has too.
    pub(super) fn assigned_as(&mut self, place: &'a Expr) -> Option<Expected<'a>> {
        let value = self.before_assignment(place)?;
        self.own_whole_type(&value).map(Expected::One)
    }

    /// The type of whole numbers that the value has, which what it is compared with has too.
    pub(super) fn compared_with(&self, value: &Val<'a>, written: &Expr) -> Option<Expected<'a>> {
        let dtype = match value {
            Val::Tensor(id) => Some(self.builder.dtype(*id)),
            Val::Dim(_) => self.whole_type(written),
            _ => None,
        };
        dtype.and_then(Expected::result).and_then(Expected::whole)
    }
}

/// Whether the value is chosen by branches, or computed of such a one: whole numbers are then of the type that is expected.
pub(super) fn is_chosen(expr: &Expr) -> bool {
    match parse::unparenthesized(expr) {
        Expr::If(_) | Expr::Match(_) | Expr::Block(_) => true,
        Expr::Unary(inner) => matches!(inner.op, syn::UnOp::Neg(_)) && is_chosen(&inner.expr),
        Expr::Binary(binary) => passes(&binary.op) && (is_chosen(&binary.left) || is_chosen(&binary.right)),
        _ => false,
    }
}

/// Whether both sides of an operator are what the whole is declared to be.
pub(super) fn passes(op: &syn::BinOp) -> bool {
    matches!(operator(op), Some(Operator::Binary(_)))
}
