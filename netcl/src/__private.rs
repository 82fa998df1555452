//! What code made by netcl's macros calls. Not for people; changes without notice.

pub use netcl_macros::__resume;
pub use netcl_runtime::__private::*;
