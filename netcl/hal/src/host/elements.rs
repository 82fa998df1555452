//! The host's memory as the interpreter of kernels uses it: typed elements, gathers, scatters and atomics, each inside the
//! buffer or left out. `memory.rs` says who may touch what.

#![allow(unsafe_code, reason = "memory shared between threads is accessed through raw pointers")]

use super::cells::{Apart, Cells, Shared, Stored};
use super::memory::HostBuffer;
use netcl_kernels::kir::AtomicOp;
use netcl_kernels::kir::interp::{AtomicValue, Memory, Slice, SliceMut};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Runs `$plain` with the typed slice, `$truth` with one of truth values: their bytes must be 0 or 1.
macro_rules! typed {
    ($kind:ident, $slice:expr, $values:ident => $plain:expr, $truths:ident => $truth:expr) => {
        match $slice {
            $kind::Bool($truths) => $truth,
            $kind::U8($values) => $plain,
            $kind::U16($values) => $plain,
            $kind::I32($values) => $plain,
            $kind::U32($values) => $plain,
            $kind::I64($values) => $plain,
            $kind::F32($values) => $plain,
            $kind::F64($values) => $plain,
        }
    };
}

/// A buffer whose elements are accessed as `C` says.
#[derive(Clone, Copy, Debug)]
struct Elements<'a, C> {
    buffer: &'a HostBuffer,
    cells: PhantomData<C>,
}

/// A buffer as a kernel's work-items see it that may access what others write.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedBuffer<'a>(pub(super) &'a HostBuffer);

impl HostBuffer {
    /// Where `count` elements from `index` on lie, if they are inside.
    #[inline]
    fn elements<T>(&self, index: usize, count: usize) -> Option<*mut T> {
        let end = index.checked_add(count)?;
        // SAFETY: `index` is inside the buffer, or one past its end.
        (end <= self.bytes() / size_of::<T>()).then(|| unsafe { self.pointer().cast::<T>().add(index) })
    }

    fn as_cells<C: Cells>(&self) -> Elements<'_, C> {
        Elements { buffer: self, cells: PhantomData }
    }
}

impl<C: Cells> Elements<'_, C> {
    #[inline]
    fn read<T: Stored>(&self, index: usize, out: &mut [T]) {
        let Some(from) = self.buffer.elements::<T>(index, out.len()) else { return };
        let (vectors, rest) = out.as_chunks_mut::<16>();
        let done = 16 * vectors.len();
        for (position, out) in vectors.iter_mut().enumerate() {
            // SAFETY: `elements` has checked the range; the launch picks `C`.
            *out = unsafe { C::load(from.add(16 * position)) };
        }
        for (position, out) in rest.iter_mut().enumerate() {
            // SAFETY: as above.
            [*out] = unsafe { C::load(from.add(done + position)) };
        }
    }

    #[inline]
    fn write<T: Stored>(&self, index: usize, values: &[T]) {
        let Some(to) = self.buffer.elements::<T>(index, values.len()) else { return };
        let (vectors, rest) = values.as_chunks::<16>();
        let done = 16 * vectors.len();
        for (position, values) in vectors.iter().enumerate() {
            // SAFETY: `elements` has checked the range; the launch picks `C`.
            unsafe { C::store(to.add(16 * position), *values) }
        }
        for (position, value) in rest.iter().enumerate() {
            // SAFETY: as above.
            unsafe { C::store(to.add(done + position), [*value]) }
        }
    }

    fn gather<T: Stored>(&self, indices: &[usize], lanes: usize, out: &mut [T]) {
        match lanes {
            1 => self.gather_lanes::<T, 1>(indices, out),
            16 => self.gather_lanes::<T, 16>(indices, out),
            8 => self.gather_lanes::<T, 8>(indices, out),
            4 => self.gather_lanes::<T, 4>(indices, out),
            _ => {
                for (&index, out) in indices.iter().zip(out.chunks_exact_mut(lanes)) {
                    self.read(index, out);
                }
            }
        }
    }

    fn scatter<T: Stored>(&self, indices: &[usize], lanes: usize, values: &[T]) {
        match lanes {
            1 => self.scatter_lanes::<T, 1>(indices, values),
            16 => self.scatter_lanes::<T, 16>(indices, values),
            8 => self.scatter_lanes::<T, 8>(indices, values),
            4 => self.scatter_lanes::<T, 4>(indices, values),
            _ => {
                for (&index, values) in indices.iter().zip(values.chunks_exact(lanes)) {
                    self.write(index, values);
                }
            }
        }
    }

    /// As [`Self::gather`], with copies of a size that the compiler knows.
    fn gather_lanes<T: Stored, const L: usize>(&self, indices: &[usize], out: &mut [T]) {
        for (&index, out) in indices.iter().zip(out.as_chunks_mut::<L>().0) {
            if let Some(from) = self.buffer.elements::<T>(index, L) {
                // SAFETY: `elements` has checked the range; the launch picks `C`.
                *out = unsafe { C::load(from) };
            }
        }
    }

    fn scatter_lanes<T: Stored, const L: usize>(&self, indices: &[usize], values: &[T]) {
        for (&index, values) in indices.iter().zip(values.as_chunks::<L>().0) {
            if let Some(to) = self.buffer.elements::<T>(index, L) {
                // SAFETY: `elements` has checked the range; the launch picks `C`.
                unsafe { C::store(to, *values) }
            }
        }
    }

    fn read_slice(&self, index: usize, out: SliceMut<'_>) {
        typed!(SliceMut, out, out => self.read(index, out), truths => {
            for (position, truth) in truths.iter_mut().enumerate() {
                let mut byte = [0u8];
                self.read(index + position, &mut byte);
                *truth = byte[0] != 0;
            }
        });
    }

    fn write_slice(&self, index: usize, values: Slice<'_>) {
        typed!(Slice, values, values => self.write(index, values), truths => {
            for (position, &truth) in truths.iter().enumerate() {
                self.write(index + position, &[u8::from(truth)]);
            }
        });
    }

    fn gather_slice(&self, indices: &[usize], lanes: usize, out: SliceMut<'_>) {
        typed!(SliceMut, out, out => self.gather(indices, lanes, out), truths => {
            for (&index, truths) in indices.iter().zip(truths.chunks_exact_mut(lanes)) {
                if index != usize::MAX {
                    self.read_slice(index, SliceMut::Bool(truths));
                }
            }
        });
    }

    fn scatter_slice(&self, indices: &[usize], lanes: usize, values: Slice<'_>) {
        typed!(Slice, values, values => self.scatter(indices, lanes, values), truths => {
            for (&index, truths) in indices.iter().zip(truths.chunks_exact(lanes)) {
                if index != usize::MAX {
                    self.write_slice(index, Slice::Bool(truths));
                }
            }
        });
    }
}

macro_rules! memory {
    ($type:ty, $cells:ty, $self:ident => $buffer:expr) => {
        impl Memory for $type {
            fn bytes(&$self) -> usize {
                HostBuffer::bytes($buffer)
            }

            fn read(&$self, index: usize, out: SliceMut<'_>) {
                $buffer.as_cells::<$cells>().read_slice(index, out);
            }

            fn write(&$self, index: usize, values: Slice<'_>) {
                $buffer.as_cells::<$cells>().write_slice(index, values);
            }

            fn gather(&$self, indices: &[usize], lanes: usize, out: SliceMut<'_>) {
                $buffer.as_cells::<$cells>().gather_slice(indices, lanes, out);
            }

            fn scatter(&$self, indices: &[usize], lanes: usize, values: Slice<'_>) {
                $buffer.as_cells::<$cells>().scatter_slice(indices, lanes, values);
            }

            fn atomic(&$self, op: AtomicOp, index: usize, operand: AtomicValue) -> AtomicValue {
                $buffer.updated(op, index, operand)
            }
        }
    };
}
memory!(HostBuffer, Apart, self => self);
memory!(SharedBuffer<'_>, Shared, self => self.0);

/// The bits of a value of four bytes, or of eight.
fn bits(value: AtomicValue) -> u64 {
    match value {
        AtomicValue::I32(value) => u64::from(value as u32),
        AtomicValue::U32(value) => u64::from(value),
        AtomicValue::I64(value) => value as u64,
        AtomicValue::F32(value) => u64::from(value.to_bits()),
        AtomicValue::F64(value) => value.to_bits(),
    }
}

impl HostBuffer {
    fn updated(&self, op: AtomicOp, index: usize, operand: AtomicValue) -> AtomicValue {
        match operand {
            AtomicValue::I32(_) => self.atomic_32(op, index, operand, |bits| AtomicValue::I32(bits as i32)),
            AtomicValue::U32(_) => self.atomic_32(op, index, operand, AtomicValue::U32),
            AtomicValue::F32(_) => self.atomic_32(op, index, operand, |bits| AtomicValue::F32(f32::from_bits(bits))),
            AtomicValue::I64(_) => self.atomic_64(op, index, operand, |bits| AtomicValue::I64(bits as i64)),
            AtomicValue::F64(_) => self.atomic_64(op, index, operand, |bits| AtomicValue::F64(f64::from_bits(bits))),
        }
    }

    fn atomic_32(
        &self,
        op: AtomicOp,
        index: usize,
        operand: AtomicValue,
        of: impl Fn(u32) -> AtomicValue,
    ) -> AtomicValue {
        let Some(cell) = self.elements::<AtomicU32>(index, 1) else { return operand };
        // SAFETY: the index is checked; buffers and views start on multiples of ALIGNMENT, so the cell is aligned.
        let cell = unsafe { &*cell };
        let mut old = cell.load(Ordering::Relaxed);
        loop {
            let new = bits(of(old).updated(op, operand)) as u32;
            match cell.compare_exchange_weak(old, new, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(old) => return of(old),
                Err(now) => old = now,
            }
        }
    }

    fn atomic_64(
        &self,
        op: AtomicOp,
        index: usize,
        operand: AtomicValue,
        of: impl Fn(u64) -> AtomicValue,
    ) -> AtomicValue {
        let Some(cell) = self.elements::<AtomicU64>(index, 1) else { return operand };
        // SAFETY: the index is checked; buffers and views start on multiples of ALIGNMENT, so the cell is aligned.
        let cell = unsafe { &*cell };
        let mut old = cell.load(Ordering::Relaxed);
        loop {
            let new = bits(of(old).updated(op, operand));
            match cell.compare_exchange_weak(old, new, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(old) => return of(old),
                Err(now) => old = now,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_outside_is_left_out() {
        let buffer = HostBuffer::new(64).unwrap();
        let mut values = [5.0f32; 2];
        Memory::gather(&buffer, &[15, 16], 1, SliceMut::F32(&mut values));
        assert_eq!(values, [0.0, 5.0]);
    }

    #[test]
    fn atomics_lose_nothing_between_threads() {
        let buffer = HostBuffer::new(64).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..1000 {
                        buffer.atomic(AtomicOp::Add, 3, AtomicValue::F32(1.0));
                        buffer.atomic(AtomicOp::Max, 2, AtomicValue::I64(-9));
                    }
                });
            }
        });
        let mut sum = [0.0f32];
        Memory::read(&buffer, 3, SliceMut::F32(&mut sum));
        assert_eq!(sum, [4000.0]);
    }
}
