//! How one element of a buffer is read and written by the work-items of a launch, which run on several threads.
//!
//! The compiler writes its own loops such that no work-item touches what another writes, so that plain reads and writes
//! do ([`Apart`]), which LLVM makes vector instructions of. A user's kernel in SIMT form may have any two items write one
//! element. OpenCL leaves open what is read then; in Rust two plain accesses would be a data race, which is undefined
//! behaviour of the whole program. So there every access is a relaxed atomic one ([`Shared`]): an element is some value
//! that an item wrote, or what was there before, and nothing else happens. What the kernel only reads nobody writes: its results
//! are never its arguments. On the processors that there are, this
//! is the same instruction, but for its neighbours no vector is made.

#![allow(unsafe_code, reason = "memory shared between threads is accessed through raw pointers, see memory.rs")]

use std::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering};

/// Types any bits of which are a value.
pub trait Stored: Copy + Default + sealed::Atomic {}

mod sealed {
    /// One relaxed access.
    pub trait Atomic: Sized {
        /// # Safety
        ///
        /// The place is inside of memory that lives, at a multiple of the type's size, and is accessed by atomics alone while
        /// several threads access it.
        unsafe fn load(place: *mut Self) -> Self;

        /// # Safety
        ///
        /// As of [`Atomic::load`].
        unsafe fn store(place: *mut Self, value: Self);
    }
}
use sealed::Atomic;

macro_rules! stored {
    ($($type:ty as $atomic:ident, $to:expr, $of:expr;)*) => {$(
        impl Stored for $type {}
        impl Atomic for $type {
            #[inline(always)]
            unsafe fn load(place: *mut Self) -> Self {
                // SAFETY: the caller's promise; the atomic has the type's size, and any bits are a value.
                $of(unsafe { $atomic::from_ptr(place.cast()) }.load(Ordering::Relaxed))
            }
            #[inline(always)]
            unsafe fn store(place: *mut Self, value: Self) {
                // SAFETY: as above.
                unsafe { $atomic::from_ptr(place.cast()) }.store($to(value), Ordering::Relaxed);
            }
        }
    )*};
}
stored! {
    u8 as AtomicU8, |value| value, |bits| bits;
    u16 as AtomicU16, |value| value, |bits| bits;
    i32 as AtomicU32, |value| value as u32, |bits| bits as i32;
    u32 as AtomicU32, |value| value, |bits| bits;
    f32 as AtomicU32, f32::to_bits, f32::from_bits;
    i64 as AtomicU64, |value| value as u64, |bits| bits as i64;
    f64 as AtomicU64, f64::to_bits, f64::from_bits;
}

/// How elements are accessed.
pub trait Cells: Copy + 'static {
    /// `L` elements from `place` on.
    ///
    /// # Safety
    ///
    /// They are inside of memory that lives, aligned, and if another thread writes one of them meanwhile, both are [`Shared`].
    unsafe fn load<S: Stored, const L: usize>(place: *mut S) -> [S; L];

    /// Writes `L` elements from `place` on.
    ///
    /// # Safety
    ///
    /// As of [`Cells::load`], also of reads.
    unsafe fn store<S: Stored, const L: usize>(place: *mut S, values: [S; L]);
}

/// Elements that one work-item accesses, or that nobody writes.
#[derive(Clone, Copy, Debug)]
pub struct Apart;

impl Cells for Apart {
    #[inline(always)]
    unsafe fn load<S: Stored, const L: usize>(place: *mut S) -> [S; L] {
        // SAFETY: the caller's promise.
        unsafe { place.cast::<[S; L]>().read_unaligned() }
    }

    #[inline(always)]
    unsafe fn store<S: Stored, const L: usize>(place: *mut S, values: [S; L]) {
        // SAFETY: the caller's promise.
        unsafe { place.cast::<[S; L]>().write_unaligned(values) }
    }
}

/// Elements that several work-items may access, one of them writing.
#[derive(Clone, Copy, Debug)]
pub struct Shared;

impl Cells for Shared {
    #[inline(always)]
    unsafe fn load<S: Stored, const L: usize>(place: *mut S) -> [S; L] {
        // SAFETY: the caller's promise, of each of them.
        std::array::from_fn(|lane| unsafe { S::load(place.add(lane)) })
    }

    #[inline(always)]
    unsafe fn store<S: Stored, const L: usize>(place: *mut S, values: [S; L]) {
        for (lane, value) in values.into_iter().enumerate() {
            // SAFETY: as above.
            unsafe { S::store(place.add(lane), value) }
        }
    }
}
