//! Sixteen lanes of `f32` in two registers of AVX2. (One of AVX-512 makes memory no faster, and would be a second text for LLVM.)
//!
//! These functions are not `inline(always)`: LLVM makes each as short as it gets, once, and then inlines that. What must always be
//! inlined it copies as rustc gives it, and shortens every copy.
//!
//! They are generic, as their callers are, who have seen that `T` is `f32` and `L` is 16.

#![allow(unsafe_code, reason = "AVX2's operations; their callers have tested for them")]

use super::lanes::V;
use std::arch::x86_64::*;

/// # Safety
///
/// These are sixteen lanes of `f32`.
#[inline(always)]
unsafe fn load<T, const L: usize>(lanes: &V<T, L>) -> [__m256; 2] {
    // SAFETY: the caller's promise.
    unsafe { std::ptr::from_ref(lanes).cast::<[__m256; 2]>().read_unaligned() }
}

/// # Safety
///
/// As of [`load`].
#[inline(always)]
unsafe fn store<T, const L: usize>(registers: [__m256; 2]) -> V<T, L> {
    // SAFETY: the caller's promise.
    unsafe { std::mem::transmute_copy(&registers) }
}

/// # Safety
///
/// The processor has AVX2; `T` is `f32` and `L` is 16.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn splat<T, const L: usize>(value: T) -> V<T, L> {
    // SAFETY: the caller's promise.
    unsafe { store([_mm256_set1_ps(std::mem::transmute_copy(&value)); 2]) }
}

/// # Safety
///
/// As of [`splat`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn sum<T, const L: usize>(all: &V<T, L>) -> T {
    // SAFETY: the caller's promise.
    unsafe {
        let [low, high] = load(all);
        let eight = _mm256_add_ps(low, high);
        let four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps::<1>(eight));
        let two = _mm_add_ps(four, _mm_movehl_ps(four, four));
        let one = _mm_add_ss(two, _mm_movehdup_ps(two));
        std::mem::transmute_copy(&_mm_cvtss_f32(one))
    }
}

/// # Safety
///
/// As of [`splat`].
#[inline]
#[target_feature(enable = "avx2")]
pub(super) unsafe fn select<T, const L: usize>(condition: &V<bool, L>, then: &V<T, L>, otherwise: &V<T, L>) -> V<T, L> {
    // SAFETY: the caller's promise.
    unsafe {
        let truths = std::ptr::from_ref(condition).cast::<__m128i>().read_unaligned();
        // The highest bit of each lane decides.
        let masks = _mm_sub_epi8(_mm_setzero_si128(), truths);
        let low = _mm256_castsi256_ps(_mm256_cvtepi8_epi32(masks));
        let high = _mm256_castsi256_ps(_mm256_cvtepi8_epi32(_mm_unpackhi_epi64(masks, masks)));
        let ([a, c], [b, d]) = (load(then), load(otherwise));
        store([_mm256_blendv_ps(b, a, low), _mm256_blendv_ps(d, c, high)])
    }
}

/// Bytes as truth values: those that are not zero.
#[inline]
pub(super) fn truths<const L: usize>(bytes: &[u8; L]) -> [bool; L] {
    const { assert!(L == 16) };
    // SAFETY: every processor of this architecture has these; there are sixteen bytes, which become 0 or 1.
    unsafe {
        let bytes = std::ptr::from_ref(bytes).cast::<__m128i>().read_unaligned();
        std::mem::transmute_copy(&_mm_min_epu8(bytes, _mm_set1_epi8(1)))
    }
}

macro_rules! arithmetic {
    ($($name:ident($($operand:ident)*) $operation:expr;)*) => {$(
        /// # Safety
        ///
        /// As of [`splat`].
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn $name<T, const L: usize>($($operand: &V<T, L>),*) -> V<T, L> {
            // SAFETY: the caller's promise.
            unsafe {
                $(let $operand = load($operand);)*
                store([$operation($($operand[0]),*), $operation($($operand[1]),*)])
            }
        }
    )*};
}
arithmetic! {
    neg(a) |a| _mm256_xor_ps(a, _mm256_set1_ps(-0.0));
    add(a b) _mm256_add_ps;
    sub(a b) _mm256_sub_ps;
    mul(a b) _mm256_mul_ps;
    div(a b) _mm256_div_ps;
    // The operations give `b` where either is NaN, and where both are zeros.
    max(a b) |a, b| _mm256_blendv_ps(_mm256_max_ps(a, b), a, _mm256_cmp_ps::<_CMP_UNORD_Q>(a, a));
    min(a b) |a, b| _mm256_blendv_ps(_mm256_min_ps(a, b), a, _mm256_cmp_ps::<_CMP_UNORD_Q>(a, a));
}

macro_rules! comparisons {
    ($($name:ident $predicate:ident;)*) => {$(
        /// # Safety
        ///
        /// As of [`splat`].
        #[inline]
        #[target_feature(enable = "avx2")]
        pub(super) unsafe fn $name<T, const L: usize>(a: &V<T, L>, b: &V<T, L>) -> V<bool, L> {
            // SAFETY: the caller's promise; the bytes are 0 and 1.
            unsafe {
                let ([a, c], [b, d]) = (load(a), load(b));
                let low = _mm256_castps_si256(_mm256_cmp_ps::<$predicate>(a, b));
                let high = _mm256_castps_si256(_mm256_cmp_ps::<$predicate>(c, d));
                // Lanes 0 to 3, 8 to 11, 4 to 7, 12 to 15, in 16 bits each.
                let both = _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packs_epi32(low, high));
                let bytes = _mm_packs_epi16(_mm256_castsi256_si128(both), _mm256_extracti128_si256::<1>(both));
                std::mem::transmute_copy(&_mm_and_si128(bytes, _mm_set1_epi8(1)))
            }
        }
    )*};
}
comparisons! {
    eq _CMP_EQ_OQ;
    ne _CMP_NEQ_UQ;
    lt _CMP_LT_OQ;
    le _CMP_LE_OQ;
    gt _CMP_GT_OQ;
    ge _CMP_GE_OQ;
}
