//! The ways into native kernels.

use super::multiversion;
use super::native::{Args, NativeKernel};
use std::ops::Range;

/// A way into a native kernel.
pub type EntryPoint = fn(&Args<'_>, Range<usize>);

/// Native code of one loop kernel, if the crate was built such that it is worth calling.
#[derive(Clone, Copy, Debug)]
pub struct NativeEntry(Option<EntryPoint>);

impl NativeEntry {
    /// The code; `None`: the interpreter is to run the step.
    pub fn code(self) -> Option<EntryPoint> {
        self.0.filter(|_| multiversion::has_native())
    }
}

/// The way into `K` for the processor that runs it.
pub const fn entry<K: NativeKernel>() -> NativeEntry {
    NativeEntry(Some(multiversion::run::<K>))
}

/// As [`entry`], for kernels that are the faster the wider a register is.
pub const fn wide_entry<K: NativeKernel>() -> NativeEntry {
    NativeEntry(Some(multiversion::run_wide::<K>))
}

/// For crates built without optimisation, where native code would be slower than the interpreter (dependencies are
/// optimised, see the workspace's profiles).
pub const fn interpreted() -> NativeEntry {
    NativeEntry(None)
}
