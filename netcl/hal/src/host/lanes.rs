//! Vectors of native kernels: arrays whose operations are loops over lanes, which compilers turn into vector
//! instructions once they are inlined into code compiled for a processor that has them.
//!
//! By hand, and not `wide`: its types are of some lengths and elements, and these of all that kernels have; `std::simd` is not stable.

#![allow(clippy::needless_range_loop, reason = "loops over lanes are unrolled; zipped iterators are not always")]

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
    pub fn splat(value: T) -> Self {
        V([value; L])
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
