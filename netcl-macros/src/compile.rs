//! Graphs to plans, and plans to what is embedded in the user's crate.

use netcl_kernels::graph::Graph;
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::span::Diagnostic;

/// One embedded plan.
pub(crate) struct Compiled {
    pub(crate) target: Target,
    pub(crate) json: String,
    /// Rust for the loop steps of the host's plan, by step.
    pub(crate) native: Vec<Option<String>>,
    pub(crate) plan: Plan,
}

/// The plans of `graph`, one for each kind of device.
pub(crate) fn compile(graph: &Graph) -> Result<Vec<Compiled>, Diagnostic> {
    let _ = graph;
    Ok(Vec::new())
}
