//! Graphs to plans, and plans to what is embedded in the user's crate.

use netcl_kernels::emit;
use netcl_kernels::graph::Graph;
use netcl_kernels::kir::verify;
use netcl_kernels::plan::{Plan, Target, Work};
use netcl_kernels::span::{Diagnostic, Span};

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
    Target::ALL.into_iter().map(|target| one(graph, target)).collect()
}

fn one(graph: &Graph, target: Target) -> Result<Compiled, Diagnostic> {
    let plan = netcl_kernels::compile::compile(graph, target)?;
    let json = serde_json::to_string(&plan).map_err(|error| {
        let message = format!("the plan of `{}` for {} devices cannot be written: {error}", graph.name, target.name());
        Diagnostic { span: Span::NONE, message, hint: None }
    })?;
    let native = match target {
        Target::Host => plan.steps.iter().map(|step| native(&step.work)).collect(),
        Target::Cpu | Target::Gpu => Vec::new(),
    };
    Ok(Compiled { target, json, native, plan })
}

/// Rust for a loop step; `None` leaves it to the interpreter.
fn native(work: &Work) -> Option<String> {
    let Work::Loop(kernel) = work else { return None };
    let verified = verify::verify(kernel, &verify::Limits::unlimited()).ok()?;
    emit::rust::native(&verified)
}
