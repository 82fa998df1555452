//! Sizes of work-groups: a rule, measurements, and where these are remembered.

use super::kernel::RawKernel;
use crate::device::{Device, DeviceProfile};
use crate::error::Result;
use crate::files::checksum;
use netcl_kernels::plan::Target;
use std::time::{Duration, Instant};

/// Picks work-group sizes for kernels over one dimension. [`RawKernel::launch_over`] asks it where nothing was measured, and
/// [`RawKernel::tune`] for what to measure.
///
/// The rule: the preferred size on GPUs (256 unless told otherwise), eight times as many work-items on processors, where a
/// group is a loop on one core; a multiple of what the driver prefers; no more than the kernel can have; and so small that
/// every compute unit gets a group, if there are work-items for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkGroupTuner {
    preferred: usize,
}

impl Default for WorkGroupTuner {
    fn default() -> WorkGroupTuner {
        WorkGroupTuner { preferred: 256 }
    }
}

impl WorkGroupTuner {
    /// With another preferred size on GPUs, at least 1.
    pub fn preferring(size: usize) -> WorkGroupTuner {
        WorkGroupTuner { preferred: size.max(1) }
    }

    /// The size for a kernel over so many work-items; at least 1, and one that the kernel can have.
    pub fn local_size(&self, kernel: &RawKernel, items: usize) -> usize {
        let (limit, multiple) = (limit(kernel), kernel.preferred_multiple());
        self.rule(kernel.device().profile(), limit, multiple, items)
    }

    fn rule(&self, profile: &DeviceProfile, limit: usize, multiple: usize, items: usize) -> usize {
        let wanted = match profile.target {
            Target::Cpu | Target::Host => self.preferred.saturating_mul(8),
            Target::Gpu => self.preferred,
        };
        let units = profile.compute_units.max(1) as usize;
        let size = wanted.min(limit).min(items.div_ceil(units).max(multiple)).min(items.max(1)).max(1);
        // Whole multiples, unless the whole grid is less than one.
        if size >= multiple { size / multiple * multiple } else { size }
    }

    /// Sizes worth measuring, ascending: powers of two, and the rule's choice for many work-items.
    pub fn candidates(&self, kernel: &RawKernel) -> Vec<usize> {
        let limit = limit(kernel);
        let smallest = match kernel.device().profile().target {
            Target::Gpu => 32,
            Target::Cpu | Target::Host => 8,
        };
        let powers = (0..usize::BITS).map(|bits| 1usize << bits).skip_while(|&size| size < smallest.min(limit));
        let mut sizes: Vec<usize> = powers.take_while(|&size| size <= limit).collect();
        sizes.push(self.local_size(kernel, usize::MAX));
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }
}

fn limit(kernel: &RawKernel) -> usize {
    kernel.max_work_group().min(kernel.device().profile().max_work_items[0]).max(1)
}

/// Numbers of work-items that share a measurement: those up to the same power of two, of which the last is more than a
/// `usize` holds.
pub(super) fn bucket(items: usize) -> u32 {
    items.checked_next_power_of_two().map_or(usize::BITS, usize::trailing_zeros)
}

/// What a kernel's measurements are kept under: its name and a sum over everything that changes the binary.
#[derive(Debug)]
pub(super) struct Key {
    name: String,
    checksum: u64,
}

impl Key {
    pub(super) fn new(name: &str, options: &str, source: &str) -> Key {
        Key { name: name.to_owned(), checksum: checksum(format!("{} {options}\n\n{source}", options.len()).as_bytes()) }
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
    use crate::device::DeviceKind;

    #[test]
    fn the_rule_fills_the_device_with_whole_multiples() {
        let profile = |target, units| DeviceProfile {
            compute_units: units,
            ..DeviceProfile::unknown("device", DeviceKind::Gpu, target)
        };
        let gpu = profile(Target::Gpu, 100);
        let tuner = WorkGroupTuner::default();
        assert_eq!(tuner.rule(&gpu, 1024, 32, 1 << 20), 256);
        assert_eq!(tuner.rule(&gpu, 128, 32, 1 << 20), 128, "the kernel's limit");
        assert_eq!(tuner.rule(&gpu, 1024, 32, 6500), 64, "a group for every unit, in whole multiples");
        assert_eq!(tuner.rule(&gpu, 1024, 32, 100), 32);
        assert_eq!(tuner.rule(&gpu, 1024, 32, 7), 7, "fewer than one multiple");
        assert_eq!(tuner.rule(&gpu, 1024, 32, 0), 1);
        assert_eq!(tuner.rule(&profile(Target::Cpu, 2), 4096, 8, 1 << 20), 2048);
        assert_eq!(WorkGroupTuner::preferring(0).rule(&gpu, 1024, 1, 1 << 20), 1);
    }

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
