//! What would be computed in place at too many places at once: a tensor that is joined with itself, and the result again, is read at
//! twice as many places each time, though there are few nodes.

use super::access::is_anchor;
use super::price::{MOST, TENSOR};
use crate::graph::{Graph, NodeId, Op};
use std::collections::BTreeSet;

/// At how many places a kernel reads at most: each counts as a tensor does.
const PLACES: usize = (MOST / TENSOR) as usize;

/// Adds the nodes to `roots` whose values are to lie in memory, as what computes them reads at more than [`PLACES`] places, with those
/// that they are computed from.
pub(super) fn store(graph: &Graph, roots: &mut BTreeSet<NodeId>) {
    // What each node reads, each way to it through views one number; ascending.
    let mut reads: Vec<Vec<u64>> = Vec::with_capacity(graph.nodes.len());
    for (id, node) in graph.iter() {
        let own = match &node.op {
            op if is_anchor(op) || roots.contains(&id) => vec![way(id, 0)],
            Op::View { source, .. } | Op::Reshape(source) => {
                let mut through: Vec<u64> = reads[source.index()].iter().map(|read| way(id, *read)).collect();
                through.sort_unstable();
                through
            }
            op => {
                let mut all = Vec::new();
                op.visit_operands(|operand| all.extend(&reads[operand.index()]));
                all.sort_unstable();
                all.dedup();
                all
            }
        };
        reads.push(if own.len() > PLACES && node.op.is_elementwise() {
            roots.insert(id);
            vec![way(id, 0)]
        } else {
            own
        });
    }
}

/// The number of the way `read` from `through` on: numbers of other ways are others, but for a chance of 1 in 2^50 or so, where one place
/// less is counted.
fn way(through: NodeId, read: u64) -> u64 {
    let mixed = (read.rotate_left(5) ^ (through.index() as u64 + 1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}
