//! Single elements of a task's result, by the definition of what it computes: for results of which the host would take too
//! long to compute all.
//!
//! Operands are known by position ([`operands::element`]), so that no tensor is needed. Sums are in `f64`, in which those of
//! operands like these are exact.

use super::operands;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{AttentionKind, ConvKind, ReduceOp};
use netcl_kernels::template::Axis;
use netcl_kernels::variant::{
    AttentionTask, BatchNorm, Conv2dTask, Elementwise, LOG_OF_SUM, Product, Recurrence, Reduction, Task,
};
use std::collections::BTreeMap;

/// What [`netcl_kernels::variant::graph`] adds to variances.
const EPSILON: f64 = 1e-5;

/// The results of a task, one at a time.
pub(super) struct Exact<'a> {
    task: &'a Task<u64>,
    /// Of channels of a batch norm: all elements of one share them.
    statistics: BTreeMap<u64, Statistics>,
    /// What a recurrence carries after the last round, of rows of the batch: all elements of one share it.
    carried: BTreeMap<u64, Vec<f64>>,
}

#[derive(Clone, Copy)]
struct Statistics {
    mean: f64,
    /// 1 through the standard deviation.
    inverse: f64,
}

impl<'a> Exact<'a> {
    pub(super) fn new(task: &'a Task<u64>) -> Exact<'a> {
        Exact { task, statistics: BTreeMap::new(), carried: BTreeMap::new() }
    }

    /// The result's element at that position in row-major order, which it must have.
    pub(super) fn element(&mut self, position: u64) -> f64 {
        match self.task {
            Task::Product(own) => self.product(own, position),
            Task::Conv2d(own) => self.conv2d(own, position),
            Task::Elementwise(own) => self.elementwise(own, position),
            Task::Reduction(own) => self.reduction(own, position),
            Task::BatchNorm(own) => self.batch_norm(own, position),
            Task::Recurrence(own) => self.recurrence(own, position),
            Task::Attention(own) => self.attention(own, position),
        }
    }

    fn operand(&self, argument: usize, position: u64, dtype: DType) -> f64 {
        operands::element(self.task, argument, position, dtype)
    }

    fn product(&self, own: &Product<u64>, position: u64) -> f64 {
        let [batch, row, column] = coordinates(position, [own.m, own.n]);
        let left = OperandStrides::of(own, own.k, own.m, own.a == Axis::K, own.a == Axis::None);
        let right = OperandStrides::of(own, own.n, own.k, own.b == Axis::Outer, own.b == Axis::None);
        let term = |k: u64| {
            let a = self.operand(0, left.position(batch, row, k), own.dtype);
            a * self.operand(1, right.position(batch, k, column), own.dtype)
        };
        (0..own.k).map(term).sum()
    }

    fn conv2d(&self, own: &Conv2dTask<u64>, position: u64) -> f64 {
        let Some(out) = own.conv().0.out_size() else { return 0.0 };
        let groups = own.groups.max(1);
        let (channels, out_channels) = ((own.channels / groups).max(1), (own.out_channels / groups).max(1));
        let pixel = |[image, channel]: [u64; 2], [y, x]: [u64; 2]| {
            ((image * own.channels + channel) * own.size[0] + y) * own.size[1] + x
        };
        let result = |[image, channel]: [u64; 2], [y, x]: [u64; 2]| {
            ((image * own.out_channels + channel) * out[0] + y) * out[1] + x
        };
        let tap = |[out_channel, channel]: [u64; 2], [y, x]: [u64; 2]| {
            ((out_channel * channels + channel % channels) * own.filter[0] + y) * own.filter[1] + x
        };
        let value = |argument, position| self.operand(argument, position, own.dtype);
        match own.kind {
            ConvKind::Forward => {
                let [outer, y, x] = coordinates(position, out);
                let (image, to) = (outer / own.out_channels, outer % own.out_channels);
                let from = to / out_channels * channels;
                let taps = places(own.filter).filter_map(|at| Some((at, pixel_of(own, [y, x], at)?)));
                taps.flat_map(|(at, from_pixel)| (from..from + channels).map(move |channel| (at, from_pixel, channel)))
                    .map(|(at, from_pixel, channel)| {
                        value(0, pixel([image, channel], from_pixel)) * value(1, tap([to, channel], at))
                    })
                    .sum()
            }
            ConvKind::InputGrad => {
                let [outer, y, x] = coordinates(position, own.size);
                let (image, from) = (outer / own.channels, outer % own.channels);
                let to = from / channels * out_channels;
                let taps = places(own.filter).filter_map(|at| Some((at, window_of(own, out, [y, x], at)?)));
                taps.flat_map(|(at, window)| (to..to + out_channels).map(move |channel| (at, window, channel)))
                    .map(|(at, window, channel)| {
                        value(0, result([image, channel], window)) * value(1, tap([channel, from], at))
                    })
                    .sum()
            }
            ConvKind::WeightGrad => {
                let [outer, y, x] = coordinates(position, own.filter);
                let (to, from) = (outer / channels, outer % channels);
                let from = to / out_channels * channels + from;
                let windows = places(out).filter_map(|at| Some((at, pixel_of(own, at, [y, x])?)));
                windows
                    .flat_map(|(at, from_pixel)| (0..own.images).map(move |image| (at, from_pixel, image)))
                    .map(|(at, from_pixel, image)| {
                        value(0, pixel([image, from], from_pixel)) * value(1, result([image, to], at))
                    })
                    .sum()
            }
        }
    }

    fn elementwise(&self, own: &Elementwise<u64>, position: u64) -> f64 {
        let mut values = (0..own.reads.max(1) as usize).map(|argument| self.operand(argument, position, own.dtype));
        match own.dtype {
            DType::Bool => f64::from(!values.any(|value| value != 0.0)),
            dtype => wrapped(-values.sum::<f64>(), dtype),
        }
    }

    fn reduction(&self, own: &Reduction<u64>, row: u64) -> f64 {
        let at = |column: u64| if own.contiguous { row * own.columns + column } else { column * own.rows + row };
        let value = |column: u64| self.operand(0, at(column), own.dtype);
        let place = |better: fn(f64, f64) -> bool| {
            (1..own.columns).fold(0, |best, column| if better(value(column), value(best)) { column } else { best })
        };
        match own.op {
            ReduceOp::Sum => wrapped((0..own.columns).map(value).sum(), own.dtype),
            ReduceOp::Prod => wrapped((0..own.columns).map(value).product(), own.dtype),
            ReduceOp::Max => (0..own.columns).map(value).fold(f64::NEG_INFINITY, f64::max),
            ReduceOp::Min => (0..own.columns).map(value).fold(f64::INFINITY, f64::min),
            ReduceOp::ArgMax => place(|new, best| new > best) as f64,
            ReduceOp::ArgMin => place(|new, best| new < best) as f64,
        }
    }

    fn batch_norm(&mut self, own: &BatchNorm<u64>, position: u64) -> f64 {
        let channel = position / own.pixels.max(1) % own.channels.max(1);
        let statistics = self.statistics.get(&channel).copied().unwrap_or_else(|| {
            let count = own.images.saturating_mul(own.pixels).max(1) as f64;
            let all = || {
                let images = (0..own.images).map(|image| (image * own.channels + channel) * own.pixels);
                images.flat_map(|start| start..start + own.pixels).map(|at| self.operand(0, at, own.dtype))
            };
            let mean = all().sum::<f64>() / count;
            let variance = all().map(|value| (value - mean) * (value - mean)).sum::<f64>() / count;
            Statistics { mean, inverse: 1.0 / (variance + EPSILON).sqrt() }
        });
        self.statistics.insert(channel, statistics);
        (self.operand(0, position, own.dtype) - statistics.mean) * statistics.inverse
    }

    /// Of both results beside each other, as [`netcl_kernels::variant::graph`] has them.
    fn attention(&self, own: &AttentionTask<u64>, position: u64) -> f64 {
        let (rows, columns, more) = match own.kind {
            AttentionKind::Forward => (own.queries, own.value_width, 1),
            AttentionKind::QueryGrad => (own.queries, own.width, 0),
            AttentionKind::KeyValueGrad => (own.keys, own.width, own.value_width),
        };
        let [batch, row, column] = coordinates(position, [rows, columns + more]);
        let scale = 1.0 / (own.width as f64).sqrt();
        let q = |query: u64, at: u64| self.operand(0, (batch * own.queries + query) * own.width + at, own.dtype);
        let k = |key: u64, at: u64| self.operand(1, (batch * own.keys + key) * own.width + at, own.dtype);
        let v = |key: u64, at: u64| self.operand(2, (batch * own.keys + key) * own.value_width + at, own.dtype);
        let g = |query: u64, at: u64| self.operand(3, (batch * own.queries + query) * own.value_width + at, own.dtype);
        let visible = |query: u64, key: u64| !own.causal || key <= query;
        let score = |query: u64, key: u64| (0..own.width).map(|at| q(query, at) * k(key, at)).sum::<f64>() * scale;
        let of_row = |argument, query| self.operand(argument, batch * own.queries + query, own.dtype.compute());
        let weight = |query: u64, key: u64| (score(query, key) - of_row(4, query) - LOG_OF_SUM).exp();
        let slope = |query: u64, key: u64| {
            let sum: f64 = (0..own.value_width).map(|at| g(query, at) * v(key, at)).sum();
            weight(query, key) * (sum - of_row(5, query)) * scale
        };
        match own.kind {
            AttentionKind::Forward => {
                let keys: Vec<u64> = (0..own.keys).filter(|key| visible(row, *key)).collect();
                let scores: Vec<f64> = keys.iter().map(|key| score(row, *key)).collect();
                let largest = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let weights: Vec<f64> = scores.iter().map(|score| (score - largest).exp()).collect();
                let total = weights.iter().sum::<f64>();
                if column == columns {
                    return largest + total.ln();
                }
                let sum: f64 = keys.iter().zip(&weights).map(|(key, weight)| weight * v(*key, column)).sum();
                sum / total
            }
            AttentionKind::QueryGrad => {
                (0..own.keys).filter(|key| visible(row, *key)).map(|key| slope(row, key) * k(key, column)).sum()
            }
            AttentionKind::KeyValueGrad => {
                let queries = (0..own.queries).filter(|query| visible(*query, row));
                match column.checked_sub(columns) {
                    Some(at) => queries.map(|query| weight(query, row) * g(query, at)).sum(),
                    None => queries.map(|query| slope(query, row) * q(query, column)).sum(),
                }
            }
        }
    }

    fn recurrence(&mut self, own: &Recurrence<u64>, position: u64) -> f64 {
        let width = own.width.max(1);
        let (row, column) = (position / width, position % width);
        let carried = self.carried.remove(&row).unwrap_or_else(|| {
            let weights: Vec<f64> = (0..width * width).map(|at| self.operand(1, at, own.dtype)).collect();
            let start = (0..width).map(|column| self.operand(2, row * width + column, own.dtype)).collect();
            (0..own.rounds).fold(start, |h: Vec<f64>, round| {
                let sum = |column: u64| -> f64 {
                    let terms = h.iter().zip(weights[column as usize..].iter().step_by(width as usize));
                    terms.map(|(h, w)| h * w).sum()
                };
                let x = |column: u64| self.operand(0, (round * own.rows + row) * width + column, own.dtype);
                (0..width).map(|column| x(column) + sum(column) / (8.0 * width as f64)).collect()
            })
        });
        let value = carried[column as usize];
        self.carried.insert(row, carried);
        value
    }
}

/// Of an axis in front of these two, and along them.
fn coordinates(position: u64, [rows, columns]: [u64; 2]) -> [u64; 3] {
    let (rows, columns) = (rows.max(1), columns.max(1));
    [position / columns / rows, position / columns % rows, position % columns]
}

fn places([height, width]: [u64; 2]) -> impl Iterator<Item = [u64; 2]> {
    (0..height).flat_map(move |y| (0..width).map(move |x| [y, x]))
}

/// The pixel that a tap of a window meets; `None` in the padding.
fn pixel_of(own: &Conv2dTask<u64>, window: [u64; 2], tap: [u64; 2]) -> Option<[u64; 2]> {
    let along = |axis: usize| {
        let padded = window[axis] * own.stride[axis] + tap[axis] * own.dilation[axis];
        padded.checked_sub(own.padding[axis]).filter(|place| *place < own.size[axis])
    };
    Some([along(0)?, along(1)?])
}

/// The window whose tap meets a pixel; `None` if there is none.
fn window_of(own: &Conv2dTask<u64>, out: [u64; 2], pixel: [u64; 2], tap: [u64; 2]) -> Option<[u64; 2]> {
    let along = |axis: usize| {
        let start = (pixel[axis] + own.padding[axis]).checked_sub(tap[axis] * own.dilation[axis])?;
        let place = start.is_multiple_of(own.stride[axis]).then(|| start / own.stride[axis])?;
        (place < out[axis]).then_some(place)
    };
    Some([along(0)?, along(1)?])
}

/// Where an operand of a product has its elements: as [`netcl_kernels::variant::graph`] lays it out.
struct OperandStrides {
    /// Of the two axes the one that is not contiguous, and the elements from one place along it to the next.
    long: u64,
    width: u64,
    /// Whether the last axis is the contiguous one.
    rows: bool,
    step: u64,
}

impl OperandStrides {
    fn of(own: &Product<u64>, inner: u64, outer: u64, rows: bool, strided: bool) -> OperandStrides {
        let rows = rows || strided;
        let (long, short) = if rows { (outer, inner) } else { (inner, outer) };
        let step = if strided { 2 } else { 1 };
        OperandStrides { long, width: short * step + u64::from(!own.aligned && !strided), rows, step }
    }

    fn position(&self, batch: u64, outer: u64, inner: u64) -> u64 {
        let (long, short) = if self.rows { (outer, inner * self.step) } else { (inner, outer) };
        (batch * self.long + long) * self.width + short
    }
}

/// As whole numbers of a type are, beyond its ends.
fn wrapped(value: f64, dtype: DType) -> f64 {
    match dtype {
        DType::U8 => f64::from(value as i64 as u8),
        DType::I32 => f64::from(value as i64 as i32),
        DType::U32 => f64::from(value as i64 as u32),
        DType::Bool | DType::I64 | DType::F16 | DType::BF16 | DType::F32 | DType::F64 => value,
    }
}
