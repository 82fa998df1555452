//! The operations of native kernels by name: what emitted text calls for scalars, and maps over the lanes of vectors.
//!
//! What they give is `netcl_kernels::scalar`'s business, as it is the block interpreter's, so that both give the same bits.

use super::lanes::{V, lanes};
use super::view::{self, NativeElement};
use netcl_kernels::kir::interp::ops;
use netcl_kernels::scalar::{Arithmetic, Bitcast, Bits, Convert, Float, Isa};

macro_rules! float_functions {
    ($($name:ident($x:ident) $value:expr;)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of the kernel IR.")]
        #[inline(always)]
        pub fn $name<I: Isa, T: Float>($x: T) -> T {
            $value
        }
    )*};
}
float_functions! {
    exp(x) Float::exp::<I>(x);
    exp2(x) Float::exp2::<I>(x);
    expm1(x) Float::expm1::<I>(x);
    log(x) Float::log::<I>(x);
    log2(x) Float::log2::<I>(x);
    log1p(x) Float::log1p::<I>(x);
    sqrt(x) Float::sqrt(x);
    rsqrt(x) Float::rsqrt(x);
    recip(x) Float::recip(x);
    tanh(x) Float::tanh::<I>(x);
    erf(x) Float::erf::<I>(x);
    floor(x) Float::floor(x);
    ceil(x) Float::ceil(x);
    round(x) Float::round(x);
}

/// What a vector function does to a vector of one lane.
macro_rules! lane_functions {
    ($($name:ident $lanes:ident;)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of every lane.")]
        #[inline(always)]
        pub fn $lanes<I: Isa, T: Float, const L: usize>(x: &V<T, L>) -> V<T, L> {
            let mut out = *x;
            T::$lanes::<I>(&x.0, &mut out.0);
            out
        }

        #[doc = concat!("`", stringify!($name), "` of the kernel IR.")]
        #[inline(always)]
        pub fn $name<I: Isa, T: Float>(x: T) -> T {
            $lanes::<I, T, 1>(&V([x])).0[0]
        }
    )*};
}
lane_functions! {
    sin sin_lanes;
    cos cos_lanes;
    tan tan_lanes;
}

macro_rules! scalar_functions {
    ($($name:ident($($x:ident)*);)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of the kernel IR.")]
        #[inline(always)]
        pub fn $name<T: Arithmetic>($($x: T),*) -> T {
            T::$name($($x),*)
        }
    )*};
}
scalar_functions! {
    neg(x);
    abs(x);
    sign(x);
    add(x y);
    sub(x y);
    mul(x y);
    div(x y);
    rem(x y);
    max(x y);
    min(x y);
}

macro_rules! bit_functions {
    ($($name:ident($($x:ident)*);)*) => {$(
        #[doc = concat!("`", stringify!($name), "` of the kernel IR.")]
        #[inline(always)]
        pub fn $name<T: Bits>($($x: T),*) -> T {
            T::$name($($x),*)
        }
    )*};
}
bit_functions! {
    not(x);
    and(x y);
    or(x y);
    xor(x y);
    shl(x y);
    shr(x y);
}

/// `x` to the power `y`.
#[inline(always)]
pub fn pow<I: Isa, T: Float>(x: T, y: T) -> T {
    Float::pow::<I>(x, y)
}

/// The angle of the point `(x, y)`.
#[inline(always)]
pub fn atan2<T: Float>(y: T, x: T) -> T {
    Float::atan2(y, x)
}

/// `a * b + c` of floats, rounded once where the processor has the instruction.
#[inline(always)]
pub fn mul_add<I: Isa, T: Float>(a: T, b: T, c: T) -> T {
    Float::fused::<I>(a, b, c)
}

/// [`mul_add`] of every lane.
#[inline(always)]
pub fn mul_add_lanes<I: Isa, T: Float, const L: usize>(a: &V<T, L>, b: &V<T, L>, c: &V<T, L>) -> V<T, L> {
    lanes(|lane| mul_add::<I, T>(a.0[lane], b.0[lane], c.0[lane]))
}

/// `0, 1, ..` in the lanes.
#[inline(always)]
pub fn lane_ids<T: Arithmetic, const L: usize>() -> V<T, L> {
    lanes(T::of_index)
}

/// Conversion.
#[inline(always)]
pub fn cast<T: Convert<U>, U>(x: T) -> U {
    x.convert()
}

/// The same bits.
#[inline(always)]
pub fn bitcast<T: Bitcast<U>, U>(x: T) -> U {
    x.bitcast()
}

/// `f32` rounded to a storage type and back.
#[inline(always)]
pub fn rounded<T: NativeElement<Value = f32>>(x: f32) -> f32 {
    view::round::<T>(x)
}

/// A uniform random number.
#[inline(always)]
pub fn philox(counter: u32, seed: u32, stream: u32) -> f32 {
    ops::philox(counter, seed, stream)
}
