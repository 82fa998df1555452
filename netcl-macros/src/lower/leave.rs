//! What leaves a body before its end, as it is noted.

use super::expected::Expected;
use super::value::Val;
use netcl_kernels::graph::NodeId;

/// What leaves.
#[derive(Clone)]
pub(super) enum Leave<'a> {
    /// The function, or the closure.
    Return(Val<'a>),
    /// The loop of that label, or the innermost one.
    Break(Option<String>, Val<'a>),
    /// The round of it.
    Continue(Option<String>),
}

/// A loop whose body is being evaluated.
#[derive(Clone)]
pub(super) struct EnteredLoop {
    pub(super) label: Option<String>,
    /// Where it has as many rounds as a symbol says, and one body for all: how many errors there were before it.
    pub(super) symbolic: Option<usize>,
    /// In how many elementwise `if`s it stands.
    pub(super) chosen: usize,
}

/// How control goes in one call.
#[derive(Clone, Default)]
pub(super) struct Control<'a> {
    /// What leaves at this moment.
    pub(super) leaves: Option<Leave<'a>>,
    /// The loops that this is in.
    pub(super) loops: Vec<EnteredLoop>,
    /// The conditions of the elementwise `if`s that this is in, and whether they hold here.
    pub(super) chosen: Vec<(NodeId, bool)>,
    /// What has been returned for some elements, and for which: the first that holds counts.
    pub(super) returned: Vec<(NodeId, Val<'a>)>,
    /// What the function is declared to give.
    pub(super) declared: Option<Expected<'a>>,
}

/// What one side of an elementwise `if` came to.
pub(super) enum BranchSide<'a> {
    /// A value.
    Value(Val<'a>),
    /// It returned.
    Returned,
}
