//! What operators make of sizes and indices: sizes and indices again, where they do.

use super::Val;
use super::affine::{Affine, DivRem, TooLarge};
use crate::parse::quotient;
use netcl_kernels::dim::Dim;
use netcl_kernels::fold;
use netcl_kernels::graph::BinaryOp;

/// Whether the result of two whole numbers is none of 64 bits. (Sizes that are not known yet stay as large as they can be: no
/// memory is.)
pub(super) fn is_too_large(op: BinaryOp, a: &Dim, b: &Dim) -> bool {
    let (Some(a), Some(b)) = (a.as_constant(), b.as_constant()) else { return false };
    match op {
        BinaryOp::Add => a.checked_add(b).is_none(),
        BinaryOp::Sub => a.checked_sub(b).is_none(),
        BinaryOp::Mul => a.checked_mul(b).is_none(),
        BinaryOp::Div | BinaryOp::Rem => (a, b) == (i64::MIN, -1),
        BinaryOp::Shl => {
            1i64.checked_shl(u32::try_from(b).unwrap_or(u32::MAX)).and_then(|b| a.checked_mul(b)).is_none()
        }
        _ => false,
    }
}

/// A product of sizes multiplies so many pairs of terms at most, and each of its own has so many factors. They grow with products of
/// products, which are computed as numbers then.
const MOST_PAIRS: usize = 500;
const MOST_FACTORS: usize = 64;

/// The product of sizes as a size, unless it has too many terms or factors.
pub(super) fn product(a: &Dim, b: &Dim) -> Option<Dim> {
    let factors = |size: &Dim| size.terms().map(|(factors, _)| factors.len()).max().unwrap_or(0);
    let fits = a.terms().count() * b.terms().count() <= MOST_PAIRS && factors(a) + factors(b) <= MOST_FACTORS;
    fits.then(|| a.clone() * b.clone())
}

/// What sizes make, where that is a size again.
pub(super) fn dims(op: BinaryOp, a: &Dim, b: &Dim) -> Option<Dim> {
    Some(match op {
        BinaryOp::Add => a.clone() + b.clone(),
        BinaryOp::Sub => a.clone() - b.clone(),
        BinaryOp::Mul => product(a, b)?,
        BinaryOp::Div => quotient(a, b)?,
        BinaryOp::Shl if a.as_constant().is_none() => {
            a.clone() * Dim::constant(1i64.checked_shl(u32::try_from(b.as_constant()?).ok()?)?)
        }
        BinaryOp::Rem
        | BinaryOp::Max
        | BinaryOp::Min
        | BinaryOp::And
        | BinaryOp::Or
        | BinaryOp::Xor
        | BinaryOp::Shl
        | BinaryOp::Shr => {
            let (a, b) = (a.as_constant()?, b.as_constant()?);
            if op == BinaryOp::Rem && b == 0 {
                return None;
            }
            Dim::constant(fold::binary_i64(op, a, b)?)
        }
        _ => return None,
    })
}

/// `left op right` of indices and sizes, where that is an index again; `axes` are the index space's.
pub(super) fn indices(op: BinaryOp, left: &Val<'_>, right: &Val<'_>, axes: &[Dim]) -> Option<Result<Affine, TooLarge>> {
    let minus = |index: &Affine| index.times(-1);
    match (op, left, right) {
        (BinaryOp::Add, Val::Index(a), Val::Index(b)) => Some(a.plus(b)),
        (BinaryOp::Sub, Val::Index(a), Val::Index(b)) => Some(minus(b).and_then(|b| a.plus(&b))),
        (BinaryOp::Add, Val::Index(a), Val::Dim(b)) | (BinaryOp::Add, Val::Dim(b), Val::Index(a)) => {
            Some(a.plus(&Affine::fixed(b.size.clone())))
        }
        (BinaryOp::Sub, Val::Index(a), Val::Dim(b)) => Some(a.plus(&Affine::fixed(b.size.clone() * Dim::constant(-1)))),
        (BinaryOp::Sub, Val::Dim(a), Val::Index(b)) => {
            Some(minus(b).and_then(|b| Affine::fixed(a.size.clone()).plus(&b)))
        }
        (BinaryOp::Mul, Val::Index(a), Val::Dim(b)) | (BinaryOp::Mul, Val::Dim(b), Val::Index(a)) => {
            b.as_constant().map(|b| a.times(b)).or_else(|| a.times_size(b))
        }
        (BinaryOp::Div, Val::Index(a), Val::Dim(b)) => a.part(DivRem::Quotient, b, axes).map(Ok),
        (BinaryOp::Rem, Val::Index(a), Val::Dim(b)) => a.part(DivRem::Remainder, b, axes).map(Ok),
        (BinaryOp::Max, Val::Index(a), Val::Dim(b)) | (BinaryOp::Max, Val::Dim(b), Val::Index(a)) => {
            a.bounded(Some(b), None, axes).map(Ok)
        }
        (BinaryOp::Min, Val::Index(a), Val::Dim(b)) | (BinaryOp::Min, Val::Dim(b), Val::Index(a)) => {
            a.bounded(None, Some(b), axes).map(Ok)
        }
        _ => None,
    }
}
