//! Buffers as native kernels see them: elements are copied out and in, every access is checked.

#![allow(unsafe_code, reason = "memory shared between threads is accessed through raw pointers, see memory.rs")]

#[cfg(target_arch = "x86_64")]
use super::avx;
use super::cells::{Apart, Cells, Stored};
use super::faults::Faults;
use super::lanes::{V, lanes};
use super::memory::HostBuffer;
use netcl_kernels::kir::AtomicOp;
use netcl_kernels::kir::interp::{AtomicValue, Memory};
use netcl_kernels::scalar;
use std::marker::PhantomData;

/// How an element type is kept in memory and computed with.
pub trait NativeElement: 'static {
    /// In memory. Any bits are a value.
    type Stored: Stored;
    /// In registers.
    type Value: Copy + Default;
    /// Memory to register.
    fn load(stored: Self::Stored) -> Self::Value;
    /// Register to memory; storage types round to nearest even.
    fn store(value: Self::Value) -> Self::Stored;

    /// [`NativeElement::load`] of every lane.
    #[inline(always)]
    fn load_lanes<const L: usize>(stored: [Self::Stored; L]) -> [Self::Value; L] {
        lanes(|lane| Self::load(stored[lane])).0
    }

    /// [`NativeElement::store`] of every lane.
    #[inline(always)]
    fn store_lanes<const L: usize>(values: [Self::Value; L]) -> [Self::Stored; L] {
        lanes(|lane| Self::store(values[lane])).0
    }
}

macro_rules! plain {
    ($($type:ty)*) => {$(
        impl NativeElement for $type {
            type Stored = $type;
            type Value = $type;
            #[inline(always)]
            fn load(stored: $type) -> $type {
                stored
            }
            #[inline(always)]
            fn store(value: $type) -> $type {
                value
            }
            #[inline(always)]
            fn load_lanes<const L: usize>(stored: [$type; L]) -> [$type; L] {
                stored
            }
            #[inline(always)]
            fn store_lanes<const L: usize>(values: [$type; L]) -> [$type; L] {
                values
            }
        }
    )*};
}
plain!(u8 i32 u32 i64 f32 f64);

impl NativeElement for bool {
    type Stored = u8;
    type Value = bool;
    #[inline(always)]
    fn load(stored: u8) -> bool {
        stored != 0
    }
    #[inline(always)]
    fn store(value: bool) -> u8 {
        u8::from(value)
    }
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn load_lanes<const L: usize>(stored: [u8; L]) -> [bool; L] {
        if const { L == 16 } { avx::truths(&stored) } else { lanes(|lane| Self::load(stored[lane])).0 }
    }
}

/// Half precision in memory, `f32` in registers.
#[derive(Clone, Copy, Debug)]
pub struct F16;

impl NativeElement for F16 {
    type Stored = u16;
    type Value = f32;
    #[inline(always)]
    fn load(stored: u16) -> f32 {
        scalar::from_f16_bits(stored)
    }
    #[inline(always)]
    fn store(value: f32) -> u16 {
        scalar::f16_bits(value)
    }
}

/// bfloat16 in memory, `f32` in registers.
#[derive(Clone, Copy, Debug)]
pub struct Bf16;

impl NativeElement for Bf16 {
    type Stored = u16;
    type Value = f32;
    #[inline(always)]
    fn load(stored: u16) -> f32 {
        scalar::from_bf16_bits(stored)
    }
    #[inline(always)]
    fn store(value: f32) -> u16 {
        scalar::bf16_bits(value)
    }
}

/// `f32` rounded to a storage type and back.
#[inline(always)]
pub(super) fn round<T: NativeElement<Value = f32>>(value: f32) -> f32 {
    T::load(T::store(value))
}

/// Types of indices. A negative index becomes one that is too large.
pub trait Index: Copy {
    /// As an offset.
    fn offset(self) -> usize;
    /// As a signed number, for messages.
    fn signed(self) -> i64;
}

macro_rules! index {
    ($($type:ty)*) => {$(
        impl Index for $type {
            #[inline(always)]
            fn offset(self) -> usize {
                self as usize
            }
            #[inline(always)]
            fn signed(self) -> i64 {
                self as i64
            }
        }
    )*};
}
index!(i32 u32 i64);

/// A buffer of `T`, accessed as `C` says. Accesses outside of it are noted, load zero and store nothing.
#[derive(Debug)]
pub struct View<'a, T: NativeElement, C: Cells = Apart> {
    start: *mut T::Stored,
    length: usize,
    buffer: Option<&'a HostBuffer>,
    param: u32,
    faults: &'a Faults,
    elements: PhantomData<(T, C)>,
}

impl<T: NativeElement, C: Cells> Clone for View<'_, T, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: NativeElement, C: Cells> Copy for View<'_, T, C> {}

/// What kernels call most: not `inline(always)` but for what may be long, see `avx.rs`.
impl<'a, T: NativeElement, C: Cells> View<'a, T, C> {
    /// The buffer of parameter `param`: its memory, and how many bytes that is.
    #[inline(always)]
    pub(super) fn new(
        (start, bytes, buffer): (*mut u8, usize, Option<&'a HostBuffer>),
        param: u32,
        faults: &'a Faults,
    ) -> Self {
        let length = bytes / size_of::<T::Stored>();
        View { start: start.cast(), length, buffer, param, faults, elements: PhantomData }
    }

    /// Where `count` elements from `index` on lie; notes it if some are outside.
    #[inline]
    fn place<X: Index>(&self, index: X, count: usize) -> Option<*mut T::Stored> {
        let offset = index.offset();
        // One test, since each is a branch of the kernel.
        if offset >= self.length.saturating_sub(count - 1) {
            self.faults.outside(self.param, index.signed());
            return None;
        }
        // SAFETY: `offset + count <= length`, the elements of the buffer that this view borrows.
        Some(unsafe { self.start.add(offset) })
    }

    /// One element.
    #[inline(always)]
    pub fn at<X: Index>(&self, index: X) -> T::Value {
        let [stored] = self.stored(index);
        T::load(stored)
    }

    /// Writes one element.
    #[inline(always)]
    pub fn put<X: Index>(&self, index: X, value: T::Value) {
        self.keep(index, &[T::store(value)]);
    }

    /// `L` consecutive elements.
    #[inline(always)]
    pub fn load<const L: usize, X: Index>(&self, index: X) -> V<T::Value, L> {
        V(T::load_lanes(self.stored(index)))
    }

    #[inline]
    fn stored<const L: usize, X: Index>(&self, index: X) -> [T::Stored; L] {
        /// What is read outside of the buffer; a place, so that after the check there is one load.
        const ZEROS: &[u64; 16] = &[0; 16];
        const { assert!(L * size_of::<T::Stored>() <= size_of_val(ZEROS)) };
        let place = self.place(index, L).unwrap_or(ZEROS.as_ptr().cast_mut().cast());
        // SAFETY: `place` has checked all `L` elements, or they are zeros; the kernel's emitter picks `C`.
        unsafe { C::load(place) }
    }

    /// Writes `L` consecutive elements.
    #[inline(always)]
    pub fn store<const L: usize, X: Index>(&self, index: X, values: &V<T::Value, L>) {
        self.keep(index, &T::store_lanes(values.0));
    }

    #[inline]
    fn keep<const L: usize, X: Index>(&self, index: X, stored: &[T::Stored; L]) {
        if let Some(place) = self.place(index, L) {
            // SAFETY: as of reads.
            unsafe { C::store(place, *stored) }
        }
    }

    /// Updates one element in one step; gives the old value.
    pub fn atomic<X: Index>(&self, op: AtomicOp, index: X, operand: T::Value) -> T::Value
    where
        T::Value: Atomic,
    {
        match (self.place(index, 1), self.buffer) {
            (Some(_), Some(buffer)) => T::Value::of(buffer.atomic(op, index.offset(), operand.scalar()), operand),
            _ => operand,
        }
    }
}

/// Types of atomic operands.
pub trait Atomic: Copy {
    /// As the trait of memories takes it.
    fn scalar(self) -> AtomicValue;
    /// Back; `other` if the types differ.
    fn of(scalar: AtomicValue, other: Self) -> Self;
}

macro_rules! atomic {
    ($($type:ty, $kind:ident;)*) => {$(
        impl Atomic for $type {
            fn scalar(self) -> AtomicValue {
                AtomicValue::$kind(self)
            }
            fn of(scalar: AtomicValue, other: Self) -> Self {
                match scalar {
                    AtomicValue::$kind(value) => value,
                    _ => other,
                }
            }
        }
    )*};
}
atomic!(i32, I32; u32, U32; i64, I64; f32, F32; f64, F64;);

/// One element of a private array; zero, and noted, outside of it.
#[inline(always)]
pub fn array_at<T: Copy + Default, X: Index>(array: &[T], index: X, number: u32, faults: &Faults) -> T {
    match array.get(index.offset()) {
        Some(value) => *value,
        None => {
            faults.outside(number, index.signed());
            T::default()
        }
    }
}

/// Writes one element of a private array.
#[inline(always)]
pub fn array_put<T, X: Index>(array: &mut [T], index: X, value: T, number: u32, faults: &Faults) {
    match array.get_mut(index.offset()) {
        Some(place) => *place = value,
        None => faults.outside(number, index.signed()),
    }
}
