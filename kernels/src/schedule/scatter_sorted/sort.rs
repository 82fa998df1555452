//! One pass of the stable radix sort.

use super::intermediates::{DIGIT_BITS, GROUPS, Intermediates, increase, item_and_group, launch};
use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::{BinaryOp, CompareOp};
use crate::kir::build::KernelBuilder;
use crate::kir::{Access, ArrayId, AtomicOp, AtomicTarget, ExprId, ParamKind, Space, Stmt};
use crate::schedule::scatter::{ScatterAdd, shifted};
use crate::schedule::sizes::dim_value;
use crate::variant::LOOP_GROUP;

/// Updates among which each is compared with those before it, to tell how many have its digit.
const CHUNK: u32 = 32;

/// From where to where the group's part of the updates goes.
fn part(b: &mut KernelBuilder, scatter: &ScatterAdd, group: ExprId) -> [ExprId; 2] {
    let size = dim_value(b, &scatter.sizes.count.ceil_div(u64::from(GROUPS)));
    let first = b.mul(group, size);
    let first = b.named("first", first);
    let (end, count) = (b.add(first, size), dim_value(b, &scatter.sizes.count));
    let end = b.binary(BinaryOp::Min, end, count);
    [first, b.named("end", end)]
}

/// The digit of `row` that `pass` sorts by.
fn digit(b: &mut KernelBuilder, row: ExprId, pass: u32) -> ExprId {
    let row = shifted(b, row, pass * DIGIT_BITS);
    let mask = b.int(i64::from(LOOP_GROUP - 1));
    b.binary(BinaryOp::And, row, mask)
}

/// Adds 1 to an element of local memory that other work-items may add to.
fn count_up(b: &mut KernelBuilder, array: ArrayId, index: ExprId) {
    let value = b.int(1);
    b.stmt(Stmt::Atomic { op: AtomicOp::Add, target: AtomicTarget::Local(array), index, value, old: None });
}

/// Counts the digits of `pass` in each group's part. The first pass also keeps the rows that it counts, and later ones read
/// these: the indices may be an argument, and nothing keeps its owner from writing to it between two launches.
pub(crate) fn count(scatter: &ScatterAdd, between: &Intermediates, pass: u32, name: &str) -> KernelBuilder {
    let mut builder = KernelBuilder::new(name, launch(&Dim::from(GROUPS as usize)));
    let b = &mut builder;
    let counts = b.param(&between.counts, ParamKind::Buffer(DType::I32, Access::Write));
    let own = b.array("own", Space::Local, DType::I32, LOOP_GROUP);
    let [item, group] = item_and_group(b);
    let (zero, size) = (b.int(0), b.int(i64::from(LOOP_GROUP)));
    b.stmt(Stmt::StoreArray { array: own, index: item, value: zero });
    b.barrier();
    let [first, end] = part(b, scatter, group);
    let mine = b.add(first, item);
    b.for_loop("i", mine, end, size, |b, i| {
        let row = if pass == 0 {
            let counted = b.param(&between.rows[0], ParamKind::Buffer(DType::I32, Access::Write));
            let row = scatter.row(b, i);
            let row = b.named("row", row);
            b.store(counted, i, row);
            row
        } else {
            between.row(b, i, pass as usize)
        };
        let digit = digit(b, row, pass);
        count_up(b, own, digit);
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

/// Where the group's first update with the digit `item` goes: behind those of smaller digits, and of other groups with this
/// one.
fn first_place(b: &mut KernelBuilder, between: &Intermediates, [item, group]: [ExprId; 2]) -> ExprId {
    let counts = b.param(&between.counts, ParamKind::Buffer(DType::I32, Access::Read));
    let totals = b.array("totals", Space::Local, DType::I32, LOOP_GROUP);
    let (zero, one, size) = (b.int(0), b.int(1), b.int(i64::from(LOOP_GROUP)));
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
    b.for_loop("smaller", zero, item, one, |b, digit| {
        let count = b.load_array(totals, digit);
        increase(b, before, count);
    });
    b.get(before)
}

/// Puts the updates in the order of their digits of `pass`, those with equal ones as they were.
pub(crate) fn place(scatter: &ScatterAdd, between: &Intermediates, pass: u32, name: &str) -> KernelBuilder {
    let mut builder = KernelBuilder::new(name, launch(&Dim::from(GROUPS as usize)));
    let b = &mut builder;
    let [orders, rows] = [&between.orders[pass as usize], &between.rows[pass as usize + 1]]
        .map(|buffer| b.param(buffer, ParamKind::Buffer(DType::I32, Access::Write)));
    let chunks = LOOP_GROUP / CHUNK;
    let digits = b.array("digits", Space::Local, DType::I32, LOOP_GROUP);
    // Of each chunk how often each digit comes, and then where its first update with the digit goes.
    let places = b.array("places", Space::Local, DType::I32, chunks * LOOP_GROUP);
    let [item, group] = item_and_group(b);
    b.comment("where the group's first update with each digit goes: behind smaller ones, and those of other groups");
    let first_place = first_place(b, between, [item, group]);
    let next = b.bind("next", first_place);
    let (zero, one, size) = (b.int(0), b.int(1), b.int(i64::from(LOOP_GROUP)));
    let length = b.int(i64::from(CHUNK));
    let chunk = b.binary(BinaryOp::Div, item, length);
    let begin = b.mul(chunk, length);
    let begin = b.named("begin", begin);
    let chunk = b.mul(chunk, size);
    let chunk = b.named("chunk", chunk);
    let [first, end] = part(b, scatter, group);
    b.for_loop("tile", first, end, size, |b, tile| {
        let at = b.add(tile, item);
        let at = b.named("at", at);
        let inside = b.compare(CompareOp::Lt, at, end);
        // What is no update has no digit.
        let (row, own) = (b.bind("row", zero), b.bind("own", size));
        b.if_then(inside, |b| {
            let value = between.row(b, at, pass as usize);
            b.assign(row, value);
            let value = b.get(row);
            let value = digit(b, value, pass);
            b.assign(own, value);
        });
        let own = b.get(own);
        b.stmt(Stmt::StoreArray { array: digits, index: item, value: own });
        let column = b.int(i64::from(chunks * LOOP_GROUP));
        b.for_loop("each", item, column, size, |b, index| {
            b.stmt(Stmt::StoreArray { array: places, index, value: zero });
        });
        b.barrier();
        let rank = b.bind("rank", zero);
        let place = b.add(chunk, own);
        b.if_then(inside, |b| {
            count_up(b, places, place);
            b.for_loop("other", begin, item, one, |b, other| {
                let theirs = b.load_array(digits, other);
                let equal = b.compare(CompareOp::Eq, theirs, own);
                b.if_then(equal, |b| increase(b, rank, one));
            });
        });
        b.barrier();
        b.for_loop("each", item, column, size, |b, index| {
            let (count, start) = (b.load_array(places, index), b.get(next));
            let count = b.named("count", count);
            b.stmt(Stmt::StoreArray { array: places, index, value: start });
            increase(b, next, count);
        });
        b.barrier();
        b.if_then(inside, |b| {
            let (start, rank) = (b.load_array(places, place), b.get(rank));
            let place = b.add(start, rank);
            let place = b.named("place", place);
            let update = between.update(b, at, pass as usize);
            b.store(orders, place, update);
            let row = b.get(row);
            b.store(rows, place, row);
        });
        b.barrier();
    });
    builder
}
