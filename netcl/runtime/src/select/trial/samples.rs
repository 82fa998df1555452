//! Some of the results of a task that is too large for the host to compute: what they must be, exactly.

use super::draw::mixed;
use super::exact::Exact;
use super::numbers::{Nearness, difference, numbers};
use super::small::operations;
use netcl_kernels::dtype::DType;
use netcl_kernels::variant::Task;

/// How many there are at most, and how many operations may go into all of them: some hundredths of a second.
const MOST: u64 = 512;
const OPERATIONS: u64 = 1 << 24;
/// So many there are in any case.
const LEAST: u64 = 4;

/// A result of up to so many bytes is kept, to compare others with all of it.
const KEPT: usize = 1 << 30;
/// Bytes that are compared at a time; a multiple of every element's size.
const CHUNK: usize = 1 << 16;

/// Samples of a task's result, and one that agrees with them.
pub(super) struct Samples {
    task: Task<u64>,
    elements: u64,
    positions: Vec<u64>,
    expected: Vec<f64>,
    /// The bytes of a result that has these samples.
    agreed: Option<Vec<u8>>,
}

impl Samples {
    /// Of a task whose result has so many elements.
    pub(super) fn new(task: &Task<u64>, elements: u64) -> Samples {
        let each = operations(task) / elements.max(1);
        let count = (OPERATIONS / each.max(1)).clamp(LEAST, MOST).min(elements);
        let mut positions: Vec<u64> = match task {
            // All elements of a channel share its statistics, which are what costs.
            Task::BatchNorm(own) => {
                let first = |place: u64| mixed(place / (MOST / LEAST)) % own.channels.max(1) * own.pixels;
                let within = |place: u64| mixed(place) % own.pixels.max(1);
                let image = |place: u64| mixed(!place) % own.images.max(1) * own.channels * own.pixels;
                (0..MOST.min(elements)).map(|place| first(place) + image(place) + within(place)).collect()
            }
            // So do all elements of a row of a recurrence what it carries.
            Task::Recurrence(own) => {
                let rows = (count / own.width.max(1)).clamp(1, LEAST);
                let place =
                    |number: u64| mixed(number % rows) % own.rows.max(1) * own.width + mixed(!number) % own.width;
                std::iter::once(elements.saturating_sub(1)).chain((1..MOST.min(elements)).map(place)).collect()
            }
            // The first and the last, and others anywhere.
            _ => {
                let place = |number: u64| match number {
                    0 => 0,
                    1 => elements - 1,
                    _ => mixed(number) % elements,
                };
                (0..count).map(place).collect()
            }
        };
        positions.sort();
        positions.dedup();
        let mut exact = Exact::new(task);
        let expected = positions.iter().map(|&position| exact.element(position)).collect();
        Samples { task: task.clone(), elements, positions, expected, agreed: None }
    }

    /// Whether a result, given as its bytes, has these samples, and what another that had them has elsewhere. Where the two
    /// differ, the exact value decides.
    pub(super) fn check(&mut self, bytes: Vec<u8>, dtype: DType) -> Result<(), String> {
        let size = dtype.size();
        if bytes.len() as u64 != self.elements * size as u64 {
            return Err(format!("{} elements, expected {}", bytes.len() / size, self.elements));
        }
        let near = Nearness::of(&self.task, &self.expected, dtype);
        let at = |position: u64| number(&bytes, position, dtype);
        for (&position, &expected) in self.positions.iter().zip(&self.expected) {
            if !near.holds(at(position), expected) {
                return Err(difference(position, at(position), expected));
            }
        }
        if let Some(agreed) = &self.agreed {
            let Some(position) = differs(&bytes, agreed, dtype, &near) else { return Ok(()) };
            let expected = Exact::new(&self.task).element(position);
            if !near.holds(at(position), expected) {
                return Err(difference(position, at(position), expected));
            }
            // The other was wrong where no sample is: nothing more is compared with it.
        }
        if bytes.len() <= KEPT {
            self.agreed = Some(bytes);
        }
        Ok(())
    }
}

fn number(bytes: &[u8], position: u64, dtype: DType) -> f64 {
    let start = position as usize * dtype.size();
    numbers(&bytes[start..][..dtype.size()], dtype)[0]
}

/// The first position at which two results of one length differ.
fn differs(found: &[u8], other: &[u8], dtype: DType, near: &Nearness) -> Option<u64> {
    let chunks = found.chunks(CHUNK).zip(other.chunks(CHUNK)).enumerate();
    chunks.filter(|(_, (found, other))| found != other).find_map(|(chunk, (found, other))| {
        let (found, other) = (numbers(found, dtype), numbers(other, dtype));
        let within = found.iter().zip(&other).position(|(found, other)| !near.holds(*found, *other))?;
        Some((chunk * (CHUNK / dtype.size()) + within) as u64)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::testing::product;

    fn bytes(values: &[f64]) -> Vec<u8> {
        values.iter().flat_map(|value| (*value as f32).to_ne_bytes()).collect()
    }

    /// All of a product's result, and the samples of it.
    fn case() -> (Samples, Vec<f64>) {
        let task = product(96, 64, 600);
        let mut exact = Exact::new(&task);
        let all = (0..96 * 64).map(|position| exact.element(position)).collect();
        (Samples::new(&task, 96 * 64), all)
    }

    #[test]
    fn a_result_that_is_wrong_at_a_sample_is_wrong_whoever_is_first() {
        let (mut samples, all) = case();
        assert!(samples.positions.contains(&0) && samples.positions.contains(&(96 * 64 - 1)));
        assert!(samples.positions.len() > 400, "{}", samples.positions.len());
        let zeros = vec![0.0; all.len()];
        assert!(samples.check(bytes(&zeros), DType::F32).unwrap_err().starts_with("element 0 is 0, expected "));
        assert_eq!(samples.check(bytes(&all), DType::F32), Ok(()));
        assert_eq!(samples.check(bytes(&all), DType::F32), Ok(()));
        assert!(samples.check(bytes(&all[1..]), DType::F32).is_err());
    }

    #[test]
    fn where_two_results_differ_the_exact_value_decides() {
        let (mut samples, all) = case();
        let between = (0..all.len() as u64).rev().find(|position| !samples.positions.contains(position)).unwrap();
        let mut wrong = all.clone();
        wrong[between as usize] += 1.0 / 16.0;
        // Nothing tells yet that the first one is wrong, but it convicts nobody.
        assert_eq!(samples.check(bytes(&wrong), DType::F32), Ok(()));
        assert_eq!(samples.check(bytes(&all), DType::F32), Ok(()));
        let error = samples.check(bytes(&wrong), DType::F32).unwrap_err();
        assert!(error.starts_with(&format!("element {between} is ")), "{error}");
    }
}
