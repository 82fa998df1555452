//! Clusters as kernels: how a cluster's loops are laid out on a kind of device.
//!
//! [`cpu`] gives each work-item whole rows or chunks and writes explicit vectors: no local memory, no barriers.
//! [`gpu`] gives each work-item an element, or each work-group a row whose reductions meet in local memory.
//! [`scalars`] puts a function of numbers where a hand-written kernel calls it.

pub mod cpu;
pub mod gpu;
pub mod scalars;
pub mod values;
mod wrapping;

use crate::dim::{Dim, Shape};
use crate::dtype::{DType, Literal};
use crate::fuse::access::{Trace, is_anchor, trace, vectorizes};
use crate::fuse::{Cluster, Division, Kind};
use crate::graph::{BinaryOp, CompareOp, Graph, NodeId, Op, ReduceOp};
use crate::index::{self, Index};
use crate::kir::build::KernelBuilder;
use crate::kir::{Access, ExprId, Stmt, VarId};
use crate::variant::Variant;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use values::{Coordinates, Values, bind_shared};

/// A loop cluster that is to become (part of) a kernel.
pub struct Job<'a> {
    /// The graph.
    pub graph: &'a Graph,
    /// The division.
    pub division: &'a Division,
    /// Which cluster.
    pub cluster: usize,
    /// How it is computed.
    pub variant: Variant,
    /// The parameter name of the buffer that holds a node.
    pub buffer_name: &'a dyn Fn(NodeId) -> String,
}

impl<'a> Job<'a> {
    fn cluster(&self) -> &'a Cluster {
        &self.division.clusters[self.cluster]
    }

    /// The space and the reduced axes.
    fn space(&self) -> (&'a Shape, &'a [usize]) {
        match &self.cluster().kind {
            Kind::Loop { space, reduced } => (space, reduced),
            other => unreachable!("{other:?} is no loop"),
        }
    }

    /// Whether neighbours along loop variable `var` can be computed as lanes of a vector, and stored as one.
    fn vectorizes(&self, domain: &Domain, var: usize) -> bool {
        let stores = self.stores().into_iter().all(|id| {
            let address = index::flatten(&self.coordinates_of(id, domain), &self.graph[id].shape);
            address.coefficient(var).is_some_and(|c| c.is(0) || c.is(1))
        });
        stores && self.traces(domain).iter().all(|trace| vectorizes(self.graph, trace, var))
    }

    /// Nodes that the kernel reads from memory.
    fn stops(&self, id: NodeId) -> bool {
        match self.division.home.get(&id) {
            Some(home) => *home != self.cluster,
            None => is_anchor(&self.graph[id].op),
        }
    }

    /// Axes that are not reduced.
    fn rows(&self) -> Vec<usize> {
        let (space, reduced) = self.space();
        (0..space.rank()).filter(|axis| !reduced.contains(axis)).collect()
    }

    /// Everything the cluster reads and computes when its space has the given coordinates.
    fn traces(&self, domain: &Domain) -> Vec<Trace> {
        self.cluster()
            .members
            .iter()
            .map(|&member| {
                let (root, through) = match self.graph[member].op {
                    Op::Reduce { source, .. } => (source, !self.stops(source)),
                    _ => (member, true),
                };
                let coordinates = self.coordinates_of(root, domain);
                trace(
                    self.graph,
                    root,
                    &coordinates,
                    &domain.extents,
                    &|id| self.stops(id) || self.is_reduce(id),
                    through,
                )
            })
            .collect()
    }

    fn is_reduce(&self, id: NodeId) -> bool {
        matches!(self.graph[id].op, Op::Reduce { .. })
    }

    /// The coordinates at which a member (or a reduction's operand) is computed.
    fn coordinates_of(&self, id: NodeId, domain: &Domain) -> Vec<Index> {
        let (space, _) = self.space();
        if !self.is_member_reduce(id) && self.graph[id].shape == *space {
            return domain.axes.clone();
        }
        self.rows().into_iter().map(|axis| domain.axes[axis].clone()).collect()
    }

    fn is_member_reduce(&self, id: NodeId) -> bool {
        self.is_reduce(id) && self.division.home.get(&id) == Some(&self.cluster)
    }

    /// Whether a stored member has a value per row only.
    fn is_row_valued(&self, member: NodeId) -> bool {
        self.is_member_reduce(member) || self.graph[member].shape != *self.space().0
    }

    /// Whether `state`, an input, is read for `new` alone, and of it each element only where that of `new` is written: then
    /// both may lie in one place.
    pub fn updates_in_place(&self, state: NodeId, new: NodeId) -> bool {
        let (space, _) = self.space();
        let own: Vec<Index> = (0..space.rank()).map(Index::var).collect();
        let domain = Domain { extents: space.0.clone(), axes: own };
        let written = index::flatten(&self.coordinates_of(new, &domain), &self.graph[new].shape);
        self.cluster().members.iter().zip(self.traces(&domain)).all(|(member, trace)| {
            let mut reads = trace.leaves.iter().filter(|leaf| leaf.node == state);
            reads.all(|leaf| {
                let read = index::flatten(&leaf.coordinates, &self.graph[state].shape);
                *member == new && !leaf.indirect && leaf.guards.is_empty() && read == written
            })
        })
    }

    /// For every member, how many rounds of reductions must be over before it can be computed.
    fn rounds(&self) -> BTreeMap<NodeId, usize> {
        let (space, _) = self.space();
        let own: Vec<Index> = (0..space.rank()).map(Index::var).collect();
        let domain = Domain { extents: space.0.clone(), axes: own };
        let mut rounds: BTreeMap<NodeId, usize> = BTreeMap::new();
        for (member, trace) in self.cluster().members.iter().zip(self.traces(&domain)) {
            let own = trace.leaves.iter().filter(|leaf| self.is_member_reduce(leaf.node));
            let needed = own.map(|leaf| rounds.get(&leaf.node).map_or(0, |round| round + 1)).max();
            rounds.insert(*member, needed.unwrap_or(0));
        }
        rounds
    }

    /// Members in memory.
    fn stores(&self) -> Vec<NodeId> {
        self.cluster().members.iter().copied().filter(|id| self.division.stored.contains(id)).collect()
    }

    fn store(
        &self,
        b: &mut KernelBuilder,
        values: &Values<'_>,
        id: NodeId,
        value: ExprId,
        at: &Coordinates,
        domain: &Domain,
    ) {
        let address = index::flatten(&self.coordinates_of(id, domain), &self.graph[id].shape);
        let index = values.index(b, &address, at);
        let buffer = values.buffer(b, id, Access::Write);
        let wide = at.vector.is_some_and(|vector| address.mentions(vector));
        let value = if wide { b.splat(value, at.lanes) } else { value };
        b.store(buffer, index, value);
    }
}

/// How the axes of a space come from loop variables.
#[derive(Clone, Debug)]
pub struct Domain {
    /// Sizes of the loop variables.
    pub extents: Vec<Dim>,
    /// Each axis over the loop variables.
    pub axes: Vec<Index>,
}

impl Domain {
    /// `groups[var]` are the axes (ascending) that loop variable `var` runs over, flattened.
    pub fn new(space: &Shape, groups: &[Vec<usize>]) -> Self {
        let sizes = |axes: &[usize]| Shape(axes.iter().map(|&axis| space[axis].clone()).collect());
        let extents: Vec<Dim> = groups.iter().map(|axes| sizes(axes).elements()).collect();
        let mut coordinates = vec![Index::default(); space.rank()];
        for (var, axes) in groups.iter().enumerate() {
            let parts = index::unflatten(&Index::var(var), &sizes(axes), &extents);
            for (axis, part) in axes.iter().zip(parts) {
                coordinates[*axis] = part;
            }
        }
        Domain { extents, axes: coordinates }
    }
}

/// The value with which a reduction starts.
pub(crate) fn neutral(op: ReduceOp, dtype: DType) -> Literal {
    let lowest = |least: bool| match dtype {
        _ if dtype.is_float() => Literal::float(if least { f64::NEG_INFINITY } else { f64::INFINITY }, dtype),
        DType::U8 => Literal::Int(if least { 0 } else { 255 }, dtype),
        DType::U32 => Literal::Int(if least { 0 } else { i64::from(u32::MAX) }, dtype),
        DType::I64 => Literal::Int(if least { i64::MIN } else { i64::MAX }, dtype),
        _ => Literal::Int(i64::from(if least { i32::MIN } else { i32::MAX }), dtype),
    };
    match op {
        ReduceOp::Sum => Literal::of(0.0, dtype),
        ReduceOp::Prod => Literal::of(1.0, dtype),
        ReduceOp::Max | ReduceOp::ArgMax => lowest(true),
        ReduceOp::Min | ReduceOp::ArgMin => lowest(false),
    }
}

/// One reduction while it runs: the value so far and, for `ArgMax`/`ArgMin`, where it stood.
struct Accumulator {
    node: NodeId,
    op: ReduceOp,
    value: VarId,
    position: Option<VarId>,
}

impl Accumulator {
    /// Declares and starts it.
    fn start(b: &mut KernelBuilder, graph: &Graph, node: NodeId, lanes: u8) -> Self {
        let Op::Reduce { op, source, .. } = graph[node].op else { unreachable!("only reductions accumulate") };
        let dtype = graph[source].dtype.compute();
        let start = b.literal(neutral(op, dtype));
        let start = b.splat(start, lanes);
        let name = if graph[node].name.is_empty() { op.name().to_string() } else { graph[node].name.clone() };
        let value = b.bind(&name, start);
        let position = matches!(op, ReduceOp::ArgMax | ReduceOp::ArgMin).then(|| {
            let zero = b.int(0);
            let zero = b.splat(zero, lanes);
            b.bind(&format!("{name}_at"), zero)
        });
        Accumulator { node, op, value, position }
    }

    /// Takes in one more value, which stands at `position` among the reduced elements.
    fn add(&self, b: &mut KernelBuilder, value: ExprId, position: ExprId) {
        let so_far = b.get(self.value);
        let lanes = b.ty(so_far).lanes;
        let value = b.splat(value, lanes);
        let Some(at) = self.position else {
            let sum = b.binary(combining(self.op), so_far, value);
            return b.assign(self.value, sum);
        };
        let better = if self.op == ReduceOp::ArgMax { CompareOp::Gt } else { CompareOp::Lt };
        let mut wins = b.compare(better, value, so_far);
        if b.ty(value).dtype.is_float() {
            // The first NaN wins over everything.
            let nan = b.compare(CompareOp::Ne, value, value);
            let number = b.compare(CompareOp::Eq, so_far, so_far);
            let first = b.binary(BinaryOp::And, nan, number);
            wins = b.binary(BinaryOp::Or, wins, first);
        }
        let wins = b.named("wins", wins);
        let value = b.select(wins, value, so_far);
        let old = b.get(at);
        let position = b.select(wins, position, old);
        b.assign(self.value, value);
        b.assign(at, position);
    }

    /// The reduction's result.
    fn result(&self, b: &mut KernelBuilder) -> ExprId {
        b.get(self.position.unwrap_or(self.value))
    }
}

/// The elementwise operation that combines two partial results.
fn combining(op: ReduceOp) -> BinaryOp {
    match op {
        ReduceOp::Sum => BinaryOp::Add,
        ReduceOp::Prod => BinaryOp::Mul,
        ReduceOp::Max | ReduceOp::ArgMax => BinaryOp::Max,
        ReduceOp::Min | ReduceOp::ArgMin => BinaryOp::Min,
    }
}

/// Names for values that the user named, for readable kernels.
fn value_names(graph: &Graph, values: &[(NodeId, ExprId)]) -> HashMap<ExprId, String> {
    let mut names = HashMap::new();
    for (id, value) in values {
        let name = graph[*id].name.as_str();
        if !name.is_empty() && !matches!(graph[*id].op, Op::Input(_)) {
            names.entry(*value).or_insert_with(|| identifier(name));
        }
    }
    names
}

/// `name` with everything that no C identifier may have replaced.
pub fn identifier(name: &str) -> String {
    let mut text: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !text.starts_with(|c: char| c.is_ascii_alphabetic()) {
        text.insert(0, 'v');
    }
    text
}

/// What one visit of a loop body does: reductions that take in a value, roots that are stored.
struct Visit<'v> {
    reduces: &'v [Accumulator],
    stores: &'v [NodeId],
    /// The stores happen where this holds.
    only_if: Option<ExprId>,
}

impl Job<'_> {
    /// Emits one visit at `at`; `position` is the place among the reduced elements.
    fn visit(
        &self,
        b: &mut KernelBuilder,
        values: &mut Values<'_>,
        visit: &Visit<'_>,
        at: &Coordinates,
        domain: &Domain,
        position: &Index,
    ) {
        values.enter_loop();
        let mut roots = Vec::new();
        for accumulator in visit.reduces {
            let Op::Reduce { source, .. } = self.graph[accumulator.node].op else { unreachable!("a reduction") };
            let coordinates = domain.axes.clone();
            roots.push((source, values.value(b, source, &coordinates, at, !self.stops(source))));
        }
        for &store in visit.stores {
            let coordinates = self.coordinates_of(store, domain);
            roots.push((store, values.value(b, store, &coordinates, at, true)));
        }
        let names = value_names(self.graph, &roots);
        let exprs: Vec<ExprId> = roots.iter().map(|(_, value)| *value).collect();
        let bound = bind_shared(b, &exprs, &names);
        let (reduced, stored) = bound.split_at(visit.reduces.len());
        for (accumulator, value) in visit.reduces.iter().zip(reduced) {
            if accumulator.position.is_some() {
                values.note_reach(b, position);
            }
            let position = values.index(b, position, at);
            accumulator.add(b, *value, position);
        }
        if visit.stores.is_empty() {
            return;
        }
        b.open();
        for (store, value) in visit.stores.iter().zip(stored) {
            self.store(b, values, *store, *value, at, domain);
        }
        let stores = b.close();
        match visit.only_if {
            Some(condition) => b.stmt(Stmt::If { condition, then: stores, otherwise: Vec::new() }),
            None => stores.into_iter().for_each(|stmt| b.stmt(stmt)),
        }
    }

    /// Members grouped by round: reductions of each round, stores that can be made during it, and after all.
    fn schedule(&self) -> Vec<(Vec<NodeId>, Vec<NodeId>)> {
        let rounds = self.rounds();
        let stores: BTreeSet<NodeId> = self.stores().into_iter().collect();
        let reductions = rounds.iter().filter(|(id, _)| self.is_member_reduce(**id)).map(|(_, round)| round + 1);
        let loops = reductions.max().unwrap_or(0);
        let mut schedule = vec![(Vec::new(), Vec::new()); loops];
        let mut last = Vec::new();
        for (&id, &round) in &rounds {
            if self.is_member_reduce(id) {
                schedule[round].0.push(id);
            } else if stores.contains(&id) && !self.is_row_valued(id) {
                if round < loops { schedule[round].1.push(id) } else { last.push(id) }
            }
        }
        if !last.is_empty() {
            schedule.push((Vec::new(), last));
        }
        schedule
    }

    /// Stored members with one value per row.
    fn row_stores(&self) -> Vec<NodeId> {
        self.stores().into_iter().filter(|id| self.is_row_valued(*id)).collect()
    }

    /// Emits the stores of values per row, once all reductions are known.
    fn finish_row(&self, b: &mut KernelBuilder, values: &mut Values<'_>, at: &Coordinates, domain: &Domain) {
        let stores = self.row_stores();
        if stores.is_empty() {
            return;
        }
        values.enter_loop();
        let roots: Vec<(NodeId, ExprId)> = stores
            .iter()
            .map(|&id| {
                let coordinates = self.coordinates_of(id, domain);
                (id, values.value(b, id, &coordinates, at, true))
            })
            .collect();
        let names = value_names(self.graph, &roots);
        let exprs: Vec<ExprId> = roots.iter().map(|(_, value)| *value).collect();
        let bound = bind_shared(b, &exprs, &names);
        for (id, value) in stores.iter().zip(bound) {
            self.store(b, values, *id, value, at, domain);
        }
    }
}
