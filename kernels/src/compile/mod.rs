//! The whole pipeline: graph → plan.

mod buffers;
mod configs;
mod conv;
mod custom;
mod decide;
mod distinct;
mod epilogue;
mod formula;
mod instance;
mod loops;
mod plan_builder;
mod product;
mod prologue;
mod scan;
mod scatter;
mod states;
mod survey;
#[cfg(test)]
mod tests;

use crate::dim::Dim;
use crate::dtype::DType;
use crate::fuse::{self, ClusterKind};
use crate::graph::verify::verify;
use crate::graph::{Graph, InputKind, Op, Scan, Window};
use crate::plan::requirement::Requirement;
use crate::plan::source::ProgramText;
use crate::plan::{Buffer, BufferId, Plan, Repeat, Step};
use crate::rewrite::{Marks, rewrite};
use crate::span::Result;
use crate::target::Target;
use crate::variant::Decision;
use buffers::Buffers;
pub use decide::CompileOptions;
use decide::Decider;
use distinct::Kernels;
use plan_builder::PlanBuilder;
use std::collections::BTreeSet;

/// Compiles `graph` for any device of the kind `target`, every choice made by the compiler's own rule.
///
/// # Errors
///
/// The first rule that the graph breaks ([`crate::graph::verify`]), or the node that no kernel can compute: only graphs built
/// around [`crate::graph::build`] have either.
pub fn compile(graph: &Graph, target: Target) -> Result<Plan> {
    compile_with(graph, target, &CompileOptions::typical(target))
}

/// Compiles `graph` for `target` within the limits of `options`, asking its selector about every task.
///
/// # Errors
///
/// As [`compile`].
pub fn compile_with(graph: &Graph, target: Target, options: &CompileOptions<'_>) -> Result<Plan> {
    let graph = verify(graph).map_err(|mut errors| errors.remove(0))?;
    let mut requirements = requirements(&graph);
    requirements.extend(custom::requirements(&graph));
    let graph_symbols = graph.symbols();
    let made = made(fuse::legalize::legalize(&graph)?, target, options, Around::Nothing)?;
    requirements.extend(made.requirements);
    let (loops, source) = match target {
        Target::Host => (made.kernels.loops(), ProgramText::default()),
        Target::Cpu | Target::Gpu => (Vec::new(), made.kernels.program(made.shared)),
    };
    Ok(Plan {
        name: graph.name.clone(),
        target,
        symbols: graph_symbols,
        scalars: scalars(&graph),
        buffers: made.buffers,
        requirements,
        not_in_place: made.not_in_place,
        decisions: made.decisions,
        steps: made.steps,
        repeats: made.repeats,
        loops,
        source,
    })
}

/// Where a graph stands.
enum Around<'a> {
    /// It is a function.
    Nothing,
    /// It is the body of a loop. The kernels so far go on.
    Loop(&'a Scan, Kernels),
}

/// What a graph, or the body of a loop, becomes.
struct Made {
    buffers: Vec<Buffer>,
    requirements: Vec<Requirement>,
    not_in_place: Vec<BufferId>,
    decisions: Vec<Decision>,
    steps: Vec<Step>,
    repeats: Vec<Repeat>,
    kernels: Kernels,
    shared: BTreeSet<String>,
}

/// Divides `graph`, which is legal, and makes its steps.
fn made(mut graph: Graph, target: Target, options: &CompileOptions<'_>, around: Around<'_>) -> Result<Made> {
    let mut marks = Marks::default();
    let mut decider = Decider::new(options, target);
    // What several kernels make up is rewritten, and the rest asked about again: a patch's product is one like any other.
    loop {
        if let Around::Loop(scan, _) = &around {
            graph = scan::apart(graph, scan);
        }
        let mut division = fuse::divide(&graph, target, &marks.constraints);
        if let Around::Loop(scan, _) = &around {
            division.starts = scan::starts(scan, &graph);
        }
        let buffers = Buffers::new(&graph, &division, scatter::sorts(target, &options.limits));
        let mut builder = PlanBuilder::new(&graph, &division, &buffers, target);
        let configs = builder.survey(&marks, &mut decider)?;
        let mut wanted = configs.in_parts.clone();
        wanted.extend(configs.nodes.iter().filter(|(_, config)| config.rewrites()).map(|(id, own)| (*id, own.clone())));
        if !wanted.is_empty() || !configs.apart.is_subset(&marks.constraints.apart) {
            marks.constraints.apart.extend(configs.apart);
            (graph, marks) = rewrite(&graph, marks, &wanted, options.select.sizes())?;
            decider.next_round();
            continue;
        }
        builder.configs = configs;
        if let Around::Loop(_, kernels) = around {
            builder.go_on(kernels);
        }
        emit(&mut builder, options)?;
        let requirements = builder.countable()?;
        let mut made = builder.finish(buffers.list.clone());
        made.requirements.extend(requirements);
        let mut decisions = decider.finish();
        decisions.extend(
            std::mem::take(&mut made.decisions).into_iter().filter(|own| !decisions.contains(own)).collect::<Vec<_>>(),
        );
        return Ok(Made { decisions, ..made });
    }
}

/// Adds the steps of every cluster.
fn emit(builder: &mut PlanBuilder<'_>, options: &CompileOptions<'_>) -> Result<()> {
    for bundle in fuse::bundle::bundle(builder.division, builder.target) {
        match &builder.division.clusters[bundle[0]].kind {
            ClusterKind::Loop { .. } => builder.loops(&bundle)?,
            ClusterKind::MatMul(product) => builder.product(bundle[0], *product)?,
            ClusterKind::Conv(conv) => builder.conv(bundle[0], *conv)?,
            ClusterKind::Scatter(scatter) => builder.scatter(bundle[0], *scatter)?,
            ClusterKind::Custom(call) => builder.custom(bundle[0], *call)?,
            ClusterKind::Scan(call) => builder.scan(bundle[0], *call, options)?,
        }
    }
    Ok(())
}

/// The types in which the caller passes scalars, by position.
fn scalars(graph: &Graph) -> Vec<DType> {
    let mut scalars = Vec::new();
    for (_, node) in graph.iter() {
        if let Op::Input(InputKind::Scalar(position)) = node.op {
            if scalars.len() <= position {
                scalars.resize(position + 1, node.dtype.compute());
            }
            scalars[position] = node.dtype.compute();
        }
    }
    scalars
}

/// What the graph's layers require of symbols: room for the windows of poolings and convolutions, elements to normalise.
fn requirements(graph: &Graph) -> Vec<Requirement> {
    let mut windows: Vec<Window> = graph.windows.clone();
    let mut graphs = vec![graph];
    let mut position = 0;
    while let Some(graph) = graphs.get(position).copied() {
        position += 1;
        graphs.extend(graph.nodes.iter().filter_map(|node| match &node.op {
            Op::Scan { scan, .. } => Some(&scan.body),
            _ => None,
        }));
    }
    for (conv, shapes) in graphs.iter().flat_map(|graph| graph.iter().filter_map(|(id, _)| graph.conv(id))) {
        for axis in 0..2 {
            if let Some(kernel) = shapes.weight[2 + axis].as_constant() {
                windows.push(Window::new(&shapes.input[2 + axis], kernel as u64, axis, &conv.geometry));
            }
        }
    }
    windows.sort();
    windows.dedup();
    let known = graph.symbols();
    let bound = |size: &Dim| {
        let mut bound = true;
        size.visit_symbols(&mut |symbol| bound &= known.contains(symbol));
        bound
    };
    windows.retain(|window| bound(&window.size) && !window.spare().never_negative());
    let batches = graph.batches.iter().filter(|batch| bound(&batch.count())).cloned();
    let agreements = graph.agreements.iter().filter(|own| own.sizes.iter().all(bound)).cloned();
    let limits = graphs[0].limits.iter().filter(|own| bound(&own.end)).cloned().map(Requirement::Limit);
    let windows = windows.into_iter().map(Requirement::Window);
    windows.chain(batches.map(Requirement::Batch)).chain(agreements.map(Requirement::Agreement)).chain(limits).collect()
}
