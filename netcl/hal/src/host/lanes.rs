//! Vectors of native kernels: arrays whose operations are loops over lanes, which compilers turn into vector
//! instructions once they are inlined into code compiled for a processor that has them.
//!
//! By hand, and not `wide`: its types are of some lengths and elements, and these of all that kernels have; `std::simd` is not stable.
//!
//! What nearly every kernel does to its vectors, arithmetic of `f32`, is written in AVX's own operations where there are
//! some: a loop over sixteen lanes for each of them took LLVM most of the time that a deep model's kernels compile in.

#![allow(unsafe_code, reason = "AVX's operations, behind a test for them")]
#![allow(clippy::needless_range_loop, reason = "loops over lanes are unrolled; zipped iterators are not always")]

use super::isa::Isa;
use netcl_kernels::scalar::Arithmetic;

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
        impl<T: Lane + Arithmetic, const L: usize> V<T, L> {$(
            #[doc = concat!("`", stringify!($name), "` of the kernel IR, lane by lane.")]
            #[inline(always)]
            pub fn $name<I: Isa>(self, other: Self) -> Self {
                V(T::$lanes::<I, L>(self.0, other.0))
            }
        )*}

        /// Types of lanes.
        pub trait Lane: Copy + Default {
            /// `L` times the same.
            #[inline(always)]
            fn splat_lanes<I: Isa, const L: usize>(self) -> [Self; L] {
                [self; L]
            }
            $(
                #[doc = concat!("`", stringify!($name), "` of the kernel IR for all lanes.")]
                #[inline(always)]
                fn $lanes<I: Isa, const L: usize>(a: [Self; L], b: [Self; L]) -> [Self; L]
                where
                    Self: Arithmetic,
                {
                    V(a).zip(V(b), Self::$name).0
                }
            )*
        }

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
            $(
                #[inline(always)]
                fn $lanes<I: Isa, const L: usize>(a: [f32; L], b: [f32; L]) -> [f32; L] {
                    #[cfg(target_arch = "x86_64")]
                    if I::AVX && L == 16 {
                        // SAFETY: the processor has AVX, and there are as many lanes.
                        return unsafe { avx::$name(a, b) };
                    }
                    V(a).zip(V(b), <f32 as Arithmetic>::$name).0
                }
            )*
        }
    };
}
arithmetic! {
    add add_lanes;
    sub sub_lanes;
    mul mul_lanes;
    div div_lanes;
}

impl Lane for bool {}
impl Lane for u8 {}
impl Lane for i32 {}
impl Lane for u32 {}
impl Lane for i64 {}
impl Lane for f64 {}

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
