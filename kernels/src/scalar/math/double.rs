//! Functions of `f64`: the standard library's.

use super::{Float, Isa, fma64};

/// `out = f(x)`, lane by lane.
#[inline(always)]
fn lanes(x: &[f64], out: &mut [f64], f: impl Fn(f64) -> f64) {
    for (out, &x) in out.iter_mut().zip(x) {
        *out = f(x);
    }
}

#[rustfmt::skip]
impl Float for f64 {
    const ONE: f64 = 1.0;

    #[inline(always)] fn fused<I: Isa>(self, b: f64, c: f64) -> f64 { fma64::<I>(self, b, c) }
    #[inline(always)] fn exp<I: Isa>(self) -> f64 { f64::exp(self) }
    #[inline(always)] fn exp2<I: Isa>(self) -> f64 { f64::exp2(self) }
    #[inline(always)] fn expm1<I: Isa>(self) -> f64 { f64::exp_m1(self) }
    #[inline(always)] fn log<I: Isa>(self) -> f64 { f64::ln(self) }
    #[inline(always)] fn log2<I: Isa>(self) -> f64 { f64::log2(self) }
    #[inline(always)] fn log1p<I: Isa>(self) -> f64 { f64::ln_1p(self) }
    #[inline(always)] fn sqrt(self) -> f64 { f64::sqrt(self) }
    #[inline(always)] fn tanh<I: Isa>(self) -> f64 { f64::tanh(self) }
    #[inline(always)] fn erf<I: Isa>(self) -> f64 { crate::scalar::special::erf(self) }
    #[inline(always)] fn floor(self) -> f64 { f64::floor(self) }
    #[inline(always)] fn ceil(self) -> f64 { f64::ceil(self) }
    #[inline(always)] fn round(self) -> f64 { f64::round_ties_even(self) }
    #[inline(always)] fn pow<I: Isa>(self, exponent: f64) -> f64 { f64::powf(self, exponent) }
    #[inline(always)] fn atan2(self, x: f64) -> f64 { f64::atan2(self, x) }
    #[inline(always)] fn sin_lanes<I: Isa>(x: &[f64], out: &mut [f64]) { lanes(x, out, f64::sin) }
    #[inline(always)] fn cos_lanes<I: Isa>(x: &[f64], out: &mut [f64]) { lanes(x, out, f64::cos) }
    #[inline(always)] fn tan_lanes<I: Isa>(x: &[f64], out: &mut [f64]) { lanes(x, out, f64::tan) }
}
