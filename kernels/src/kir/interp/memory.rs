//! What the interpreter reads and writes: typed slices of values, and buffers behind a small trait.
//!
//! The interpreter never holds a reference into a buffer: it copies elements to and from its registers, a block at a
//! time. So an owner may keep its memory in whatever form lets several threads write disjoint elements (this crate has
//! no `unsafe`; the host device of netcl uses raw memory, tests use [`Bytes`]).

use crate::dtype::DType;
use crate::kir::AtomicOp;
use crate::scalar::{Arithmetic, Integer};
use std::sync::{Mutex, PoisonError};

/// Values of one element type. `U16` carries the bits of `F16` and `BF16`, which are storage types.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "one variant per element type")]
pub enum Slice<'a> {
    Bool(&'a [bool]),
    U8(&'a [u8]),
    U16(&'a [u16]),
    I32(&'a [i32]),
    U32(&'a [u32]),
    I64(&'a [i64]),
    F32(&'a [f32]),
    F64(&'a [f64]),
}

/// As [`Slice`], to be written.
#[derive(Debug)]
#[allow(missing_docs, reason = "one variant per element type")]
pub enum SliceMut<'a> {
    Bool(&'a mut [bool]),
    U8(&'a mut [u8]),
    U16(&'a mut [u16]),
    I32(&'a mut [i32]),
    U32(&'a mut [u32]),
    I64(&'a mut [i64]),
    F32(&'a mut [f32]),
    F64(&'a mut [f64]),
}

/// Runs `$body` with `$values` the slice inside `$slice`.
macro_rules! each {
    ($kind:ident, $slice:expr, $values:ident => $body:expr) => {
        match $slice {
            $kind::Bool($values) => $body,
            $kind::U8($values) => $body,
            $kind::U16($values) => $body,
            $kind::I32($values) => $body,
            $kind::U32($values) => $body,
            $kind::I64($values) => $body,
            $kind::F32($values) => $body,
            $kind::F64($values) => $body,
        }
    };
}

impl Slice<'_> {
    /// How many values.
    pub fn len(&self) -> usize {
        each!(Slice, self, values => values.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl SliceMut<'_> {
    /// How many values.
    pub fn len(&self) -> usize {
        each!(SliceMut, self, values => values.len())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// One value for an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs, reason = "one variant per element type")]
pub enum AtomicValue {
    I32(i32),
    U32(u32),
    I64(i64),
    F32(f32),
    F64(f64),
}

impl AtomicValue {
    /// What the operation leaves in memory where `self` was. Both are of one type; bit operations of floats give the
    /// operand (the verifier lets none pass).
    pub fn updated(self, op: AtomicOp, operand: AtomicValue) -> AtomicValue {
        fn integer<T: Integer>(op: AtomicOp, a: T, b: T) -> T {
            match op {
                AtomicOp::And => a.and(b),
                AtomicOp::Or => a.or(b),
                AtomicOp::Xor => a.xor(b),
                _ => number(op, a, b),
            }
        }
        fn number<T: Arithmetic>(op: AtomicOp, a: T, b: T) -> T {
            match op {
                AtomicOp::Add => a.add(b),
                AtomicOp::Max => a.max(b),
                AtomicOp::Min => a.min(b),
                AtomicOp::And | AtomicOp::Or | AtomicOp::Xor | AtomicOp::Exchange => b,
            }
        }
        match (self, operand) {
            (AtomicValue::I32(a), AtomicValue::I32(b)) => AtomicValue::I32(integer(op, a, b)),
            (AtomicValue::U32(a), AtomicValue::U32(b)) => AtomicValue::U32(integer(op, a, b)),
            (AtomicValue::I64(a), AtomicValue::I64(b)) => AtomicValue::I64(integer(op, a, b)),
            (AtomicValue::F32(a), AtomicValue::F32(b)) => AtomicValue::F32(number(op, a, b)),
            (AtomicValue::F64(a), AtomicValue::F64(b)) => AtomicValue::F64(number(op, a, b)),
            _ => operand,
        }
    }
}

/// A buffer that a launch works on. Indices count elements of the slice's type from the buffer's start.
///
/// The interpreter checks every index before it calls; an implementation that is asked for something outside of its
/// memory all the same leaves it out.
pub trait Memory: Send + Sync {
    /// Its size in bytes.
    fn bytes(&self) -> usize;

    /// `out[i] = memory[index + i]`.
    fn read(&self, index: usize, out: SliceMut<'_>);

    /// `memory[index + i] = values[i]`.
    fn write(&self, index: usize, values: Slice<'_>);

    /// `out[i * lanes + l] = memory[indices[i] + l]`; an index of `usize::MAX` is left out.
    fn gather(&self, indices: &[usize], lanes: usize, out: SliceMut<'_>);

    /// `memory[indices[i] + l] = values[i * lanes + l]`; an index of `usize::MAX` is left out.
    fn scatter(&self, indices: &[usize], lanes: usize, values: Slice<'_>);

    /// Replaces `memory[index]` by `memory[index] op operand` in one step and gives the old value.
    fn atomic(&self, op: AtomicOp, index: usize, operand: AtomicValue) -> AtomicValue;
}

/// A buffer for tests and small programs: bytes behind a lock.
#[derive(Debug, Default)]
pub struct Bytes(Mutex<Vec<u8>>);

/// Conversions between a value and its bytes in memory.
trait Plain: Copy {
    const SIZE: usize;
    fn take(bytes: &[u8]) -> Self;
    fn put(self, bytes: &mut [u8]);
}

macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Plain for $type {
            const SIZE: usize = size_of::<$type>();
            fn take(bytes: &[u8]) -> Self {
                let mut raw = [0; size_of::<$type>()];
                raw.copy_from_slice(bytes);
                <$type>::from_ne_bytes(raw)
            }
            fn put(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }
        }
    )*};
}
plain!(u8 u16 i32 u32 i64 f32 f64);

impl Plain for bool {
    const SIZE: usize = 1;
    fn take(bytes: &[u8]) -> bool {
        bytes[0] != 0
    }
    fn put(self, bytes: &mut [u8]) {
        bytes[0] = u8::from(self);
    }
}

fn take_all<T: Plain>(bytes: &[u8], index: usize, out: &mut [T]) {
    if let Some(from) = bytes.get(index * T::SIZE..(index + out.len()) * T::SIZE) {
        for (out, from) in out.iter_mut().zip(from.chunks_exact(T::SIZE)) {
            *out = T::take(from);
        }
    }
}

fn put_all<T: Plain>(bytes: &mut [u8], index: usize, values: &[T]) {
    if let Some(to) = bytes.get_mut(index * T::SIZE..(index + values.len()) * T::SIZE) {
        for (value, to) in values.iter().zip(to.chunks_exact_mut(T::SIZE)) {
            value.put(to);
        }
    }
}

impl Bytes {
    /// A buffer that holds `values`.
    pub fn of(values: Slice<'_>) -> Self {
        let bytes = each!(Slice, values, values => {
            let mut bytes = vec![0; std::mem::size_of_val(values)];
            put_all(&mut bytes, 0, values);
            bytes
        });
        Bytes(Mutex::new(bytes))
    }

    /// `elements` zeros of `dtype`.
    pub fn zeros(dtype: DType, elements: usize) -> Self {
        Bytes(Mutex::new(vec![0; dtype.size() * elements]))
    }

    /// The buffer as `f32` numbers.
    pub fn to_f32(&self) -> Vec<f32> {
        let mut values = vec![0.0; self.bytes() / 4];
        self.read(0, SliceMut::F32(&mut values));
        values
    }

    /// The buffer as `f64` numbers.
    pub fn to_f64(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.bytes() / 8];
        self.read(0, SliceMut::F64(&mut values));
        values
    }

    /// The buffer as `i32` numbers.
    #[cfg(test)]
    pub fn to_i32(&self) -> Vec<i32> {
        let mut values = vec![0; self.bytes() / 4];
        self.read(0, SliceMut::I32(&mut values));
        values
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<u8>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Memory for Bytes {
    fn bytes(&self) -> usize {
        self.lock().len()
    }

    fn read(&self, index: usize, out: SliceMut<'_>) {
        let bytes = self.lock();
        each!(SliceMut, out, out => take_all(&bytes, index, out));
    }

    fn write(&self, index: usize, values: Slice<'_>) {
        let mut bytes = self.lock();
        each!(Slice, values, values => put_all(&mut bytes, index, values));
    }

    fn gather(&self, indices: &[usize], lanes: usize, out: SliceMut<'_>) {
        let bytes = self.lock();
        each!(SliceMut, out, out => {
            for (&index, out) in indices.iter().zip(out.chunks_exact_mut(lanes)) {
                if index != usize::MAX {
                    take_all(&bytes, index, out);
                }
            }
        });
    }

    fn scatter(&self, indices: &[usize], lanes: usize, values: Slice<'_>) {
        let mut bytes = self.lock();
        each!(Slice, values, values => {
            for (&index, values) in indices.iter().zip(values.chunks_exact(lanes)) {
                if index != usize::MAX {
                    put_all(&mut bytes, index, values);
                }
            }
        });
    }

    fn atomic(&self, op: AtomicOp, index: usize, operand: AtomicValue) -> AtomicValue {
        macro_rules! update {
            ($kind:ident, $type:ty) => {{
                let mut bytes = self.lock();
                let mut old = [<$type>::default()];
                take_all(&bytes, index, &mut old);
                let old = AtomicValue::$kind(old[0]);
                if let AtomicValue::$kind(new) = old.updated(op, operand) {
                    put_all(&mut bytes, index, &[new]);
                }
                old
            }};
        }
        match operand {
            AtomicValue::I32(_) => update!(I32, i32),
            AtomicValue::U32(_) => update!(U32, u32),
            AtomicValue::I64(_) => update!(I64, i64),
            AtomicValue::F32(_) => update!(F32, f32),
            AtomicValue::F64(_) => update!(F64, f64),
        }
    }
}
