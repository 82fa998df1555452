//! The layout for CPU devices and for the host: work-items are few and do much, lanes are explicit vectors.
//!
//! The innermost axis (several, where memory is contiguous across them) runs in vectors of lanes, the
//! rest of it one by one. A work-item takes whole rows, several where rows are short, or a chunk of a long only row.

use super::accumulator::{Accumulator, BLOCK, any_long, end_blocks, in_blocks, is_long};
use super::nest::Domain;
use super::sizes::dim_value;
use super::values::{Coordinates, Values};
use super::{Job, Visit};
use crate::dim::Dim;
use crate::graph::{BinaryOp, CompareOp, NodeId, Op, ReduceOp};
use crate::index::Index;
use crate::kir::build::KernelBuilder;
use crate::kir::{ExprId, Launch, WorkItem};
use crate::variant::Variant;
use std::collections::BTreeMap;

/// About how many elements one work-item should visit.
const ELEMENTS_PER_ITEM: i64 = 4096;

/// From how many terms on sums of neighbours are added up side by side.
const SHORTEST_UNROLLED: i64 = 64;

/// Loop variables of this layout: outer rows, outer reduced elements, innermost axis.
const ROW: usize = 0;
const COLUMN: usize = 1;
const INNER: usize = 2;

/// Lanes for a kernel that computes in `dtype`: one 512-bit register, two of 256 or four of 128.
fn lanes_for(job: &Job<'_>) -> u8 {
    let wide = |id: &NodeId| job.nest.graph[*id].dtype.size() == 8;
    if job.nest.members().iter().any(wide) { 8 } else { 16 }
}

/// How many vectors of the innermost axis are visited side by side where another axis is reduced: a vector for each row is a line of a cache
/// from here and there, and several are a piece that is fetched ahead. As many as registers hold the sums of; where work-items share out
/// the axis, fewer rather than too few of these.
fn unroll(job: &Job<'_>, domain: &Domain, lanes: u8, chunked: bool) -> i64 {
    let [columns, inner] = [COLUMN, INNER].map(|var| domain.extents[var].as_constant());
    let reduces = job.nest.members().iter().filter(|id| matches!(job.nest.graph[**id].op, Op::Reduce { .. })).count();
    let Some(inner) = inner.filter(|_| columns.is_none_or(|columns| columns >= SHORTEST_UNROLLED)) else { return 1 };
    let fits = |(unroll, most, items): &(i64, usize, i64)| {
        let each = unroll * i64::from(lanes);
        (1..=*most).contains(&reduces) && inner % each == 0 && (!chunked || inner / each >= *items)
    };
    [(4, 1, 8), (2, 2, 2)].iter().find(|row| fits(row)).map_or(1, |(unroll, ..)| *unroll)
}

/// How a cluster is laid out.
pub(crate) struct Layout {
    domain: Domain,
    /// The innermost variable runs over reduced axes.
    inner_reduced: bool,
    lanes: u8,
    /// How many vectors of the innermost axis are visited side by side.
    unroll: i64,
    /// Rows per work-item, or elements of the innermost axis per work-item.
    per_item: i64,
    /// Work-items share out the innermost axis instead of rows.
    chunked: bool,
    /// A fourth variable: where along an axis all of it is, if it is one element of that axis alone.
    batch: Option<ExprId>,
}

impl Layout {
    /// Chooses the layout of `job`.
    pub(crate) fn new(job: &Job<'_>) -> Layout {
        Layout::of_one(job, None)
    }

    /// The layout of what `job` computes for one element of the axis `batch`, if there is one: which, and the axis.
    pub(super) fn of_one(job: &Job<'_>, batch: Option<(ExprId, usize)>) -> Layout {
        let (space, reduced) = job.nest.space();
        let mut rows = job.nest.rows();
        rows.retain(|axis| batch.is_none_or(|(_, batch)| *axis != batch));
        let rank = space.rank();
        let inner_reduced = rank > 0 && reduced.contains(&(rank - 1));
        let own: &[usize] = if inner_reduced { reduced } else { &rows };
        // The longest run of innermost axes of one kind over which vectors work.
        let longest = own.iter().rev().zip((0..rank).rev()).take_while(|(a, b)| **a == *b).count();
        let split = |count: usize| {
            let inner: Vec<usize> = (rank - count..rank).collect();
            let rest = |axes: &[usize]| axes.iter().copied().filter(|axis| !inner.contains(axis)).collect::<Vec<_>>();
            let mut groups = vec![rest(&rows), rest(reduced), inner];
            groups.extend(batch.map(|(_, axis)| vec![axis]));
            Domain::new(space, &groups)
        };
        let lanes = lanes_for(job);
        let arg = job
            .nest
            .members()
            .iter()
            .any(|id| matches!(job.nest.graph[*id].op, Op::Reduce { op: ReduceOp::ArgMax | ReduceOp::ArgMin, .. }));
        let works = |domain: &Domain| {
            let short = domain.extents[INNER].as_constant().is_some_and(|size| size < i64::from(lanes));
            !(short || arg && inner_reduced) && job.nest.vectorizes(domain, INNER)
        };
        let vector = (1..=longest).rev().map(split).find(works).filter(|_| job.variant != Variant::ElementwiseScalar);
        let lanes = if vector.is_some() { lanes } else { 1 };
        let domain = vector.unwrap_or_else(|| split(longest.min(1)));
        let visits = domain.extents[INNER].clone() * domain.extents[COLUMN].clone();
        let chunked = !inner_reduced && domain.extents[ROW].is(1);
        let unroll = if inner_reduced || lanes == 1 { 1 } else { unroll(job, &domain, lanes, chunked) };
        let per_item = if chunked {
            let reduces = !reduced.is_empty();
            if reduces { i64::from(lanes) * if unroll == 1 { 4 } else { unroll } } else { ELEMENTS_PER_ITEM }
        } else {
            visits.as_constant().map_or(1, |visits| (ELEMENTS_PER_ITEM / visits.max(1)).max(1))
        };
        Layout { domain, inner_reduced, lanes, unroll, per_item, chunked, batch: batch.map(|(at, _)| at) }
    }

    /// The coordinates of the loop variables.
    fn at(&self, row: ExprId, column: ExprId, inner: ExprId) -> Vec<ExprId> {
        [row, column, inner].into_iter().chain(self.batch).collect()
    }

    /// How many work-items there are.
    pub(crate) fn items(&self) -> Dim {
        let shared = if self.chunked { INNER } else { ROW };
        self.domain.extents[shared].ceil_div(self.per_item as u64)
    }
}

/// One cluster as a kernel.
pub(crate) fn kernel(job: &Job<'_>, name: &str) -> KernelBuilder {
    let layout = Layout::new(job);
    let mut b = KernelBuilder::new(name, Launch { global: vec![layout.items()], local: vec![1] }).indexed(job.width);
    let item = b.work_item(WorkItem::GlobalId, 0);
    body(&mut b, job, &layout, item);
    b
}

/// The work of work-item `item` of `job`.
pub(crate) fn body(b: &mut KernelBuilder, job: &Job<'_>, layout: &Layout, item: ExprId) {
    let stops = |id| job.nest.stops(id);
    let mut values = Values::new(job.nest.graph, layout.domain.extents.clone(), &stops, job.buffer_name);
    let shared = if layout.chunked { INNER } else { ROW };
    let size = dim_value(b, &layout.domain.extents[shared]);
    let zero = b.int(0);
    if layout.chunked {
        let (start, end) = share(b, "start", item, layout.per_item, size);
        return inner_rows(b, job, layout, &mut values, zero, start, end);
    }
    let inner_end = dim_value(b, &layout.domain.extents[INNER]);
    let mut row = |b: &mut KernelBuilder, row: ExprId| whole_row(b, job, layout, &mut values, row, (zero, inner_end));
    if layout.domain.extents[ROW].is(1) {
        return row(b, zero);
    }
    if layout.per_item == 1 {
        let item = b.named("row", item);
        return row(b, item);
    }
    let (start, end) = share(b, "first_row", item, layout.per_item, size);
    let one = b.int(1);
    b.for_loop("row", start, end, one, row);
}

/// All of `job` by one work-item, where nodes begin elsewhere in their buffers than at the beginning.
pub(super) fn whole(b: &mut KernelBuilder, job: &Job<'_>, layout: &Layout) {
    let stops = |id| job.nest.stops(id);
    let starts = &job.nest.division.starts;
    let extents = layout.domain.extents.clone();
    let mut values = Values::new(job.nest.graph, extents, &stops, job.buffer_name).starting(starts);
    let (zero, one) = (b.int(0), b.int(1));
    let [rows, inner_end] = [ROW, INNER].map(|var| dim_value(b, &layout.domain.extents[var]));
    let mut row = |b: &mut KernelBuilder, row: ExprId| whole_row(b, job, layout, &mut values, row, (zero, inner_end));
    if layout.domain.extents[ROW].is(1) {
        return row(b, zero);
    }
    b.for_loop("row", zero, rows, one, row);
}

/// All of one row, whose elements lie between these.
fn whole_row(
    b: &mut KernelBuilder,
    job: &Job<'_>,
    layout: &Layout,
    values: &mut Values<'_>,
    row: ExprId,
    (start, end): (ExprId, ExprId),
) {
    if layout.inner_reduced {
        reduced_row(b, job, layout, values, row);
    } else {
        inner_rows(b, job, layout, values, row, start, end);
    }
}

/// The part of `0..size` that falls to `item`.
fn share(b: &mut KernelBuilder, name: &str, item: ExprId, per_item: i64, size: ExprId) -> (ExprId, ExprId) {
    let per_item = b.int(per_item);
    let start = b.mul(item, per_item);
    let start = b.named(name, start);
    let end = b.add(start, per_item);
    let end = b.binary(BinaryOp::Min, end, size);
    let end = b.named("end", end);
    (start, end)
}

/// Runs `visit` over `start..end` of the innermost axis, in vectors and then one by one. The vectors are visited as
/// [`in_blocks`] does.
fn over_inner(
    b: &mut KernelBuilder,
    layout: &Layout,
    (start, end): (ExprId, ExprId),
    sums: (&[Accumulator], Option<ExprId>),
    mut visit: impl FnMut(&mut KernelBuilder, ExprId, u8),
) {
    let one = b.int(1);
    if layout.domain.extents[INNER].is(1) {
        return visit(b, start, 1);
    }
    if layout.lanes == 1 {
        return in_blocks(b, "i", (start, end, 1), sums, |b, i| visit(b, i, 1));
    }
    let vector = i64::from(layout.lanes);
    let lanes = b.int(vector);
    let count = b.binary(BinaryOp::Sub, end, start);
    let rest = b.binary(BinaryOp::Rem, count, lanes);
    let whole = b.binary(BinaryOp::Sub, end, rest);
    let exact = layout.domain.extents[INNER].as_constant().is_some_and(|n| n % i64::from(layout.lanes) == 0);
    if exact {
        return in_blocks(b, "i", (start, end, vector), sums, |b, i| visit(b, i, layout.lanes));
    }
    let whole = b.named("whole", whole);
    in_blocks(b, "i", (start, whole, vector), sums, |b, i| visit(b, i, layout.lanes));
    b.for_loop("i", whole, end, one, |b, i| visit(b, i, 1));
}

/// Runs `visit` over `start..end` of the innermost axis: several vectors side by side, given where each begins.
fn unrolled(
    b: &mut KernelBuilder,
    layout: &Layout,
    (start, end): (ExprId, ExprId),
    mut visit: impl FnMut(&mut KernelBuilder, &[ExprId], u8),
) {
    if layout.unroll == 1 {
        return over_inner(b, layout, (start, end), (&[], None), |b, inner, lanes| visit(b, &[inner], lanes));
    }
    let each = i64::from(layout.lanes);
    let step = b.int(each * layout.unroll);
    b.for_loop("i", start, end, step, |b, first| {
        let all: Vec<ExprId> = (0..layout.unroll)
            .map(|position| {
                let shift = b.int(position * each);
                b.add(first, shift)
            })
            .collect();
        visit(b, &all, layout.lanes);
    });
}

/// Runs `visit` for every outer reduced element as [`in_blocks`] does; there may be just one.
fn over_columns(
    b: &mut KernelBuilder,
    layout: &Layout,
    accumulators: &[Accumulator],
    visit: impl FnOnce(&mut KernelBuilder, ExprId),
) {
    let zero = b.int(0);
    let columns = &layout.domain.extents[COLUMN];
    if columns.is(1) {
        return visit(b, zero);
    }
    let size = dim_value(b, columns);
    in_blocks(b, "k", (zero, size, 1), (accumulators, None), visit);
}

/// Elements `start..end` of the innermost axis, which is not reduced: every lane is a row of its own.
fn inner_rows(
    b: &mut KernelBuilder,
    job: &Job<'_>,
    layout: &Layout,
    values: &mut Values<'_>,
    row: ExprId,
    start: ExprId,
    end: ExprId,
) {
    let schedule = job.nest.schedule();
    let long = is_long(&layout.domain.extents[COLUMN]);
    unrolled(b, layout, (start, end), |b, vectors, lanes| {
        let at = |inner, column| Coordinates { values: layout.at(row, column, inner), vector: Some(INNER), lanes };
        // What is known of each of them.
        let mut known = vec![BTreeMap::new(); vectors.len()];
        for (reduces, stores) in &schedule {
            let of_all = vectors.iter().flat_map(|_| reduces);
            let accumulators: Vec<Accumulator> =
                of_all.map(|&id| Accumulator::start(b, job.nest.graph, id, lanes, long)).collect();
            let own = |position: usize| &accumulators[position * reduces.len()..][..reduces.len()];
            over_columns(b, layout, &accumulators, |b, k| {
                for (position, inner) in vectors.iter().enumerate() {
                    values.known.clone_from(&known[position]);
                    let visit = Visit { reduces: own(position), stores, only_if: None };
                    job.visit(b, values, &visit, &at(*inner, k), &layout.domain, &Index::var(COLUMN));
                }
            });
            accumulators.iter().for_each(|accumulator| accumulator.finish(b));
            for (position, known) in known.iter_mut().enumerate() {
                for accumulator in own(position) {
                    let result = accumulator.result(b);
                    let coordinates = job.nest.coordinates_of(accumulator.node, &layout.domain);
                    known.insert(accumulator.node, (coordinates, result));
                }
            }
        }
        let zero = b.int(0);
        for (inner, known) in vectors.iter().zip(known) {
            values.known = known;
            job.finish_row(b, values, &at(*inner, zero), &layout.domain);
        }
    });
}

/// One row whose innermost axis is reduced: lanes are partial results.
fn reduced_row(b: &mut KernelBuilder, job: &Job<'_>, layout: &Layout, values: &mut Values<'_>, row: ExprId) {
    values.known.clear();
    let [columns, inner_size] = [COLUMN, INNER].map(|var| layout.domain.extents[var].clone());
    // How often an outer element's part of the innermost axis adds to a sum.
    let vector = i64::from(layout.lanes);
    let visits = inner_size.as_constant().map(|size| size / vector + size % vector);
    let long = visits.is_none_or(|visits| is_long(&(columns.clone() * Dim::constant(visits))));
    for (reduces, stores) in &job.nest.schedule() {
        let wide: Vec<Accumulator> =
            reduces.iter().map(|&id| Accumulator::start(b, job.nest.graph, id, layout.lanes, long)).collect();
        let exact = inner_size.as_constant().is_some_and(|n| n % i64::from(layout.lanes) == 0);
        let narrow: Vec<Accumulator> = if layout.lanes > 1 && !exact {
            let long = long && !columns.is(1);
            reduces.iter().map(|&id| Accumulator::start(b, job.nest.graph, id, 1, long)).collect()
        } else {
            Vec::new()
        };
        let zero = b.int(0);
        let end = dim_value(b, &inner_size);
        // Where an element stands among the reduced ones.
        let position = Index::var(COLUMN).times(&inner_size).plus(&Index::var(INNER));
        let mut column = |b: &mut KernelBuilder, k: ExprId, sums: (&[Accumulator], Option<ExprId>)| {
            over_inner(b, layout, (zero, end), sums, |b, inner, lanes| {
                let reduces = if lanes == layout.lanes { &wide } else { &narrow };
                let at = Coordinates { values: layout.at(row, k, inner), vector: Some(INNER), lanes };
                job.visit(b, values, &Visit { reduces, stores, only_if: None }, &at, &layout.domain, &position);
            });
        };
        if !any_long(&wide) {
            over_columns(b, layout, &[], |b, k| column(b, k, (&[], None)));
        } else if columns.is(1) {
            column(b, zero, (&wide, None));
        } else {
            // A block is several outer elements, or a part of one.
            let (each, within) = blocks(b, visits, end, vector);
            let size = dim_value(b, &columns);
            b.for_loop("first_k", zero, size, each, |b, first| {
                let last = b.add(first, each);
                let last = b.binary(BinaryOp::Min, last, size);
                let last = b.named("last_k", last);
                let one = b.int(1);
                b.for_loop("k", first, last, one, |b, k| match within {
                    Within::Never => column(b, k, (&[], None)),
                    Within::Always => column(b, k, (&wide, None)),
                    Within::If(long) => column(b, k, (&wide, Some(long))),
                });
                end_blocks(b, &wide);
                end_blocks(b, &narrow);
            });
        }
        wide.iter().chain(&narrow).for_each(|accumulator| accumulator.finish(b));
        // Lanes together, then the elements left over.
        for (position, accumulator) in wide.iter().enumerate() {
            let mut result = accumulator.result(b);
            if layout.lanes > 1 {
                result = b.horizontal(accumulator.op, result);
                if let Some(rest) = narrow.get(position) {
                    let rest = b.get(rest.value);
                    result = b.binary(super::combining(accumulator.op), result, rest);
                }
                result = b.named("result", result);
            }
            values.known.insert(accumulator.node, (job.nest.coordinates_of(accumulator.node, &layout.domain), result));
        }
    }
    let zero = b.int(0);
    let at = Coordinates { values: layout.at(row, zero, zero), vector: None, lanes: 1 };
    job.finish_row(b, values, &at, &layout.domain);
}

/// Whether blocks of a sum end within the innermost axis.
#[derive(Clone, Copy)]
enum Within {
    Never,
    Always,
    If(ExprId),
}

/// How many outer elements a block of a sum takes in, each of which adds so many times (`None`: as often as `size` elements
/// in vectors do).
fn blocks(b: &mut KernelBuilder, visits: Option<i64>, size: ExprId, lanes: i64) -> (ExprId, Within) {
    if let Some(visits) = visits {
        let within = if visits > BLOCK { Within::Always } else { Within::Never };
        return (b.int((BLOCK / visits.max(1)).max(1)), within);
    }
    let (block, lanes, one) = (b.int(BLOCK), b.int(lanes), b.int(1));
    let vectors = b.binary(BinaryOp::Div, size, lanes);
    let rest = b.binary(BinaryOp::Rem, size, lanes);
    let visits = b.add(vectors, rest);
    let visits = b.binary(BinaryOp::Max, visits, one);
    let visits = b.named("visits", visits);
    let each = b.binary(BinaryOp::Div, block, visits);
    let each = b.binary(BinaryOp::Max, each, one);
    let long = b.compare(CompareOp::Gt, visits, block);
    (b.named("each", each), Within::If(long))
}
