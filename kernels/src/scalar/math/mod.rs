//! Elementary functions of the host: one lane at a time, free of branches, so that a loop over lanes becomes vector
//! instructions.
//!
//! By hand, and not `libm`: its functions branch, so that loops over them do not become vector instructions.
//!
//! The block interpreter and the native code of the macros share these functions, which makes their results equal bit
//! for bit on one instruction set.
//!
//! `f32` functions are within 2 ulp ([`Float::log1p`], [`Float::tanh`], [`Float::erf`]: 3 ulp; without fused
//! multiply-add one more). Their polynomials are minimax fits made by the Remez exchange for the stated form and
//! interval, coefficients rounded to `f32`. `sin`, `cos`, `tan` and `pow` compute in `f64` inside. `f64` functions are
//! those of the standard library, `erf` that of `crate::special`.

mod double;

use super::arithmetic::Arithmetic;
use std::f32::consts::LOG2_E;

/// What the processor does in one instruction; decides how [`Float::fused`] is computed.
pub trait Isa: Copy + 'static {
    /// Whether `a * b + c` is one instruction.
    const FMA: bool;
}

/// Whatever the crate was compiled for.
#[derive(Clone, Copy, Debug)]
pub struct Baseline;

impl Isa for Baseline {
    const FMA: bool = cfg!(any(target_feature = "fma", target_arch = "aarch64"));
}

/// A processor with fused multiply-add; code for it must be compiled under that target feature.
#[derive(Clone, Copy, Debug)]
pub struct Fused;

impl Isa for Fused {
    const FMA: bool = true;
}

/// The floating-point types of arithmetic, with the functions of the kernel IR.
#[allow(missing_docs, reason = "the field's standard names; semantics are those of the IR's operations")]
pub trait Float: Arithmetic {
    const ONE: Self;

    /// `self * b + c`, with one rounding where `I` has the instruction and two elsewhere.
    fn fused<I: Isa>(self, b: Self, c: Self) -> Self;
    fn exp<I: Isa>(self) -> Self;
    fn exp2<I: Isa>(self) -> Self;
    fn expm1<I: Isa>(self) -> Self;
    fn log<I: Isa>(self) -> Self;
    fn log2<I: Isa>(self) -> Self;
    fn log1p<I: Isa>(self) -> Self;
    fn sqrt(self) -> Self;
    fn tanh<I: Isa>(self) -> Self;
    fn erf<I: Isa>(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    /// To the nearest integer, ties to even.
    fn round(self) -> Self;
    fn pow<I: Isa>(self, exponent: Self) -> Self;
    fn atan2(self, x: Self) -> Self;
    /// Of many numbers at once; `out` has the length of `x`. A few huge arguments do not slow down the others.
    fn sin_lanes<I: Isa>(x: &[Self], out: &mut [Self]);
    /// See [`Float::sin_lanes`].
    fn cos_lanes<I: Isa>(x: &[Self], out: &mut [Self]);
    /// See [`Float::sin_lanes`].
    fn tan_lanes<I: Isa>(x: &[Self], out: &mut [Self]);

    #[inline(always)]
    fn recip(self) -> Self {
        Self::ONE.div(self)
    }

    #[inline(always)]
    fn rsqrt(self) -> Self {
        Self::ONE.div(self.sqrt())
    }

    #[inline(always)]
    fn is_nan(self) -> bool {
        self.partial_cmp(&self).is_none()
    }
}

/// Adding and subtracting this rounds an `f32` of up to 22 bits to an integer; the integer is in the low bits.
const ROUND: f32 = 12_582_912.0;
/// The same for `f64`.
const ROUND64: f64 = 6_755_399_441_055_744.0;
/// `ln 2` in two parts, the first of nine bits, so that small multiples of it are exact.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// `a * b + c`, see [`Float::fused`].
#[inline(always)]
fn fma<I: Isa>(a: f32, b: f32, c: f32) -> f32 {
    if I::FMA { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn fma64<I: Isa>(a: f64, b: f64, c: f64) -> f64 {
    if I::FMA { a.mul_add(b, c) } else { a * b + c }
}

/// The polynomial with these coefficients, highest power first.
#[inline(always)]
fn polynomial<I: Isa, const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    let mut sum = coefficients[0];
    let mut position = 1;
    while position < N {
        sum = fma::<I>(sum, x, coefficients[position]);
        position += 1;
    }
    sum
}

#[inline(always)]
fn polynomial64<I: Isa, const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = coefficients[0];
    let mut position = 1;
    while position < N {
        sum = fma64::<I>(sum, x, coefficients[position]);
        position += 1;
    }
    sum
}

/// `x` between the bounds; NaN stays.
#[inline(always)]
fn clamp(x: f32, low: f32, high: f32) -> f32 {
    let x = if x < low { low } else { x };
    if x > high { high } else { x }
}

/// `2^k` as two factors, `k` an integer in -250..=250 plus [`ROUND`]: one factor alone would over- or underflow.
#[inline(always)]
fn power_of_two(k: f32) -> (f32, f32) {
    let exponent = (k.to_bits() as i32).wrapping_sub(ROUND.to_bits() as i32);
    let half = exponent >> 1;
    let factor = |exponent: i32| f32::from_bits((exponent.wrapping_add(127) << 23) as u32);
    (factor(half), factor(exponent.wrapping_sub(half)))
}

/// `e^r - 1` on `|r| <= ln 2 / 2` as `r + r² P(r)`; relative error of the fit 5e-9.
#[inline(always)]
fn expm1_reduced<I: Isa>(r: f32) -> f32 {
    let p = polynomial::<I, 5>(r, [0.001_394_664_5, 0.008_366_698, 0.041_666_28, 0.166_665_42, 0.5]);
    fma::<I>(p, r * r, r)
}

/// `x = k ln 2 + r`: `k + ROUND` and `r`.
#[inline(always)]
fn reduce_exp<I: Isa>(x: f32) -> (f32, f32) {
    let k = fma::<I>(x, LOG2_E, ROUND);
    let n = k - ROUND;
    (k, fma::<I>(n, -LN2_LOW, fma::<I>(n, -LN2_HIGH, x)))
}

/// For positive `x`: its exponent `k` and `f` with `x = 2^k (1 + f)`, `1 + f` in [√½, √2).
#[inline(always)]
fn split_exponent(x: f32) -> (f32, f32) {
    const SQRT_HALF: u32 = 0x3f35_04f3;
    let tiny = x < f32::MIN_POSITIVE;
    let scaled = if tiny { x * 8_388_608.0 } else { x };
    let bits = scaled.to_bits().wrapping_sub(SQRT_HALF);
    let exponent = ((bits as i32) >> 23) as f32 - if tiny { 23.0 } else { 0.0 };
    (exponent, f32::from_bits((bits & 0x007f_ffff).wrapping_add(SQRT_HALF)) - 1.0)
}

/// `ln(1 + f) - f` for `1 + f` in [√½, √2): with `s = f / (2 + f)`, `ln(1 + f) = f - f²/2 + s (f²/2 + R(s²))`;
/// error of the fit of `R` 1e-11.
#[inline(always)]
fn log_tail<I: Isa>(f: f32) -> f32 {
    let s = f / (2.0 + f);
    let z = s * s;
    let r = z * polynomial::<I, 4>(z, [0.235_963, 0.285_366_06, 0.400_003_46, 0.666_666_6]);
    let half_square = 0.5 * f * f;
    fma::<I>(s, half_square + r, -half_square)
}

/// What logarithms give at the edges of their domain.
#[inline(always)]
fn log_edges(x: f32, result: f32) -> f32 {
    let result = if x == 0.0 { f32::NEG_INFINITY } else { result };
    let result = if x < 0.0 { f32::NAN } else { result };
    if x < f32::INFINITY { result } else { x }
}

/// Beyond this the two-part reduction loses bits; such arguments go to the standard library.
const LARGE_ANGLE: f32 = 1e8;

/// `x - k π/2` in `f64` and `k mod 4`.
#[inline(always)]
fn reduce_angle(x: f32) -> (f64, i32) {
    // The leading 25 bits of π/2, so that its multiples by less than 2^28 are exact, and the rest.
    const HIGH: f64 = f64::from_bits(0x3ff9_21fb_5000_0000);
    const LOW: f64 = 1.589_325_477_352_819_6e-8;
    let x = f64::from(x);
    let k = x * std::f64::consts::FRAC_2_PI + ROUND64;
    let n = k - ROUND64;
    (x - n * HIGH - n * LOW, k.to_bits() as i32 & 3)
}

/// Taylor series on `|r| <= π/4`; relative error below 3e-9.
#[inline(always)]
fn sin_cos_reduced<I: Isa>(r: f64) -> (f64, f64) {
    let z = r * r;
    let sin = polynomial64::<I, 4>(z, [1.0 / 362_880.0, -1.0 / 5040.0, 1.0 / 120.0, -1.0 / 6.0]);
    let cos = polynomial64::<I, 6>(z, [-1.0 / 3_628_800.0, 1.0 / 40_320.0, -1.0 / 720.0, 1.0 / 24.0, -0.5, 1.0]);
    (fma64::<I>(sin, z * r, r), cos)
}

/// The sine of an angle that is not large; `quarter` 1 makes it the cosine.
#[inline(always)]
fn sin_shifted<I: Isa>(x: f32, quarter: i32) -> f32 {
    let (r, k) = reduce_angle(x);
    let (sin, cos) = sin_cos_reduced::<I>(r);
    let k = k + quarter;
    let value = if k & 1 == 0 { sin } else { cos };
    // Zero keeps its sign.
    let value = if k & 2 == 0 { value } else { -value };
    if quarter == 0 && x == 0.0 { x } else { value as f32 }
}

/// The tangent of an angle that is not large.
#[inline(always)]
fn tan_reduced<I: Isa>(x: f32) -> f32 {
    let (r, k) = reduce_angle(x);
    let (sin, cos) = sin_cos_reduced::<I>(r);
    let (above, below) = if k & 1 == 0 { (sin, cos) } else { (-cos, sin) };
    if x == 0.0 { x } else { (above / below) as f32 }
}

/// `out = fast(x)` and, where arguments are large, `exact(x)`.
#[inline(always)]
fn angle_lanes(x: &[f32], out: &mut [f32], fast: impl Fn(f32) -> f32, exact: impl Fn(f64) -> f64) {
    let mut large = false;
    for (out, &x) in out.iter_mut().zip(x) {
        *out = fast(x);
        large |= x.abs() >= LARGE_ANGLE;
    }
    if large {
        for (out, &x) in out.iter_mut().zip(x) {
            if x.abs() >= LARGE_ANGLE {
                *out = exact(f64::from(x)) as f32;
            }
        }
    }
}

impl Float for f32 {
    const ONE: f32 = 1.0;

    #[inline(always)]
    fn fused<I: Isa>(self, b: f32, c: f32) -> f32 {
        fma::<I>(self, b, c)
    }

    /// `2^k e^r`.
    #[inline(always)]
    fn exp<I: Isa>(self) -> f32 {
        let (k, r) = reduce_exp::<I>(clamp(self, -104.0, 89.0));
        let (a, b) = power_of_two(k);
        (expm1_reduced::<I>(r) + 1.0) * a * b
    }

    #[inline(always)]
    fn exp2<I: Isa>(self) -> f32 {
        let x = clamp(self, -151.0, 129.0);
        let k = x + ROUND;
        let r = (x - (k - ROUND)) * std::f32::consts::LN_2;
        let (a, b) = power_of_two(k);
        (expm1_reduced::<I>(r) + 1.0) * a * b
    }

    /// `2^k (e^r - 1) + (2^k - 1)`.
    #[inline(always)]
    fn expm1<I: Isa>(self) -> f32 {
        let x = clamp(self, -30.0, 89.0);
        let (k, r) = reduce_exp::<I>(x);
        let (a, b) = power_of_two(k);
        let value = fma::<I>(expm1_reduced::<I>(r), a, a - 1.0 / b) * b;
        if f32::abs(self) < 1e-8 { self } else { value }
    }

    #[inline(always)]
    fn log<I: Isa>(self) -> f32 {
        let (k, f) = split_exponent(self);
        let low = fma::<I>(k, LN2_LOW, log_tail::<I>(f));
        log_edges(self, fma::<I>(k, LN2_HIGH, low + f))
    }

    #[inline(always)]
    fn log2<I: Isa>(self) -> f32 {
        // log2(e) as 1.4375 + rest: f times 1.4375 loses little.
        const REST: f32 = (std::f64::consts::LOG2_E - 1.4375) as f32;
        let (k, f) = split_exponent(self);
        let tail = log_tail::<I>(f);
        let low = fma::<I>(tail, LOG2_E, f * REST);
        log_edges(self, k + fma::<I>(f, 1.4375, low))
    }

    /// The logarithm of `1 + x`, corrected by what rounding that sum lost.
    #[inline(always)]
    fn log1p<I: Isa>(self) -> f32 {
        let u = 1.0 + self;
        let (k, f) = split_exponent(u);
        let lost = if self > 1.0 { 1.0 - (u - self) } else { self - (u - 1.0) };
        // Near zero `u` would lose all of a small argument: there `f` is the argument itself.
        let near = k == 0.0;
        let (f, lost) = (if near { self } else { f }, if near { 0.0 } else { lost / u });
        let low = fma::<I>(k, LN2_LOW, log_tail::<I>(f) + lost);
        let value = log_edges(u, fma::<I>(k, LN2_HIGH, low + f));
        if f32::abs(self) < 1e-8 { self } else { value }
    }

    #[inline(always)]
    fn sqrt(self) -> f32 {
        f32::sqrt(self)
    }

    /// Below 0.625 `x + x³ P(x²)` (relative error of the fit 4e-9), above it `1 - 2 / (e^2|x| + 1)`.
    #[inline(always)]
    fn tanh<I: Isa>(self) -> f32 {
        let a = f32::abs(self);
        let large = 1.0 - 2.0 / (Float::exp::<I>(a + a) + 1.0);
        let z = a * a;
        let p = polynomial::<I, 5>(z, [-0.005_709_955_5, 0.020_644_601, -0.053_741_79, 0.133_314_73, -0.333_332_84]);
        let small = fma::<I>(p * z, a, a);
        (if a < 0.625 { small } else { large }).copysign(self)
    }

    /// Below 0.925 `x + x P(x²)`, above it `1 - e^(-x Q(x))`, `Q` a fit of `-ln(erfc x) / x` on [0.92, 4].
    #[inline(always)]
    fn erf<I: Isa>(self) -> f32 {
        let a = f32::abs(self);
        let z = a * a;
        let p = polynomial::<I, 6>(
            z,
            [-5.976_897e-4, 0.004_990_981, -0.026_765_568, 0.112_818_025, -0.376_124_95, 0.128_379_15],
        );
        let small = fma::<I>(p, a, a);
        let t = clamp(a, 0.0, 4.0);
        // The constant coefficient without its 1, which is added last and exactly.
        let q = polynomial::<I, 7>(
            t,
            [
                1.457_336_8e-5,
                -3.535_777_8e-4,
                0.003_757_620_5,
                -0.023_986_412,
                0.106_477_07,
                0.635_017_16,
                0.128_679_04,
            ],
        );
        let large = 1.0 - Float::exp::<I>(-fma::<I>(q, t, t));
        (if a < 0.925 { small } else { large }).copysign(self)
    }

    #[inline(always)]
    fn floor(self) -> f32 {
        f32::floor(self)
    }

    #[inline(always)]
    fn ceil(self) -> f32 {
        f32::ceil(self)
    }

    #[inline(always)]
    fn round(self) -> f32 {
        f32::round_ties_even(self)
    }

    /// `2^(y log2 x)` in `f64`: `log2` by its atanh series, `2^f` by its Taylor series, both to 1e-11.
    #[inline(always)]
    fn pow<I: Isa>(self, exponent: f32) -> f32 {
        let (x, y) = (f64::from(f32::abs(self)), f64::from(exponent));
        const SQRT_HALF: u64 = 0x3fe6_a09e_667f_3bcd;
        let bits = x.to_bits().wrapping_sub(SQRT_HALF);
        let k = ((bits as i64) >> 52) as f64;
        let m = f64::from_bits((bits & 0x000f_ffff_ffff_ffff).wrapping_add(SQRT_HALF));
        let s = (m - 1.0) / (m + 1.0);
        let z = s * s;
        let series = polynomial64::<I, 8>(
            z,
            [1.0 / 15.0, 1.0 / 13.0, 1.0 / 11.0, 1.0 / 9.0, 1.0 / 7.0, 1.0 / 5.0, 1.0 / 3.0, 1.0],
        );
        let product = y * (k + 2.0 * std::f64::consts::LOG2_E * s * series);
        let product = if product < -200.0 { -200.0 } else { product };
        let product = if product > 200.0 { 200.0 } else { product };
        let rounded = product + ROUND64;
        let r = (product - (rounded - ROUND64)) * std::f64::consts::LN_2;
        let power = polynomial64::<I, 10>(
            r,
            [
                1.0 / 362_880.0,
                1.0 / 40_320.0,
                1.0 / 5040.0,
                1.0 / 720.0,
                1.0 / 120.0,
                1.0 / 24.0,
                1.0 / 6.0,
                0.5,
                1.0,
                1.0,
            ],
        );
        let n = rounded.to_bits().wrapping_sub(ROUND64.to_bits());
        let magnitude = (power * f64::from_bits(n.wrapping_add(1023) << 52)) as f32;

        // The edges, by IEEE 754 `pow`.
        let up = if exponent > 0.0 { f32::INFINITY } else { 0.0 };
        let down = if exponent > 0.0 { 0.0 } else { f32::INFINITY };
        let magnitude = if x == f64::INFINITY { up } else { magnitude };
        let magnitude = if x == 0.0 { down } else { magnitude };
        let half = 0.5 * exponent;
        let integer = f32::floor(exponent) == exponent;
        let odd = integer && f32::floor(half) != half;
        let negative = self.to_bits() >> 31 == 1;
        let value = if negative && odd { -magnitude } else { magnitude };
        let value = if self < 0.0 && !integer && self != f32::NEG_INFINITY { f32::NAN } else { value };
        let value = if x == 1.0 && f32::abs(exponent) == f32::INFINITY { 1.0 } else { value };
        let value = if Float::is_nan(self) || Float::is_nan(exponent) { f32::NAN } else { value };
        if exponent == 0.0 || self == 1.0 { 1.0 } else { value }
    }

    #[inline(always)]
    fn atan2(self, x: f32) -> f32 {
        f32::atan2(self, x)
    }

    #[inline(always)]
    fn sin_lanes<I: Isa>(x: &[f32], out: &mut [f32]) {
        angle_lanes(
            x,
            out,
            #[inline(always)]
            |x| sin_shifted::<I>(x, 0),
            f64::sin,
        );
    }

    #[inline(always)]
    fn cos_lanes<I: Isa>(x: &[f32], out: &mut [f32]) {
        angle_lanes(
            x,
            out,
            #[inline(always)]
            |x| sin_shifted::<I>(x, 1),
            f64::cos,
        );
    }

    #[inline(always)]
    fn tan_lanes<I: Isa>(x: &[f32], out: &mut [f32]) {
        angle_lanes(
            x,
            out,
            #[inline(always)]
            |x| tan_reduced::<I>(x),
            f64::tan,
        );
    }
}

#[cfg(test)]
mod tests;
