//! Graphs to plans, and plans to what is embedded in the user's crate.

use netcl_kernels::emit;
use netcl_kernels::graph::{Graph, InputKind, Node, NodeId, Op, OutputKind};
use netcl_kernels::kir::{Kernel, verify};
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::span::{Diagnostic, Span};
use proc_macro2::TokenStream;

/// One embedded plan.
pub(crate) struct CompiledPlan {
    pub(crate) target: Target,
    pub(crate) json: String,
    /// Rust for the loop kernels of the host's plan, by their positions there.
    pub(crate) native: Vec<Option<String>>,
    pub(crate) plan: Plan,
}

/// The plans of one path through a function.
pub(crate) struct Planned {
    pub(crate) decisions: Vec<(TokenStream, bool)>,
    /// See [`graph_text`]; of a function with open sizes as [`netcl_kernels::graph::open::write`] has it.
    pub(crate) graph: String,
    pub(crate) plans: Vec<CompiledPlan>,
}

/// Graphs with fewer nodes are compiled sooner than a thread starts and is waited for.
const WORTH_THREADS: usize = 100;

/// For a thread: what rustc's own threads have.
const STACK: usize = 8 << 20;

/// The plans of `graph`, one for each kind of device. They are made at the same time, as Cargo builds macros without
/// optimisation and rustc runs them one after another.
pub(crate) fn compile(graph: &Graph) -> Result<Vec<CompiledPlan>, Diagnostic> {
    if graph.nodes.len() < WORTH_THREADS {
        return Target::ALL.into_iter().map(|target| one(graph, target)).collect();
    }
    std::thread::scope(|scope| {
        let started = Target::ALL.map(|target| {
            let thread = std::thread::Builder::new().stack_size(STACK);
            (target, thread.spawn_scoped(scope, move || one(graph, target)))
        });
        let finished = started.into_iter().map(|(target, thread)| match thread.map(|thread| thread.join()) {
            Ok(Ok(compiled)) => compiled,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // The system has no more threads.
            Err(_) => one(graph, target),
        });
        finished.collect()
    })
}

/// The [`text`] of the graph that the plans were made from: where a device wants other kernels, it is compiled again, and where an
/// argument is tracked, it is an operation of what is differentiated. Empty where there was nothing to decide, and nothing has a derivative.
pub(crate) fn graph_text(graph: &Graph, plans: &[CompiledPlan]) -> String {
    if has_derivative(graph) { text(graph) } else { decided_text(graph, plans) }
}

/// The same of a graph that is no operation of what is differentiated, as one that gives gradients.
pub(crate) fn decided_text(graph: &Graph, plans: &[CompiledPlan]) -> String {
    let decided = plans.iter().any(|compiled| !compiled.plan.decisions.is_empty());
    if decided { text(graph) } else { String::new() }
}

/// Whether the graph gives floats of floats, and no gradients.
fn has_derivative(graph: &Graph) -> bool {
    let is_float =
        |(kind, id): &(OutputKind, NodeId)| matches!(kind, OutputKind::Result(_)) && graph[*id].dtype.is_float();
    let is_gradient = |kind: &OutputKind| matches!(kind, OutputKind::Gradient(_) | OutputKind::ArgumentGradient(_));
    let is_source = |node: &Node| {
        node.dtype.is_float() && matches!(node.op, Op::Input(InputKind::Argument(_) | InputKind::Parameter))
    };
    graph.outputs.iter().any(is_float)
        && !graph.outputs.iter().any(|(kind, _)| is_gradient(kind))
        && graph.nodes.iter().any(is_source)
}

/// The text form of the graph, without places in the user's source.
pub(crate) fn text(graph: &Graph) -> String {
    let mut graph = graph.clone();
    for node in &mut graph.nodes {
        node.span = Span::NONE;
    }
    graph.to_string()
}

fn one(graph: &Graph, target: Target) -> Result<CompiledPlan, Diagnostic> {
    embed(netcl_kernels::compile::compile(graph, target)?)
}

/// The plan with what is embedded of it.
pub(crate) fn embed(plan: Plan) -> Result<CompiledPlan, Diagnostic> {
    let json = plan.to_json().map_err(|error| {
        let message = format!("the {} plan of `{}` cannot be written: {error}", plan.target.name(), plan.name);
        Diagnostic::new(message)
    })?;
    let native = match plan.target {
        Target::Host => plan.loops.iter().map(native).collect(),
        Target::Cpu | Target::Gpu => Vec::new(),
    };
    Ok(CompiledPlan { target: plan.target, json, native, plan })
}

/// Rust for a loop kernel; `None` leaves it to the interpreter.
fn native(kernel: &Kernel) -> Option<String> {
    let verified = verify::verify(kernel, &verify::Capabilities::unlimited()).ok()?;
    emit::rust::native(&verified)
}
