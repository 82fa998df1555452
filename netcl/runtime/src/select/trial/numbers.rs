//! Results as numbers, and how near they must be to what they should be.

use crate::tensor::Element;
use half::{bf16, f16};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{AttentionKind, ReduceOp};
use netcl_kernels::variant::Task;

/// Elements as numbers.
pub(super) fn numbers(bytes: &[u8], dtype: DType) -> Vec<f64> {
    fn all<T: Element>(bytes: &[u8], number: impl Fn(T) -> f64) -> Vec<f64> {
        T::from_bytes(bytes).map(number).collect()
    }
    match dtype {
        DType::Bool | DType::U8 => bytes.iter().map(|&byte| f64::from(byte)).collect(),
        DType::I32 => all(bytes, |value: i32| value.into()),
        DType::U32 => all(bytes, |value: u32| value.into()),
        DType::I64 => all(bytes, |value: i64| value as f64),
        DType::F16 => all(bytes, |value: f16| value.into()),
        DType::BF16 => all(bytes, |value: bf16| value.into()),
        DType::F32 => all(bytes, |value: f32| value.into()),
        DType::F64 => all(bytes, |value: f64| value),
    }
}

/// How many terms an element of the result is made of.
fn terms(task: &Task<u64>) -> u64 {
    match task {
        Task::Product(product) => product.k,
        Task::Conv2d(conv) => conv.problem().map_or(1, |problem| problem.k),
        Task::Elementwise(map) => map.reads.into(),
        Task::Reduction(reduction) => reduction.columns,
        Task::BatchNorm(norm) => norm.images.saturating_mul(norm.pixels),
        // What a round rounds off, later ones make smaller.
        Task::Recurrence(own) => own.width.saturating_mul(4),
        Task::Attention(own) if own.kind == AttentionKind::KeyValueGrad => own.queries.saturating_add(own.width),
        Task::Attention(own) => own.keys.saturating_add(own.width),
    }
}

/// The rounding to nearest of a type, relative; 0 of whole numbers, which have none.
fn epsilon(dtype: DType) -> f64 {
    match dtype {
        DType::F16 => 2f64.powi(-11),
        DType::BF16 => 2f64.powi(-8),
        DType::F32 => 2f64.powi(-24),
        DType::F64 => 2f64.powi(-53),
        DType::Bool | DType::U8 | DType::I32 | DType::U32 | DType::I64 => 0.0,
    }
}

/// How far an element may be off, relative to its own magnitude and the result's together: the rounding of what is stored,
/// and that of the sum behind it, whose errors grow with the square root of the number of terms. Sums are added up in
/// [`DType::compute`], whatever they are stored as.
fn tolerance(task: &Task<u64>, result: DType) -> f64 {
    let stores = match task {
        // A place among others is the right one or not, and what was largest is copied.
        Task::Reduction(task) if !matches!(task.op, ReduceOp::Sum | ReduceOp::Prod) => return 0.0,
        // The statistics may be stored between two kernels.
        Task::BatchNorm(_) => 16.0,
        _ => 4.0,
    };
    epsilon(result) * stores + epsilon(result.compute()) * (32.0 + 4.0 * (terms(task) as f64).sqrt())
}

/// How near results must be to what they should be.
pub(super) struct Nearness {
    tolerance: f64,
    /// Of the results as a whole: errors of sums whose terms cancel are as large as those of others.
    magnitude: f64,
}

impl Nearness {
    /// For a task's results, stored as `result`, which should be `expected`, or of which that is a part.
    pub(super) fn of(task: &Task<u64>, expected: &[f64], result: DType) -> Nearness {
        let finite = || expected.iter().filter(|value| value.is_finite());
        let squares: f64 = finite().map(|value| value * value).sum();
        let magnitude = match task {
            // Factors do not cancel: a product's error is of its own size, however large others are.
            Task::Reduction(task) if task.op == ReduceOp::Prod => 0.0,
            _ => (squares / finite().count().max(1) as f64).sqrt(),
        };
        Nearness { tolerance: tolerance(task, result), magnitude }
    }

    pub(super) fn holds(&self, found: f64, expected: f64) -> bool {
        let same = found == expected || (found.is_nan() && expected.is_nan());
        // NaN compares as not near.
        same || (found - expected).abs() <= self.tolerance * (expected.abs() + self.magnitude)
    }
}

/// Whether `found` is `expected`; the first element that is not, in words.
pub(super) fn compare(task: &Task<u64>, found: &[f64], expected: &[f64], result: DType) -> Result<(), String> {
    if found.len() != expected.len() {
        return Err(format!("{} elements, expected {}", found.len(), expected.len()));
    }
    let near = Nearness::of(task, expected, result);
    let mut pairs = found.iter().zip(expected).enumerate();
    match pairs.find(|(_, (found, expected))| !near.holds(**found, **expected)) {
        Some((position, (&found, &expected))) => Err(difference(position as u64, found, expected)),
        None => Ok(()),
    }
}

pub(super) fn difference(position: u64, found: f64, expected: f64) -> String {
    format!("element {position} is {found}, expected {expected}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::testing::product;

    #[test]
    fn a_single_missing_term_shows() {
        let task = product(64, 64, 1 << 16);
        // Sums of 2^16 terms of about a half have a magnitude of about 100.
        let expected: Vec<f64> = (0..4096).map(|at| f64::from(at % 17) * 12.0 - 96.0).collect();
        assert_eq!(compare(&task, &expected, &expected, DType::F32), Ok(()));
        let mut found = expected.clone();
        found[77] += 1.0 / 16.0;
        let error = compare(&task, &found, &expected, DType::F32).unwrap_err();
        assert_eq!(error, format!("element 77 is {}, expected {}", found[77], expected[77]));
        found[77] = expected[77] + 1e-5;
        assert_eq!(compare(&task, &found, &expected, DType::F32), Ok(()), "rounding");
        found[77] = f64::NAN;
        assert!(compare(&task, &found, &expected, DType::F32).is_err());
        assert!(compare(&task, &found[..7], &expected, DType::F32).is_err());
    }

    #[test]
    fn whole_numbers_are_exact_and_infinities_equal_themselves() {
        let task = product(1, 2, 4);
        assert!(compare(&task, &[1e6, 2.0], &[1e6, 3.0], DType::I32).is_err());
        assert_eq!(compare(&task, &[f64::INFINITY, f64::NAN], &[f64::INFINITY, f64::NAN], DType::F32), Ok(()));
        assert!(compare(&task, &[f64::INFINITY, 0.0], &[1.0, 0.0], DType::F32).is_err());
    }
}
