//! What arrays of kernels take.

use super::{Array, Space};

impl Space {
    /// The most bytes that a kernel's arrays may take there: more than any device has of local memory, and for a work-item's
    /// own what the stack of a thread holds that runs a whole group, or the host's native code.
    pub const fn most_bytes(self) -> u64 {
        match self {
            Space::Local => 1 << 20,
            Space::Private => 1 << 16,
        }
    }
}

impl Array {
    /// The bytes of its elements.
    pub fn bytes(&self) -> u64 {
        u64::from(self.length) * self.dtype.size() as u64
    }
}
