//! How precisely a function computes: what its activations are stored in, and how products and convolutions of `f32` are computed.
//!
//! The first is a policy of each operation, by which its operands are converted where it is built ([`Policy`]); the second a rewrite of
//! the graph, before it is compiled.
//!
//! Matrix units multiply numbers of 16 bits. What is asked for is written into the graph, so that every device computes the
//! same, those without such a unit too.

pub(crate) mod products;

use crate::decompose::written_out;
use crate::graph::{Graph, NodeId};
pub use crate::policy::{Policy, Precision};
use crate::span::Result;
pub use products::MatmulPrecision;
use products::attends;

/// `graph` with its products and convolutions of `f32`, those of its loops and of gradients among them, computed in that
/// precision. The kernels that it calls stay as they are.
///
/// # Errors
///
/// What [`Builder`](crate::graph::build::Builder) says of a graph that is not verified.
pub fn with_matmul_precision(graph: Graph, precision: MatmulPrecision) -> Result<Graph> {
    if precision == MatmulPrecision::Highest {
        return Ok(graph);
    }
    // Between the products of attention lie weights that are split, too.
    let splits = |id: NodeId| precision == MatmulPrecision::High && attends(&graph[id]);
    let graph = match written_out(&graph, &|id, _| splits(id))? {
        Some((written, _)) => written,
        None => graph,
    };
    products::of_halves(graph, precision, &|body| with_matmul_precision(body, precision))
}
