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

/// The plans of a graph, one for each kind of device.
pub(crate) type Plans = Result<Vec<CompiledPlan>, Diagnostic>;

/// The plans of `graph`.
pub(crate) fn compile(graph: &Graph) -> Plans {
    all(&[graph]).pop().unwrap_or_else(|| unreachable!("the plans of one graph"))
}

/// The plans of each graph. They are made at the same time, by as many threads as there are processors, as Cargo builds macros without
/// optimisation and rustc runs them one after another.
pub(crate) fn all(graphs: &[&Graph]) -> Vec<Plans> {
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
    let threads = match nodes < WORTH_THREADS {
        true => 0,
        false => thread::available_parallelism().map_or(1, NonZero::get).min(jobs.len()),
    };
    let mut made = thread::scope(|scope| {
        let start = |_| thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work).ok();
        let started: Vec<_> = (0..threads).filter_map(start).collect();
        let made = started.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
        let mut made: Vec<_> = made.collect();
        // What no thread took: all of it where there are none, as the system has no more.
        made.extend(work());
        made
    });
    made.sort_by_key(|(job, _)| *job);
    let mut plans: Vec<Vec<_>> = graphs.iter().map(|_| Vec::new()).collect();
    made.into_iter().for_each(|((graph, _), plan)| plans[graph].push(plan));
    plans.into_iter().map(|own| own.into_iter().collect()).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_kernels::graph::text::parse;

    /// `exp` of `exp` and so on.
    fn chain(name: &str, steps: usize) -> Graph {
        let chain: String = (1..=steps).map(|step| format!("%{step} = exp %{} : f32[N]\n", step - 1)).collect();
        let text = format!("graph {name}\n%0 = input argument 0 : f32[N]\n{chain}output result 0 = %{steps}\n");
        parse(&text).expect("a graph")
    }

    #[test]
    fn plans_are_of_their_graphs_though_one_of_them_has_none() {
        // Convolutions count with 32 bits.
        let too_large = parse(
            "graph too_large\n%0 = input argument 0 : f32[1, 1, 65536, 65536]\n%1 = input argument 1 : f32[1, 1, 3, 3]\n\
             %2 = conv2d %0, %1 stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : f32[1, 1, 65536, 65536]\n\
             output result 0 = %2\n",
        );
        let too_large = too_large.expect("a graph");
        // Without threads, and with them.
        for steps in [1, WORTH_THREADS] {
            let (first, last) = (chain("first", steps), chain("last", 2));
            let plans = all(&[&first, &too_large, &last]);
            assert!(plans[1].is_err());
            for (graph, plans) in [(&first, &plans[0]), (&last, &plans[2])] {
                let plans = plans.as_ref().map_err(|problem| problem.to_string()).expect("plans");
                assert!(plans.iter().map(|own| own.target).eq(Target::ALL), "{}", graph.name);
                assert!(plans.iter().all(|own| own.plan.name == graph.name), "{}", graph.name);
            }
        }
    }
}
