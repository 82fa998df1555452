//! What a pool can say about itself.

use std::fmt;

/// What a `BufferPool` or `PinnedBufferPool` holds. Sizes in bytes, of what was really allocated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// In buffers that are in use.
    #[doc(alias = "bytes_allocated")]
    pub in_use: usize,
    /// Kept for reuse: freed buffers, and what no buffer has of the driver buffers that small ones share.
    #[doc(alias = "bytes_cached")]
    pub idle: usize,
    /// The most that was in use at one time.
    pub peak: usize,
    /// How often a freed buffer was used again.
    pub hits: u64,
    /// How often none was there to be used again.
    pub misses: u64,
    /// How often the driver was asked for memory: fewer than `misses`, because small buffers share.
    pub allocations: u64,
}

impl PoolStats {
    /// The share of requests that a freed buffer served, from 0 to 1; 0 before the first request.
    pub fn hit_rate(&self) -> f64 {
        let requests = self.hits + self.misses;
        if requests == 0 { 0.0 } else { self.hits as f64 / requests as f64 }
    }

    /// So many bytes more are in use.
    #[doc(hidden)]
    pub fn use_more(&mut self, bytes: usize) {
        self.in_use += bytes;
        self.peak = self.peak.max(self.in_use);
    }

    /// Memory was allocated, for a request that nothing idle served.
    #[doc(hidden)]
    pub fn count_miss(&mut self, bytes: usize) {
        self.misses += 1;
        self.allocations += 1;
        self.use_more(bytes);
    }

    /// The sums of both.
    #[doc(hidden)]
    pub fn and(&self, other: &PoolStats) -> PoolStats {
        PoolStats {
            in_use: self.in_use + other.in_use,
            idle: self.idle + other.idle,
            peak: self.peak + other.peak,
            hits: self.hits + other.hits,
            misses: self.misses + other.misses,
            allocations: self.allocations + other.allocations,
        }
    }
}

impl fmt::Display for PoolStats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the pool has {} bytes in use and {} idle, at most {} were in use; {} driver allocations, {} hits, {} misses",
            self.in_use, self.idle, self.peak, self.allocations, self.hits, self.misses
        )
    }
}

/// Freed buffers of about one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// A power of two: its buffers have this many bytes or more, and fewer than twice as many.
    pub size: usize,
    /// How many buffers are kept in it.
    pub buffers: usize,
    /// How many bytes these have.
    pub bytes: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_shares_of_requests() {
        assert_eq!(PoolStats::default().hit_rate(), 0.0);
        assert_eq!(PoolStats { hits: 3, misses: 1, ..PoolStats::default() }.hit_rate(), 0.75);
    }
}
