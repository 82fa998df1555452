//! A device's clock on the host's scale.

/// How far a device's clock is behind the host's, in nanoseconds, as a range that narrows: a command is queued after the
/// call that queues it begins, and before it returns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Clock {
    range: Option<(i128, i128)>,
}

impl Clock {
    /// What a command's `queued` time on the device says, between `before` and `after` on the host.
    pub(super) fn learn(&mut self, queued: u64, before: u64, after: u64) {
        let seen = (i128::from(before) - i128::from(queued), i128::from(after) - i128::from(queued));
        let both = self.range.map(|(low, high)| (low.max(seen.0), high.min(seen.1)));
        // Clocks drift apart: then the newest is true.
        self.range = Some(both.filter(|(low, high)| low <= high).unwrap_or(seen));
    }

    /// A time of the device on the host's scale.
    pub(super) fn host(&self, device: u64) -> u64 {
        let (low, high) = self.range.unwrap_or((0, 0));
        (i128::from(device) + (low + high) / 2).clamp(0, i128::from(u64::MAX)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_narrows_and_follows_a_drift() {
        let mut clock = Clock::default();
        clock.learn(1_000_000, 100, 300);
        assert_eq!(clock.host(1_000_000), 200);
        clock.learn(1_000_500, 690, 900);
        assert_eq!(clock.range, Some((-999_810, -999_700)));
        assert_eq!(clock.host(1_001_000), 1245);
        clock.learn(2_000_000, 5_000_000, 5_000_010);
        assert_eq!(clock.host(2_000_001), 5_000_006, "no common range: the newest counts");
        clock.learn(u64::MAX, 0, 0);
        assert_eq!(clock.host(0), 0, "no time is before the first");
    }
}
