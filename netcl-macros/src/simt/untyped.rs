//! Numbers without a type. Those that meet nothing but each other take it from how their value is used, as those of `let`s
//! do: `i & !7`, `if up { 1 } else { -1 }`. Where nothing gives them one, as in `(0.1 + 0.2) as f32` and `1 << 31 < 0`, whole
//! ones are `i32` to Rust, and others `f64`. (A `let` that nothing but a cast uses is of `u32` or `f32` all the same.)

use super::state::{Simt, Val};
use crate::ast::Constant;
use crate::lower::{Operator, operator};
use crate::number::ConstFloat;
use crate::parse::{constant, names_in};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::graph::UnaryOp;
use proc_macro2::Span;
use quote::ToTokens;
use syn::{BinOp, Expr, UnOp};

impl Simt<'_> {
    /// What the type of `expr` is settled under, which computes with these values, if they do not say it: the `let` of the
    /// one that is open, or, of numbers alone, the expression.
    pub(super) fn meeting<T, const N: usize>(&self, values: [&Val; N], expr: &T) -> Option<usize> {
        let mut own = Some(address(expr));
        for value in values {
            match value {
                Val::Number(Constant::Integer(_) | Constant::Float(ConstFloat { ty: None, .. })) => {}
                Val::Expr(_, position) if self.is_open(*position) => own = *position,
                _ => return None,
            }
        }
        own
    }

    /// The first of these values, in the type that has been settled; until then in one that has the other, too.
    pub(super) fn met(&mut self, open: Option<usize>, value: Val, other: Option<&Val>, span: Span) -> Val {
        let settled = open.and_then(|open| self.numbers.get(&open).copied());
        let both = match (&value, other) {
            (Val::Number(Constant::Integer(a)), Some(Val::Number(Constant::Integer(b)))) => {
                [DType::U32, DType::I32, DType::I64].into_iter().find(|dtype| dtype.holds(*a) && dtype.holds(*b))
            }
            _ => None,
        };
        match (settled.or(both), value) {
            (Some(dtype), value @ Val::Number(_)) => {
                self.value(value, Some(dtype), span).map_or(Val::Unknown, |id| Val::Expr(id, None))
            }
            (_, value) => value,
        }
    }

    /// Settles the type of `expr`, which is cast to `to` and has this value, where it is one of numbers alone: nothing else
    /// does.
    pub(super) fn settle_cast(&mut self, value: &Val, expr: &Expr, to: DType) {
        let Val::Expr(id, open) = value else { return };
        // A `let` may have its type from another use.
        let names = names_in(expr.to_token_stream());
        let of_let = names.iter().filter_map(|name| self.lookup(name)).any(|variable| match variable.value {
            Val::Expr(_, open) => self.is_open(open),
            _ => false,
        });
        if of_let || !self.is_open(*open) {
            return;
        }
        match self.ty(*id).dtype {
            dtype if dtype.is_integer() => self.settle(*id, *open, Some(DType::I32)),
            // Chosen, not computed with: both round to the same.
            _ if to.compute() == DType::F32 => {}
            _ => self.settle(*id, *open, Some(DType::F64)),
        }
    }

    /// What was computed with them, whose use settles the type.
    pub(super) fn opened(&self, open: Option<usize>, result: Val) -> Val {
        match result {
            Val::Expr(id, None) if open.is_some() && self.ty(id).dtype != DType::Bool => Val::Expr(id, open),
            result => result,
        }
    }
}

/// Where an expression stands, under which its type is settled. The tries that a kernel takes share the expressions.
fn address<T>(expr: &T) -> usize {
    std::ptr::from_ref(expr).addr()
}

/// The value of an expression of such numbers alone. (A literal by itself is of the type that it is converted to.)
pub(super) fn computed(expr: &Expr) -> Option<Literal> {
    match expr {
        Expr::Paren(inner) => computed(&inner.expr),
        Expr::Group(inner) => computed(&inner.expr),
        Expr::Unary(unary) => match (&unary.op, operand(&unary.expr)?) {
            (UnOp::Neg(_), value) if !matches!(&*unary.expr, Expr::Lit(_)) => fold::unary(UnaryOp::Neg, value),
            (UnOp::Not(_), Literal::Int(value, dtype)) => Some(Literal::Int(!value, dtype)),
            _ => None,
        },
        Expr::Binary(binary) => {
            let (a, b) = (operand(&binary.left)?, operand(&binary.right)?);
            match (&binary.op, a, b) {
                (BinOp::Shl(_) | BinOp::Shr(_), Literal::Int(a, _), Literal::Int(b, _)) => {
                    let (a, b) = (i32::try_from(a).ok()?, u32::try_from(b).ok()?);
                    let left = matches!(binary.op, BinOp::Shl(_));
                    let shifted = if left { a.checked_shl(b)? } else { a.checked_shr(b)? };
                    Some(Literal::Int(i64::from(shifted), DType::I32))
                }
                (op, a, b) if a.dtype() == b.dtype() => match operator(op)? {
                    Operator::Binary(op) => fold::binary(op, a, b),
                    Operator::Compare(_) => None,
                },
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether two of them compare so.
pub(super) fn compared(op: &BinOp, a: &Expr, b: &Expr) -> Option<Literal> {
    let (a, b) = (operand(a)?, operand(b)?);
    match operator(op)? {
        Operator::Compare(op) if a.dtype() == b.dtype() => Some(Literal::Bool(fold::compare_literals(op, a, b))),
        _ => None,
    }
}

fn operand(expr: &Expr) -> Option<Literal> {
    match expr {
        Expr::Paren(inner) => operand(&inner.expr),
        Expr::Group(inner) => operand(&inner.expr),
        Expr::Lit(_) => literal(expr, false),
        Expr::Unary(unary) if matches!((&unary.op, &*unary.expr), (UnOp::Neg(_), Expr::Lit(_))) => {
            literal(&unary.expr, true)
        }
        expr => computed(expr),
    }
}

/// A literal without a suffix; `negative`: there is a minus before it.
fn literal(expr: &Expr, negative: bool) -> Option<Literal> {
    if !super::check::bare(expr) {
        return None;
    }
    let Expr::Lit(lit) = expr else { return None };
    match constant::literal(&lit.lit)? {
        Constant::Integer(value) => {
            let value = if negative { -value } else { value };
            DType::I32.holds(value).then_some(Literal::Int(value, DType::I32))
        }
        Constant::Float(number) => {
            let value = if negative { -number.value } else { number.value };
            Some(Literal::float(value, DType::F64))
        }
        Constant::Bool(_) => None,
    }
}
