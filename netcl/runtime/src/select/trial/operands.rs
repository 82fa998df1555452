//! The operands of a task, by position: whoever computes a part of a result needs no tensor.

use super::draw::{mixed, plain};
use super::rows;
use half::{bf16, f16};
use netcl_kernels::dtype::DType;
use netcl_kernels::variant::Task;

/// The element at `position` of the `argument`-th operand, of that type: it is stored as it is.
pub(super) fn element(task: &Task<u64>, argument: usize, position: u64, dtype: DType) -> f64 {
    match task {
        Task::Reduction(reduction) => rows::element(reduction, dtype, position),
        _ => plain(dtype, mixed(((argument as u64) << 40) + position)),
    }
}

/// The bytes of the `argument`-th operand, of so many elements; `None` where the host has no memory for them.
pub(super) fn operand(task: &Task<u64>, argument: usize, elements: usize, dtype: DType) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(elements.checked_mul(dtype.size())?).ok()?;
    let mut all = |add: fn(&mut Vec<u8>, f64)| {
        for position in 0..elements as u64 {
            add(&mut bytes, element(task, argument, position, dtype));
        }
    };
    match dtype {
        DType::Bool | DType::U8 => all(|bytes, value| bytes.push(value as u8)),
        DType::I32 => all(|bytes, value| bytes.extend_from_slice(&(value as i32).to_ne_bytes())),
        DType::U32 => all(|bytes, value| bytes.extend_from_slice(&(value as u32).to_ne_bytes())),
        DType::I64 => all(|bytes, value| bytes.extend_from_slice(&(value as i64).to_ne_bytes())),
        DType::F16 => all(|bytes, value| bytes.extend_from_slice(&f16::from_f64(value).to_ne_bytes())),
        DType::BF16 => all(|bytes, value| bytes.extend_from_slice(&bf16::from_f64(value).to_ne_bytes())),
        DType::F32 => all(|bytes, value| bytes.extend_from_slice(&(value as f32).to_ne_bytes())),
        DType::F64 => all(|bytes, value| bytes.extend_from_slice(&value.to_ne_bytes())),
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::super::numbers::numbers;
    use super::*;
    use crate::select::testing::product;

    #[test]
    fn operands_are_exact_in_every_type_and_differ() {
        let task = product(8, 8, 8);
        for dtype in [DType::F16, DType::BF16, DType::F32, DType::F64, DType::I32, DType::U8, DType::Bool, DType::I64] {
            let [a, b] = [0, 1].map(|argument| operand(&task, argument, 1000, dtype).unwrap());
            assert_eq!(a.len(), 1000 * dtype.size());
            let (a, b) = (numbers(&a, dtype), numbers(&b, dtype));
            assert_ne!(a, b, "{dtype}");
            assert!(a.iter().all(|value| value.fract() % 0.25 == 0.0 && value.abs() <= 6.0), "{dtype}");
            assert!(a.iter().any(|value| *value != a[0]), "{dtype}");
        }
    }
}
