//! The kernels that order rows and search them: what no chain of elementwise nodes does in `n log n` steps.
//!
//! A row is sorted by merging. Each element looks its own place up: how many elements of the sorted runs beside its own come
//! before it, by a search in each of them, is how far it moves. So a step has a work-item for each element and needs neither
//! local memory nor barriers, and few steps, each of many runs at once, sort long rows.

use crate::dim::{Dim, Shape, Symbol};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{Custom, CustomInput, CustomResult, NodeId};
use crate::kir::{Kernel, text};
use crate::span::Result;
use std::sync::Arc;

/// How many elements a tensor may have: half of what 32 bits count, since the end of a run may be as far beyond the last one.
pub(super) const MOST: i64 = 1 << 30;
/// How many elements the first step orders, by comparing each with all of them.
const FIRST: i64 = 64;
/// How many runs each further step merges.
const WAYS: i64 = 8;
/// As long are runs where the last step of a row whose length is not known merges all that there are.
const LAST: i64 = 1 << 18;

/// `KEY` is the type of what is compared, `BEFORE` whether `a` comes before `b`, of what differs. All runs of `run` elements are
/// sorted; those of `span` are when this is done.
const MERGE: &str = "
kernel merge
launch [R*N]
param keys: read KEY
param order: read i32
param run: scalar i32
param span: scalar i32
param sorted: write KEY
param places: write i32
param N: size
fn before(a: KEY, b: KEY) { return BEFORE }
var i: i32
var column: i32
var row: i32
var start: i32
var end: i32
var own: i32
var key: KEY
var place: i32
var other: i32
var low: i32
var high: i32
var middle: i32
var found: KEY
var passed: bool
let $i = cast.i32(global_id.0)
let $column = rem($i, @N)
let $row = sub($i, $column)
let $start = sub($column, rem($column, @span))
let $end = add($start, min(@span, sub(@N, $start)))
let $own = sub($column, rem($column, @run))
let $key = load @keys[$i]
let $place = add($start, sub($column, $own))
for $other in $start..$end step @run {
  if ne($other, $own) {
    let $low = $other
    let $high = add($other, min(@run, sub($end, $other)))
    while lt($low, $high) {
      let $middle = add($low, div(sub($high, $low), 2i32))
      let $found = load @keys[add($row, $middle)]
      let $passed = select(lt($other, $own), not(call before($key, $found)), call before($found, $key))
      set $low = select($passed, add($middle, 1i32), $low)
      set $high = select($passed, $high, $middle)
    }
    set $place = add($place, sub($low, $other))
  }
}
store @sorted[add($row, $place)] = $key
store @places[add($row, $place)] = load @order[$i]
";

/// How many elements of a sorted row come before each value: `right`, also those that are equal to it.
const SEARCH: &str = "
kernel search
launch [R*M]
param keys: read KEY
param values: read KEY
param places: write i32
param N: size
param M: size
fn before(a: KEY, b: KEY) { return BEFORE }
var i: i32
var row: i32
var value: KEY
var low: i32
var high: i32
var middle: i32
var found: KEY
var passed: bool
let $i = cast.i32(global_id.0)
let $row = mul(div($i, @M), @N)
let $value = load @values[$i]
let $low = 0i32
let $high = @N
while lt($low, $high) {
  let $middle = add($low, div(sub($high, $low), 2i32))
  let $found = load @keys[add($row, $middle)]
  let $passed = PASSED
  set $low = select($passed, add($middle, 1i32), $low)
  set $high = select($passed, $high, $middle)
}
store @places[$i] = $low
";

/// Whether `a` comes before `b`: a NaN is larger than any number.
fn before(dtype: DType, descending: bool) -> &'static str {
    match (dtype.is_float(), descending) {
        (false, false) => "lt($a, $b)",
        (false, true) => "gt($a, $b)",
        (true, false) => "or(lt($a, $b), and(eq($a, $a), ne($b, $b)))",
        (true, true) => "or(gt($a, $b), and(ne($a, $a), eq($b, $b)))",
    }
}

fn kernel(text: &str, dtype: DType, before: &str) -> Kernel {
    let text = text.replace("KEY", dtype.name()).replace("BEFORE", before);
    text::parse(&text).unwrap_or_else(|error| unreachable!("{error}"))
}

fn shape(axes: [&str; 2]) -> Shape {
    Shape(axes.map(Dim::symbol).to_vec())
}

/// Where the elements of each row `[r, n]` stand when the row is sorted, as i32; equal ones in their order.
pub(super) fn sorted_places(b: &mut Builder, rows: NodeId, descending: bool) -> Result<NodeId> {
    let (sizes, dtype) = (b.shape(rows).clone(), b.dtype(rows));
    let axes = || shape(["R", "N"]);
    let merge = Arc::new(Custom {
        name: "sort".to_owned(),
        symbols: ["R", "N"].map(Symbol::new).to_vec(),
        inputs: vec![
            CustomInput::tensor("keys", dtype, axes()),
            CustomInput::tensor("order", DType::I32, axes()),
            CustomInput::number("run", DType::I32),
            CustomInput::number("span", DType::I32),
        ],
        results: vec![CustomResult::new("sorted", dtype, axes()), CustomResult::new("places", DType::I32, axes())],
        kernels: vec![kernel(MERGE, dtype, before(dtype, descending))],
        gradient: None,
        derivative: None,
    });
    let (mut keys, mut order) = (rows, b.iota(&sizes, 1, DType::I32)?);
    let length = sizes[1].as_constant();
    let mut run = 1;
    while length.is_none_or(|length| run == 1 || run < length) {
        let all = length.is_none() && run == LAST;
        let span = if run == 1 { FIRST } else { run * WAYS };
        let numbers = [run, if all { i32::MAX.into() } else { span }];
        let [from, to] = numbers.map(|number| b.integer(number, DType::I32));
        let results = b.custom(&merge, &sizes.0, &[keys, order, from?, to?])?;
        (keys, order) = (results[0], results[1]);
        if all {
            break;
        }
        run = span;
    }
    Ok(order)
}

/// How many elements of each sorted row `[r, n]` come before each of `values [r, m]`, as i32; with `right`, also those equal to it.
pub(super) fn positions(b: &mut Builder, rows: NodeId, values: NodeId, right: bool) -> Result<NodeId> {
    let (sizes, dtype) = (b.shape(rows).clone(), b.dtype(rows));
    let passed = if right { "not(call before($value, $found))" } else { "call before($found, $value)" };
    let search = Custom {
        name: "search".to_owned(),
        symbols: ["R", "N", "M"].map(Symbol::new).to_vec(),
        inputs: vec![
            CustomInput::tensor("keys", dtype, shape(["R", "N"])),
            CustomInput::tensor("values", dtype, shape(["R", "M"])),
        ],
        results: vec![CustomResult::new("places", DType::I32, shape(["R", "M"]))],
        kernels: vec![kernel(&SEARCH.replace("PASSED", passed), dtype, before(dtype, false))],
        gradient: None,
        derivative: None,
    };
    let sizes = [sizes[0].clone(), sizes[1].clone(), b.shape(values)[1].clone()];
    Ok(b.custom(&Arc::new(search), &sizes, &[rows, values])?[0])
}
