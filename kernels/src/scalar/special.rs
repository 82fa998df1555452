//! Special functions that the standard library lacks, to double precision.

use std::f64::consts::PI;

/// The error function, `2/sqrt(pi) * integral of exp(-t^2) from 0 to x`; NaN gives NaN.
///
/// Below 3: `2/sqrt(pi) * exp(-x^2) * sum 2^n x^(2n+1) / (2n+1)!!` (Abramowitz and Stegun 7.1.6), whose terms are all of
/// one sign, so nothing cancels. From 3 on: `1 - erfc(x)`.
pub(super) fn erf(x: f64) -> f64 {
    if x.abs() < 3.0 {
        let (mut term, mut sum, mut n) = (x, x, 0.0);
        while term.abs() > sum.abs() * 1e-18 {
            n += 1.0;
            term *= 2.0 * x * x / (2.0 * n + 1.0);
            sum += term;
        }
        2.0 / PI.sqrt() * (-x * x).exp() * sum
    } else if x.is_nan() {
        x
    } else {
        (1.0 - erfc_tail(x.abs())).copysign(x)
    }
}

/// `erfc(x)` for `x >= 3` by its continued fraction (Abramowitz and Stegun 7.1.14), evaluated from the back:
/// `exp(-x^2)/sqrt(pi) * 1/(x + (1/2)/(x + 1/(x + (3/2)/(x + ...))))`.
fn erfc_tail(x: f64) -> f64 {
    if x > 27.0 {
        return 0.0;
    }
    let fraction = (1..=60).rev().fold(x, |rest, k| x + 0.5 * f64::from(k) / rest);
    (-x * x).exp() / (PI.sqrt() * fraction)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reference values: C's `erf`, as Python's `math.erf` prints it.
    #[test]
    fn erf_to_double_precision() {
        let cases = [
            (0.0, 0.0),
            (1e-10, 1.1283791670955126e-10),
            (0.1, 0.1124629160182849),
            (0.5, 0.5204998778130465),
            (1.0, 0.8427007929497149),
            (1.5, 0.9661051464753108),
            (2.0, 0.9953222650189527),
            (2.9, 0.9999589021219005),
            (3.0, 0.9999779095030014),
            (4.0, 0.9999999845827421),
            (6.0, 1.0),
        ];
        for (x, expected) in cases {
            for (x, expected) in [(x, expected), (-x, -expected)] {
                let found: f64 = erf(x);
                assert!((found - expected).abs() <= 1e-15 * f64::abs(expected), "erf({x}) = {found}, not {expected}");
            }
        }
        assert!(erf(f64::NAN).is_nan());
        assert_eq!((erf(f64::INFINITY), erf(f64::NEG_INFINITY)), (1.0, -1.0));
    }
}
