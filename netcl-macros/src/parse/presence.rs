//! When an `Option` field is there, as it is written: `present = STRIDE > 1`.

use super::constant::{self, Constants};
use super::types;
use crate::ast::Constant;
use crate::presence::Presence;
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::CompareOp;
use syn::{BinOp, Expr, Lit, UnOp};

/// The condition as it is written; `None` where it is none that numbers decide.
pub(crate) fn presence(expr: &Expr, constants: &Constants) -> Option<Presence> {
    match expr {
        Expr::Paren(inner) => presence(&inner.expr, constants),
        Expr::Group(inner) => presence(&inner.expr, constants),
        Expr::Block(block) => match block.block.stmts.as_slice() {
            [syn::Stmt::Expr(inner, None)] => presence(inner, constants),
            _ => None,
        },
        Expr::Lit(syn::ExprLit { lit: Lit::Bool(truth), .. }) => Some(Presence::Known(truth.value)),
        // What a parameter may be: 0 or not.
        Expr::Lit(syn::ExprLit { lit: Lit::Int(number), .. }) => Some(Presence::Known(number.base10_digits() != "0")),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
            Some(Presence::Not(Box::new(presence(&unary.expr, constants)?)))
        }
        Expr::Binary(binary) => {
            let op = match binary.op {
                BinOp::Eq(_) => CompareOp::Eq,
                BinOp::Ne(_) => CompareOp::Ne,
                BinOp::Lt(_) => CompareOp::Lt,
                BinOp::Le(_) => CompareOp::Le,
                BinOp::Gt(_) => CompareOp::Gt,
                BinOp::Ge(_) => CompareOp::Ge,
                BinOp::And(_) | BinOp::Or(_) => {
                    let [a, b] = [&binary.left, &binary.right].map(|side| presence(side, constants));
                    return Some(Presence::Both(matches!(binary.op, BinOp::And(_)), Box::new([a?, b?])));
                }
                _ => return None,
            };
            let [a, b] = [&binary.left, &binary.right].map(|side| types::expr_dim(side, constants));
            decidable(Presence::Compare(op, a?, b?), constants)
        }
        Expr::Path(_) => match constant::evaluate(expr, constants) {
            Some(Constant::Bool(truth)) => Some(Presence::Known(truth)),
            // `AROUND`, which is 1 or 0.
            _ => {
                let size = types::expr_dim(expr, constants)?;
                decidable(Presence::Compare(CompareOp::Ne, size, Dim::constant(0)), constants)
            }
        },
        _ => None,
    }
}

/// The condition, if all names in it are parameters.
fn decidable(given: Presence, constants: &Constants) -> Option<Presence> {
    let Presence::Compare(_, a, b) = &given else { return Some(given) };
    let known = |size: &Dim| size.as_constant().is_some() || constants.are_behind(size);
    (known(a) && known(b)).then_some(given)
}
