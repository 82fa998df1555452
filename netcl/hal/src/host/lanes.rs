//! Vectors of native kernels: arrays whose operations are loops over lanes, which compilers turn into vector
//! instructions once they are inlined into code compiled for a processor that has them.
//!
//! By hand, and not `wide`: its types are of some lengths and elements, and these of all that kernels have; `std::simd` is not stable.

#![allow(unsafe_code, reason = "lanes that are written one by one")]

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

impl<T: Copy, const L: usize> V<T, L> {
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
}
