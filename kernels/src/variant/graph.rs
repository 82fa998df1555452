//! A graph for a task alone.

use super::{AttentionTask, BatchNorm, Conv2dTask, Elementwise, Product, Recurrence, Reduction, Task};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{
    Attention, AttentionKind, AxisIndex, BinaryOp, ConvGeometry, ConvKind, ConvNode, Graph, InputKind, NodeId, Op,
    OutputKind, UnaryOp, part_of_round,
};
use crate::ops::shape::concat;
use crate::template::Axis;

/// What is added to the argument `lse` of a gradient of attention: rows of some dozen scores, which are about 0, have such a sum.
pub const LOG_OF_SUM: f64 = 4.0;

/// A graph that computes `task` and nothing else: arguments in, one result out. Compiled for an OpenCL device, it asks
/// for `task`, if it is [canonical](Task::canonical), first (an operand that is computed counts as one read by stride); for a normalisation of
/// one channel, which is a reduction, it does not.
///
/// Arguments have the tensors' own shapes: of a product `[batch, m, k]` and `[batch, k, n]` (axes swapped where the other
/// one is contiguous), of a convolution the two operands in the order of [`ConvKind`].
pub fn graph(task: &Task<u64>) -> Graph {
    let mut maker = Maker { b: Builder::new("task"), arguments: 0 };
    let result = match task {
        Task::Product(product) => maker.product(product),
        Task::Conv2d(conv) => maker.conv2d(conv),
        Task::Elementwise(map) => maker.elementwise(map),
        Task::Reduction(reduction) => maker.reduction(reduction),
        Task::BatchNorm(norm) => maker.batch_norm(norm),
        Task::Recurrence(own) => maker.recurrence(own),
        Task::Attention(own) => maker.attention(own),
    };
    maker.b.output(OutputKind::Result(0), result);
    maker.b.finish()
}

fn shape(sizes: &[u64]) -> Shape {
    Shape(sizes.iter().map(|&size| Dim::constant(i64::try_from(size).unwrap_or(i64::MAX))).collect())
}

struct Maker {
    b: Builder,
    arguments: usize,
}

impl Maker {
    fn argument(&mut self, name: &str, sizes: &[u64], dtype: DType) -> NodeId {
        let position = self.arguments;
        self.arguments += 1;
        self.b.input(InputKind::Argument(position), name, shape(sizes), dtype)
    }

    fn product(&mut self, task: &Product<u64>) -> NodeId {
        let [batch, m, n, k] = [task.batch, task.m, task.n, task.k];
        let a = self.operand("a", task, [batch, m, k], task.a == Axis::K, task.a == Axis::None);
        let b = self.operand("b", task, [batch, k, n], task.b == Axis::Outer, task.b == Axis::None);
        self.b.push(Op::MatMul(a, b), shape(&[batch, m, n]), task.dtype)
    }

    /// An operand of these sizes whose last axis (`rows`), or else the one before it, is contiguous; with `strided` neither.
    fn operand(&mut self, name: &str, task: &Product<u64>, sizes: [u64; 3], rows: bool, strided: bool) -> NodeId {
        let [batch, outer, inner] = sizes;
        let (long, short) = if rows || strided { (outer, inner) } else { (inner, outer) };
        // Where reads of 4 must not be aligned, rows have an end that is not read.
        let spare = u64::from(!task.aligned && !strided);
        let step = if strided { 2 } else { 1 };
        let source = self.argument(name, &[batch, long, short.saturating_mul(step).saturating_add(spare)], task.dtype);
        let along = |axis: usize, step: u64| AxisIndex { terms: vec![(axis, step as i64)], ..AxisIndex::fixed(0) };
        let index = match rows || strided {
            true => vec![along(0, 1), along(1, 1), along(2, step)],
            false => vec![along(0, 1), along(2, 1), along(1, step)],
        };
        if rows && spare == 0 {
            return source;
        }
        self.b.push(Op::View { source, index }, shape(&sizes), task.dtype)
    }

    fn conv2d(&mut self, task: &Conv2dTask<u64>) -> NodeId {
        let (conv, _) = task.conv();
        let [height, width] = conv.out_size().unwrap_or([0, 0]);
        let input = [task.images, task.channels, task.size[0], task.size[1]];
        let weight = [task.out_channels, task.channels / task.groups.max(1), task.filter[0], task.filter[1]];
        let output = [task.images, task.out_channels, height, width];
        let geometry =
            ConvGeometry { stride: task.stride, padding: task.padding, dilation: task.dilation, groups: task.groups };
        let dtype = task.dtype;
        let kind = task.kind;
        let [x, w, dy] = [("x", &input), ("w", &weight), ("dy", &output)];
        let (operands, own) = match kind {
            ConvKind::Forward => ([x, w], output),
            ConvKind::InputGrad => ([dy, w], input),
            ConvKind::WeightGrad => ([x, dy], weight),
        };
        let operands = operands.map(|(name, sizes)| self.argument(name, sizes, dtype));
        self.b.push(ConvNode { kind, operands, geometry }.op(), shape(&own), dtype)
    }

    fn elementwise(&mut self, task: &Elementwise<u64>) -> NodeId {
        let sizes = [task.elements];
        let dtype = task.dtype;
        let operands: Vec<NodeId> =
            (0..task.reads.max(1)).map(|position| self.argument(&format!("x{position}"), &sizes, dtype)).collect();
        let own = shape(&sizes);
        let op = if dtype == DType::Bool { BinaryOp::Or } else { BinaryOp::Add };
        let mut value = operands[0];
        for &operand in &operands[1..] {
            value = self.b.push(Op::Binary(op, value, operand), own.clone(), dtype);
        }
        let unary = if dtype == DType::Bool { UnaryOp::Not } else { UnaryOp::Neg };
        self.b.push(Op::Unary(unary, value), own, dtype)
    }

    fn reduction(&mut self, task: &Reduction<u64>) -> NodeId {
        let (sizes, axis) =
            if task.contiguous { ([task.rows, task.columns], 1) } else { ([task.columns, task.rows], 0) };
        let source = self.argument("x", &sizes, task.dtype);
        let dtype = if task.op.is_position() { DType::I32 } else { task.dtype };
        self.b.push(Op::Reduce { op: task.op, source, axes: vec![axis] }, shape(&[task.rows]), dtype)
    }

    /// `h = x[t] + h·w / (8 * width)`, after the last round.
    fn recurrence(&mut self, task: &Recurrence<u64>) -> NodeId {
        let own = [task.rows, task.width];
        let x = self.argument("x", &[task.rounds, task.rows, task.width], task.dtype);
        let w = self.argument("w", &[task.width, task.width], task.dtype);
        let h = self.argument("h", &own, task.dtype);
        let b = &mut self.b;
        let draft = b.begin_scan("t", shape(&[task.rounds])[0].clone(), &[h]);
        let index = part_of_round(draft.round(), own.len());
        let own = shape(&own);
        let x = b.push(Op::View { source: x, index }, own.clone(), task.dtype);
        let product = b.push(Op::MatMul(draft.carried()[0], w), own.clone(), task.dtype);
        let scale = b.full(1.0 / (8.0 * task.width.max(1) as f64), &own, task.dtype);
        let scaled = b.push(Op::Binary(BinaryOp::Mul, product, scale), own.clone(), task.dtype);
        let next = b.push(Op::Binary(BinaryOp::Add, x, scaled), own, task.dtype);
        b.end_scan(&draft, &[next], &[]).map_or(h, |results| results[0])
    }

    /// Its results beside each other: a row has the elements of all of them.
    fn attention(&mut self, task: &AttentionTask<u64>) -> NodeId {
        let dtype = task.dtype;
        let [q, out] = [task.width, task.value_width].map(|width| [task.batch, task.queries, width]);
        let [k, v] = [task.width, task.value_width].map(|width| [task.batch, task.keys, width]);
        let mut operands: Vec<NodeId> =
            [("q", q), ("k", k), ("v", v)].map(|(name, sizes)| self.argument(name, &sizes, dtype)).to_vec();
        let (own, other) = match task.kind {
            AttentionKind::Forward => (out, Some([task.batch, task.queries, 1])),
            AttentionKind::QueryGrad => (q, None),
            AttentionKind::KeyValueGrad => (k, Some(v)),
        };
        if task.kind != AttentionKind::Forward {
            operands.push(self.argument("g", &out, dtype));
            let rows = [task.batch, task.queries];
            let [lse, delta] = ["lse", "delta"].map(|name| self.argument(name, &rows, dtype.compute()));
            let more = self.b.full(LOG_OF_SUM, &shape(&rows), dtype.compute());
            let lse = self.b.push(Op::Binary(BinaryOp::Add, lse, more), shape(&rows), dtype.compute());
            operands.extend([lse, delta]);
        }
        let attention = Attention { kind: task.kind, causal: task.causal, operands };
        let call = self.b.push(Op::Attention(attention), shape(&own), dtype);
        let Some(sizes) = other else { return call };
        let op = Op::CustomResult { call, result: 1 };
        let other = match task.kind {
            AttentionKind::Forward => {
                let of_rows = self.b.push(op, shape(&sizes[..2]), dtype.compute());
                let column = self.b.push(Op::Reshape(of_rows), shape(&sizes), dtype.compute());
                self.b.push(Op::Cast(column), shape(&sizes), dtype)
            }
            _ => self.b.push(op, shape(&sizes), dtype),
        };
        concat(&mut self.b, &[call, other], 2).unwrap_or(call)
    }

    /// `(x - mean(x)) / sqrt(var(x) + 1e-5)` over images and pixels.
    fn batch_norm(&mut self, task: &BatchNorm<u64>) -> NodeId {
        let own = shape(&[task.images, task.channels, task.pixels]);
        let dtype = task.dtype;
        let x = self.argument("x", &[task.images, task.channels, task.pixels], dtype);
        let scale = 1.0 / (task.images.saturating_mul(task.pixels).max(1) as f64);
        let scale = self.b.full(scale, &shape(&[task.channels]), dtype);
        let mean = |b: &mut Builder, of: NodeId| {
            let sum = Op::Reduce { op: crate::graph::ReduceOp::Sum, source: of, axes: vec![0, 2] };
            let sum = b.push(sum, shape(&[task.channels]), dtype);
            b.push(Op::Binary(BinaryOp::Mul, sum, scale), shape(&[task.channels]), dtype)
        };
        let wide = |source: NodeId| Op::View { source, index: vec![AxisIndex::axis(1)] };
        let average = mean(&mut self.b, x);
        let average = self.b.push(wide(average), own.clone(), dtype);
        let centred = self.b.push(Op::Binary(BinaryOp::Sub, x, average), own.clone(), dtype);
        let square = self.b.push(Op::Binary(BinaryOp::Mul, centred, centred), own.clone(), dtype);
        let variance = mean(&mut self.b, square);
        let epsilon = self.b.full(1e-5, &shape(&[task.channels]), dtype);
        let variance = self.b.push(Op::Binary(BinaryOp::Add, variance, epsilon), shape(&[task.channels]), dtype);
        let inverse = self.b.push(Op::Unary(UnaryOp::Rsqrt, variance), shape(&[task.channels]), dtype);
        let inverse = self.b.push(wide(inverse), own.clone(), dtype);
        self.b.push(Op::Binary(BinaryOp::Mul, centred, inverse), own, dtype)
    }
}
