//! What is said beside a hint of the compiler's: a function of one's own may be meant.

/// How that begins which is said beside something else.
pub(super) const ALSO: &str = "a function or a kernel of your own";

/// What is said of an operation that is called by its name alone: a function may be meant.
pub(super) fn own_is_called(name: &str) -> String {
    format!("{ALSO} by that name is called as `self::{name}(..)`")
}
