//! Maps, sets and orders of little code.
//!
//! The standard library's `BTreeMap`, `BTreeSet` and sorts are generated for each type that they are used with, two to
//! four thousand lines of LLVM's language at a time: they were a seventh of what is compiled for netcl. These are some
//! dozen lines per type, and as fast at the sizes of netcl's own tables, which are of tens of entries, seldom of thousands.

mod map;
mod order;
mod set;

pub use map::SortedMap;
pub use order::{sort, sort_by, sort_by_key};
pub use set::SortedSet;
