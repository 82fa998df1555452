//! Dividing a device into devices.

use crate::device::profile::{AffinityDomain, DeviceProfile};

/// How a device is divided.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Partition {
    /// Into as many parts of this many compute units as there is room for.
    Equally(u32),
    /// Into one part for each number, of as many compute units. What is left over is not used.
    ByCounts(Vec<u32>),
    /// Into parts whose compute units share this.
    ByAffinity(AffinityDomain),
}

/// Why a device cannot be divided so.
pub fn problem(profile: &DeviceProfile, partition: &Partition) -> Option<String> {
    let (able, units, parts) = match partition {
        Partition::Equally(units) => {
            let parts = u64::from(profile.compute_units).checked_div(u64::from(*units)).unwrap_or(0);
            (profile.partitions.equally, vec![*units], parts)
        }
        Partition::ByCounts(counts) => (profile.partitions.by_counts, counts.clone(), counts.len() as u64),
        Partition::ByAffinity(domain) => {
            let able = profile.partitions.by_affinity.contains(domain);
            return (!able).then(|| format!("it cannot be divided by {domain}; {}", possible(profile)));
        }
    };
    if !able {
        let how = if matches!(partition, Partition::Equally(_)) { "equally" } else { "by counts" };
        return Some(format!("it cannot be divided {how}; {}", possible(profile)));
    }
    if units.is_empty() {
        return Some("no parts are asked for; give a number of compute units for each part".to_owned());
    }
    if units.contains(&0) {
        return Some("every part needs at least one compute unit".to_owned());
    }
    let wanted: u64 = units.iter().map(|&units| u64::from(units)).sum();
    if wanted > u64::from(profile.compute_units) {
        return Some(format!("it has {} compute units, {wanted} are asked for", profile.compute_units));
    }
    (parts > u64::from(profile.partitions.most))
        .then(|| format!("it can be divided into {} parts at most, not into {parts}", profile.partitions.most))
}

fn possible(profile: &DeviceProfile) -> String {
    let partitions = &profile.partitions;
    let mut ways: Vec<String> = Vec::new();
    if partitions.equally {
        ways.push("equally".to_owned());
    }
    if partitions.by_counts {
        ways.push("by counts".to_owned());
    }
    ways.extend(partitions.by_affinity.iter().map(|domain| format!("by {domain}")));
    match ways.as_slice() {
        [] => "it cannot be divided at all".to_owned(),
        ways => format!("it can be divided {}", ways.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::profile::{DeviceKind, Partitions};
    use netcl_kernels::plan::Target;

    #[test]
    fn what_is_impossible_is_said_before_the_driver_is_asked() {
        let mut profile = DeviceProfile::unknown("device", DeviceKind::Cpu, Target::Cpu);
        profile.compute_units = 8;
        let refused = |profile: &DeviceProfile, partition| problem(profile, &partition).expect("a problem");
        assert!(refused(&profile, Partition::Equally(1)).ends_with("it cannot be divided at all"));
        profile.partitions =
            Partitions { equally: true, by_counts: false, by_affinity: vec![AffinityDomain::Numa], most: 4 };
        assert!(refused(&profile, Partition::ByCounts(vec![1])).ends_with("it can be divided equally, by NUMA node"));
        assert!(refused(&profile, Partition::ByAffinity(AffinityDomain::L2Cache)).contains("by L2 cache"));
        assert!(refused(&profile, Partition::Equally(0)).contains("at least one"));
        assert!(refused(&profile, Partition::Equally(9)).contains("has 8 compute units, 9 are"));
        assert!(refused(&profile, Partition::Equally(1)).contains("4 parts at most, not into 8"));
        assert_eq!(problem(&profile, &Partition::Equally(2)), None);
        assert_eq!(problem(&profile, &Partition::ByAffinity(AffinityDomain::Numa)), None);
        profile.partitions.by_counts = true;
        assert!(refused(&profile, Partition::ByCounts(vec![])).starts_with("no parts are asked for"));
        assert!(refused(&profile, Partition::ByCounts(vec![5, 0])).contains("at least one"));
        assert!(refused(&profile, Partition::ByCounts(vec![u32::MAX, u32::MAX])).contains("8589934590 are"));
        assert_eq!(problem(&profile, &Partition::ByCounts(vec![5, 3])), None);
    }
}
