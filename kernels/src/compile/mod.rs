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
mod scatter;
mod states;
mod survey;
#[cfg(test)]
mod tests;

use crate::dim::{Dim, INDEX_LIMIT, IndexWidth};
use crate::dtype::DType;
use crate::fuse::{self, ClusterKind};
use crate::graph::verify::verify;
use crate::graph::{Graph, InputKind, Op, Window};
use crate::plan::Plan;
use crate::plan::requirement::Requirement;
use crate::rewrite::{Marks, rewrite};
use crate::span::{Diagnostic, Result};
use crate::target::Target;
use buffers::Buffers;
pub use decide::CompileOptions;
use decide::Decider;
use plan_builder::PlanBuilder;

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
    let graph = graph.graph();
    match compile_as(graph, target, options, options.width)? {
        Some(plan) => Ok(plan),
        None => {
            let wide = compile_as(graph, target, options, IndexWidth::Wide)?;
            wide.ok_or_else(|| Diagnostic::new(format!("internal error: `{}` has no plan", graph.name)))
        }
    }
}

/// The plan with index arithmetic of `width`; `None` if that is narrow and sizes are too large for it whatever symbols are.
fn compile_as(graph: &Graph, target: Target, options: &CompileOptions<'_>, width: IndexWidth) -> Result<Option<Plan>> {
    let mut requirements = requirements(graph);
    requirements.extend(custom::requirements(graph));
    let mut graph = fuse::legalize::legalize(graph)?;
    let mut marks = Marks::default();
    let mut decider = Decider::new(options, target);
    // What several kernels make up is rewritten, and the rest asked about again: a patch's product is one like any other.
    loop {
        let division = fuse::divide(&graph, target, &marks.constraints);
        let buffers = Buffers::new(&graph, &division, scatter::sorts(target, &options.limits));
        let mut builder = PlanBuilder::new(&graph, &division, &buffers, target, width);
        let configs = builder.survey(&marks, &mut decider)?;
        let mut wanted = configs.in_parts.clone();
        wanted.extend(configs.nodes.iter().filter(|(_, config)| config.rewrites()).map(|(id, own)| (*id, own.clone())));
        if !wanted.is_empty() || !configs.apart.is_subset(&marks.constraints.apart) {
            marks.constraints.apart.extend(configs.apart);
            (graph, marks) = rewrite(&graph, marks, &wanted, options.select.sizes(), width)?;
            decider.next_round();
            continue;
        }
        builder.configs = configs;
        let countable = emit(&mut builder).and_then(|()| builder.countable());
        if width.is_narrow() && (builder.uncountable().is_some() || buffers.exceed(INDEX_LIMIT)) {
            return Ok(None);
        }
        requirements.extend(countable?);
        let not_in_place = std::mem::take(&mut builder.not_in_place);
        let (steps, loops, source) = builder.finish();
        return Ok(Some(Plan {
            name: graph.name.clone(),
            target,
            symbols: graph.symbols(),
            scalars: scalars(&graph),
            buffers: buffers.list,
            requirements,
            width,
            not_in_place,
            decisions: decider.finish(),
            steps,
            loops,
            source,
        }));
    }
}

/// Adds the steps of every cluster.
fn emit(builder: &mut PlanBuilder<'_>) -> Result<()> {
    for bundle in fuse::bundle::bundle(builder.division, builder.target) {
        match &builder.division.clusters[bundle[0]].kind {
            ClusterKind::Loop { .. } => builder.loops(&bundle)?,
            ClusterKind::MatMul(product) => builder.product(bundle[0], *product)?,
            ClusterKind::Conv(conv) => builder.conv(bundle[0], *conv)?,
            ClusterKind::Scatter(scatter) => builder.scatter(bundle[0], *scatter)?,
            ClusterKind::Custom(call) => builder.custom(bundle[0], *call)?,
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
    for (conv, shapes) in graph.iter().filter_map(|(id, _)| graph.conv(id)) {
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
    let windows = windows.into_iter().map(Requirement::Window);
    windows.chain(batches.map(Requirement::Batch)).chain(agreements.map(Requirement::Agreement)).collect()
}
