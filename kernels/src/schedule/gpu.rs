//! The layout for GPUs: a work-item per element, or per vector of neighbours, or per few elements that share most of their index
//! arithmetic, or per row, or a work-group per row (or per 32 neighbouring rows) whose work-items share out the reduced elements, in
//! vectors where these are neighbours, and meet in local memory.

use super::accumulator::{Accumulator, in_blocks, is_long};
use super::nest::Domain;
use super::sizes::dim_value;
use super::values::{Coordinates, Values};
use super::{Job, Visit, combining};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::{BinaryOp, CompareOp, Op, ReduceOp};
use crate::index::Index;
use crate::kir::build::KernelBuilder;
use crate::kir::{ArrayId, ExprId, Launch, Space, Stmt, WorkItem};
use crate::variant::{LOOP_GROUP, Variant};

/// Rows that one work-group takes where memory is contiguous across rows.
const TILE: u32 = 32;
/// Lanes of vectors: 16 bytes of the commonest type, which is what memory hands out at a time.
const LANES: u8 = 4;

/// The most elements of a map that one work-item computes one after the other.
const COARSENED: i64 = 16;
/// How many neighbours in memory are left to work-items side by side, so that a sub-group writes them at once.
const SIDE_BY_SIDE: u64 = 32;
/// How many work-items such a map has at least: fewer would leave much of a GPU without work.
const FEWEST_ITEMS: u64 = 1 << 14;

/// Loop variables of this layout.
const ROW: usize = 0;
const COLUMN: usize = 1;

/// Who computes a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowMapping {
    /// One work-item.
    Item,
    /// One work-item for [`LANES`] neighbours in it, or the fewer that are left at its end.
    Vector,
    /// One work-group.
    Group,
    /// One column of work-items of a work-group: [`TILE`] rows, `LOOP_GROUP / TILE` work-items each.
    Tile,
}

/// How a cluster is laid out.
pub(crate) struct Layout {
    domain: Domain,
    form: RowMapping,
    /// How many neighbours of a row a work-item takes at a time.
    lanes: u8,
}

impl Layout {
    /// The layout that the variant of `job` asks for.
    pub(crate) fn new(job: &Job<'_>) -> Layout {
        let (space, reduced) = job.nest.space();
        if reduced.is_empty() {
            // The longest run of innermost axes over which vectors work.
            let split = |count: usize| {
                let (outer, inner) = (0..space.rank() - count, space.rank() - count..space.rank());
                Domain::new(space, &[outer.collect(), inner.collect()])
            };
            let mut domains = (1..=space.rank()).rev().map(split);
            let vectors = domains.find(|domain| job.nest.vectorizes(domain, COLUMN));
            if let Some(domain) = vectors.filter(|_| job.variant == Variant::ElementwiseVector) {
                return Layout { domain, form: RowMapping::Vector, lanes: LANES };
            }
            let together = coarsened(space);
            let apart = (0..space.rank()).filter(|axis| !together.contains(axis)).collect();
            return Layout { domain: Domain::new(space, &[apart, together]), form: RowMapping::Item, lanes: 1 };
        }
        let domain = Domain::new(space, &[job.nest.rows(), reduced.to_vec()]);
        let form = if reduced.is_empty() || job.variant != Variant::ReductionWorkGroup {
            RowMapping::Item
        } else if reduced.last() == Some(&(space.rank() - 1)) {
            RowMapping::Group
        } else {
            RowMapping::Tile
        };
        let lanes = if form != RowMapping::Tile && has_rows_of_vectors(job, &domain) { LANES } else { 1 };
        Layout { domain, form, lanes }
    }

    /// How many work-items it takes, if each works alone.
    fn items(&self) -> Dim {
        let rows = self.domain.extents[ROW].clone();
        match self.form {
            RowMapping::Vector => rows * self.domain.extents[COLUMN].ceil_div(u64::from(LANES)),
            _ => rows,
        }
    }

    /// How many work-groups it takes.
    pub(crate) fn groups(&self) -> Dim {
        let rows = &self.domain.extents[ROW];
        match self.form {
            RowMapping::Item | RowMapping::Vector => self.items().ceil_div(u64::from(LOOP_GROUP)),
            RowMapping::Group => rows.clone(),
            RowMapping::Tile => rows.ceil_div(u64::from(TILE)),
        }
    }
}

/// Whether every row is made of vectors of neighbours, of which none is left over. Where an extremum stands is asked of each
/// element.
fn has_rows_of_vectors(job: &Job<'_>, domain: &Domain) -> bool {
    let whole = domain.extents[COLUMN].as_constant().is_some_and(|size| size > 0 && size % i64::from(LANES) == 0);
    let places = job
        .nest
        .members()
        .iter()
        .any(|id| matches!(job.nest.graph[*id].op, Op::Reduce { op: ReduceOp::ArgMax | ReduceOp::ArgMin, .. }));
    whole && !places && job.nest.vectorizes(domain, COLUMN)
}

/// The axes of a map whose elements one work-item computes: short ones outside of those along which memory is contiguous. As taps
/// of a window, they share what it takes to find a pixel, which takes longer than to copy it (thread coarsening).
fn coarsened(space: &Shape) -> Vec<usize> {
    let most = COARSENED.min((space.elements().estimate() / FEWEST_ITEMS) as i64);
    let (mut inner, mut elements, mut axes) = (1u64, 1, Vec::new());
    for (axis, size) in space.0.iter().enumerate().rev() {
        match size.as_constant() {
            Some(size) if inner >= SIDE_BY_SIDE && size > 1 && elements * size <= most => {
                elements *= size;
                axes.insert(0, axis);
            }
            _ => inner = inner.saturating_mul(size.estimate()),
        }
    }
    axes
}

/// One cluster as a kernel.
pub(crate) fn kernel(job: &Job<'_>, name: &str) -> KernelBuilder {
    let layout = Layout::new(job);
    let global = match layout.form {
        RowMapping::Item | RowMapping::Vector => layout.items(),
        RowMapping::Group | RowMapping::Tile => layout.groups() * Dim::constant(i64::from(LOOP_GROUP)),
    };
    let mut b = KernelBuilder::new(name, Launch { global: vec![global], local: vec![LOOP_GROUP] }).indexed(job.width);
    match layout.form {
        RowMapping::Item | RowMapping::Vector => {
            let item = b.work_item(WorkItem::GlobalId, 0);
            items(&mut b, job, &layout, item);
        }
        RowMapping::Group | RowMapping::Tile => {
            let group = b.work_item(WorkItem::GroupId, 0);
            groups(&mut b, job, &layout, group);
        }
    }
    b
}

/// The work of work-group `group` of `job`.
pub(crate) fn body(b: &mut KernelBuilder, job: &Job<'_>, layout: &Layout, group: ExprId) {
    match layout.form {
        RowMapping::Item | RowMapping::Vector => {
            let size = b.int(i64::from(LOOP_GROUP));
            let lid = b.work_item(WorkItem::LocalId, 0);
            let start = b.mul(group, size);
            let item = b.add(start, lid);
            items(b, job, layout, item);
        }
        RowMapping::Group | RowMapping::Tile => groups(b, job, layout, group),
    }
}

/// What work-item `item` computes alone.
fn items(b: &mut KernelBuilder, job: &Job<'_>, layout: &Layout, item: ExprId) {
    match layout.form {
        RowMapping::Vector => vectors(b, job, layout, item),
        _ => row(b, job, layout, item),
    }
}

/// [`LANES`] neighbours by one work-item.
fn vectors(b: &mut KernelBuilder, job: &Job<'_>, layout: &Layout, item: ExprId) {
    let stops = |id| job.nest.stops(id);
    let mut values = Values::new(job.nest.graph, layout.domain.extents.clone(), &stops, job.buffer_name);
    let [rows, columns] = [ROW, COLUMN].map(|var| &layout.domain.extents[var]);
    let chunks = dim_value(b, &columns.ceil_div(u64::from(LANES)));
    let items = dim_value(b, &layout.items());
    let size = dim_value(b, columns);
    let (zero, one, lanes) = (b.int(0), b.int(1), b.int(i64::from(LANES)));
    let item = b.named("item", item);
    let inside = b.compare(CompareOp::Lt, item, items);
    b.open();
    let (row, chunk) = match rows.is(1) {
        true => (zero, item),
        false => {
            let row = b.binary(BinaryOp::Div, item, chunks);
            let chunk = b.binary(BinaryOp::Rem, item, chunks);
            (b.named("row", row), chunk)
        }
    };
    let first = b.mul(chunk, lanes);
    let first = b.named("i", first);
    let schedule = job.nest.schedule();
    let mut visit = |b: &mut KernelBuilder, column: ExprId, lanes: u8| {
        values.known.clear();
        let at = Coordinates { values: vec![row, column], vector: Some(COLUMN), lanes };
        for (_, stores) in &schedule {
            let visit = Visit { reduces: &[], stores, only_if: None };
            job.visit(b, &mut values, &visit, &at, &layout.domain, &Index::default());
        }
    };
    let exact = columns.as_constant().is_some_and(|columns| columns % i64::from(LANES) == 0);
    if exact {
        visit(b, first, LANES);
    } else {
        let end = b.add(first, lanes);
        let end = b.named("end", end);
        let whole = b.compare(CompareOp::Le, end, size);
        b.open();
        visit(b, first, LANES);
        let then = b.close();
        b.open();
        b.for_loop("k", first, size, one, |b, k| visit(b, k, 1));
        let otherwise = b.close();
        b.stmt(Stmt::If { condition: whole, then, otherwise });
    }
    let then = b.close();
    b.stmt(Stmt::If { condition: inside, then, otherwise: Vec::new() });
}

/// One row by one work-item.
fn row(b: &mut KernelBuilder, job: &Job<'_>, layout: &Layout, item: ExprId) {
    let stops = |id| job.nest.stops(id);
    let mut values = Values::new(job.nest.graph, layout.domain.extents.clone(), &stops, job.buffer_name);
    let name = if layout.domain.extents[COLUMN].is(1) { "i" } else { "row" };
    let row = b.named(name, item);
    let rows = dim_value(b, &layout.domain.extents[ROW]);
    let inside = b.compare(CompareOp::Lt, row, rows);
    b.open();
    for (reduces, stores) in &job.nest.schedule() {
        let lanes = layout.lanes;
        let long = is_long(&layout.domain.extents[COLUMN].ceil_div(u64::from(lanes)));
        let accumulators: Vec<Accumulator> =
            reduces.iter().map(|&id| Accumulator::start(b, job.nest.graph, id, lanes, long)).collect();
        let visit = Visit { reduces: &accumulators, stores, only_if: None };
        let zero = b.int(0);
        let mut column = |b: &mut KernelBuilder, k: ExprId| {
            let at = Coordinates { values: vec![row, k], vector: (lanes > 1).then_some(COLUMN), lanes };
            job.visit(b, &mut values, &visit, &at, &layout.domain, &Index::var(COLUMN));
        };
        if layout.domain.extents[COLUMN].is(1) {
            column(b, zero);
        } else {
            let end = dim_value(b, &layout.domain.extents[COLUMN]);
            in_blocks(b, "k", (zero, end, i64::from(lanes)), (&accumulators, None), column);
        }
        for accumulator in &accumulators {
            let result = own_result(b, accumulator);
            let at = job.nest.coordinates_of(accumulator.node, &layout.domain);
            values.known.insert(accumulator.node, (at, result));
        }
    }
    let zero = b.int(0);
    let at = Coordinates { values: vec![row, zero], vector: None, lanes: 1 };
    job.finish_row(b, &mut values, &at, &layout.domain);
    let then = b.close();
    b.stmt(Stmt::If { condition: inside, then, otherwise: Vec::new() });
}

/// What a work-item has reduced by itself, its lanes together.
fn own_result(b: &mut KernelBuilder, accumulator: &Accumulator) -> ExprId {
    accumulator.finish(b);
    let result = accumulator.result(b);
    if b.ty(result).lanes == 1 {
        return result;
    }
    let result = b.horizontal(accumulator.op, result);
    b.named(&format!("{}_own", accumulator.op.name()), result)
}

/// Rows by work-groups.
fn groups(b: &mut KernelBuilder, job: &Job<'_>, layout: &Layout, group: ExprId) {
    let stops = |id| job.nest.stops(id);
    let mut values = Values::new(job.nest.graph, layout.domain.extents.clone(), &stops, job.buffer_name);
    let lid = b.work_item(WorkItem::LocalId, 0);
    let lid = b.named("lid", lid);
    let zero = b.int(0);
    let rows = dim_value(b, &layout.domain.extents[ROW]);
    let columns = dim_value(b, &layout.domain.extents[COLUMN]);
    // Which row, which part of it, of how many, and whether this work-item stores.
    let (row, part, parts, inside, first);
    if layout.form == RowMapping::Group {
        row = b.named("row", group);
        part = lid;
        parts = LOOP_GROUP;
        inside = None;
        first = b.compare(CompareOp::Eq, lid, zero);
    } else {
        let tile = b.int(i64::from(TILE));
        let start = b.mul(group, tile);
        let x = b.binary(BinaryOp::Rem, lid, tile);
        let wanted = b.add(start, x);
        let wanted = b.named("wanted", wanted);
        let one = b.int(1);
        let last = b.binary(BinaryOp::Sub, rows, one);
        let clamped = b.binary(BinaryOp::Min, wanted, last);
        row = b.named("row", clamped);
        let y = b.binary(BinaryOp::Div, lid, tile);
        part = b.named("part", y);
        parts = LOOP_GROUP / TILE;
        let own = b.compare(CompareOp::Lt, wanted, rows);
        inside = Some(own);
        let leader = b.compare(CompareOp::Eq, part, zero);
        first = b.binary(BinaryOp::And, leader, own);
    }
    let stride = if layout.form == RowMapping::Group { 1 } else { TILE };
    let lanes = layout.lanes;
    let step = i64::from(parts) * i64::from(lanes);
    let each = b.int(i64::from(lanes));
    let start = b.mul(part, each);
    for (reduces, stores) in &job.nest.schedule() {
        let long = is_long(&layout.domain.extents[COLUMN].ceil_div(step as u64));
        let accumulators: Vec<Accumulator> =
            reduces.iter().map(|&id| Accumulator::start(b, job.nest.graph, id, lanes, long)).collect();
        let visit = Visit { reduces: &accumulators, stores, only_if: inside };
        in_blocks(b, "k", (start, columns, step), (&accumulators, None), |b, k| {
            let at = Coordinates { values: vec![row, k], vector: (lanes > 1).then_some(COLUMN), lanes };
            job.visit(b, &mut values, &visit, &at, &layout.domain, &Index::var(COLUMN));
        });
        let results = meet(b, job, &accumulators, lid, &Parts { part, count: parts, stride });
        for (accumulator, result) in accumulators.iter().zip(results) {
            let at = job.nest.coordinates_of(accumulator.node, &layout.domain);
            values.known.insert(accumulator.node, (at, result));
        }
    }
    if job.nest.row_stores().is_empty() {
        return;
    }
    b.open();
    let at = Coordinates { values: vec![row, zero], vector: None, lanes: 1 };
    job.finish_row(b, &mut values, &at, &layout.domain);
    let then = b.close();
    b.stmt(Stmt::If { condition: first, then, otherwise: Vec::new() });
}

/// How a row is shared out among the work-items of a work-group.
struct Parts {
    /// Which part this work-item has.
    part: ExprId,
    /// How many there are, and how far apart in the work-group.
    count: u32,
    stride: u32,
}

/// Where the partial results of a reduction meet: the values, and where an extremum stood.
struct Scratch {
    op: ReduceOp,
    values: ArrayId,
    places: Option<ArrayId>,
}

/// Combines the partial results of a row's work-items, of all reductions in the same rounds; all of them get the results.
fn meet(b: &mut KernelBuilder, job: &Job<'_>, accumulators: &[Accumulator], lid: ExprId, own: &Parts) -> Vec<ExprId> {
    debug_assert!(own.count.is_power_of_two(), "{} parts do not halve", own.count);
    if accumulators.is_empty() {
        return Vec::new();
    }
    let scratches: Vec<Scratch> = accumulators.iter().map(|own| deposit(b, job, own, lid)).collect();
    b.barrier();
    // Four by four: half as many rounds, and barriers, as two by two.
    let halvings = own.count.trailing_zeros();
    let each = if halvings.is_multiple_of(2) { 2 } else { 1 };
    let (zero, one) = (b.int(0), b.int(1));
    let rounds = b.int(i64::from(halvings / each));
    b.for_loop("round", zero, rounds, one, |b, round| {
        let (first, step) = (b.int(i64::from(own.count >> each)), b.int(i64::from(each)));
        let shift = b.mul(round, step);
        let left = b.binary(BinaryOp::Shr, first, shift);
        let left = b.named("left", left);
        let active = b.compare(CompareOp::Lt, own.part, left);
        b.if_then(active, |b| {
            for other in 1..1 << each {
                let distance = b.int(other * i64::from(own.stride));
                let offset = b.mul(left, distance);
                let partner = b.add(lid, offset);
                scratches.iter().for_each(|scratch| combine(b, scratch, lid, partner));
            }
        });
        b.barrier();
    });
    let first = match own.stride {
        1 => zero,
        stride => {
            let stride = b.int(i64::from(stride));
            b.binary(BinaryOp::Rem, lid, stride)
        }
    };
    let results = scratches.iter().map(|scratch| {
        let result = b.load_array(scratch.places.unwrap_or(scratch.values), first);
        b.named(&format!("{}_all", scratch.op.name()), result)
    });
    let results = results.collect();
    // Before the scratch memory is written again.
    b.barrier();
    results
}

/// Writes what this work-item has reduced by itself to where it meets that of the others.
fn deposit(b: &mut KernelBuilder, job: &Job<'_>, accumulator: &Accumulator, lid: ExprId) -> Scratch {
    let Op::Reduce { op, source, .. } = job.nest.graph[accumulator.node].op else { unreachable!("a reduction") };
    let dtype = job.nest.graph[source].dtype.compute();
    let number = b.kernel().arrays.len();
    let values = b.array(&format!("scratch{number}"), Space::Local, dtype, LOOP_GROUP);
    let places =
        accumulator.position.map(|_| b.array(&format!("places{number}"), Space::Local, DType::I32, LOOP_GROUP));
    let Some((places, position)) = places.zip(accumulator.position) else {
        let value = own_result(b, accumulator);
        b.stmt(Stmt::StoreArray { array: values, index: lid, value });
        return Scratch { op, values, places: None };
    };
    let (value, position) = (b.get(accumulator.value), b.get(position));
    b.stmt(Stmt::StoreArray { array: values, index: lid, value });
    b.stmt(Stmt::StoreArray { array: places, index: lid, value: position });
    Scratch { op, values, places: Some(places) }
}

/// `scratch[own] = combine(scratch[own], scratch[other])`.
fn combine(b: &mut KernelBuilder, &Scratch { op, values: scratch, places }: &Scratch, own: ExprId, other: ExprId) {
    let x = b.load_array(scratch, own);
    let y = b.load_array(scratch, other);
    let Some(places) = places else {
        let value = b.binary(combining(op), x, y);
        return b.stmt(Stmt::StoreArray { array: scratch, index: own, value });
    };
    let (x, y) = (b.named("x", x), b.named("y", y));
    let (px, py) = (b.load_array(places, own), b.load_array(places, other));
    let (px, py) = (b.named("x_at", px), b.named("y_at", py));
    let better = if op == ReduceOp::ArgMax { CompareOp::Gt } else { CompareOp::Lt };
    let wins = b.compare(better, y, x);
    let ties = b.compare(CompareOp::Eq, x, y);
    let earlier = b.compare(CompareOp::Lt, py, px);
    let tie = b.binary(BinaryOp::And, ties, earlier);
    let mut wins = b.binary(BinaryOp::Or, wins, tie);
    if b.ty(x).dtype.is_float() {
        // NaN wins over numbers, the first NaN over later ones.
        let y_nan = b.compare(CompareOp::Ne, y, y);
        let x_number = b.compare(CompareOp::Eq, x, x);
        let beats = b.binary(BinaryOp::Or, x_number, earlier);
        let nan = b.binary(BinaryOp::And, y_nan, beats);
        wins = b.binary(BinaryOp::Or, wins, nan);
    }
    b.if_then(wins, |b| {
        b.stmt(Stmt::StoreArray { array: scratch, index: own, value: y });
        b.stmt(Stmt::StoreArray { array: places, index: own, value: py });
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_item_has_the_taps_of_a_window_and_no_neighbours_in_memory() {
        let axes = |sizes: &[i64]| {
            // -1 is a symbol.
            let size = |&size: &i64| if size < 0 { Dim::symbol("N") } else { Dim::constant(size) };
            coarsened(&Shape(sizes.iter().map(size).collect()))
        };
        assert_eq!(axes(&[1, 64, 3, 3, -1, 16, 16]), [2, 3]);
        assert_eq!(axes(&[1, 64, 5, 5, -1, 16, 16]), [3]);
        assert_eq!(axes(&[4, 4, 1 << 20]), [0, 1]);
        // Two work-items that differ in a short axis alone would write far from each other.
        assert_eq!(axes(&[1 << 20, 3, 3]), [0; 0]);
        // Few elements are a work-item each.
        assert_eq!(axes(&[2, 3, 3, -1, 4, 4]), [0; 0]);
        assert_eq!(axes(&[4, 1 << 14]), [0]);
    }
}
