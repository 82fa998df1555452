//! The whole pipeline: graph → plan.

mod attention;
mod buffers;
mod configs;
mod conv;
mod custom;
mod decide;
mod distinct;
mod epilogue;
mod formula;
mod instance;
mod left;
mod loops;
mod made;
mod plan_builder;
mod product;
mod prologue;
mod rounds;
mod scan;
mod scatter;
mod states;
mod survey;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_rounds;

use crate::dim::{Dim, IndexWidth};
use crate::dtype::DType;
use crate::fuse;
pub use crate::fuse::legalize::symbols_of_widths;
use crate::graph::verify::verify;
use crate::graph::{Graph, InputKind, Op, Window};
use crate::plan::Plan;
use crate::plan::requirement::Requirement;
use crate::plan::source::ProgramText;
use crate::span::Result;
use crate::target::Target;
use buffers::Buffers;
pub use decide::CompileOptions;
use made::{Around, made};
use std::cell::Cell;

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
    let too_long = Cell::new(false);
    let plan = plan(&graph, target, options, &too_long);
    match options.width.is_narrow() && too_long.get() {
        true => self::plan(&graph, target, &CompileOptions { width: IndexWidth::Wide, ..*options }, &too_long),
        false => plan,
    }
}

/// The plan with index arithmetic of just that width. Notes whether sizes are too long for 32 bits whatever symbols are.
fn plan(graph: &Graph, target: Target, options: &CompileOptions<'_>, too_long: &Cell<bool>) -> Result<Plan> {
    let mut requirements = requirements(graph);
    requirements.extend(custom::requirements(graph));
    let graph_symbols = graph.symbols();
    let made = made(fuse::legalize::legalize(graph, target)?, target, options, Around::Nothing, too_long)?;
    requirements.extend(made.requirements);
    let (loops, source) = match target {
        Target::Host => (made.kernels.loops(), ProgramText::default()),
        Target::Cpu | Target::Gpu => (Vec::new(), made.kernels.program(made.shared)),
    };
    Ok(Plan {
        name: graph.name.clone(),
        target,
        symbols: graph_symbols,
        scalars: scalars(graph),
        buffers: made.buffers,
        requirements,
        width: options.width,
        not_in_place: made.not_in_place,
        decisions: made.decisions,
        steps: made.steps,
        repeats: made.repeats,
        loops,
        source,
    })
}

/// What a plan of `graph` wants from its callers, before there is one: the buffers that they bring and get, symbols, scalars, and what the
/// graph's layers require of sizes. It has no steps. What only kernels require of sizes, a plan alone says.
pub fn interface(graph: &Graph) -> Plan {
    Plan {
        name: graph.name.clone(),
        target: Target::Host,
        symbols: graph.symbols(),
        scalars: scalars(graph),
        buffers: Buffers::of_callers(graph),
        requirements: self::requirements(graph).into_iter().chain(custom::requirements(graph)).collect(),
        width: IndexWidth::Wide,
        not_in_place: Vec::new(),
        decisions: Vec::new(),
        steps: Vec::new(),
        repeats: Vec::new(),
        loops: Vec::new(),
        source: ProgramText::default(),
    }
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
                let window = Window::new(&shapes.input[2 + axis], kernel as u64, axis, &conv.geometry);
                // The first that does not fit is the cause of others': they stay in the order of the function.
                if !windows.iter().any(|own| own.is(&window)) {
                    windows.push(window);
                }
            }
        }
    }
    let known = graph.symbols();
    let bound = |size: &Dim| {
        let mut bound = true;
        size.visit_symbols(&mut |symbol| bound &= known.contains(symbol));
        bound
    };
    windows.retain(|window| bound(&window.size) && !window.spare().never_negative());
    let batches = graph.batches.iter().filter(|batch| bound(&batch.count())).cloned();
    let agreements = graph.agreements.iter().filter(|own| own.sizes.iter().all(bound)).cloned();
    let told = |size: &Dim| windows.iter().any(|window| size.never_negative_beside(&window.spare()));
    let limits = graphs[0].limits.iter().filter(|own| bound(&own.end) && bound(&own.size));
    let limits: Vec<Requirement> =
        limits.filter(|own| !(own.end.is(0) && told(&own.size))).cloned().map(Requirement::Limit).collect();
    let windows = windows.into_iter().map(Requirement::Window);
    windows.chain(batches.map(Requirement::Batch)).chain(agreements.map(Requirement::Agreement)).chain(limits).collect()
}
