//! The sums of the rows, from updates in the order of their rows.

use super::intermediates::{BLOCK, Intermediates, LANES, STRETCH, increase, item_and_group, launch};
use crate::dtype::DType;
use crate::graph::{BinaryOp, CompareOp};
use crate::kir::build::KernelBuilder;
use crate::kir::{Access, ArrayId, ExprId, Launch, ParamKind, Space, Stmt, VarId, WorkItem};
use crate::schedule::accumulator::CompensatedSum;
use crate::schedule::scatter::ScatterAdd;
use crate::schedule::sizes::{dim_value, divisor};
use crate::variant::LOOP_GROUP;

/// A walk along the order: the row that it is at, the sum so far, and whether it began there.
struct SegmentedSum {
    row: VarId,
    sum: VarId,
    at_head: VarId,
    /// What the walk has of the row that it began at, once it has left it.
    head: VarId,
}

impl SegmentedSum {
    fn new(b: &mut KernelBuilder, scatter: &ScatterAdd, row: ExprId) -> SegmentedSum {
        let (zero, one) = (scatter.zero(b), b.int(1));
        let [row, at_head] = [("row", row), ("at_head", one)].map(|(name, value)| b.bind(name, value));
        SegmentedSum { row, sum: b.bind("sum", zero), at_head, head: b.bind("head", zero) }
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
pub(crate) fn sum(scatter: &ScatterAdd, between: &Intermediates, name: &str) -> KernelBuilder {
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
        let row = between.final_row(b, first);
        let head_row = b.named("head_row", row);
        let walk = SegmentedSum::new(b, scatter, head_row);
        let one = b.int(1);
        b.for_loop("i", first, end, one, |b, i| {
            let update = between.update(b, i, between.orders.len());
            let row = between.final_row(b, i);
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
    between: &Intermediates,
    (block, lane, feature): (ExprId, ExprId, ExprId),
    (rows, sums): ([ArrayId; 2], [ArrayId; 2]),
) {
    let (zero, one) = (b.int(0), b.int(1));
    let done = |b: &mut KernelBuilder, row: ExprId, sum: ExprId| scatter.store_row(b, row, feature, sum);
    let row = b.load_array(rows[0], zero);
    let walk = SegmentedSum::new(b, scatter, row);
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
pub(crate) fn join(scatter: &ScatterAdd, between: &Intermediates, name: &str) -> KernelBuilder {
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
        let (head_row, tail_row) = (between.final_row(b, first), between.final_row(b, last));
        let (head_row, tail_row) = (b.named("head_row", head_row), b.named("tail_row", tail_row));
        let begins = b.bind("begins", one);
        let later = b.compare(CompareOp::Gt, block, zero);
        b.if_then(later, |b| {
            let before = b.binary(BinaryOp::Sub, first, one);
            let before = between.final_row(b, before);
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
            let row = between.final_row(b, position);
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
            let total = scatter.sizes.dtype.is_float().then(|| CompensatedSum::new(b, "sum", sum));
            b.for_loop("other", next, stop, one, |b, other| {
                let place = scatter.start(b, other);
                let place = b.add(place, feature);
                let head = b.load(heads, place, 1);
                let head = b.named("head_sum", head);
                match total {
                    Some(total) => total.add(b, head),
                    None => increase(b, sum, head),
                }
            });
            let sum = match total {
                Some(total) => total.value(b),
                None => b.get(sum),
            };
            scatter.store_row(b, tail_row, feature, sum);
        });
    });
    builder
}
