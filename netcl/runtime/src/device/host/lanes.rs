//! Vectors of native kernels: arrays whose operations are loops over lanes, which compilers turn into vector
//! instructions once they are inlined into code compiled for a processor that has them.
//!
//! What nearly every kernel does to its vectors, arithmetic of `f32`, is written in AVX's own operations where there are
//! some: a loop over sixteen lanes for each of them took LLVM most of the time that a deep model's kernels compile in.

#![allow(unsafe_code, reason = "AVX's operations, behind a test for them")]
#![allow(clippy::needless_range_loop, reason = "loops over lanes are unrolled; zipped iterators are not always")]

use super::isa::Isa;
use netcl_kernels::kir::interp::math::Real;

/// `L` lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(transparent)]
pub struct V<T, const L: usize>(pub [T; L]);

impl<T: Copy + Default, const L: usize> Default for V<T, L> {
    #[inline(always)]
    fn default() -> Self {
        V([T::default(); L])
    }
}

impl<T: Copy, const L: usize> V<T, L> {
    /// All lanes equal.
    #[inline(always)]
    pub fn splat<I: Isa>(value: T) -> Self
    where
        T: Lane,
    {
        V(value.splat_lanes::<I, L>())
    }

    /// One lane.
    #[inline(always)]
    pub fn lane(self, lane: usize) -> T {
        self.0[lane]
    }

    /// `f` of every lane.
    #[inline(always)]
    pub fn map<U: Copy + Default>(self, f: impl Fn(T) -> U) -> V<U, L> {
        let mut out = [U::default(); L];
        for lane in 0..L {
            out[lane] = f(self.0[lane]);
        }
        V(out)
    }

    /// `f` of every two lanes.
    #[inline(always)]
    pub fn zip<B: Copy, U: Copy + Default>(self, other: V<B, L>, f: impl Fn(T, B) -> U) -> V<U, L> {
        let mut out = [U::default(); L];
        for lane in 0..L {
            out[lane] = f(self.0[lane], other.0[lane]);
        }
        V(out)
    }

    /// All lanes combined: lane `l` with lane `l + half`, until one is left.
    #[inline(always)]
    pub fn fold(self, f: impl Fn(T, T) -> T) -> T {
        let mut lanes = self.0;
        let mut half = L / 2;
        while half > 0 {
            for lane in 0..half {
                lanes[lane] = f(lanes[lane], lanes[lane + half]);
            }
            half /= 2;
        }
        lanes[0]
    }
}

macro_rules! arithmetic {
    ($($name:ident $lanes:ident;)*) => {
        #[allow(clippy::should_implement_trait, reason = "the traits know no processors")]
        impl<T: Scalar, const L: usize> V<T, L> {$(
            #[doc = concat!("`", stringify!($name), "` of the kernel IR, lane by lane.")]
            #[inline(always)]
            pub fn $name<I: Isa>(self, other: Self) -> Self {
                V(T::$lanes::<I, L>(self.0, other.0))
            }
        )*}
    };
}
arithmetic! {
    add add_lanes;
    sub sub_lanes;
    mul mul_lanes;
    div div_lanes;
}

/// Types of lanes.
pub trait Lane: Copy + Default {
    /// `L` times the same.
    #[inline(always)]
    fn splat_lanes<I: Isa, const L: usize>(self) -> [Self; L] {
        [self; L]
    }
}

impl Lane for bool {}
impl Lane for u8 {}
impl Lane for i32 {}
impl Lane for u32 {}
impl Lane for i64 {}
impl Lane for f64 {}

impl Lane for f32 {
    #[inline(always)]
    fn splat_lanes<I: Isa, const L: usize>(self) -> [f32; L] {
        #[cfg(target_arch = "x86_64")]
        if I::AVX && L == 16 {
            // SAFETY: the processor has AVX, and there are as many lanes.
            return unsafe { avx::splat(self) };
        }
        [self; L]
    }
}

/// Element types of arithmetic, with the wrapping and NaN rules of the kernel IR.
#[allow(missing_docs, reason = "the names of the kernel IR's operations")]
pub trait Scalar: Lane + PartialEq + PartialOrd {
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn div(self, other: Self) -> Self;
    fn rem(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn neg(self) -> Self;
    fn abs(self) -> Self;
    fn sign(self) -> Self;
    /// `0, 1, ..`.
    fn of_lane(lane: usize) -> Self;

    #[inline(always)]
    fn add_lanes<I: Isa, const L: usize>(a: [Self; L], b: [Self; L]) -> [Self; L] {
        V(a).zip(V(b), Self::add).0
    }
    #[inline(always)]
    fn sub_lanes<I: Isa, const L: usize>(a: [Self; L], b: [Self; L]) -> [Self; L] {
        V(a).zip(V(b), Self::sub).0
    }
    #[inline(always)]
    fn mul_lanes<I: Isa, const L: usize>(a: [Self; L], b: [Self; L]) -> [Self; L] {
        V(a).zip(V(b), Self::mul).0
    }
    #[inline(always)]
    fn div_lanes<I: Isa, const L: usize>(a: [Self; L], b: [Self; L]) -> [Self; L] {
        V(a).zip(V(b), Self::div).0
    }
}

#[rustfmt::skip]
macro_rules! integer {
    ($($type:ident: $abs:expr, $sign:expr;)*) => {$(
        impl Scalar for $type {
            #[inline(always)] fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)] fn sub(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)] fn mul(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)] fn div(self, other: Self) -> Self { if other == 0 { 0 } else { self.wrapping_div(other) } }
            #[inline(always)] fn rem(self, other: Self) -> Self { if other == 0 { 0 } else { self.wrapping_rem(other) } }
            #[inline(always)] fn max(self, other: Self) -> Self { Ord::max(self, other) }
            #[inline(always)] fn min(self, other: Self) -> Self { Ord::min(self, other) }
            #[inline(always)] fn neg(self) -> Self { self.wrapping_neg() }
            #[inline(always)] fn abs(self) -> Self { $abs(self) }
            #[inline(always)] fn sign(self) -> Self { $sign(self) }
            #[inline(always)] fn of_lane(lane: usize) -> Self { lane as $type }
        }
    )*};
}
integer! {
    i32: i32::wrapping_abs, i32::signum;
    i64: i64::wrapping_abs, i64::signum;
    u32: std::convert::identity, |x: u32| Ord::min(x, 1);
    u8: std::convert::identity, |x: u8| Ord::min(x, 1);
}

/// Arithmetic of `f32` by AVX where there is AVX.
macro_rules! avx_lanes {
    ($($name:ident $lanes:ident;)*) => {$(
        #[inline(always)]
        fn $lanes<I: Isa, const L: usize>(a: [f32; L], b: [f32; L]) -> [f32; L] {
            #[cfg(target_arch = "x86_64")]
            if I::AVX && L == 16 {
                // SAFETY: the processor has AVX, and there are as many lanes.
                return unsafe { avx::$name(a, b) };
            }
            V(a).zip(V(b), <f32 as Scalar>::$name).0
        }
    )*};
}

#[rustfmt::skip]
macro_rules! float {
    ($($type:ident: {$($lanes:tt)*})*) => {$(
        impl Scalar for $type {
            #[inline(always)] fn add(self, other: Self) -> Self { self + other }
            #[inline(always)] fn sub(self, other: Self) -> Self { self - other }
            #[inline(always)] fn mul(self, other: Self) -> Self { self * other }
            #[inline(always)] fn div(self, other: Self) -> Self { self / other }
            #[inline(always)] fn rem(self, other: Self) -> Self { self % other }
            #[inline(always)] fn max(self, other: Self) -> Self { Real::max(self, other) }
            #[inline(always)] fn min(self, other: Self) -> Self { Real::min(self, other) }
            #[inline(always)] fn neg(self) -> Self { -self }
            #[inline(always)] fn abs(self) -> Self { $type::abs(self) }
            #[inline(always)] fn sign(self) -> Self { Real::sign(self) }
            #[inline(always)] fn of_lane(lane: usize) -> Self { lane as $type }
            $($lanes)*
        }
    )*};
}
float! {
    f64: {}
    f32: {
        avx_lanes! { add add_lanes; sub sub_lanes; mul mul_lanes; div div_lanes; }
    }
}

/// Types with bits: integers and truth values.
#[allow(missing_docs, reason = "the names of the kernel IR's operations")]
pub trait Bits: Copy + Default {
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// By the distance modulo the number of bits.
    fn shl(self, distance: Self) -> Self;
    /// As [`Bits::shl`]; signed integers keep their sign.
    fn shr(self, distance: Self) -> Self;
}

#[rustfmt::skip]
macro_rules! bits {
    ($($type:ident)*) => {$(
        impl Bits for $type {
            #[inline(always)] fn and(self, other: Self) -> Self { self & other }
            #[inline(always)] fn or(self, other: Self) -> Self { self | other }
            #[inline(always)] fn xor(self, other: Self) -> Self { self ^ other }
            #[inline(always)] fn not(self) -> Self { !self }
            #[inline(always)] fn shl(self, distance: Self) -> Self { self.wrapping_shl(distance as u32) }
            #[inline(always)] fn shr(self, distance: Self) -> Self { self.wrapping_shr(distance as u32) }
        }
    )*};
}
bits!(u8 i32 u32 i64);

#[rustfmt::skip]
impl Bits for bool {
    #[inline(always)] fn and(self, other: Self) -> Self { self & other }
    #[inline(always)] fn or(self, other: Self) -> Self { self | other }
    #[inline(always)] fn xor(self, other: Self) -> Self { self ^ other }
    #[inline(always)] fn not(self) -> Self { !self }
    // The verifier lets no shift of truth values pass.
    #[inline(always)] fn shl(self, _: Self) -> Self { self }
    #[inline(always)] fn shr(self, _: Self) -> Self { self }
}

/// Conversion as the kernel IR defines it: float to integer truncates and saturates, NaN gives zero; integers wrap;
/// anything but zero is true.
pub trait Convert<U> {
    /// The value as `U`.
    fn convert(self) -> U;
}

macro_rules! convert {
    ($($from:ident: $($to:ident)*;)*) => {$(
        $(impl Convert<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to {
                self as $to
            }
        })*
        impl Convert<bool> for $from {
            #[inline(always)]
            fn convert(self) -> bool {
                self != Self::default()
            }
        }
        impl Convert<$from> for bool {
            #[inline(always)]
            fn convert(self) -> $from {
                u8::from(self) as $from
            }
        }
    )*};
}
convert! {
    u8: u8 i32 u32 i64 f32 f64;
    i32: u8 i32 u32 i64 f32 f64;
    u32: u8 i32 u32 i64 f32 f64;
    i64: u8 i32 u32 i64 f32 f64;
    f32: u8 i32 u32 i64 f32 f64;
    f64: u8 i32 u32 i64 f32 f64;
}

/// The same bits as another type of the same size.
pub trait Recast<U> {
    /// The bits as `U`.
    fn recast(self) -> U;
}

macro_rules! recast {
    ($($from:ident $to:ident: $f:expr;)*) => {$(
        impl Recast<$to> for $from {
            #[inline(always)]
            fn recast(self) -> $to {
                $f(self)
            }
        }
    )*};
}
recast! {
    f32 u32: f32::to_bits;
    u32 f32: f32::from_bits;
    f32 i32: |x: f32| x.to_bits() as i32;
    i32 f32: |x: i32| f32::from_bits(x as u32);
    i32 u32: |x: i32| x as u32;
    u32 i32: |x: u32| x as i32;
    f64 i64: |x: f64| x.to_bits() as i64;
    i64 f64: |x: i64| f64::from_bits(x as u64);
    f32 f32: std::convert::identity;
    f64 f64: std::convert::identity;
    i32 i32: std::convert::identity;
    u32 u32: std::convert::identity;
    i64 i64: std::convert::identity;
    u8 u8: std::convert::identity;
}

/// Sixteen lanes of `f32` in two registers of AVX. (One of AVX-512 makes memory no faster, and would be a second text for LLVM.)
#[cfg(target_arch = "x86_64")]
mod avx {
    use std::arch::x86_64::*;

    /// # Safety
    ///
    /// The processor has AVX; `L` is 16.
    #[inline(always)]
    unsafe fn load<const L: usize>(lanes: &[f32; L]) -> [__m256; 2] {
        let start = lanes.as_ptr();
        // SAFETY: the caller's promise.
        unsafe { [_mm256_loadu_ps(start), _mm256_loadu_ps(start.add(8))] }
    }

    /// # Safety
    ///
    /// As of [`load`].
    #[inline(always)]
    unsafe fn store<const L: usize>([low, high]: [__m256; 2]) -> [f32; L] {
        let mut lanes = [0.0; L];
        let start = lanes.as_mut_ptr();
        // SAFETY: the caller's promise.
        unsafe {
            _mm256_storeu_ps(start, low);
            _mm256_storeu_ps(start.add(8), high);
        }
        lanes
    }

    /// # Safety
    ///
    /// As of [`load`].
    #[inline(always)]
    pub(super) unsafe fn splat<const L: usize>(value: f32) -> [f32; L] {
        // SAFETY: the caller's promise.
        unsafe { store([_mm256_set1_ps(value); 2]) }
    }

    macro_rules! arithmetic {
        ($($name:ident $operation:ident;)*) => {$(
            /// # Safety
            ///
            /// As of [`load`].
            #[inline(always)]
            pub(super) unsafe fn $name<const L: usize>(a: [f32; L], b: [f32; L]) -> [f32; L] {
                // SAFETY: the caller's promise.
                unsafe {
                    let ([a, c], [b, d]) = (load(&a), load(&b));
                    store([$operation(a, b), $operation(c, d)])
                }
            }
        )*};
    }
    arithmetic! {
        add _mm256_add_ps;
        sub _mm256_sub_ps;
        mul _mm256_mul_ps;
        div _mm256_div_ps;
    }
}
