//! What most kernels do to their vectors of `f32`: in AVX's own operations ([`super::avx`]), as a loop over sixteen lanes for each
//! of them took LLVM most of the time that a deep model's kernels compile in. Vectors of others are such loops. Operands are passed by
//! reference: LLVM would first have to find that a copy of sixteen lanes is none.

#![allow(unsafe_code, reason = "AVX's operations, behind a test for them")]

#[cfg(target_arch = "x86_64")]
use super::avx;
use super::isa::Isa;
use super::lanes::{V, lanes};
use netcl_kernels::scalar::Arithmetic;

/// Types of lanes. Sealed: what says that it is `f32` is.
pub trait LaneElement: Copy + Default + sealed::LaneKind {}

impl<T: Copy + Default + sealed::LaneKind> LaneElement for T {}

mod sealed {
    pub trait LaneKind {
        /// Whether it is `f32`.
        const IS_F32: bool = false;
    }
    impl LaneKind for f32 {
        const IS_F32: bool = true;
    }
    impl LaneKind for bool {}
    impl LaneKind for u8 {}
    impl LaneKind for i32 {}
    impl LaneKind for u32 {}
    impl LaneKind for i64 {}
    impl LaneKind for f64 {}
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

impl<T: LaneElement, const L: usize> V<T, L> {
    /// All lanes equal.
    #[inline(always)]
    pub fn splat<I: Isa>(value: T) -> Self {
        by_avx!(avx::splat(value), V([value; L]))
    }

    /// [`V::fold`] by addition.
    #[inline(always)]
    pub fn sum<I: Isa>(&self) -> T
    where
        T: Arithmetic,
    {
        by_avx!(avx::sum(self), self.fold(T::add))
    }
}

/// Lane by lane `condition ? then : otherwise`.
#[inline(always)]
pub fn select<I: Isa, T: LaneElement, const L: usize>(
    condition: &V<bool, L>,
    then: &V<T, L>,
    otherwise: &V<T, L>,
) -> V<T, L> {
    by_avx!(
        avx::select(condition, then, otherwise),
        lanes(|lane| if condition.0[lane] { then.0[lane] } else { otherwise.0[lane] })
    )
}

macro_rules! arithmetic {
    ($($name:ident($($other:ident)?) by $each:ident;)*) => {
        #[allow(clippy::should_implement_trait, reason = "the traits know no processors")]
        impl<T: LaneElement + Arithmetic, const L: usize> V<T, L> {$(
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
        impl<T: LaneElement + PartialOrd, const L: usize> V<T, L> {$(
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
