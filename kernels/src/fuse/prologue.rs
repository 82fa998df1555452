//! Prologues: elementwise work on an operand of a product or convolution, done where the product loads the operand.

use super::access::{Trace, vectorizes};
use super::division::Constraints;
use super::draft::{Draft, IterationSpace};
use super::materialize::to_materialize;
use super::price::{READ, own_cost};
use super::product::{extents, in_memory, lies_in, memory_operands, memory_root, prologue_trace};
use super::reading::Readings;
use super::repeats;
use crate::graph::{Graph, NodeId, Op};
use crate::index::Index;
use crate::target::Target;
use std::collections::BTreeSet;

/// `draft` without the kernels that do nothing but store operands which are cheaper computed at each load.
///
/// Only whole kernels go: where an operand is stored by a kernel that runs anyway (an epilogue, a row-wise kernel), the
/// store costs less than reading and computing again. The host's products are calls of a library, which reads memory.
pub(super) fn fuse(readings: &mut Readings<'_>, target: Target, constraints: &Constraints, mut draft: Draft) -> Draft {
    if target == Target::Host {
        return draft;
    }
    let stay = staying(readings.graph, constraints);
    let kernels = draft.parts.iter().filter(|part| match part.form {
        IterationSpace::Loop(own) => {
            readings.loops.reduced(own).is_empty() && !part.members.iter().any(|id| stay.contains(id))
        }
        IterationSpace::Product(_) => false,
    });
    let kernels: Vec<Vec<NodeId>> = kernels.map(|part| part.members.clone()).collect();
    let mut readers = readers(readings, &draft);
    for kernel in kernels {
        if !pays(readings, target, &draft, &readers, &kernel) {
            continue;
        }
        // A reduction over no axes is a member of a map, and no root.
        let roots: Vec<NodeId> = kernel.iter().copied().filter(|id| readings.is_root(*id)).collect();
        roots.iter().for_each(|id| readings.set_root(*id, false));
        let mut trial = draft.clone();
        trial.renew(kernel[0], readings, target, constraints);
        if trial.parts.len() < draft.parts.len() && to_materialize(readings, target, &trial).is_empty() {
            draft = trial;
            readers = self::readers(readings, &draft);
        } else {
            roots.iter().for_each(|id| readings.set_root(*id, true));
        }
    }
    draft
}

/// Nodes that lie in memory whatever products load: outputs, what was asked for, what rows are read of by numbers that are
/// known only at run time, what scatter-adds read, which find their updates by such numbers too, attention, or users' kernels, and what
/// reads at too many places to be computed in place.
fn staying(graph: &Graph, constraints: &Constraints) -> BTreeSet<NodeId> {
    let gathered = graph.iter().flat_map(|(_, node)| match node.op {
        Op::Gather { .. } | Op::ScatterAdd { .. } | Op::Attention(_) | Op::Custom { .. } | Op::Scan { .. } => {
            memory_operands(&node.op).into_iter().map(|id| lies_in(graph, &node.op, id)).collect()
        }
        _ => Vec::new(),
    });
    // What matrices of attention are views of.
    let viewed = graph.iter().filter(|(_, node)| matches!(node.op, Op::Attention(_))).flat_map(|(_, node)| {
        memory_operands(&node.op).into_iter().filter_map(|id| memory_root(graph, &node.op, id, &BTreeSet::new()))
    });
    let given = graph.outputs.iter().map(|(_, id)| *id);
    let mut stay = given.chain(gathered).chain(viewed).chain(constraints.stored.iter().copied()).collect();
    repeats::store(graph, &mut stay);
    stay
}

/// For each node the parts that read it from memory, ascending.
fn readers(readings: &mut Readings<'_>, draft: &Draft) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); readings.graph.nodes.len()];
    for (position, part) in draft.parts.iter().enumerate() {
        readings.operands(&part.members).into_iter().for_each(|id| readers[id.index()].push(position));
    }
    readers
}

/// Whether products that compute the operands which `kernel` stores, each time they load them, do less work than the
/// kernel and its memory.
///
/// Saved: the kernel's launch, its reads and writes, and the readers' reads of what it stored. Spent: the readers' reads
/// of what the kernel read, and the arithmetic, again for each load ([`computed_loads`]).
fn pays(readings: &Readings<'_>, target: Target, draft: &Draft, readers: &[Vec<usize>], kernel: &[NodeId]) -> bool {
    let graph = readings.graph;
    let stored: BTreeSet<NodeId> = kernel.iter().copied().collect();
    let stays = |id: NodeId| readings.is_root(id) && !stored.contains(&id);
    let memory = |ids: &BTreeSet<NodeId>| {
        ids.iter().map(|id| graph[*id].shape.elements().estimate() as f64).sum::<f64>() * f64::from(READ)
    };
    let leaves = |ids: &BTreeSet<NodeId>| -> BTreeSet<NodeId> {
        let leaves = ids.iter().flat_map(|id| prologue_trace(graph, *id, &stays).leaves);
        leaves.map(|leaf| leaf.node).collect()
    };
    let mut saved = Costs::of(target).launch + memory(&stored) + memory(&leaves(&stored));
    let mut spent = 0.0;
    let positions: BTreeSet<usize> = kernel.iter().flat_map(|id| readers[id.index()].iter().copied()).collect();
    for position in positions {
        if draft.home(kernel[0]) == Some(position) {
            continue;
        }
        let read = stored.iter().copied().filter(|id| readers[id.index()].binary_search(&position).is_ok()).collect();
        saved += memory(&read);
        spent += memory(&leaves(&read));
        match draft.parts[position].form {
            IterationSpace::Product(product) if stays_rounded(graph, target, product, &read) => return false,
            IterationSpace::Product(product) => spent += computed_loads(graph, target, product, &stored, &stays),
            IterationSpace::Loop(_) => {
                for &id in &read {
                    let elements = graph[id].shape.elements().estimate() as f64;
                    spent += elements * f64::from(work(graph, &prologue_trace(graph, id, &stays)));
                }
            }
        }
    }
    spent <= saved
}

/// Whether `read` rounds operands of `product` for a matrix unit, and it is not known that there are few: a unit waits for what it cannot
/// copy from memory, and how often it loads an element grows with the sizes.
fn stays_rounded(graph: &Graph, target: Target, product: NodeId, read: &BTreeSet<NodeId>) -> bool {
    let rounds = |id: &NodeId| {
        let (own, computed) = (graph[*id].dtype, graph[*id].dtype.compute());
        own != computed && matches!(graph[*id].op, Op::Cast(source) if graph[source].dtype == computed)
    };
    if graph[product].op.factors().is_none() {
        return false;
    }
    let sizes = extents(graph, product);
    let known = [&sizes.batch, &sizes.m, &sizes.n, &sizes.k].iter().all(|size| size.as_constant().is_some());
    target == Target::Gpu && !known && read.iter().any(rounds)
}

/// The arithmetic that the operands of `product` which depend on `stored` cost when they are computed at each load.
///
/// The tile of a work-group loads an element of the left operand once for all of its columns, one of the right operand
/// once for all of its rows. (An element of an image is loaded for every tap besides: the sizes of the product say so.)
pub(super) fn computed_loads(
    graph: &Graph,
    target: Target,
    product: NodeId,
    stored: &BTreeSet<NodeId>,
    stays: &dyn Fn(NodeId) -> bool,
) -> f64 {
    let op = &graph[product].op;
    if op.factors().is_none() {
        // Of a scatter-add, attention, or a kernel of the user's. What it reads is stored, if not here then where this is a reshape of.
        return 0.0;
    }
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
pub(super) fn work(graph: &Graph, trace: &Trace) -> u32 {
    let arithmetic: u32 = trace.inlined.iter().map(|(id, _)| own_cost(&graph[*id].op)).sum();
    let indices: u32 =
        trace.leaves.iter().map(|leaf| if leaf.coordinates.iter().all(Index::is_affine) { 1 } else { 6 }).sum();
    // Rows found at run time are far from each other.
    let gathers = trace.leaves.iter().filter(|leaf| leaf.indirect).count() as u32;
    arithmetic + indices + 2 * trace.guards.len() as u32 + READ * gathers
}

/// How a target's products load their operands; what they cost is in additions, of which a CPU does 16 in a vector.
pub(super) struct Costs {
    /// Columns of the result for which an element of the left operand is loaded once.
    columns: f64,
    /// Rows of the result for which an element of the right operand is loaded once.
    rows: f64,
    /// A CPU's registers read the left operand in place, but a copy of it if it is computed.
    copy: f64,
    /// How much dearer an element is that is not computed in a vector of neighbours.
    one_by_one: f64,
    /// What the device could compute in the time of a launch.
    pub launch: f64,
}

impl Costs {
    pub(super) fn of(target: Target) -> Costs {
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
