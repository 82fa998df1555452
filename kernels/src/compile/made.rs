//! What a graph, or the body of a loop, becomes: divided, and every cluster a step or several.

use super::buffers::Buffers;
use super::decide::{CompileOptions, Decider};
use super::distinct::Kernels;
use super::plan_builder::{Collected, PlanBuilder};
use super::{left, scatter};
use crate::dim::INDEX_LIMIT;
use crate::fuse::{self, ClusterKind};
use crate::graph::{Graph, Scan};
use crate::rewrite::{Marks, rewrite};
use crate::span::Result;
use crate::target::Target;
use crate::template::matmul_mma::most_resident;
use std::cell::Cell;

/// Where a graph stands.
pub(super) enum Around<'a> {
    /// It is a function.
    Nothing,
    /// It is the body of a loop. The kernels so far go on.
    Loop(&'a Scan, Kernels),
}

/// Divides `graph`, which is legal, and makes its steps. Notes whether sizes are too long for 32 bits whatever symbols are.
pub(super) fn made(
    mut graph: Graph,
    target: Target,
    options: &CompileOptions<'_>,
    around: Around<'_>,
    too_long: &Cell<bool>,
) -> Result<Collected> {
    let mut marks = Marks::default();
    let mut decider = Decider::new(options, target);
    // What several kernels make up is rewritten, and the rest asked about again: a patch's product is one like any other.
    loop {
        if let Around::Loop(scan, _) = &around {
            graph = left::apart(graph, scan);
        }
        let mut division = fuse::divide(&graph, target, &marks.constraints);
        if let Around::Loop(scan, _) = &around {
            division.starts = left::starts(scan, &graph);
        }
        let (sorts, map_groups) = (scatter::sorts(target, &options.limits), most_resident(&options.limits));
        let buffers = Buffers::new(&graph, &division, sorts, map_groups);
        let mut builder = PlanBuilder::new(&graph, &division, &buffers, (target, options.limits), options.width);
        let configs = builder.survey(&marks, &mut decider)?;
        let mut wanted = configs.in_parts.clone();
        wanted.extend(configs.nodes.iter().filter(|(_, config)| config.rewrites()).map(|(id, own)| (*id, own.clone())));
        if !wanted.is_empty() || !configs.apart.is_subset(&marks.constraints.apart) {
            marks.constraints.apart.extend(configs.apart);
            (graph, marks) = rewrite(&graph, marks, &wanted, options.select.sizes(), options.width)?;
            decider.next_round();
            continue;
        }
        builder.configs = configs;
        if let Around::Loop(_, kernels) = around {
            builder.go_on(kernels);
        }
        let countable = emit(&mut builder, options, too_long).and_then(|()| builder.countable());
        if builder.uncountable().is_some() || buffers.exceed(INDEX_LIMIT) {
            too_long.set(true);
        }
        let requirements = countable?;
        let mut made = builder.finish(buffers.list.clone());
        made.requirements.extend(requirements);
        let mut decisions = decider.finish();
        decisions.extend(
            std::mem::take(&mut made.decisions).into_iter().filter(|own| !decisions.contains(own)).collect::<Vec<_>>(),
        );
        return Ok(Collected { decisions, ..made });
    }
}

/// Adds the steps of every cluster.
fn emit(builder: &mut PlanBuilder<'_>, options: &CompileOptions<'_>, too_long: &Cell<bool>) -> Result<()> {
    for bundle in fuse::bundle::bundle(builder.division, builder.target) {
        match &builder.division.clusters[bundle[0]].kind {
            ClusterKind::Loop { .. } => builder.loops(&bundle)?,
            ClusterKind::MatMul(product) => builder.product(bundle[0], *product)?,
            ClusterKind::Conv(conv) => builder.conv(bundle[0], *conv)?,
            ClusterKind::Scatter(scatter) => builder.scatter(bundle[0], *scatter)?,
            ClusterKind::Attention(id) => builder.attention(bundle[0], *id)?,
            ClusterKind::Custom(call) => builder.custom(bundle[0], *call)?,
            ClusterKind::Scan(call) => builder.scan(bundle[0], *call, options, too_long)?,
        }
    }
    Ok(())
}
