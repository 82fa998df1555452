//! Decompositions with orthogonal factors.

use super::super::shape::{concat, narrow};
use super::matrices::{Matrices, both, of_nothing};
use crate::dim::Dim;
use crate::graph::NodeId;
use crate::graph::build::Builder;
use crate::numeric::matrix::transposed_times;
use crate::numeric::triangular;
use crate::numeric::{eigh, qr, svd};
use crate::span::{Diagnostic, Result};

/// Which of the results.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    First,
    Middle,
    Last,
}

/// Whether matrices are higher than wide, or square.
fn are_high(b: &Builder, op: &str, all: &Matrices) -> Result<bool> {
    let [m, n] = &all.size;
    if (m.clone() - n.clone()).never_negative() {
        return Ok(true);
    }
    if (n.clone() - m.clone()).never_negative() {
        return Ok(false);
    }
    let found = b.shape(all.rows);
    Err(Diagnostic::new(format!(
        "`{op}` expects matrices of which it is known whether they are higher than wide, found {m} by {n} in {found}"
    ))
    .hint("write one of the sizes as a number, or both with one symbol"))
}

/// The smaller of the sizes.
fn rank(all: &Matrices, high: bool) -> Dim {
    all.size[usize::from(high)].clone()
}

/// `q` or `r`.
pub(super) fn orthogonal(b: &mut Builder, op: &str, a: NodeId, part: Part) -> Result<NodeId> {
    let all = Matrices::of(b, op, a)?;
    let high = are_high(b, op, &all)?;
    if all.is_empty(b) {
        let (rank, [m, n]) = (rank(&all, high), all.size.clone());
        // Of no columns or no rows there is nothing; of no matrices neither.
        return all.filled(b, 0.0, &if part == Part::First { [m, rank] } else { [rank, n] });
    }
    let result = if high {
        qr::qr(b, all.rows)?[usize::from(part == Part::Last)]
    } else {
        // The first columns have a decomposition of their own, in which the others are written.
        let [m, n] = all.size.clone();
        let first = narrow(b, all.rows, 2, &Dim::constant(0), &m)?;
        let [q, r] = qr::qr(b, first)?;
        if part == Part::First {
            q
        } else {
            let rest = narrow(b, all.rows, 2, &m, &(n - m.clone()))?;
            let rest = transposed_times(b, q, rest)?;
            concat(b, &[r, rest], 2)?
        }
    };
    all.given(b, result)
}

/// Eigenvalues or vectors.
pub(super) fn eigen(b: &mut Builder, op: &str, a: NodeId, part: Part) -> Result<NodeId> {
    let all = Matrices::square(b, op, a)?;
    if all.is_empty(b) {
        return if part == Part::Last { Ok(a) } else { all.filled(b, 0.0, &all.size[..1]) };
    }
    let symmetric = all.symmetric(b)?;
    let result = eigh::eigh(b, symmetric)?[usize::from(part == Part::Last)];
    all.given(b, result)
}

/// `u`, the singular values, or `vh`.
pub(super) fn singular(b: &mut Builder, op: &str, a: NodeId, part: Part) -> Result<NodeId> {
    let all = Matrices::of(b, op, a)?;
    let high = are_high(b, op, &all)?;
    if all.is_empty(b) {
        let (rank, [m, n]) = (rank(&all, high), all.size.clone());
        return match part {
            Part::First => all.filled(b, 0.0, &[m, rank]),
            Part::Middle => all.filled(b, 0.0, &[rank]),
            Part::Last => all.filled(b, 0.0, &[rank, n]),
        };
    }
    let matrices = if high { all.rows } else { b.transpose(all.rows)? };
    let [u, s, v] = svd::svd(b, matrices, !high)?;
    let result = match (part, high) {
        (Part::Middle, _) => s,
        (Part::First, true) => u,
        (Part::First, false) => v,
        (Part::Last, true) => b.transpose(v)?,
        (Part::Last, false) => b.transpose(u)?,
    };
    all.given(b, result)
}

/// `r x = q^T b`.
pub(super) fn least_squares(b: &mut Builder, operands: [NodeId; 2]) -> Result<NodeId> {
    const OP: &str = "lstsq";
    let [left, right] = both(b, OP, operands)?;
    let (left, right) = (Matrices::of(b, OP, left)?, Matrices::of(b, OP, right)?);
    if !are_high(b, OP, &left)? {
        let [m, n] = &left.size;
        return Err(Diagnostic::new(format!("`{OP}` expects at least as many rows as columns, found {m} by {n}"))
            .hint("of fewer equations than unknowns there are many solutions"));
    }
    if left.is_empty(b) || right.is_empty(b) {
        return of_nothing(b, [&left, &right], &[left.size[1].clone(), right.size[1].clone()]);
    }
    let [q, r] = qr::qr(b, left.rows)?;
    let projected = transposed_times(b, q, right.rows)?;
    let x = triangular::solve(b, r, projected, true)?;
    right.given(b, x)
}
