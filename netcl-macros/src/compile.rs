//! Graphs to plans, and plans to what is embedded in the user's crate.

use netcl_kernels::emit;
use netcl_kernels::graph::{Graph, InputKind, Node, NodeId, Op, OutputKind};
use netcl_kernels::kir::{Kernel, verify};
use netcl_kernels::plan::{Plan, Target};
use netcl_kernels::span::{Diagnostic, Span};
use proc_macro2::TokenStream;
use std::cmp::Reverse;
use std::num::NonZero;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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

/// The plans of `graph`, one for each kind of device.
pub(crate) fn compile(graph: &Graph) -> Result<Vec<CompiledPlan>, Diagnostic> {
    all(&[graph]).pop().unwrap_or_else(|| Ok(Vec::new()))
}

/// The plans of each graph, one for each kind of device. They are made at the same time, as Cargo builds macros without optimisation
/// and rustc runs them one after another.
pub(crate) fn all(graphs: &[&Graph]) -> Vec<Result<Vec<CompiledPlan>, Diagnostic>> {
    let mut jobs: Vec<(usize, Target)> =
        (0..graphs.len()).flat_map(|graph| Target::ALL.map(|target| (graph, target))).collect();
    // What takes longest first: large graphs, and those for GPUs, which are divided again where products are summed in parts.
    jobs.sort_by_key(|(graph, target)| Reverse((graphs[*graph].nodes.len(), *target)));
    let next = AtomicUsize::new(0);
    let work = || {
        let taken = std::iter::from_fn(|| jobs.get(next.fetch_add(1, Ordering::Relaxed)));
        taken.map(|&(graph, target)| ((graph, target), one(graphs[graph], target))).collect::<Vec<_>>()
    };
    let nodes: usize = graphs.iter().map(|graph| graph.nodes.len()).sum();
    let others = match nodes < WORTH_THREADS {
        true => 0,
        false => thread::available_parallelism().map_or(1, NonZero::get).min(jobs.len()).saturating_sub(1),
    };
    let mut made = thread::scope(|scope| {
        // Where the system has no more threads, there are fewer.
        let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok();
        let started: Vec<_> = (0..others).filter_map(start).collect();
        let own = work();
        let rest = started.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        own.into_iter().chain(rest).collect::<Vec<_>>()
    });
    made.sort_by_key(|(job, _)| *job);
    let mut made = made.into_iter().map(|(_, compiled)| compiled);
    let of_graph = |_| made.by_ref().take(Target::ALL.len()).collect::<Vec<_>>().into_iter().collect();
    graphs.iter().map(of_graph).collect()
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
