//! Where the evaluation of a loop's body stands.

use netcl_kernels::graph::NodeId;
use proc_macro2::Span;

/// A loop whose body is being evaluated.
pub(super) struct SymbolicLoop {
    /// How many calls and scopes there are around the body.
    pub(super) around: (usize, usize),
    /// What has been pushed into lists around the body: name, value, where.
    pub(super) pushed: Vec<(String, NodeId, Span)>,
}
