//! Prologues: elementwise work on an operand of a product or convolution, done where the product loads the operand.

use super::access::{Trace, table, vectorizes};
use super::cost::{READ, cheaper_as_one, own_cost, recomputed_too_dearly};
use super::product::{extents, in_memory, memory_operands, prologue_trace};
use super::{Constraints, Division, Kind, divide_with, read_by};
use crate::graph::{Graph, NodeId, Op};
use crate::index::Index;
use crate::target::Target;
use std::collections::BTreeSet;

/// `division` without the kernels that do nothing but store operands which are cheaper computed at each load.
///
/// Only whole kernels go: where an operand is stored by a kernel that runs anyway (an epilogue, a row-wise kernel), the
/// store costs less than reading and computing again. The host's products are calls of a library, which reads memory.
pub(super) fn fuse(
    graph: &Graph,
    target: Target,
    constraints: &Constraints,
    mut roots: BTreeSet<NodeId>,
    mut division: Division,
) -> Division {
    if target == Target::Host {
        return division;
    }
    let kernels = division.clusters.iter().filter(|cluster| {
        let given = |id: &NodeId| graph.outputs.iter().any(|(_, output)| output == id);
        matches!(&cluster.kind, Kind::Loop { reduced, .. } if reduced.is_empty())
            && !cluster.members.iter().any(|id| given(id) || gathered(graph, *id) || constraints.stored.contains(id))
    });
    let kernels: Vec<Vec<NodeId>> = kernels.map(|cluster| cluster.members.clone()).collect();
    for kernel in kernels {
        let fewer: BTreeSet<NodeId> = roots.iter().copied().filter(|root| !kernel.contains(root)).collect();
        if !pays(graph, target, &division, &roots, &fewer, &kernel) {
            continue;
        }
        let trial = divide_with(graph, target, &fewer, constraints);
        let sound = recomputed_too_dearly(graph, &trial).is_none() && cheaper_as_one(graph, &trial).is_none();
        if sound && trial.clusters.len() < division.clusters.len() {
            (roots, division) = (fewer, trial);
        }
    }
    division
}

/// Whether rows of `id` are read by numbers that are known only at run time: such a source lies in memory.
fn gathered(graph: &Graph, id: NodeId) -> bool {
    graph.iter().any(|(_, node)| matches!(node.op, Op::Gather { source, .. } if table(graph, source) == id))
}

/// Whether products that compute the operands which `kernel` stores, each time they load them, do less work than the
/// kernel and its memory. `fewer` are the roots without those operands.
///
/// Saved: the kernel's launch, its reads and writes, and the readers' reads of what it stored. Spent: the readers' reads
/// of what the kernel read, and the arithmetic, again for each load ([`computed_loads`]).
fn pays(
    graph: &Graph,
    target: Target,
    division: &Division,
    roots: &BTreeSet<NodeId>,
    fewer: &BTreeSet<NodeId>,
    kernel: &[NodeId],
) -> bool {
    let stays = |id: NodeId| fewer.contains(&id);
    let memory = |ids: &BTreeSet<NodeId>| {
        ids.iter().map(|id| graph[*id].shape.elements().estimate() as f64).sum::<f64>() * f64::from(READ)
    };
    let leaves = |ids: &BTreeSet<NodeId>| -> BTreeSet<NodeId> {
        let leaves = ids.iter().flat_map(|id| prologue_trace(graph, *id, &stays).leaves);
        leaves.map(|leaf| leaf.node).collect()
    };
    let stored: BTreeSet<NodeId> = kernel.iter().copied().collect();
    let mut saved = Costs::of(target).launch + memory(&stored) + memory(&leaves(&stored));
    let mut spent = 0.0;
    for (position, cluster) in division.clusters.iter().enumerate() {
        let read: BTreeSet<NodeId> =
            read_by(graph, division, position, roots).into_iter().filter(|id| stored.contains(id)).collect();
        if read.is_empty() || division.home.get(&kernel[0]) == Some(&position) {
            continue;
        }
        saved += memory(&read);
        spent += memory(&leaves(&read));
        match cluster.kind {
            Kind::MatMul(product) | Kind::Conv(product) => {
                spent += computed_loads(graph, target, product, &stored, &stays);
            }
            Kind::Loop { .. } => {
                for &id in &read {
                    let elements = graph[id].shape.elements().estimate() as f64;
                    spent += elements * f64::from(work(graph, &prologue_trace(graph, id, &stays)));
                }
            }
        }
    }
    spent <= saved
}

/// The arithmetic that the operands of `product` which depend on `stored` cost when they are computed at each load.
///
/// The tile of a work-group loads an element of the left operand once for all of its columns, one of the right operand
/// once for all of its rows. (An element of an image is loaded for every tap besides: the sizes of the product say so.)
fn computed_loads(
    graph: &Graph,
    target: Target,
    product: NodeId,
    stored: &BTreeSet<NodeId>,
    stays: &dyn Fn(NodeId) -> bool,
) -> f64 {
    let op = &graph[product].op;
    let sizes = extents(graph, product);
    let dot = dot_products(graph, target, product, stays);
    let costs = Costs::of(target).product(dot);
    let [batch, m, n, k] = [sizes.batch, sizes.m, sizes.n, sizes.k].map(|size| size.estimate() as f64);
    let mut spent = 0.0;
    for (position, operand) in memory_operands(op).into_iter().enumerate() {
        let trace = prologue_trace(graph, operand, stays);
        if !trace.inlined.iter().any(|(id, _)| stored.contains(id)) {
            continue;
        }
        let matrix = matches!(op, Op::MatMul(..));
        // A convolution's image is the right operand of its product.
        let left = (position == 0) == matrix;
        let (loads, copy) = match left {
            true => (batch * m * k * (n / costs.columns).ceil(), costs.copy),
            false => (batch * k * n * (m / costs.rows).ceil(), 0.0),
        };
        // The innermost axis is k on the left and n on the right; dot products are vectors along k.
        let axis = graph[operand].shape.rank() - if dot && !left { 2 } else { 1 };
        let vectors = matrix && vectorizes(graph, &trace, axis);
        let each = f64::from(work(graph, &trace)) + copy;
        spent += loads * each * if vectors { 1.0 } else { costs.one_by_one };
    }
    spent
}

/// Whether a CPU's template computes `product` as dot products, vectors along k: if both operands have neighbours there.
fn dot_products(graph: &Graph, target: Target, product: NodeId, stays: &dyn Fn(NodeId) -> bool) -> bool {
    let Op::MatMul(a, b) = graph[product].op else { return false };
    let rank = graph[product].shape.rank();
    let along = |operand: NodeId, axis: usize| match in_memory(graph, &graph[product].op, operand, stays) {
        Some((_, address)) => address.coefficient(axis).is_some_and(|stride| stride.is(1)),
        None => vectorizes(graph, &prologue_trace(graph, operand, stays), axis),
    };
    target == Target::Cpu && along(a, rank - 1) && along(b, rank - 2) && !along(b, rank - 1)
}

/// The cost of one element, found at the end of `trace`, once its first leaf is there.
fn work(graph: &Graph, trace: &Trace) -> u32 {
    let arithmetic: u32 = trace.inlined.iter().map(|(id, _)| own_cost(&graph[*id].op)).sum();
    let indices: u32 =
        trace.leaves.iter().map(|leaf| if leaf.coordinates.iter().all(Index::is_affine) { 1 } else { 6 }).sum();
    // Rows found at run time are far from each other.
    let gathers = trace.leaves.iter().filter(|leaf| leaf.indirect).count() as u32;
    arithmetic + indices + 2 * trace.guards.len() as u32 + READ * gathers
}

/// How a target's products load their operands; what they cost is in additions, of which a CPU does 16 in a vector.
struct Costs {
    /// Columns of the result for which an element of the left operand is loaded once.
    columns: f64,
    /// Rows of the result for which an element of the right operand is loaded once.
    rows: f64,
    /// A CPU's registers read the left operand in place, but a copy of it if it is computed.
    copy: f64,
    /// How much dearer an element is that is not computed in a vector of neighbours.
    one_by_one: f64,
    /// What the device could compute in the time of a launch.
    launch: f64,
}

impl Costs {
    fn of(target: Target) -> Costs {
        match target {
            Target::Gpu => Costs { columns: 64.0, rows: 64.0, copy: 0.0, one_by_one: 1.0, launch: 1e8 },
            Target::Cpu | Target::Host => Costs { columns: 32.0, rows: 64.0, copy: 32.0, one_by_one: 8.0, launch: 1e6 },
        }
    }

    /// Dot products share what they load among few others only.
    fn product(self, dot: bool) -> Costs {
        if dot { Costs { columns: 4.0, rows: 5.0, copy: 2.0, ..self } } else { self }
    }
}
