//! Sizes of work-groups: the rule, and what is worth measuring.

use crate::device::DeviceProfile;
use netcl_hal::device::kernels::KernelLimits;
use netcl_kernels::plan::Target;

/// Picks work-group sizes for kernels over one dimension. [`super::RawKernel::launch_over`] asks it where nothing was measured, and
/// [`super::RawKernel::tune`] for what to measure.
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

    /// The size for a kernel that allows this, over so many work-items; at least 1, and one that the kernel can have.
    pub(super) fn size(&self, profile: &DeviceProfile, limits: &KernelLimits, items: usize) -> usize {
        self.rule(profile, most(profile, limits), limits.multiple, items)
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
    pub(super) fn sizes(&self, profile: &DeviceProfile, limits: &KernelLimits) -> Vec<usize> {
        let most = most(profile, limits);
        let smallest = match profile.target {
            Target::Gpu => 32,
            Target::Cpu | Target::Host => 8,
        };
        let powers = (0..usize::BITS).map(|bits| 1usize << bits).skip_while(|&size| size < smallest.min(most));
        let mut sizes: Vec<usize> = powers.take_while(|&size| size <= most).collect();
        sizes.push(self.size(profile, limits, usize::MAX));
        sizes.sort();
        sizes.dedup();
        sizes
    }
}

fn most(profile: &DeviceProfile, limits: &KernelLimits) -> usize {
    limits.work_group.min(profile.max_work_items[0]).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceKind;

    #[test]
    fn the_rule_fills_the_device_with_whole_multiples() {
        let profile = |target, units| {
            DeviceProfile::unknown("device", DeviceKind::Gpu, target).with(|profile| {
                profile.compute_units = units;
            })
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
}
