//! What measures: the tuner holds the contest, the device's trials run what takes part.

use netcl_kernels::variant::KernelConfig;
use std::time::Duration;

/// Why a candidate is out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rejection {
    /// It cannot be compiled, built or launched.
    Fails(String),
    /// Its numbers are wrong.
    Wrong(String),
    /// It could not be tried, which says nothing about it.
    Unmeasured(String),
}

/// Makes candidates of one task runnable.
pub(crate) trait Bench {
    /// Builds the candidate, runs it once and compares its numbers.
    fn prepare(&mut self, config: &KernelConfig) -> Result<Box<dyn Runner>, Rejection>;
}

/// A candidate that is built and right.
pub(crate) trait Runner {
    /// The time of one run.
    fn time(&mut self) -> Result<Duration, Rejection>;
}
