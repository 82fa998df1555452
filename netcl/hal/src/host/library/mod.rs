//! Native code of the kernels that netcl's own operations launch: order, decompositions, transforms. A model brings that of its
//! kernels, and what is compiled at run time is interpreted, but for these.
//!
//! Their text is written by the test below: `NETCL_BLESS=1 cargo test -p netcl-hal --lib library`.

#[cfg(any(test, not(debug_assertions)))]
#[rustfmt::skip]
#[allow(clippy::all, clippy::pedantic, unused_parens, unused_mut, reason = "nobody wrote it")]
mod emitted;
#[cfg(test)]
mod tests;

use super::entry::NativeEntry;
use netcl_kernels::kir::Kernel;
use netcl_kernels::kir::text::print;

/// The native code of one of these kernels, whatever its name and however many work-items it has.
#[cfg(not(debug_assertions))]
pub(super) fn native(kernel: &Kernel) -> Option<NativeEntry> {
    use std::collections::HashMap;
    use std::sync::LazyLock;
    static ENTRIES: LazyLock<HashMap<&str, NativeEntry>> = LazyLock::new(|| emitted::ENTRIES.iter().copied().collect());
    ENTRIES.get(&*key_of(kernel)).copied()
}

/// Built without optimisation it would be slower than the interpreter, which crates optimise as a dependency.
#[cfg(debug_assertions)]
pub(super) fn native(_: &Kernel) -> Option<NativeEntry> {
    None
}

/// What it is found by.
#[cfg_attr(debug_assertions, allow(dead_code, reason = "nothing is looked up there"))]
fn key_of(kernel: &Kernel) -> String {
    let mut own = kernel.clone();
    own.name.clear();
    own.doc.clear();
    own.launch.global.clear();
    print(&own)
}
