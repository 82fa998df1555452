//! Registers: one typed vector each, allocated once per run.

use super::memory::{AtomicValue, Slice, SliceMut};
use super::program::{Extent, Info};
use crate::dtype::DType;

/// The contents of a register.
#[derive(Clone, Debug)]
pub(super) enum Values {
    Bool(Vec<bool>),
    U8(Vec<u8>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

macro_rules! each {
    ($self:expr, $kind:ident, $values:ident => $body:expr) => {
        match $self {
            Values::Bool($values) => $kind::Bool($body),
            Values::U8($values) => $kind::U8($body),
            Values::I32($values) => $kind::I32($body),
            Values::U32($values) => $kind::U32($body),
            Values::I64($values) => $kind::I64($body),
            Values::F32($values) => $kind::F32($body),
            Values::F64($values) => $kind::F64($body),
        }
    };
}

/// Runs `$body` with two registers of one type.
macro_rules! pair {
    ($out:expr, $from:expr, $a:ident, $b:ident => $body:expr) => {
        match ($out, $from) {
            (Values::Bool($a), Values::Bool($b)) => $body,
            (Values::U8($a), Values::U8($b)) => $body,
            (Values::I32($a), Values::I32($b)) => $body,
            (Values::U32($a), Values::U32($b)) => $body,
            (Values::I64($a), Values::I64($b)) => $body,
            (Values::F32($a), Values::F32($b)) => $body,
            (Values::F64($a), Values::F64($b)) => $body,
            _ => {}
        }
    };
}
pub(super) use pair;

impl Values {
    /// `length` zeros of `dtype`; storage types are kept as `f32`.
    pub(super) fn new(dtype: DType, length: usize) -> Values {
        match dtype {
            DType::Bool => Values::Bool(vec![false; length]),
            DType::U8 => Values::U8(vec![0; length]),
            DType::I32 => Values::I32(vec![0; length]),
            DType::U32 => Values::U32(vec![0; length]),
            DType::I64 => Values::I64(vec![0; length]),
            DType::F16 | DType::BF16 | DType::F32 => Values::F32(vec![0.0; length]),
            DType::F64 => Values::F64(vec![0.0; length]),
        }
    }

    /// A register without contents, to stand where one was taken out.
    pub(super) const fn taken() -> Values {
        Values::Bool(Vec::new())
    }

    /// The first `length` values.
    pub(super) fn slice(&self, length: usize) -> Slice<'_> {
        each!(self, Slice, values => &values[..length])
    }

    /// The first `length` values.
    pub(super) fn slice_mut(&mut self, length: usize) -> SliceMut<'_> {
        each!(self, SliceMut, values => &mut values[..length])
    }

    /// The first `length` truth values; none if these are numbers.
    pub(super) fn bools(&self, length: usize) -> &[bool] {
        match self {
            Values::Bool(values) => &values[..length],
            _ => &[],
        }
    }

    /// As [`Values::bools`], to be written.
    pub(super) fn bools_mut(&mut self, length: usize) -> &mut [bool] {
        match self {
            Values::Bool(values) => &mut values[..length],
            _ => &mut [],
        }
    }

    /// The integer at `position`; zero if these are no integers.
    pub(super) fn integer(&self, position: usize) -> i64 {
        match self {
            Values::U8(values) => i64::from(values[position]),
            Values::I32(values) => i64::from(values[position]),
            Values::U32(values) => i64::from(values[position]),
            Values::I64(values) => values[position],
            Values::Bool(_) | Values::F32(_) | Values::F64(_) => 0,
        }
    }

    /// Writes an integer, wrapped to the register's type.
    pub(super) fn set_integer(&mut self, position: usize, value: i64) {
        match self {
            Values::U8(values) => values[position] = value as u8,
            Values::I32(values) => values[position] = value as i32,
            Values::U32(values) => values[position] = value as u32,
            Values::I64(values) => values[position] = value,
            Values::Bool(_) | Values::F32(_) | Values::F64(_) => {}
        }
    }
    /// The value at `position` as an atomic operand; bytes and truth values are widened.
    pub(super) fn scalar(&self, position: usize) -> AtomicValue {
        match self {
            Values::Bool(values) => AtomicValue::U32(u32::from(values[position])),
            Values::U8(values) => AtomicValue::U32(u32::from(values[position])),
            Values::I32(values) => AtomicValue::I32(values[position]),
            Values::U32(values) => AtomicValue::U32(values[position]),
            Values::I64(values) => AtomicValue::I64(values[position]),
            Values::F32(values) => AtomicValue::F32(values[position]),
            Values::F64(values) => AtomicValue::F64(values[position]),
        }
    }

    /// Writes what [`Values::scalar`] gives.
    pub(super) fn set_scalar(&mut self, position: usize, scalar: AtomicValue) {
        match (self, scalar) {
            (Values::I32(values), AtomicValue::I32(value)) => values[position] = value,
            (Values::U32(values), AtomicValue::U32(value)) => values[position] = value,
            (Values::I64(values), AtomicValue::I64(value)) => values[position] = value,
            (Values::F32(values), AtomicValue::F32(value)) => values[position] = value,
            (Values::F64(values), AtomicValue::F64(value)) => values[position] = value,
            (Values::U8(values), AtomicValue::U32(value)) => values[position] = value as u8,
            (Values::Bool(values), AtomicValue::U32(value)) => values[position] = value != 0,
            _ => {}
        }
    }

    /// `self[item, lane] = from[item, lane]`, whatever both have values for.
    pub(super) fn spread(&mut self, info: Info, from: &Values, from_info: Info, items: usize) {
        let count = info.length(items);
        let lanes = usize::from(info.lanes);
        pair!(self, from, to, from => {
            let to = &mut to[..count];
            match (info.extent, from_info.extent) {
                (_, Extent::One) => to.fill(from[0]),
                (Extent::Items, Extent::Lanes) => to.chunks_exact_mut(lanes).for_each(|to| to.copy_from_slice(&from[..lanes])),
                (Extent::Items, Extent::Items) if from_info.lanes == 1 && lanes > 1 => {
                    for (to, &from) in to.chunks_exact_mut(lanes).zip(from) {
                        to.fill(from);
                    }
                }
                _ => to.copy_from_slice(&from[..count]),
            }
        });
    }
}
