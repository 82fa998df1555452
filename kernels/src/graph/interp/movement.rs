//! Views, rows by number, reductions: what reads elements at other positions.

use super::tensor::{HostTensor, TensorData};
use crate::dtype::DType;
use crate::fold;
use crate::graph::{AxisIndex, BinaryOp, ReduceOp};

/// Calls `visit` with every coordinate of `shape`, in row-major order.
pub(super) fn for_each_coordinate(shape: &[usize], mut visit: impl FnMut(&[usize])) {
    if shape.contains(&0) {
        return;
    }
    let mut coordinate = vec![0; shape.len()];
    loop {
        visit(&coordinate);
        let Some(axis) = (0..shape.len()).rev().find(|&axis| coordinate[axis] + 1 < shape[axis]) else { return };
        coordinate[axis] += 1;
        coordinate[axis + 1..].fill(0);
    }
}

/// `out[i] = source[index(i)]`, zero outside and between; `offsets` are those of `index`.
pub(super) fn view(source: &HostTensor, shape: &[usize], index: &[AxisIndex], offsets: &[i64]) -> TensorData {
    let mut positions = Vec::new();
    for_each_coordinate(shape, |out| {
        let mut position = Some(0);
        for (axis, coordinate) in index.iter().enumerate() {
            let sum: i128 = coordinate.terms.iter().map(|(o, c)| i128::from(*c) * out[*o] as i128).sum();
            let sum = sum + i128::from(offsets[axis]);
            let divisor = i128::from(coordinate.divisor);
            let size = source.shape()[axis];
            let inside = sum % divisor == 0 && (0..size as i128).contains(&(sum / divisor));
            position = position.filter(|_| inside).map(|position| position * size + (sum / divisor) as usize);
        }
        positions.push(position);
    });
    source.data().pick(&positions)
}

/// The row that each index names, if it is one.
fn rows(indices: &HostTensor, count: usize) -> impl Iterator<Item = Option<usize>> {
    indices.ints().iter().map(move |index| usize::try_from(*index).ok().filter(|row| *row < count))
}

/// `source[indices[i..], rest..]`.
pub(super) fn gather(source: &HostTensor, indices: &HostTensor) -> TensorData {
    let width: usize = source.shape()[1..].iter().product();
    let mut positions = Vec::new();
    for row in rows(indices, source.shape()[0]) {
        positions.extend((0..width).map(|column| row.map(|row| row * width + column)));
    }
    source.data().pick(&positions)
}

/// Zeros of `shape` with `updates` added at `indices`.
pub(super) fn scatter_add(shape: &[usize], dtype: DType, indices: &HostTensor, updates: &HostTensor) -> TensorData {
    let width: usize = shape[1..].iter().product();
    let mut result = TensorData::zeros(dtype, shape.iter().product());
    for (number, row) in rows(indices, shape[0]).enumerate() {
        let Some(row) = row else { continue };
        for column in 0..width {
            let (to, from) = (row * width + column, number * width + column);
            match (&mut result, updates.data()) {
                (TensorData::Float(sums), TensorData::Float(values)) => sums[to] += values[from],
                (TensorData::Int(sums), TensorData::Int(values)) => {
                    sums[to] = dtype.wrap(sums[to].wrapping_add(values[from]))
                }
                _ => unreachable!("rule G21"),
            }
        }
    }
    result
}

/// The reduction of `source` over `axes`.
pub(super) fn reduce(op: ReduceOp, source: &HostTensor, axes: &[usize]) -> TensorData {
    let full = source.shape();
    let mut kept = 1;
    // Strides that send a source coordinate to its result; 0 along reduced axes.
    let mut strides = vec![0; full.len()];
    for axis in (0..full.len()).rev().filter(|axis| !axes.contains(axis)) {
        strides[axis] = kept;
        kept *= full[axis];
    }
    // What each result combines, in row-major order over the reduced axes.
    let mut groups: Vec<Vec<usize>> = vec![Vec::new(); kept];
    let mut position = 0;
    for_each_coordinate(full, |coordinate| {
        groups[coordinate.iter().zip(&strides).map(|(c, s)| c * s).sum::<usize>()].push(position);
        position += 1;
    });
    match source.data() {
        TensorData::Float(values) if op.is_position() => TensorData::Int(
            groups.iter().map(|group| first_extreme(op, group, |i| values[i], |x| x.is_nan())).collect(),
        ),
        TensorData::Int(values) if op.is_position() => {
            TensorData::Int(groups.iter().map(|group| first_extreme(op, group, |i| values[i], |_| false)).collect())
        }
        TensorData::Float(values) => {
            TensorData::Float(groups.iter().map(|group| reduce_floats(op, group, values)).collect())
        }
        TensorData::Int(values) => {
            let combine = |group: &Vec<usize>| reduce_ints(op, group, values, source.dtype());
            TensorData::Int(groups.iter().map(combine).collect())
        }
        TensorData::Bool(_) => unreachable!("rule G15"),
    }
}

/// The first extreme's place within its group; the first NaN wins; 0 for no elements.
fn first_extreme<T: Copy + PartialOrd>(
    op: ReduceOp,
    group: &[usize],
    value: impl Fn(usize) -> T,
    is_nan: impl Fn(T) -> bool,
) -> i64 {
    let mut best = 0;
    for place in 1..group.len() {
        let (x, y) = (value(group[place]), value(group[best]));
        let beats = if op == ReduceOp::ArgMax { x > y } else { x < y };
        if !is_nan(y) && (is_nan(x) || beats) {
            best = place;
        }
    }
    best as i64
}

fn reduce_floats(op: ReduceOp, group: &[usize], values: &[f64]) -> f64 {
    let (start, step) = match op {
        ReduceOp::Sum => (0.0, BinaryOp::Add),
        ReduceOp::Prod => (1.0, BinaryOp::Mul),
        ReduceOp::Max => (f64::NEG_INFINITY, BinaryOp::Max),
        ReduceOp::Min => (f64::INFINITY, BinaryOp::Min),
        ReduceOp::ArgMax | ReduceOp::ArgMin => unreachable!("gives a position"),
    };
    group.iter().fold(start, |sum, i| fold::binary_f64(step, sum, values[*i]).expect("arithmetic on floats"))
}

fn reduce_ints(op: ReduceOp, group: &[usize], values: &[i64], dtype: DType) -> i64 {
    // The neutral elements of max and min are the type's own least and greatest values.
    let (least, greatest) = dtype.whole_range().unwrap_or((i64::MIN, i64::MAX));
    let (start, step) = match op {
        ReduceOp::Sum => (0, BinaryOp::Add),
        ReduceOp::Prod => (1, BinaryOp::Mul),
        ReduceOp::Max => (least, BinaryOp::Max),
        ReduceOp::Min => (greatest, BinaryOp::Min),
        ReduceOp::ArgMax | ReduceOp::ArgMin => unreachable!("gives a position"),
    };
    let combine = |sum, i: &usize| dtype.wrap(fold::binary_i64(step, sum, values[*i]).expect("integer arithmetic"));
    group.iter().fold(start, combine)
}
