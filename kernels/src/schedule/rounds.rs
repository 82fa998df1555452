//! The rounds of a loop over a symbol as one kernel: what would be launched round by round are phases inside a loop of the kernel,
//! with barriers between them.
//!
//! Work-groups do not meet. Where an axis keeps its elements apart ([`super::batch`]), each element belongs to a few work-items of
//! one work-group; otherwise one work-group computes everything. A processor's work-items do a whole element each, in vectors,
//! and wait for nobody.
//!
//! What is carried lies in a buffer of two places that take turns: a round reads the one and writes the other.

use super::accumulator::{Accumulator, in_blocks, is_long};
use super::batch::BatchAxis;
use super::nest::Domain;
use super::sizes::dim_value;
use super::values::{Coordinates, Values};
use super::{Job, Nest, Visit, cpu};
use crate::dim::{Dim, IndexWidth, Shape, Symbol};
use crate::fuse::Division;
use crate::graph::{BinaryOp, CompareOp, Graph, NodeId, Op};
use crate::index::{self, Index};
use crate::kir::build::KernelBuilder;
use crate::kir::{Access, ExprId, Launch, Stmt, WorkItem};
use crate::plan::ROUNDS_OF_LAUNCH;
use crate::target::Target;
use crate::variant::{LOOP_GROUP, Variant};

/// Loop variables of a phase on a GPU; the third is along the axis that keeps its elements apart, if there is one.
const ROW: usize = 0;
const COLUMN: usize = 1;

/// A loop that becomes one kernel.
pub(crate) struct RoundKernel<'a> {
    pub graph: &'a Graph,
    pub division: &'a Division,
    /// The axis that keeps its elements apart; one work-group does everything where there is none.
    pub batch: Option<&'a BatchAxis>,
    pub states: &'a [RoundState],
    /// How many rounds there are.
    pub length: &'a Dim,
    /// The number of the round, from 1 on.
    pub step: &'a Symbol,
    /// The number of the launch, from 1 on.
    pub piece: &'a Symbol,
    /// Which place the round reads: 1 or 2.
    pub turn: &'a Symbol,
    /// Whether the last round comes first.
    pub reverse: bool,
    /// The parameter name of the buffer that holds a node.
    pub buffer_name: &'a dyn Fn(NodeId) -> String,
    pub width: IndexWidth,
    pub target: Target,
}

/// What rounds pass on, by the names of parameters.
pub(crate) struct RoundState {
    /// The argument by which rounds read it.
    pub argument: NodeId,
    /// What it is before the first round.
    pub initial: String,
    /// Where it is after the last one.
    pub last: String,
}

/// Who a work-item is.
struct RoundItem {
    /// Which of the work-items that share an element; none where there is one.
    lane: Option<ExprId>,
    /// Its element of the axis that keeps them apart.
    batch: Option<ExprId>,
    /// Whether there is that element.
    inside: Option<ExprId>,
}

impl<'a> RoundKernel<'a> {
    /// How many work-items share what one element of the batch, or everything, takes: a power of two.
    fn lanes(&self) -> u32 {
        if self.target != Target::Gpu {
            return 1;
        }
        let rows = (0..self.division.clusters.len()).map(|cluster| self.rows(cluster).estimate());
        let most = rows.max().unwrap_or(1).clamp(1, u64::from(LOOP_GROUP));
        (most as u32).next_power_of_two()
    }

    fn nest(&self, cluster: usize) -> Nest<'a> {
        Nest { graph: self.graph, division: self.division, cluster }
    }

    /// The axes of a cluster's space that work-items share out.
    fn shared(&self, cluster: usize) -> Vec<usize> {
        let batch = self.batch.map(|batch| batch.clusters[cluster]);
        self.nest(cluster).rows().into_iter().filter(|axis| Some(*axis) != batch).collect()
    }

    fn rows(&self, cluster: usize) -> Dim {
        let (space, _) = self.nest(cluster).space();
        self.shared(cluster).into_iter().fold(Dim::constant(1), |rows, axis| rows * space[axis].clone())
    }

    /// The clusters, in groups that wait for each other.
    fn levels(&self) -> Vec<Vec<usize>> {
        let mut levels: Vec<Vec<usize>> = Vec::new();
        for cluster in self.division.order() {
            let reads = &self.division.clusters[cluster].reads;
            match levels.last_mut() {
                Some(level) if level.iter().all(|other| !reads.contains(other)) => level.push(cluster),
                _ => levels.push(vec![cluster]),
            }
        }
        levels
    }

    /// The kernel.
    pub(crate) fn kernel(&self, name: &str) -> KernelBuilder {
        let lanes = self.lanes();
        let group = match (self.target, self.batch) {
            (Target::Gpu, Some(_)) => LOOP_GROUP,
            (Target::Gpu, None) => lanes,
            _ => 1,
        };
        let batch = self.batch.map_or(Dim::constant(1), |batch| batch.size.clone());
        let groups = batch.ceil_div(u64::from(group / lanes));
        let launch = Launch { global: vec![groups * Dim::constant(i64::from(group))], local: vec![group] };
        let mut b = KernelBuilder::new(name, launch).indexed(self.width);
        let item = self.item(&mut b, lanes, group);
        let length = dim_value(&mut b, self.length);
        let (zero, one, most) = (b.int(0), b.int(1), b.int(ROUNDS_OF_LAUNCH as i64));
        let piece = b.size(self.piece.name());
        let before = b.binary(BinaryOp::Sub, piece, one);
        let first = b.mul(before, most);
        let first = b.named("first_round", first);
        let end = b.add(first, most);
        let end = b.binary(BinaryOp::Min, end, length);
        let end = b.named("end_round", end);
        let begins = b.compare(CompareOp::Eq, first, zero);
        self.copies(&mut b, &item, begins, |b, state, index| {
            let start = b.int(0);
            ((state.initial.clone(), index), ((self.buffer_name)(state.argument), start))
        });
        if lanes > 1 && !self.states.is_empty() {
            b.stmt(Stmt::Barrier { global: true });
        }
        b.for_loop("round", first, end, one, |b, round| {
            let number = match self.reverse {
                true => b.binary(BinaryOp::Sub, length, round),
                false => b.add(round, one),
            };
            let number = b.named(self.step.name(), number);
            b.bind_symbol(self.step.name(), number);
            let two = b.int(2);
            let turn = b.binary(BinaryOp::Rem, round, two);
            let turn = b.add(turn, one);
            let turn = b.named(self.turn.name(), turn);
            b.bind_symbol(self.turn.name(), turn);
            for level in self.levels() {
                for cluster in level {
                    self.within(b, &item, |b| self.phase(b, cluster, &item, lanes));
                }
                if lanes > 1 {
                    b.stmt(Stmt::Barrier { global: true });
                }
            }
        });
        let ends = b.compare(CompareOp::Eq, end, length);
        self.copies(&mut b, &item, ends, |b, state, index| {
            let two = b.int(2);
            let turn = b.binary(BinaryOp::Rem, length, two);
            let elements = dim_value(b, &self.graph[state.argument].shape.elements());
            let start = b.mul(turn, elements);
            (((self.buffer_name)(state.argument), start), (state.last.clone(), index))
        });
        b
    }

    fn item(&self, b: &mut KernelBuilder, lanes: u32, group: u32) -> RoundItem {
        let id = |b: &mut KernelBuilder, what: WorkItem, name: &str| {
            let id = b.work_item(what, 0);
            b.named(name, id)
        };
        let Some(batch) = self.batch else {
            let lane = (lanes > 1).then(|| id(b, WorkItem::LocalId, "lane"));
            return RoundItem { lane, batch: None, inside: None };
        };
        let (lane, own) = if lanes == 1 {
            (None, id(b, WorkItem::GlobalId, "item"))
        } else if lanes == group {
            (Some(id(b, WorkItem::LocalId, "lane")), id(b, WorkItem::GroupId, "item"))
        } else {
            let all = b.work_item(WorkItem::GlobalId, 0);
            let lanes = b.int(i64::from(lanes));
            let lane = b.binary(BinaryOp::Rem, all, lanes);
            let own = b.binary(BinaryOp::Div, all, lanes);
            (Some(b.named("lane", lane)), b.named("item", own))
        };
        // Launches are exact where a work-group has one element.
        let inside = (group > lanes).then(|| {
            let size = dim_value(b, &batch.size);
            let inside = b.compare(CompareOp::Lt, own, size);
            b.named("inside", inside)
        });
        RoundItem { lane, batch: Some(own), inside }
    }

    /// What `body` does, by the work-items that have an element.
    fn within(&self, b: &mut KernelBuilder, item: &RoundItem, body: impl FnOnce(&mut KernelBuilder)) {
        match item.inside {
            Some(inside) => b.if_then(inside, body),
            None => body(b),
        }
    }

    /// One cluster, of the item's element.
    fn phase(&self, b: &mut KernelBuilder, cluster: usize, item: &RoundItem, lanes: u32) {
        let nest = self.nest(cluster);
        let variant = match nest.space().1.is_empty() {
            true => Variant::ElementwiseVector,
            false => Variant::ReductionSequential,
        };
        let job = Job { nest, variant, buffer_name: self.buffer_name, width: self.width };
        let batch = item.batch.zip(self.batch.map(|batch| batch.clusters[cluster]));
        if self.target != Target::Gpu {
            let layout = cpu::Layout::of_one(&job, batch);
            return cpu::whole(b, &job, &layout);
        }
        let (space, reduced) = nest.space();
        let mut axes = vec![self.shared(cluster), reduced.to_vec()];
        axes.extend(batch.map(|(_, axis)| vec![axis]));
        let domain = Domain::new(space, &axes);
        let at = |row: ExprId, column: ExprId| Coordinates {
            values: [row, column].into_iter().chain(item.batch).collect(),
            vector: None,
            lanes: 1,
        };
        self.shared_out(b, item, lanes, &domain.extents[ROW], |b, row| items_row(b, &job, &domain, &at, row));
    }

    /// `body` for each of so many rows that is the item's.
    fn shared_out(
        &self,
        b: &mut KernelBuilder,
        item: &RoundItem,
        lanes: u32,
        rows: &Dim,
        body: impl FnOnce(&mut KernelBuilder, ExprId),
    ) {
        let zero = b.int(0);
        let Some(lane) = item.lane else {
            if rows.is(1) {
                return body(b, zero);
            }
            let (end, one) = (dim_value(b, rows), b.int(1));
            return b.for_loop("row", zero, end, one, body);
        };
        let end = dim_value(b, rows);
        if rows.as_constant().is_some_and(|rows| rows <= i64::from(lanes)) {
            if rows.is(i64::from(lanes)) {
                return body(b, lane);
            }
            let has_one = b.compare(CompareOp::Lt, lane, end);
            return b.if_then(has_one, |b| body(b, lane));
        }
        let lanes = b.int(i64::from(lanes));
        b.for_loop("row", lane, end, lanes, body);
    }

    /// Where `condition` holds, copies the item's element of each state from a buffer and a place in it to others.
    fn copies(
        &self,
        b: &mut KernelBuilder,
        item: &RoundItem,
        condition: ExprId,
        mut places: impl FnMut(&mut KernelBuilder, &RoundState, ExprId) -> ((String, ExprId), (String, ExprId)),
    ) {
        if self.states.is_empty() {
            return;
        }
        b.open();
        self.within(b, item, |b| {
            for state in self.states {
                let node = &self.graph[state.argument];
                let batch = self.batch.and_then(|batch| batch.arguments.get(&state.argument)).copied();
                let rest = (0..node.shape.rank()).filter(|axis| Some(*axis) != batch).collect();
                let mut axes = vec![rest, Vec::new()];
                axes.extend(batch.map(|axis| vec![axis]));
                let domain = Domain::new(&node.shape, &axes);
                let zero = b.int(0);
                let ((from, from_start), (to, to_start)) = places(b, state, zero);
                let lanes = self.lanes();
                self.shared_out(b, item, lanes, &domain.extents[ROW], |b, row| {
                    let address = address(b, &domain, &node.shape, [row, zero].into_iter().chain(item.batch));
                    let from_at = b.add(address, from_start);
                    let from = b.buffer(&from, node.dtype, Access::Read);
                    let value = b.load(from, from_at, 1);
                    let to_at = b.add(address, to_start);
                    let to = b.buffer(&to, node.dtype, Access::Write);
                    b.store(to, to_at, value);
                });
            }
        });
        let then = b.close();
        b.stmt(Stmt::If { condition, then, otherwise: Vec::new() });
    }
}

/// One row of a phase, by one work-item.
fn items_row(
    b: &mut KernelBuilder,
    job: &Job<'_>,
    domain: &Domain,
    at: &dyn Fn(ExprId, ExprId) -> Coordinates,
    row: ExprId,
) {
    let stops = |id| job.nest.stops(id);
    let starts = &job.nest.division.starts;
    let mut values = Values::new(job.nest.graph, domain.extents.clone(), &stops, job.buffer_name).starting(starts);
    let zero = b.int(0);
    let columns = &domain.extents[COLUMN];
    let long = is_long(columns);
    for (reduces, stores) in &job.nest.schedule() {
        let accumulators: Vec<Accumulator> =
            reduces.iter().map(|&id| Accumulator::start(b, job.nest.graph, id, 1, long)).collect();
        let visit = Visit { reduces: &accumulators, stores, only_if: None };
        let mut column = |b: &mut KernelBuilder, k: ExprId| {
            job.visit(b, &mut values, &visit, &at(row, k), domain, &Index::var(COLUMN));
        };
        if columns.is(1) {
            column(b, zero);
        } else {
            let end = dim_value(b, columns);
            let at_once = terms_at_once(job, columns, stores.is_empty(), reduces);
            in_blocks(b, "k", (zero, end, at_once), (&accumulators, None), |b, k| {
                for term in 0..at_once {
                    let term = b.int(term);
                    let k = b.add(k, term);
                    column(b, k);
                }
            });
        }
        for accumulator in &accumulators {
            accumulator.finish(b);
            let result = accumulator.result(b);
            let place = job.nest.coordinates_of(accumulator.node, domain);
            values.known.insert(accumulator.node, (place, result));
        }
    }
    job.finish_row(b, &mut values, &at(row, zero), domain);
}

/// How many terms of sums of products are added between two tests of the loop's end: their loads do not wait for each other. A sum
/// in blocks has no more of them in a block than another has in all.
fn terms_at_once(job: &Job<'_>, columns: &Dim, alone: bool, reduces: &[NodeId]) -> i64 {
    let graph = job.nest.graph;
    let is_product = |id: &NodeId| matches!(graph[*id].op, Op::Reduce { source, .. } if matches!(graph[source].op, Op::Binary(BinaryOp::Mul, ..)));
    let most = if is_long(columns) { 4 } else { 8 };
    let columns = columns.as_constant().filter(|_| alone && reduces.iter().all(is_product));
    columns.map_or(1, |columns| [8, 4, 2].into_iter().find(|by| *by <= most && columns % by == 0).unwrap_or(1))
}

/// The place in memory of an element of what has that shape.
fn address(b: &mut KernelBuilder, domain: &Domain, shape: &Shape, at: impl Iterator<Item = ExprId>) -> ExprId {
    let nothing = Graph::default();
    let (stops, name) = (|_| true, |_| String::new());
    let values = Values::new(&nothing, domain.extents.clone(), &stops, &name);
    let at = Coordinates { values: at.collect(), vector: None, lanes: 1 };
    values.index(b, &index::flatten(&domain.axes, shape), &at)
}
