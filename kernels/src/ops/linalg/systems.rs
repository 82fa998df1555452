//! Systems of equations, inverses and determinants.

use super::super::linear::matmul;
use super::super::shape::{squeeze, unsqueeze};
use super::matrices::{Matrices, both, of_nothing};
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId, ReduceOp, UnaryOp};
use crate::numeric::lu::{Lu, lower, lu, permuted};
use crate::numeric::matrix::{diagonal, triangle, with_ones};
use crate::numeric::triangular;
use crate::span::Result;

pub(super) fn cholesky(b: &mut Builder, a: NodeId) -> Result<NodeId> {
    let all = Matrices::square(b, "cholesky", a)?;
    if all.is_empty(b) {
        return Ok(a);
    }
    let symmetric = all.symmetric(b)?;
    let l = crate::numeric::cholesky::cholesky(b, symmetric)?;
    all.given(b, l)
}

pub(super) fn solve_triangular(b: &mut Builder, operands: [NodeId; 2], upper: bool) -> Result<NodeId> {
    const OP: &str = "solve_triangular";
    let [left, right] = both(b, OP, operands)?;
    let (left, all) = (Matrices::square(b, OP, left)?, Matrices::of(b, OP, right)?);
    if all.is_empty(b) {
        return of_nothing(b, [&left, &all], &all.size);
    }
    let x = triangular::solve(b, left.rows, all.rows, upper)?;
    all.given(b, x)
}

/// `b` is matrices, or one vector.
pub(super) fn solve(b: &mut Builder, op: &str, [left, right]: [NodeId; 2]) -> Result<NodeId> {
    if b.shape(right).rank() == 1 {
        let column = unsqueeze(b, right, 1)?;
        let x = solve(b, op, [left, column])?;
        return squeeze(b, x, -1);
    }
    let [left, right] = both(b, op, [left, right])?;
    let (left, all) = (Matrices::square(b, op, left)?, Matrices::of(b, op, right)?);
    if all.is_empty(b) {
        return of_nothing(b, [&left, &all], &all.size);
    }
    let of = lu(b, left.rows)?;
    let x = solved(b, &of, all.rows)?;
    all.given(b, x)
}

/// `x` of `a x = b`, of a matrix that is decomposed.
fn solved(b: &mut Builder, of: &Lu, right: NodeId) -> Result<NodeId> {
    let (l, u) = (lower(b, of.packed)?, triangle(b, of.packed, CompareOp::Ge, 0)?);
    let right = permuted(b, of.order, right)?;
    let y = triangular::solve(b, l, right, false)?;
    let x = triangular::solve(b, u, y, true)?;
    // Of a singular matrix elements are infinite, or what is no solution either.
    let dtype = b.dtype(x);
    let main = diagonal(b, of.packed)?;
    let size = b.unary(UnaryOp::Abs, main)?;
    let least = b.reduce(ReduceOp::Min, size, &[1], true)?;
    let least = unsqueeze(b, least, 2)?;
    let (zero, nan) = (b.constant(0.0, dtype), b.constant(f64::NAN, dtype));
    let singular = b.compare(CompareOp::Eq, least, zero)?;
    let wrong = b.select(singular, nan, zero)?;
    b.binary(BinaryOp::Add, x, wrong)
}

pub(super) fn inverse(b: &mut Builder, op: &str, a: NodeId) -> Result<NodeId> {
    let all = Matrices::square(b, op, a)?;
    if all.is_empty(b) {
        return Ok(a);
    }
    let identity = identity(b, all.rows)?;
    let of = lu(b, all.rows)?;
    let x = solved(b, &of, identity)?;
    all.given(b, x)
}

/// Identities of the shape of `x`.
fn identity(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let (shape, dtype) = (b.shape(x).clone(), b.dtype(x));
    let zeros = b.full(0.0, &shape, dtype);
    with_ones(b, zeros)
}

pub(super) fn determinant(b: &mut Builder, a: NodeId) -> Result<NodeId> {
    let all = Matrices::square(b, "det", a)?;
    if all.is_empty(b) {
        return all.filled(b, 1.0, &[]);
    }
    let of = lu(b, all.rows)?;
    let main = diagonal(b, of.packed)?;
    let product = b.reduce(ReduceOp::Prod, main, &[1], false)?;
    let product = b.binary(BinaryOp::Mul, product, of.parity)?;
    all.given(b, product)
}

pub(super) fn log_determinant(b: &mut Builder, a: NodeId) -> Result<NodeId> {
    let all = Matrices::square(b, "logabsdet", a)?;
    if all.is_empty(b) {
        return all.filled(b, 0.0, &[]);
    }
    let of = lu(b, all.rows)?;
    let main = diagonal(b, of.packed)?;
    let size = b.unary(UnaryOp::Abs, main)?;
    let size = b.unary(UnaryOp::Log, size)?;
    let sum = b.reduce(ReduceOp::Sum, size, &[1], false)?;
    all.given(b, sum)
}

pub(super) fn determinant_sign(b: &mut Builder, a: NodeId) -> Result<NodeId> {
    let all = Matrices::square(b, "det_sign", a)?;
    if all.is_empty(b) {
        return all.filled(b, 1.0, &[]);
    }
    let of = lu(b, all.rows)?;
    let main = diagonal(b, of.packed)?;
    let signs = b.unary(UnaryOp::Sign, main)?;
    let product = b.reduce(ReduceOp::Prod, signs, &[1], false)?;
    let product = b.binary(BinaryOp::Mul, product, of.parity)?;
    all.given(b, product)
}

/// By squares.
pub(super) fn power(b: &mut Builder, a: NodeId, power: i64) -> Result<NodeId> {
    const OP: &str = "matrix_power";
    let all = Matrices::square(b, OP, a)?;
    if all.is_empty(b) {
        return Ok(a);
    }
    let (mut square, mut left) = (if power < 0 { inverse(b, OP, a)? } else { a }, power.unsigned_abs());
    let mut product = None;
    while left > 0 {
        if left % 2 == 1 {
            product = Some(match product {
                Some(product) => matmul(b, product, square)?,
                None => square,
            });
        }
        left /= 2;
        if left > 0 {
            square = matmul(b, square, square)?;
        }
    }
    match product {
        Some(product) => Ok(product),
        None => {
            let identity = identity(b, all.rows)?;
            all.given(b, identity)
        }
    }
}
