//! The kinds of devices that the compiler knows.

use serde::{Deserialize, Serialize};

/// For what kind of device a plan was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Target {
    /// The host itself: native code, products by a BLAS-like library, fused loops between them.
    Host,
    /// An OpenCL CPU device: few work-items with long vectors, no local memory, no barriers.
    Cpu,
    /// An OpenCL GPU: many work-items, reductions through local memory.
    Gpu,
}

impl Target {
    /// Every target.
    pub const ALL: [Target; 3] = [Target::Host, Target::Cpu, Target::Gpu];

    /// `host`, `cpu` or `gpu`.
    pub const fn name(self) -> &'static str {
        match self {
            Target::Host => "host",
            Target::Cpu => "cpu",
            Target::Gpu => "gpu",
        }
    }
}
