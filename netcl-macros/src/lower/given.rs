//! What stands for the arguments of a kernel that another body calls.

/// What an argument of a kernel is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    Tensor,
    Number,
}
