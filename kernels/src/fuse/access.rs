//! Which memory a fused expression reads, and where: the graph walked from a node down to what is in memory.

use crate::dim::Dim;
use crate::graph::{Graph, InputKind, NodeId, Op};
use crate::index::{self, Guard, Index};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// An operand as a node reads it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct OperandAccess {
    /// What is read.
    pub node: NodeId,
    /// Where, one index per axis; of an indirect operand in row 0, in place of the row whose number is read at run time.
    pub coordinates: Rc<[Index]>,
    /// When; otherwise the value is zero.
    pub guards: Vec<Guard>,
    /// Whether the number of a row is read at run time (the source of a gather).
    pub indirect: bool,
}

impl OperandAccess {
    pub(super) fn plain(node: NodeId, coordinates: Rc<[Index]>) -> Self {
        OperandAccess { node, coordinates, guards: Vec::new(), indirect: false }
    }

    /// Whether it is read at these coordinates.
    pub(super) fn is_at(&self, coordinates: &Rc<[Index]>) -> bool {
        self.coordinates == *coordinates
    }
}

/// What `id`, evaluated at `coordinates`, reads of its operands. Nodes that are computed by kernels of their own
/// (reductions, products) have none here.
pub(crate) fn operands(graph: &Graph, id: NodeId, coordinates: &Rc<[Index]>, extents: &[Dim]) -> Vec<OperandAccess> {
    let node = &graph[id];
    match &node.op {
        Op::View { source, index } => {
            let mut guards = Vec::new();
            let shape = &graph[*source].shape;
            let inner = index
                .iter()
                .zip(&shape.0)
                .map(|(axis, size)| index::through_axis(axis, size, coordinates, extents, &mut guards))
                .collect();
            vec![OperandAccess { node: *source, coordinates: inner, guards, indirect: false }]
        }
        Op::Reshape(source) => {
            let inner = index::reshape(coordinates, &node.shape, &graph[*source].shape, extents);
            vec![OperandAccess::plain(*source, inner.into())]
        }
        Op::Random { seed, .. } => vec![OperandAccess::plain(*seed, Rc::default())],
        Op::Gather { source, indices } => {
            let rank = graph[*indices].shape.rank();
            let mut inner = vec![Index::default()];
            inner.extend_from_slice(&coordinates[rank..]);
            let rows = rows(graph, *source);
            let inner = rows.coordinates.iter().map(|at| at.substitute(&inner, extents)).collect();
            vec![
                OperandAccess::plain(*indices, coordinates[..rank].into()),
                OperandAccess { node: rows.table, coordinates: inner, guards: Vec::new(), indirect: true },
            ]
        }
        op if op.is_elementwise() => {
            op.operands().into_iter().map(|operand| OperandAccess::plain(operand, coordinates.clone())).collect()
        }
        _ => Vec::new(),
    }
}

/// The node in whose memory the rows of `source` lie: what `source` is a reshape of. A number of the caller's lies in
/// none until a reshape of it is stored.
pub(crate) fn table(graph: &Graph, mut source: NodeId) -> NodeId {
    while let Op::Reshape(inner) = graph[source].op
        && !is_scalar(&graph[inner].op)
    {
        source = inner;
    }
    source
}

/// Where the rows of a tensor lie that are read by number.
pub(crate) struct Rows {
    /// The node in whose memory.
    pub table: NodeId,
    /// Which element of the table each of the tensor is, over the tensor's coordinates.
    coordinates: Vec<Index>,
    /// At which address in it.
    pub address: Index,
}

/// Where the rows of `source` lie: in the tensor itself, or in one that it is a reshape, a permutation or, of what is in memory anyway, a
/// slice of.
pub(crate) fn rows(graph: &Graph, source: NodeId) -> Rows {
    let shape = &graph[source].shape;
    let coordinates: Vec<Index> = (0..shape.rank()).map(Index::var).collect();
    let address = index::flatten(&coordinates, shape);
    let mut rows = Rows { table: source, coordinates, address };
    loop {
        let own = &graph[rows.table];
        let (Op::Reshape(inner) | Op::View { source: inner, .. }) = own.op else { return rows };
        let whole = &graph[inner].shape;
        if is_scalar(&graph[inner].op) {
            return rows;
        }
        match &own.op {
            Op::View { index, .. } => {
                let mut guards = Vec::new();
                let axes = index.iter().zip(&whole.0);
                let coordinates: Vec<Index> = axes
                    .map(|(axis, size)| index::through_axis(axis, size, &rows.coordinates, &shape.0, &mut guards))
                    .collect();
                let address = index::flatten(&coordinates, whole);
                let forward = index.iter().all(|axis| axis.terms.iter().all(|(_, step)| *step > 0));
                // Of what is computed only a part may be needed.
                let lies_there = whole.elements() == own.shape.elements() || is_anchor(&graph[inner].op);
                if !guards.is_empty() || !address.is_affine() || !forward || !lies_there {
                    return rows;
                }
                rows = Rows { table: inner, coordinates, address };
            }
            _ => {
                rows.coordinates = index::reshape(&rows.coordinates, &own.shape, whole, &shape.0);
                rows.table = inner;
            }
        }
    }
}

/// Whether a node is a number that the caller passes with the launch: an anchor without a buffer.
pub(crate) fn is_scalar(op: &Op) -> bool {
    matches!(op, Op::Input(InputKind::Scalar(_)))
}

/// Whether a node's value comes from a kernel of its own and can only be read, never recomputed in place.
pub(crate) fn is_anchor(op: &Op) -> bool {
    matches!(
        op,
        Op::Input(_)
            | Op::Reduce { .. }
            | Op::MatMul(..)
            | Op::Conv2d { .. }
            | Op::Conv2dInputGrad { .. }
            | Op::Conv2dWeightGrad { .. }
            | Op::ScatterAdd { .. }
            | Op::Attention(_)
            | Op::Custom { .. }
            | Op::Scan { .. }
            | Op::CustomResult { .. }
    )
}

/// Everything visited on the way from a root to memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trace {
    /// Reads of nodes where the walk stopped.
    pub leaves: Vec<OperandAccess>,
    /// Nodes evaluated in place, with where, in the order of the walk.
    pub inlined: Vec<(NodeId, Rc<[Index]>)>,
    /// Guards met on the way.
    pub guards: Vec<Guard>,
}

/// Walks from `root` at `coordinates` down to nodes for which `stop` is true (never `root` itself if `through_root`).
pub(crate) fn trace(
    graph: &Graph,
    root: NodeId,
    coordinates: &[Index],
    extents: &[Dim],
    stop: &dyn Fn(NodeId) -> bool,
    through_root: bool,
) -> Trace {
    let mut walk = Walk { graph, extents, stop, seen: FxHashSet::default(), trace: Trace::default() };
    walk.visit(OperandAccess::plain(root, coordinates.into()), through_root);
    walk.trace
}

/// A walk on its way.
struct Walk<'w> {
    graph: &'w Graph,
    extents: &'w [Dim],
    stop: &'w dyn Fn(NodeId) -> bool,
    seen: FxHashSet<OperandAccess>,
    trace: Trace,
}

impl Walk<'_> {
    /// Not by recursion: a chain of operations may be longer than the stack.
    fn visit(&mut self, root: OperandAccess, mut through: bool) {
        let mut left = vec![root];
        while let Some(at) = left.pop() {
            let through = std::mem::take(&mut through);
            if !self.seen.insert(at.clone()) {
                continue;
            }
            self.trace.guards.extend(at.guards.iter().cloned());
            if at.indirect || ((self.stop)(at.node) && !through) {
                self.trace.leaves.push(at);
                continue;
            }
            self.trace.inlined.push((at.node, at.coordinates.clone()));
            // The kernel that computes a reduction evaluates its operand; its coordinates are the caller's business.
            if !matches!(self.graph[at.node].op, Op::Reduce { .. }) {
                left.extend(operands(self.graph, at.node, &at.coordinates, self.extents).into_iter().rev());
            }
        }
    }
}

/// Whether the kernel can compute `lanes` neighbours along coordinate `vector` at once: everything read is either the
/// same in all lanes or contiguous, and no guard tells lanes apart.
pub(crate) fn vectorizes(graph: &Graph, trace: &Trace, vector: usize) -> bool {
    let contiguous = |index: &Index| index.coefficient(vector).is_some_and(|c| c.is(0) || c.is(1));
    let leaves =
        trace.leaves.iter().all(|leaf| contiguous(&index::flatten(&leaf.coordinates, &graph[leaf.node].shape)));
    let inlined = trace.inlined.iter().all(|(id, coordinates)| match &graph[*id].op {
        Op::Iota { axis } => coordinates[*axis].coefficient(vector).is_some(),
        Op::Random { .. } => contiguous(&index::flatten(coordinates, &graph[*id].shape)),
        Op::Gather { indices, .. } => {
            let rank = graph[*indices].shape.rank();
            coordinates[..rank].iter().all(|index| !index.mentions(vector))
        }
        _ => true,
    });
    let guards = trace.guards.iter().all(|guard| match guard {
        Guard::NotNegative(index) | Guard::Below(index, _) | Guard::Multiple(index, _) => !index.mentions(vector),
    });
    leaves && inlined && guards
}

/// Rows that are shorter are not computed in vectors ([`crate::schedule`]).
const SHORTEST_VECTOR: u64 = 16;

/// Whether `id` is a view whose rows lie across those of what it is a view of, and long enough to matter.
pub(super) fn is_transposed(graph: &Graph, id: NodeId) -> bool {
    let node = &graph[id];
    let Some(last) = node.shape.rank().checked_sub(1) else { return false };
    if !matches!(node.op, Op::View { .. }) || node.shape[last].estimate() < SHORTEST_VECTOR {
        return false;
    }
    let coordinates = (0..=last).map(Index::var).collect();
    operands(graph, id, &coordinates, &node.shape.0).iter().any(|read| {
        let place = index::flatten(&read.coordinates, &graph[read.node].shape);
        place.coefficient(last).is_none_or(|c| !c.is(0) && !c.is(1))
    })
}
