//! Answers with where they come from.

use netcl_kernels::variant::{KernelConfig, Task};
use std::fmt;

/// Why a configuration was picked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// It was asked for: [`super::KernelSelector::force`] or [`super::KernelSelector::set`].
    Forced,
    /// The fastest that was measured on this device for sizes of the same bucket.
    Measured,
    /// What was measured for the nearest shape, on this device or one of the same architecture: its fastest configuration, or the
    /// compiler's own choice where that was nearly as fast.
    Nearest {
        /// The shape.
        task: Task<u64>,
        /// How far away it is: the distance of the sizes on a logarithmic scale, in octaves.
        octaves: f64,
    },
    /// What is known about devices of a kind.
    VendorRule {
        /// What is known.
        why: &'static str,
    },
    /// The compiler's own rule.
    Default,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Forced => f.write_str("asked for"),
            Reason::Measured => f.write_str("measured"),
            Reason::Nearest { task, octaves } => write!(f, "measured {octaves:.1} octaves away, for {task}"),
            Reason::VendorRule { why } => write!(f, "rule: {why}"),
            Reason::Default => f.write_str("default"),
        }
    }
}

/// What [`super::KernelSelector::select`] answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// How the task is to be computed; legal on the device.
    pub config: KernelConfig,
    /// Why so.
    pub reason: Reason,
}
