//! Sizes of work-groups that were measured: how, and where they are remembered.

use crate::device::Device;
use crate::error::Result;
use netcl_hal::files::checksum;
use std::time::{Duration, Instant};

/// Numbers of work-items that share a measurement: those up to the same power of two, of which the last is more than a
/// `usize` holds.
pub(super) fn bucket(items: usize) -> u32 {
    items.checked_next_power_of_two().map_or(usize::BITS, usize::trailing_zeros)
}

/// What a kernel's measurements are kept under: its name and a sum over everything that changes the binary.
#[derive(Debug)]
pub(super) struct MeasurementKey {
    name: String,
    checksum: u64,
}

impl MeasurementKey {
    pub(super) fn new(name: &str, options: &str, source: &str) -> MeasurementKey {
        MeasurementKey {
            name: name.to_owned(),
            checksum: checksum(format!("{} {options}\n\n{source}", options.len()).as_bytes()),
        }
    }

    fn of(&self, bucket: u32) -> String {
        format!("{} for 2^{bucket} work-items, {:016x}", self.name, self.checksum)
    }

    pub(super) fn load(&self, device: &Device, bucket: u32) -> Option<usize> {
        device.selection().work_group(&self.of(bucket))
    }

    pub(super) fn store(&self, device: &Device, bucket: u32, size: usize) {
        device.selection().keep_work_group(self.of(bucket), size);
    }
}

/// Times of one size are taken until they make up this, in at most [`ROUNDS`] rounds.
const ENOUGH: Duration = Duration::from_millis(20);
const ROUNDS: usize = 5;

/// The size with the shortest time: the best of a few rounds, each a launch that is waited for. Sizes that the device
/// refuses, in whatever round, are left out; if it refuses all, the last error is the result.
pub(super) fn fastest(device: &Device, sizes: &[usize], run: impl Fn(usize) -> Result<()>) -> Result<usize> {
    // What failed before is no size's fault.
    device.finish()?;
    let mut best: Option<(Duration, usize)> = None;
    let mut refusal = None;
    for &size in sizes {
        match shortest(|| run(size).and_then(|()| device.finish())) {
            Ok(time) if best.is_none_or(|(least, _)| time < least) => best = Some((time, size)),
            Ok(_) => {}
            Err(error) => refusal = Some(error),
        }
    }
    match (best, refusal) {
        (Some((time, size)), _) => {
            tracing::debug!(size, ?time, "work-group size measured");
            Ok(size)
        }
        (None, Some(error)) => Err(error),
        (None, None) => Ok(1),
    }
}

fn shortest(run: impl Fn() -> Result<()>) -> Result<Duration> {
    // The first launch may build or page something in.
    run()?;
    let (mut shortest, mut total) = (Duration::MAX, Duration::ZERO);
    for _ in 0..ROUNDS {
        let started = Instant::now();
        run()?;
        let time = started.elapsed();
        (shortest, total) = (shortest.min(time), total + time);
        if total > ENOUGH {
            break;
        }
    }
    Ok(shortest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_end_at_powers_of_two() {
        assert_eq!([0, 1, 2, 3, 4, 5, 1024, 1025].map(bucket), [0, 0, 1, 2, 2, 3, 10, 11]);
        let half = 1 << (usize::BITS - 1);
        assert_eq!([half, half + 1, usize::MAX].map(bucket), [usize::BITS - 1, usize::BITS, usize::BITS]);
    }

    #[test]
    fn refused_sizes_are_left_out_and_the_fastest_wins() {
        use crate::error::Error;
        let device = Device::host();
        let refuse = |size: usize| Error::Kernel { kernel: "k".into(), problem: format!("{size}") };
        let run = |size: usize| match size {
            1 => Err(refuse(size)),
            // Far more than a timer's error, so that the order cannot turn.
            2 => Ok(()),
            _ => {
                std::thread::sleep(Duration::from_millis(25));
                Ok(())
            }
        };
        assert_eq!(fastest(&device, &[1, 2, 4], run).unwrap(), 2);
        let rounds = std::cell::Cell::new(0);
        let tires = |size: usize| {
            rounds.set(rounds.get() + usize::from(size == 1));
            if size == 1 && rounds.get() == 3 { Err(refuse(size)) } else { run(size + 1) }
        };
        assert_eq!(fastest(&device, &[1, 3], tires).unwrap(), 3, "refused in a later round");
        assert!(fastest(&device, &[8, 9], |size| Err(refuse(size))).unwrap_err().to_string().contains('9'));
    }
}
