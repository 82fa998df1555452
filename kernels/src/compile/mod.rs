//! The whole pipeline: graph → plan.

mod buffers;
mod conv;
mod epilogue;
mod formula;
mod instance;
mod loops;
mod product;
mod program;
mod prologue;

use crate::fuse::{self, Kind};
use crate::graph::{Graph, Op};
use crate::plan::{Plan, Target};
use crate::span::Result;
use buffers::Buffers;
use program::Program;

/// Compiles `graph` for `target`.
///
/// # Errors
///
/// A diagnostic naming the node that no kernel can compute, which only graphs built around [`crate::graph::build`] hit.
pub fn compile(graph: &Graph, target: Target) -> Result<Plan> {
    let graph = &fuse::legalize::legalize(graph)?;
    let division = fuse::divide(graph, target);
    let buffers = Buffers::new(graph, &division);
    let mut program = Program::new(graph, &division, &buffers, target);
    for bundle in fuse::bundle::bundle(&division, target) {
        match &division.clusters[bundle[0]].kind {
            Kind::Loop { .. } => program.loops(&bundle)?,
            Kind::MatMul(product) => program.product(bundle[0], *product)?,
            Kind::Conv(conv) => program.conv(bundle[0], *conv)?,
        }
    }
    let (steps, source) = program.finish();
    let mut scalars = Vec::new();
    for (_, node) in graph.iter() {
        if let Op::Input(crate::graph::InputKind::Scalar(position)) = node.op {
            if scalars.len() <= position {
                scalars.resize(position + 1, node.dtype);
            }
            scalars[position] = node.dtype;
        }
    }
    Ok(Plan {
        name: graph.name.clone(),
        target,
        symbols: graph.symbols(),
        buffers: buffers.list,
        scalars,
        steps,
        source,
    })
}
