//! Scatter-adds on GPUs: the updates are put in the order of their rows, those of one row in their own order, and each row's
//! stretch of that order is summed.
//!
//! 1. A stable radix sort, [`DIGIT_BITS`] of the row number at a time. Each work-group takes a part of the updates, [`count`]s
//!    how often each digit comes, and [`place`]s its updates behind all of smaller digits and those of equal digits in the
//!    groups before it. The first count also fills the result with zeros.
//! 2. [`sum`]: a work-group takes [`BLOCK`] updates in that order, [`STRETCH`] by each work-item. Rows that begin and end
//!    within the block are done. What the block has of the rows at its two ends is kept: its *head* and its *tail*.
//! 3. [`join`]: each row that reaches the end of a block adds the heads of the blocks that it goes on in.
//!
//! However often a row is hit, no work-item adds more than a few dozen updates and a head for each block. Which additions are
//! made in which order depends on the indices alone, so that a run repeats.

use super::scatter::{ScatterAdd, Sizes, shifted};
use super::sizes::{dim_value, divisor};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::{BinaryOp, CompareOp};
use crate::kir::build::KernelBuilder;
use crate::kir::{Access, ArrayId, AtomicOp, AtomicTarget, ExprId, Launch, ParamKind, Space, Stmt, VarId, WorkItem};
use crate::variant::LOOP_GROUP;

/// Bits of the row number that one pass sorts by: as many digits as a work-group has work-items.
const DIGIT_BITS: u32 = LOOP_GROUP.trailing_zeros();
/// Work-groups that sort, however many updates there are.
const GROUPS: u32 = 128;
/// Updates that one work-item adds up.
const STRETCH: u32 = 16;
/// Neighbouring elements of a row that one work-group sums.
const LANES: u32 = 8;
/// Updates that one work-group sums.
const BLOCK: u32 = LOOP_GROUP / LANES * STRETCH;
/// Local memory that each of the kernels stays below, in bytes.
pub(crate) const LOCAL_BYTES: u64 = 8 << 10;

/// What lies in memory between the kernels, by the names of the buffers.
#[derive(Clone, Debug)]
pub(crate) struct Between {
    /// How often each digit comes in the updates of each group.
    pub counts: String,
    /// The numbers of the updates, sorted by one digit more after each pass.
    pub orders: Vec<String>,
    /// The sum of what each block has of the row that its first update belongs to.
    pub heads: String,
    /// Of the row that its last update belongs to, if that is another.
    pub tails: String,
}

/// One buffer of [`Between`]: what it holds, in a word, and how much.
pub(crate) type Kept = (&'static str, Shape, DType);

impl Sizes {
    /// Passes of the sort. Row numbers go up to that of no row.
    pub(crate) fn passes(&self) -> u32 {
        let most = self.rows.as_constant().and_then(|rows| u32::try_from(rows).ok()).unwrap_or(i32::MAX as u32);
        (u32::BITS - most.leading_zeros()).div_ceil(DIGIT_BITS).max(1)
    }

    /// Blocks of updates.
    pub(crate) fn blocks(&self) -> Dim {
        self.count.ceil_div(u64::from(BLOCK))
    }

    /// What lies in memory between the kernels, in the order of [`Between`].
    pub(crate) fn between(&self) -> Vec<Kept> {
        let counts = Shape::of(&[GROUPS as usize, LOOP_GROUP as usize]);
        let ends = Shape(vec![self.blocks(), self.features.clone()]);
        let mut kept = vec![("counts", counts, DType::I32)];
        kept.extend((0..self.passes()).map(|_| ("order", Shape(vec![self.count.clone()]), DType::I32)));
        kept.extend([("heads", ends.clone(), self.dtype), ("tails", ends, self.dtype)]);
        kept
    }
}

impl ScatterAdd {
    /// The digit of the row of the update at `at` that `pass` sorts by.
    fn digit(&self, b: &mut KernelBuilder, at: ExprId, pass: u32) -> ExprId {
        let row = self.row(b, at);
        let row = shifted(b, row, pass * DIGIT_BITS);
        let mask = b.int(i64::from(LOOP_GROUP - 1));
        b.binary(BinaryOp::And, row, mask)
    }

    /// Stores the sum of `row`, where there is such a row.
    fn store_row(&self, b: &mut KernelBuilder, row: ExprId, feature: ExprId, sum: ExprId) {
        let result = b.param(&self.result, ParamKind::Buffer(self.sizes.dtype, Access::Write));
        let rows = dim_value(b, &self.sizes.rows);
        let exists = b.compare(CompareOp::Lt, row, rows);
        b.if_then(exists, |b| {
            let place = self.start(b, row);
            let place = b.add(place, feature);
            b.store(result, place, sum);
        });
    }
}

impl Between {
    /// The number of the update at `position` of the order after `passes` passes.
    fn update(&self, b: &mut KernelBuilder, position: ExprId, passes: usize) -> ExprId {
        let Some(order) = passes.checked_sub(1).and_then(|last| self.orders.get(last)) else { return position };
        let order = b.param(order, ParamKind::Buffer(DType::I32, Access::Read));
        b.load(order, position, 1)
    }

    /// The row of the update at `position` of the final order.
    fn row(&self, b: &mut KernelBuilder, scatter: &ScatterAdd, position: ExprId) -> ExprId {
        let update = self.update(b, position, self.orders.len());
        scatter.row(b, update)
    }
}

/// `global` work-groups of [`LOOP_GROUP`] work-items.
fn launch(groups: &Dim) -> Launch {
    Launch { global: vec![groups.clone() * Dim::from(LOOP_GROUP as usize)], local: vec![LOOP_GROUP] }
}

/// The work-item's number in its group, and the group's.
fn item_and_group(b: &mut KernelBuilder) -> [ExprId; 2] {
    [("item", WorkItem::LocalId), ("group", WorkItem::GroupId)].map(|(name, id)| {
        let id = b.work_item(id, 0);
        b.named(name, id)
    })
}

/// From where to where the group's part of the updates goes.
fn part(b: &mut KernelBuilder, scatter: &ScatterAdd, group: ExprId) -> [ExprId; 2] {
    let size = dim_value(b, &scatter.sizes.count.ceil_div(u64::from(GROUPS)));
    let first = b.mul(group, size);
    let first = b.named("first", first);
    let (end, count) = (b.add(first, size), dim_value(b, &scatter.sizes.count));
    let end = b.binary(BinaryOp::Min, end, count);
    [first, b.named("end", end)]
}

/// Adds `value` to `var`.
fn increase(b: &mut KernelBuilder, var: VarId, value: ExprId) {
    let own = b.get(var);
    let sum = b.add(own, value);
    b.assign(var, sum);
}

/// Counts the digits of `pass` in each group's part.
pub(crate) fn count(scatter: &ScatterAdd, between: &Between, pass: u32, name: &str) -> KernelBuilder {
    let mut builder = KernelBuilder::new(name, launch(&Dim::from(GROUPS as usize)));
    let b = &mut builder;
    let counts = b.param(&between.counts, ParamKind::Buffer(DType::I32, Access::Write));
    let own = b.array("own", Space::Local, DType::I32, LOOP_GROUP);
    let [item, group] = item_and_group(b);
    let (zero, one, size) = (b.int(0), b.int(1), b.int(i64::from(LOOP_GROUP)));
    b.stmt(Stmt::StoreArray { array: own, index: item, value: zero });
    b.barrier();
    let [first, end] = part(b, scatter, group);
    let mine = b.add(first, item);
    b.for_loop("i", mine, end, size, |b, i| {
        let update = between.update(b, i, pass as usize);
        let digit = scatter.digit(b, update, pass);
        let target = AtomicTarget::Local(own);
        b.stmt(Stmt::Atomic { op: AtomicOp::Add, target, index: digit, value: one, old: None });
    });
    b.barrier();
    let count = b.load_array(own, item);
    let place = b.mul(group, size);
    let place = b.add(place, item);
    b.store(counts, place, count);
    if pass == 0 {
        b.comment("rows that no update hits are zero");
        let result = b.param(&scatter.result, ParamKind::Buffer(scatter.sizes.dtype, Access::Write));
        let elements = dim_value(b, &(scatter.sizes.rows.clone() * scatter.sizes.features.clone()));
        let (zero, all) = (scatter.zero(b), b.int(i64::from(GROUPS * LOOP_GROUP)));
        b.for_loop("e", place, elements, all, |b, e| b.store(result, e, zero));
    }
    builder
}

/// Puts the updates in the order of their digits of `pass`, those with equal ones as they were.
pub(crate) fn place(scatter: &ScatterAdd, between: &Between, pass: u32, name: &str) -> KernelBuilder {
    let mut builder = KernelBuilder::new(name, launch(&Dim::from(GROUPS as usize)));
    let b = &mut builder;
    let counts = b.param(&between.counts, ParamKind::Buffer(DType::I32, Access::Read));
    let order = b.param(&between.orders[pass as usize], ParamKind::Buffer(DType::I32, Access::Write));
    let [digits, totals, places] =
        ["digits", "totals", "places"].map(|name| b.array(name, Space::Local, DType::I32, LOOP_GROUP));
    let [item, group] = item_and_group(b);
    let (zero, one, size) = (b.int(0), b.int(1), b.int(i64::from(LOOP_GROUP)));
    b.comment(
        "where the group's first update with each digit goes: behind those of other groups, and of smaller digits",
    );
    let (before, total) = (b.bind("before", zero), b.bind("total", zero));
    let groups = b.int(i64::from(GROUPS));
    b.for_loop("other", zero, groups, one, |b, other| {
        let at = b.mul(other, size);
        let at = b.add(at, item);
        let count = b.load(counts, at, 1);
        let count = b.named("count", count);
        increase(b, total, count);
        let earlier = b.compare(CompareOp::Lt, other, group);
        b.if_then(earlier, |b| increase(b, before, count));
    });
    let value = b.get(total);
    b.stmt(Stmt::StoreArray { array: totals, index: item, value });
    b.barrier();
    b.for_loop("digit", zero, item, one, |b, digit| {
        let count = b.load_array(totals, digit);
        increase(b, before, count);
    });
    let value = b.get(before);
    b.stmt(Stmt::StoreArray { array: places, index: item, value });
    let [first, end] = part(b, scatter, group);
    b.for_loop("tile", first, end, size, |b, tile| {
        let at = b.add(tile, item);
        let at = b.named("at", at);
        let inside = b.compare(CompareOp::Lt, at, end);
        // What is no update has no digit.
        let (update, digit) = (b.bind("update", zero), b.bind("own", size));
        b.if_then(inside, |b| {
            let value = between.update(b, at, pass as usize);
            b.assign(update, value);
            let value = b.get(update);
            let value = scatter.digit(b, value, pass);
            b.assign(digit, value);
        });
        let own = b.get(digit);
        b.stmt(Stmt::StoreArray { array: digits, index: item, value: own });
        b.barrier();
        b.if_then(inside, |b| {
            let rank = b.bind("rank", zero);
            b.for_loop("other", zero, item, one, |b, other| {
                let theirs = b.load_array(digits, other);
                let equal = b.compare(CompareOp::Eq, theirs, own);
                b.if_then(equal, |b| increase(b, rank, one));
            });
            let (place, rank) = (b.load_array(places, own), b.get(rank));
            let place = b.add(place, rank);
            let update = b.get(update);
            b.store(order, place, update);
        });
        b.barrier();
        b.if_then(inside, |b| {
            let target = AtomicTarget::Local(places);
            b.stmt(Stmt::Atomic { op: AtomicOp::Add, target, index: own, value: one, old: None });
        });
    });
    builder
}

/// A walk along the order: the row that it is at, the sum so far, and whether it began there.
struct Walk {
    row: VarId,
    sum: VarId,
    at_head: VarId,
    /// What the walk has of the row that it began at, once it has left it.
    head: VarId,
}

impl Walk {
    fn new(b: &mut KernelBuilder, scatter: &ScatterAdd, row: ExprId) -> Walk {
        let (zero, one) = (scatter.zero(b), b.int(1));
        let [row, at_head] = [("row", row), ("at_head", one)].map(|(name, value)| b.bind(name, value));
        Walk { row, sum: b.bind("sum", zero), at_head, head: b.bind("head", zero) }
    }

    /// Adds `value` to `row`, before which the sum of another row is done: unless the walk began there, `done` gets that row
    /// and its sum.
    fn add(
        &self,
        b: &mut KernelBuilder,
        scatter: &ScatterAdd,
        (row, value): (ExprId, ExprId),
        done: &dyn Fn(&mut KernelBuilder, ExprId, ExprId),
    ) {
        let before = b.get(self.row);
        let left = b.compare(CompareOp::Ne, row, before);
        b.if_then(left, |b| {
            let (at_head, sum, zero) = (b.get(self.at_head), b.get(self.sum), b.int(0));
            let at_head = b.compare(CompareOp::Ne, at_head, zero);
            b.open();
            b.assign(self.head, sum);
            b.assign(self.at_head, zero);
            let then = b.close();
            b.open();
            done(b, before, sum);
            let otherwise = b.close();
            b.stmt(Stmt::If { condition: at_head, then, otherwise });
            b.assign(self.row, row);
            let none = scatter.zero(b);
            b.assign(self.sum, none);
        });
        increase(b, self.sum, value);
    }

    /// What it has of the row that it began at, and of the one that it ended at; the same where it has left none.
    fn ends(&self, b: &mut KernelBuilder) -> [ExprId; 2] {
        let (at_head, zero) = (b.get(self.at_head), b.int(0));
        let whole = b.compare(CompareOp::Ne, at_head, zero);
        let (head, sum) = (b.get(self.head), b.get(self.sum));
        [b.select(whole, sum, head), sum]
    }
}

/// Sums the rows within each block, and keeps what it has of those at its ends.
pub(crate) fn sum(scatter: &ScatterAdd, between: &Between, name: &str) -> KernelBuilder {
    let tiles = scatter.sizes.features.ceil_div(u64::from(LANES));
    let groups = scatter.sizes.blocks() * tiles.clone();
    let mut builder = KernelBuilder::new(name, launch(&groups));
    let b = &mut builder;
    let stretches = LOOP_GROUP / LANES;
    let local =
        |b: &mut KernelBuilder, name: &str, dtype: DType, length: u32| b.array(name, Space::Local, dtype, length);
    let rows = ["head_rows", "tail_rows"].map(|name| local(b, name, DType::I32, stretches));
    let sums = ["head_sums", "tail_sums"].map(|name| local(b, name, scatter.sizes.dtype, LOOP_GROUP));
    let [item, group] = item_and_group(b);
    let tiles = divisor(b, &tiles);
    let block = b.binary(BinaryOp::Div, group, tiles);
    let block = b.named("block", block);
    let tile = b.binary(BinaryOp::Rem, group, tiles);
    let lanes = b.int(i64::from(LANES));
    let stretch = b.binary(BinaryOp::Div, item, lanes);
    let stretch = b.named("stretch", stretch);
    let lane = b.binary(BinaryOp::Rem, item, lanes);
    let lane = b.named("lane", lane);
    let feature = b.mul(tile, lanes);
    let feature = b.add(feature, lane);
    let feature = b.named("feature", feature);
    let features = dim_value(b, &scatter.sizes.features);
    let inside = b.compare(CompareOp::Lt, feature, features);
    let size = b.int(i64::from(BLOCK));
    let first = b.mul(block, size);
    let length = b.int(i64::from(STRETCH));
    let own = b.mul(stretch, length);
    let first = b.add(first, own);
    let first = b.named("first", first);
    let (end, count) = (b.add(first, length), dim_value(b, &scatter.sizes.count));
    let end = b.binary(BinaryOp::Min, end, count);
    let end = b.named("end", end);
    // The last block may have stretches without updates.
    let any = b.compare(CompareOp::Lt, first, end);
    b.if_then(any, |b| {
        let row = between.row(b, scatter, first);
        let head_row = b.named("head_row", row);
        let walk = Walk::new(b, scatter, head_row);
        let one = b.int(1);
        b.for_loop("i", first, end, one, |b, i| {
            let update = between.update(b, i, between.orders.len());
            let update = b.named("update", update);
            let row = scatter.row(b, update);
            let row = b.named("next", row);
            let updates = scatter.updates(b);
            let place = scatter.start(b, update);
            let place = b.add(place, feature);
            let value = b.load(updates, place, 1);
            let none = scatter.zero(b);
            let value = b.select(inside, value, none);
            let value = b.named("value", value);
            walk.add(b, scatter, (row, value), &|b, row, sum| {
                b.if_then(inside, |b| scatter.store_row(b, row, feature, sum));
            });
        });
        let ends = walk.ends(b);
        for (array, value) in sums.into_iter().zip(ends) {
            b.stmt(Stmt::StoreArray { array, index: item, value });
        }
        let zero = b.int(0);
        let leads = b.compare(CompareOp::Eq, lane, zero);
        let tail_row = b.get(walk.row);
        b.if_then(leads, |b| {
            for (array, value) in rows.into_iter().zip([head_row, tail_row]) {
                b.stmt(Stmt::StoreArray { array, index: stretch, value });
            }
        });
    });
    b.barrier();
    let first_stretch = b.compare(CompareOp::Lt, item, lanes);
    let joins = b.binary(BinaryOp::And, first_stretch, inside);
    b.if_then(joins, |b| join_stretches(b, scatter, between, (block, lane, feature), (rows, sums)));
    builder
}

/// Joins the stretches of a block: what all of them have of a row is added, each row that begins and ends within is stored.
fn join_stretches(
    b: &mut KernelBuilder,
    scatter: &ScatterAdd,
    between: &Between,
    (block, lane, feature): (ExprId, ExprId, ExprId),
    (rows, sums): ([ArrayId; 2], [ArrayId; 2]),
) {
    let (zero, one) = (b.int(0), b.int(1));
    let done = |b: &mut KernelBuilder, row: ExprId, sum: ExprId| scatter.store_row(b, row, feature, sum);
    let row = b.load_array(rows[0], zero);
    let walk = Walk::new(b, scatter, row);
    // As many stretches as have updates.
    let (size, count) = (b.int(i64::from(BLOCK)), dim_value(b, &scatter.sizes.count));
    let first = b.mul(block, size);
    let left = b.binary(BinaryOp::Sub, count, first);
    let left = b.binary(BinaryOp::Min, left, size);
    let (length, most) = (b.int(i64::from(STRETCH)), b.int(i64::from(STRETCH - 1)));
    let stretches = b.add(left, most);
    let stretches = b.binary(BinaryOp::Div, stretches, length);
    b.for_loop("other", zero, stretches, one, |b, other| {
        let lanes = b.int(i64::from(LANES));
        let place = b.mul(other, lanes);
        let place = b.add(place, lane);
        let place = b.named("place", place);
        let [head_row, tail_row] = rows.map(|array| b.load_array(array, other));
        let (head_row, tail_row) = (b.named("head_row", head_row), b.named("tail_row", tail_row));
        let [head, tail] = sums.map(|array| b.load_array(array, place));
        let (head, tail) = (b.named("head_sum", head), b.named("tail_sum", tail));
        walk.add(b, scatter, (head_row, head), &done);
        let two = b.compare(CompareOp::Ne, tail_row, head_row);
        b.if_then(two, |b| walk.add(b, scatter, (tail_row, tail), &done));
    });
    let ends = walk.ends(b);
    let place = scatter.start(b, block);
    let place = b.add(place, feature);
    for (name, value) in [&between.heads, &between.tails].into_iter().zip(ends) {
        let kept = b.param(name, ParamKind::Buffer(scatter.sizes.dtype, Access::Write));
        b.store(kept, place, value);
    }
}

/// Stores the rows at the ends of blocks: those that a block begins or ends with and that begin in it.
pub(crate) fn join(scatter: &ScatterAdd, between: &Between, name: &str) -> KernelBuilder {
    let items = scatter.sizes.blocks() * scatter.sizes.features.clone();
    let mut builder = KernelBuilder::new(name, Launch { global: vec![items.clone()], local: vec![LOOP_GROUP] });
    let b = &mut builder;
    let item = b.work_item(WorkItem::GlobalId, 0);
    let item = b.named("item", item);
    let items = dim_value(b, &items);
    let inside = b.compare(CompareOp::Lt, item, items);
    b.if_then(inside, |b| {
        let [heads, tails] = [&between.heads, &between.tails]
            .map(|name| b.param(name, ParamKind::Buffer(scatter.sizes.dtype, Access::Read)));
        let (zero, one, two) = (b.int(0), b.int(1), b.int(2));
        let (size, count) = (b.int(i64::from(BLOCK)), dim_value(b, &scatter.sizes.count));
        let features = divisor(b, &scatter.sizes.features);
        let block = b.binary(BinaryOp::Div, item, features);
        let block = b.named("block", block);
        let feature = b.binary(BinaryOp::Rem, item, features);
        let feature = b.named("feature", feature);
        let first = b.mul(block, size);
        let first = b.named("first", first);
        let end = b.add(first, size);
        let end = b.binary(BinaryOp::Min, end, count);
        let last = b.binary(BinaryOp::Sub, end, one);
        let (head_row, tail_row) = (between.row(b, scatter, first), between.row(b, scatter, last));
        let (head_row, tail_row) = (b.named("head_row", head_row), b.named("tail_row", tail_row));
        let begins = b.bind("begins", one);
        let later = b.compare(CompareOp::Gt, block, zero);
        b.if_then(later, |b| {
            let before = b.binary(BinaryOp::Sub, first, one);
            let before = between.row(b, scatter, before);
            let goes_on = b.compare(CompareOp::Eq, before, head_row);
            b.if_then(goes_on, |b| b.assign(begins, zero));
        });
        let begins = b.get(begins);
        let begins = b.compare(CompareOp::Ne, begins, zero);
        let head = b.load(heads, item, 1);
        let head = b.named("head", head);
        let several = b.compare(CompareOp::Ne, head_row, tail_row);
        let ends = b.binary(BinaryOp::And, several, begins);
        b.if_then(ends, |b| scatter.store_row(b, head_row, feature, head));
        let tail_begins = b.binary(BinaryOp::Or, several, begins);
        b.if_then(tail_begins, |b| {
            let tail = b.load(tails, item, 1);
            let sum = b.select(several, tail, head);
            let sum = b.bind("sum", sum);
            b.comment("the first block behind this one that begins with another row");
            let next = b.add(block, one);
            let blocks = dim_value(b, &scatter.sizes.blocks());
            let (low, high) = (b.bind("low", next), b.bind("high", blocks));
            let (from, to) = (b.get(low), b.get(high));
            let condition = b.compare(CompareOp::Lt, from, to);
            b.open();
            let middle = b.add(from, to);
            let middle = b.binary(BinaryOp::Div, middle, two);
            let middle = b.named("middle", middle);
            let position = b.mul(middle, size);
            let row = between.row(b, scatter, position);
            let same = b.compare(CompareOp::Eq, row, tail_row);
            b.open();
            let behind = b.add(middle, one);
            b.assign(low, behind);
            let then = b.close();
            b.open();
            b.assign(high, middle);
            let otherwise = b.close();
            b.stmt(Stmt::If { condition: same, then, otherwise });
            let body = b.close();
            b.stmt(Stmt::While { condition, body });
            let stop = b.get(low);
            b.for_loop("other", next, stop, one, |b, other| {
                let place = scatter.start(b, other);
                let place = b.add(place, feature);
                let head = b.load(heads, place, 1);
                increase(b, sum, head);
            });
            let sum = b.get(sum);
            scatter.store_row(b, tail_row, feature, sum);
        });
    });
    builder
}
