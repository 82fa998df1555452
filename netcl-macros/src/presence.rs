//! Whether an `Option` field is there: `#[layer(.., present = STRIDE > 1)]`, known once the model's numbers are.

use crate::ast::Constant;
use crate::parse::constant::{self, Constants};
use crate::parse::types;
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::CompareOp;
use syn::{BinOp, Expr, Lit, UnOp};

/// The condition.
#[derive(Clone)]
pub(crate) enum Presence {
    Known(bool),
    Compare(CompareOp, Dim, Dim),
    Not(Box<Presence>),
    /// Both, or either.
    Both(bool, Box<[Presence; 2]>),
}

impl Presence {
    /// The condition as it is written; `None` where it is none that numbers decide.
    pub(crate) fn of(expr: &Expr, constants: &Constants) -> Option<Presence> {
        match expr {
            Expr::Paren(inner) => Presence::of(&inner.expr, constants),
            Expr::Group(inner) => Presence::of(&inner.expr, constants),
            Expr::Block(block) => match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(inner, None)] => Presence::of(inner, constants),
                _ => None,
            },
            Expr::Lit(syn::ExprLit { lit: Lit::Bool(truth), .. }) => Some(Presence::Known(truth.value)),
            Expr::Unary(unary) if matches!(unary.op, UnOp::Not(_)) => {
                Some(Presence::Not(Box::new(Presence::of(&unary.expr, constants)?)))
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
                        let [a, b] = [&binary.left, &binary.right].map(|side| Presence::of(side, constants));
                        return Some(Presence::Both(matches!(binary.op, BinOp::And(_)), Box::new([a?, b?])));
                    }
                    _ => return None,
                };
                let [a, b] = [&binary.left, &binary.right].map(|side| types::expr_dim(side, constants));
                Presence::Compare(op, a?, b?).decidable(constants)
            }
            Expr::Path(_) => match constant::evaluate(expr, constants) {
                Some(Constant::Bool(truth)) => Some(Presence::Known(truth)),
                // `AROUND`, which is 1 or 0.
                _ => {
                    let size = types::expr_dim(expr, constants)?;
                    Presence::Compare(CompareOp::Ne, size, Dim::constant(0)).decidable(constants)
                }
            },
            _ => None,
        }
    }

    /// The condition, if all names in it are parameters.
    fn decidable(self, constants: &Constants) -> Option<Presence> {
        let Presence::Compare(_, a, b) = &self else { return Some(self) };
        let known = |size: &Dim| size.as_constant().is_some() || constants.are_behind(size);
        (known(a) && known(b)).then_some(self)
    }

    /// Whether it holds, where sizes are what `size` says; the size that is not known otherwise.
    pub(crate) fn holds(&self, size: &dyn Fn(&Dim) -> Dim) -> Result<bool, Dim> {
        match self {
            Presence::Known(truth) => Ok(*truth),
            Presence::Not(inner) => inner.holds(size).map(|truth| !truth),
            Presence::Both(and, sides) => {
                let (a, b) = (sides[0].holds(size)?, sides[1].holds(size)?);
                Ok(if *and { a && b } else { a || b })
            }
            Presence::Compare(op, a, b) => {
                let [a, b] = [a, b].map(size);
                match (a.as_constant(), b.as_constant()) {
                    (Some(a), Some(b)) => Ok(netcl_kernels::scalar::compare(*op, a, b)),
                    (None, _) => Err(a),
                    _ => Err(b),
                }
            }
        }
    }
}
