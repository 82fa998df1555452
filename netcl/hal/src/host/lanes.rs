//! Vectors of native kernels: arrays whose operations are loops over lanes, which compilers turn into vector
//! instructions once they are inlined into code compiled for a processor that has them.
//!
//! By hand, and not `wide`: its types are of some lengths and elements, and these of all that kernels have; `std::simd` is not stable.
//!
//! What most kernels do to their vectors of `f32` is written in AVX's own operations ([`super::avx`]): a loop over sixteen lanes for each
//! of them took LLVM most of the time that a deep model's kernels compile in. Operands are passed by reference, as LLVM would first
//! have to find that a copy of sixteen lanes is none.

#![allow(unsafe_code, reason = "AVX's operations, behind a test for them; lanes that are written one by one")]

#[cfg(target_arch = "x86_64")]
use super::avx;
use super::isa::Isa;
use netcl_kernels::scalar::Arithmetic;
use std::mem::MaybeUninit;

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

/// Types of lanes.
pub trait Lane: Copy + Default {
    /// Whether it is `f32`.
    const IS_F32: bool = false;
}

impl Lane for f32 {
    const IS_F32: bool = true;
}

impl Lane for bool {}
impl Lane for u8 {}
impl Lane for i32 {}
impl Lane for u32 {}
impl Lane for i64 {}
impl Lane for f64 {}

/// The lanes that `of` gives. (Not by changes to an array of zeros: rustc fills one of floats in a loop, which LLVM has to remove.)
#[inline(always)]
pub(super) fn lanes<T: Copy, const L: usize>(of: impl Fn(usize) -> T) -> V<T, L> {
    let mut all = MaybeUninit::<[T; L]>::uninit();
    let mut lane = 0;
    while lane < L {
        // SAFETY: the lane is inside of the array.
        unsafe { all.as_mut_ptr().cast::<T>().add(lane).write(of(lane)) };
        lane += 1;
    }
    // SAFETY: all lanes have been written.
    V(unsafe { all.assume_init() })
}

/// `$avx` where these are sixteen lanes of `f32` and the processor has AVX2's operations; or else `$lanes`.
macro_rules! by_avx {
    ($avx:expr, $lanes:expr) => {{
        #[cfg(target_arch = "x86_64")]
        if const { I::AVX2 && T::IS_F32 && L == 16 } {
            // SAFETY: so it is.
            return unsafe { $avx };
        }
        $lanes
    }};
}

impl<T: Copy, const L: usize> V<T, L> {
    /// All lanes equal.
    #[inline(always)]
    pub fn splat<I: Isa>(value: T) -> Self
    where
        T: Lane,
    {
        by_avx!(avx::splat(value), V([value; L]))
    }

    /// One lane.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> T {
        self.0[lane]
    }

    /// `f` of every lane.
    #[inline(always)]
    pub fn map<U: Copy>(&self, f: impl Fn(T) -> U) -> V<U, L> {
        lanes(|lane| f(self.0[lane]))
    }

    /// `f` of every two lanes.
    #[inline(always)]
    pub fn zip<B: Copy, U: Copy>(&self, other: &V<B, L>, f: impl Fn(T, B) -> U) -> V<U, L> {
        lanes(|lane| f(self.0[lane], other.0[lane]))
    }

    /// All lanes combined: lane `l` with lane `l + half`, until one is left.
    #[inline(always)]
    pub fn fold(&self, f: impl Fn(T, T) -> T) -> T {
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

    /// [`V::fold`] by addition.
    #[inline(always)]
    pub fn sum<I: Isa>(&self) -> T
    where
        T: Lane + Arithmetic,
    {
        by_avx!(avx::sum(self), self.fold(T::add))
    }
}

/// Lane by lane `condition ? then : otherwise`.
#[inline(always)]
pub fn select<I: Isa, T: Lane, const L: usize>(condition: &V<bool, L>, then: &V<T, L>, otherwise: &V<T, L>) -> V<T, L> {
    by_avx!(
        avx::select(condition, then, otherwise),
        lanes(|lane| if condition.0[lane] { then.0[lane] } else { otherwise.0[lane] })
    )
}

macro_rules! arithmetic {
    ($($name:ident($($other:ident)?) by $each:ident;)*) => {
        #[allow(clippy::should_implement_trait, reason = "the traits know no processors")]
        impl<T: Lane + Arithmetic, const L: usize> V<T, L> {$(
            #[doc = concat!("`", stringify!($name), "` of the kernel IR, lane by lane.")]
            #[inline(always)]
            pub fn $name<I: Isa>(&self $(, $other: &Self)?) -> Self {
                by_avx!(avx::$name(self $(, $other)?), self.$each($($other,)? T::$name))
            }
        )*}
    };
}
arithmetic! {
    neg() by map;
    add(other) by zip;
    sub(other) by zip;
    mul(other) by zip;
    div(other) by zip;
    max(other) by zip;
    min(other) by zip;
}

macro_rules! comparisons {
    ($($name:ident $sign:tt;)*) => {
        #[allow(clippy::should_implement_trait, reason = "the traits know no processors")]
        impl<T: Lane + PartialOrd, const L: usize> V<T, L> {$(
            #[doc = concat!("`x ", stringify!($sign), " y` lane by lane; not so where one is NaN, but for `!=`.")]
            #[inline(always)]
            pub fn $name<I: Isa>(&self, other: &Self) -> V<bool, L> {
                by_avx!(avx::$name(self, other), self.zip(other, |x, y| x $sign y))
            }
        )*}
    };
}
comparisons! {
    eq ==;
    ne !=;
    lt <;
    le <=;
    gt >;
    ge >=;
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::*;
    use crate::host::isa::Avx2;
    use netcl_kernels::scalar::Baseline;

    type Lanes = V<f32, 16>;

    /// The same values by the operations of `I`, as bits.
    fn all<I: Isa>(a: &Lanes, b: &Lanes) -> Vec<u32> {
        let numbers = [
            a.neg::<I>(),
            a.add::<I>(b),
            a.sub::<I>(b),
            a.mul::<I>(b),
            a.div::<I>(b),
            a.max::<I>(b),
            a.min::<I>(b),
            V::splat::<I>(a.lane(3)),
            V([a.sum::<I>(); 16]),
        ];
        let truths = [a.eq::<I>(b), a.ne::<I>(b), a.lt::<I>(b), a.le::<I>(b), a.gt::<I>(b), a.ge::<I>(b)].into_iter();
        let chosen = truths.clone().map(|truths| select::<I, _, 16>(&truths, a, b));
        // Which bits of NaN an operation gives is the processor's business.
        let bits = |value: f32| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
        let numbers = numbers.into_iter().chain(chosen).flat_map(|lanes| lanes.0.map(bits));
        numbers.chain(truths.flat_map(|truths| truths.0.map(u32::from))).collect()
    }

    #[test]
    fn registers_give_the_bits_of_lanes() {
        if !std::arch::is_x86_feature_detected!("avx2") {
            return;
        }
        let values = [0.0, -0.0, 1.0, -1.5, 1e-40, 3e38, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.1, 7.0];
        let a = V(std::array::from_fn(|lane| values[lane % values.len()]));
        for shift in 0..values.len() {
            let b = V(std::array::from_fn(|lane| values[(lane + shift) % values.len()]));
            assert_eq!(all::<Avx2>(&a, &b), all::<Baseline>(&a, &b), "shifted by {shift}");
            let small = V(std::array::from_fn(|lane| lane as f32 * 0.3 - shift as f32));
            assert_eq!(all::<Avx2>(&small, &b), all::<Baseline>(&small, &b), "shifted by {shift}");
        }
    }
}
