//! Operations that compute: tensors, algorithms, recordings, raw kernels.

use super::worker::{TrackedTensor, Worker};
use netcl::algorithms::{self, Operator, Order, Random, Scan};
use netcl::{Result, Tensor};
use std::sync::atomic::Ordering;

pub(super) fn sum(worker: &mut Worker<'_>, TrackedTensor { tensor, values, .. }: TrackedTensor) -> Result<()> {
    let doubled = values.iter().map(|value| value.wrapping_add(*value)).collect();
    // What waits would have a program for each chain of sums.
    worker.hold("a sum", tensor.add(&tensor).eval()?, doubled);
    Ok(())
}

pub(super) fn map(worker: &mut Worker<'_>, TrackedTensor { tensor, values, .. }: TrackedTensor) -> Result<()> {
    let mapped = values.iter().map(|value| value.wrapping_mul(3).wrapping_add(1)).collect();
    worker.hold("mapped", algorithms::map("v0 * 3 + 1", &[&tensor])?, mapped);
    Ok(())
}

pub(super) fn reduce(worker: &mut Worker<'_>, TrackedTensor { tensor, values, .. }: TrackedTensor) -> Result<()> {
    let sum = values.iter().fold(0u32, |sum, value| sum.wrapping_add(*value));
    let found = algorithms::reduce(Operator::Sum, &tensor)?.item::<u32>()?;
    worker.totals.compare("reduced", &[found], &[sum]);
    Ok(())
}

pub(super) fn scan(worker: &mut Worker<'_>, TrackedTensor { tensor, values, .. }: TrackedTensor) -> Result<()> {
    let prefixes = prefixes(&values);
    worker.hold("a scan", algorithms::scan(Operator::Sum, Scan::Inclusive, &tensor)?, prefixes);
    Ok(())
}

/// Sums up to each element, itself among them.
fn prefixes(values: &[u32]) -> Vec<u32> {
    let add = |sum: &mut u32, value: &u32| {
        *sum = sum.wrapping_add(*value);
        Some(*sum)
    };
    values.iter().scan(0, add).collect()
}

pub(super) fn sort(worker: &mut Worker<'_>, TrackedTensor { tensor, mut values, .. }: TrackedTensor) -> Result<()> {
    if worker.draw.below(2) == 0 {
        values.sort_unstable();
        worker.hold("sorted", algorithms::sort(&tensor, Order::Ascending)?, values);
    } else {
        let positions: Vec<u32> = (0..values.len() as u32).collect();
        let places = algorithms::argsort(&tensor, Order::Ascending)?;
        let mut wanted = positions;
        wanted.sort_by_key(|&position| values[position as usize]);
        worker.hold("the order of elements", places, wanted);
    }
    Ok(())
}

pub(super) fn compact(worker: &mut Worker<'_>, TrackedTensor { tensor, values, .. }: TrackedTensor) -> Result<()> {
    let mask = algorithms::matching("v0 % 3 == 0", &[&tensor])?;
    let kept = |value: &u32| value.is_multiple_of(3);
    let picked: Vec<u32> = values.iter().copied().filter(kept).collect();
    let places: Vec<u32> = (0..values.len() as u32).filter(|&position| kept(&values[position as usize])).collect();
    let (elements, positions) = (algorithms::compact(&tensor, &mask)?, algorithms::positions(&mask)?);
    worker.totals.compare("picked", &elements.to_vec::<u32>()?, &picked);
    worker.totals.compare("positions", &positions.to_vec::<u32>()?, &places);
    if !picked.is_empty() {
        worker.hold("picked", elements, picked);
    }
    Ok(())
}

pub(super) fn count(worker: &mut Worker<'_>, TrackedTensor { tensor, values, .. }: TrackedTensor) -> Result<()> {
    const BINS: usize = 64;
    let mut wanted = vec![0; BINS];
    values.iter().for_each(|value| wanted[*value as usize % BINS] += 1);
    let bins = algorithms::map("v0 & 63", &[&tensor])?;
    worker.totals.compare("counted", &algorithms::bincount(&bins, BINS)?.to_vec::<u32>()?, &wanted);
    // Whole numbers in bins that begin with them.
    let numbers: Vec<f32> = values.iter().map(|value| (value % BINS as u32) as f32).collect();
    let numbers = Tensor::from_slice(worker.device, &numbers, &[numbers.len()])?;
    let counts = algorithms::histogram(&numbers, BINS, 0.0, BINS as f32)?;
    worker.hold("a histogram", counts, wanted);
    Ok(())
}

/// The same numbers as on the host.
pub(super) fn random(worker: &mut Worker<'_>, TrackedTensor { values, .. }: TrackedTensor) -> Result<()> {
    let (seed, stream) = (worker.draw.next() as u32, worker.draw.below(4) as u32);
    let (here, there) = (Random::new(worker.device, seed, stream), Random::new(&worker.common.host, seed, stream));
    let shape = [values.len()];
    let wanted = there.integers_u32(&shape, 3..=u32::MAX)?.to_vec::<u32>()?;
    worker.hold("drawn", here.integers_u32(&shape, 3..=u32::MAX)?, wanted);
    let bits =
        |drawn: Tensor| -> Result<Vec<u32>> { Ok(drawn.to_vec::<f32>()?.into_iter().map(f32::to_bits).collect()) };
    worker.totals.compare("drawn within 0 and 1", &bits(here.uniform(&shape)?)?, &bits(there.uniform(&shape)?)?);
    Ok(())
}

pub(super) fn record(worker: &mut Worker<'_>, TrackedTensor { tensor, values, .. }: TrackedTensor) -> Result<()> {
    let (mut recording, (once, twice)) = worker.device.record(|| {
        let once = tensor.add(&tensor);
        let twice = once.add(&tensor);
        Ok((once, twice))
    })?;
    (0..3).try_for_each(|_| recording.replay())?;
    drop(once);
    worker.hold("replayed", twice, values.iter().map(|value| value.wrapping_mul(3)).collect());
    Ok(())
}

/// What a replay writes is what the elements are then. The host does not record algorithms.
pub(super) fn record_algorithms(worker: &mut Worker<'_>, TrackedTensor { values, .. }: TrackedTensor) -> Result<()> {
    if *worker.device == worker.common.host {
        return Ok(());
    }
    let own = Tensor::from_slice(worker.device, &values, &[values.len()])?;
    let (mut recording, summed) = worker.device.record(|| {
        let sorted = algorithms::sort(&own, Order::Ascending)?;
        algorithms::scan(Operator::Sum, Scan::Inclusive, &sorted)
    })?;
    let mut now = values;
    if worker.common.add(&own, 5)? {
        now.iter_mut().for_each(|value| *value = value.wrapping_add(5));
    }
    recording.replay()?;
    now.sort_unstable();
    worker.hold("algorithms replayed", summed, prefixes(&now));
    Ok(())
}

/// In place, in memory that nobody else has.
pub(super) fn change_own(worker: &mut Worker<'_>, TrackedTensor { values, .. }: TrackedTensor) -> Result<()> {
    let own = Tensor::from_slice(worker.device, &values, &[values.len()])?;
    if worker.common.add(&own, 7)? {
        worker.hold("changed in place", own, values.iter().map(|value| value.wrapping_add(7)).collect());
    }
    Ok(())
}

/// In place, in memory that every thread has.
pub(super) fn change_shared(worker: &mut Worker<'_>, _: TrackedTensor) -> Result<()> {
    let (common, by) = (worker.common, worker.draw.next() as u32);
    if common.add(&common.shared, by)? {
        common.added.fetch_add(by, Ordering::Relaxed);
    }
    Ok(())
}
