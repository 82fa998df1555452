//! The steps that a random graph is made of.

use super::*;
use crate::span::{Diagnostic, Result};

/// Tensors larger than this are not built upon.
const LARGEST: usize = 2048;
/// A value beyond this is tamed before it is used.
const TAME: f64 = 4.0;

impl Draft {
    /// Appends something.
    pub(super) fn step(&mut self) -> Result<()> {
        match self.random.below(14) {
            0..=2 => self.unary(),
            3..=5 => self.binary(),
            6 => self.reduce(),
            7 => self.softmax(),
            8 => self.normalize(),
            9 => self.rearrange(),
            10 => self.affine_view(),
            11 => self.reshape(),
            12 if self.options.products => self.product(),
            _ => self.source(),
        }
    }

    /// One of the values, recent ones more often, tamed.
    fn pick(&mut self) -> Result<Value> {
        let count = self.values.len();
        let back = self.random.below(count).min(self.random.below(count));
        self.values[count - 1 - back].used = true;
        let value = self.values[count - 1 - back];
        if value.bound <= TAME {
            return Ok(value);
        }
        let id = self.builder.unary(UnaryOp::Tanh, value.id)?;
        Ok(Value { id, bound: 1.0, used: true })
    }

    /// Keeps a new value unless it is too large to go on with.
    fn push(&mut self, id: NodeId, bound: f64) -> Result<()> {
        let shape = self.builder.shape(id).clone();
        if shape.rank() <= 5 && self.sizes(&shape).iter().product::<usize>() <= LARGEST {
            self.keep(id, bound);
        }
        Ok(())
    }

    fn number(&mut self, value: f64) -> NodeId {
        self.builder.constant(value, self.options.float)
    }

    fn apply(&mut self, op: BinaryOp, a: NodeId, b: f64) -> Result<NodeId> {
        let b = self.number(b);
        self.builder.binary(op, a, b)
    }

    fn unary(&mut self) -> Result<()> {
        let Value { id: x, bound, .. } = self.pick()?;
        let smooth = self.options.smooth;
        let (id, bound) = match self.random.below(if smooth { 10 } else { 14 }) {
            0 => (self.builder.unary(UnaryOp::Tanh, x)?, 1.0),
            1 => (self.builder.unary(UnaryOp::Sin, x)?, 1.0),
            2 => (self.builder.unary(UnaryOp::Cos, x)?, 1.0),
            3 => (self.builder.unary(UnaryOp::Erf, x)?, 1.0),
            4 => (self.builder.unary(UnaryOp::Neg, x)?, bound),
            5 => (self.builder.unary(UnaryOp::Exp, x)?, bound.exp()),
            6 => (self.builder.unary(UnaryOp::Expm1, x)?, bound.exp()),
            // 1 / (1 + exp(-x))
            7 => {
                let negated = self.builder.unary(UnaryOp::Neg, x)?;
                let exp = self.builder.unary(UnaryOp::Exp, negated)?;
                let sum = self.apply(BinaryOp::Add, exp, 1.0)?;
                (self.builder.unary(UnaryOp::Recip, sum)?, 1.0)
            }
            // A function of 1 + x^2, which keeps clear of 0.
            8 => {
                let square = self.apply(BinaryOp::Pow, x, 2.0)?;
                let sum = self.apply(BinaryOp::Add, square, 1.0)?;
                let ops = [UnaryOp::Log, UnaryOp::Log2, UnaryOp::Sqrt, UnaryOp::Rsqrt, UnaryOp::Recip, UnaryOp::Log1p];
                let op = ops[self.random.below(ops.len())];
                (self.builder.unary(op, sum)?, bound + 1.0)
            }
            9 => {
                let tame = self.builder.unary(UnaryOp::Tanh, x)?;
                (self.builder.unary(UnaryOp::Exp2, tame)?, 2.0)
            }
            10 => (self.builder.unary(UnaryOp::Abs, x)?, bound),
            11 => (self.apply(BinaryOp::Max, x, 0.0)?, bound),
            12 if self.options.jumps => {
                let ops = [UnaryOp::Floor, UnaryOp::Ceil, UnaryOp::Round, UnaryOp::Sign];
                let op = ops[self.random.below(ops.len())];
                (self.builder.unary(op, x)?, bound + 1.0)
            }
            13 if self.options.jumps => {
                let whole = self.builder.cast(x, DType::I32)?;
                let two = self.builder.constant(2.0, DType::I32);
                let product = self.builder.binary(BinaryOp::Mul, whole, two)?;
                (self.builder.cast(product, self.options.float)?, 2.0 * bound)
            }
            // There and back: a wider type loses nothing.
            _ => {
                let wide = self.builder.cast(x, DType::F64)?;
                (self.builder.cast(wide, self.options.float)?, bound)
            }
        };
        self.push(id, bound)
    }

    /// A value whose shape broadcasts with that of `a`: another value, a reduction of `a`, or a number.
    fn partner(&mut self, a: NodeId) -> Result<Value> {
        for _ in 0..4 {
            let b = self.pick()?;
            let shapes = (self.builder.shape(a).clone(), self.builder.shape(b.id).clone());
            if self.builder.broadcast_shapes("", shapes.0, shapes.1).is_ok() {
                return Ok(b);
            }
        }
        let rank = self.builder.shape(a).rank();
        if rank > 0 && self.random.chance(2) {
            let axis = self.random.below(rank);
            let id = self.builder.mean(a, &[axis], true)?;
            return Ok(Value { id, bound: TAME, used: true });
        }
        let value = [-1.0, 0.0, 0.5, 1.0, 2.0][self.random.below(5)];
        Ok(Value { id: self.number(value), bound: 2.0, used: true })
    }

    fn binary(&mut self) -> Result<()> {
        let a = self.pick()?;
        let b = self.partner(a.id)?;
        let (a, b) = if self.random.chance(2) { (b, a) } else { (a, b) };
        let (id, bound) = match self.random.below(if self.options.smooth { 5 } else { 8 }) {
            0 => (self.builder.binary(BinaryOp::Add, a.id, b.id)?, a.bound + b.bound),
            1 => (self.builder.binary(BinaryOp::Sub, a.id, b.id)?, a.bound + b.bound),
            2 => (self.builder.binary(BinaryOp::Mul, a.id, b.id)?, a.bound * b.bound),
            3 => {
                let square = self.builder.binary(BinaryOp::Mul, b.id, b.id)?;
                let divisor = self.apply(BinaryOp::Add, square, 0.5)?;
                (self.builder.binary(BinaryOp::Div, a.id, divisor)?, 2.0 * a.bound)
            }
            4 => {
                let square = self.builder.binary(BinaryOp::Mul, b.id, b.id)?;
                let positive = self.apply(BinaryOp::Add, square, 0.5)?;
                (self.builder.binary(BinaryOp::Atan2, a.id, positive)?, 1.6)
            }
            5 => (self.builder.binary(BinaryOp::Max, a.id, b.id)?, a.bound.max(b.bound)),
            6 => (self.builder.binary(BinaryOp::Min, a.id, b.id)?, a.bound.max(b.bound)),
            // No jump: where the condition changes, both sides are equal.
            _ => {
                let condition = self.builder.compare(CompareOp::Lt, a.id, b.id)?;
                (self.builder.select(condition, a.id, b.id)?, a.bound.max(b.bound))
            }
        };
        self.push(id, bound)
    }

    /// A value of at least `rank` axes.
    fn pick_rank(&mut self, rank: usize) -> Result<Value> {
        for _ in 0..6 {
            let value = self.pick()?;
            if self.builder.shape(value.id).rank() >= rank {
                return Ok(value);
            }
        }
        Err(Diagnostic::new("no value has enough axes"))
    }

    fn reduce(&mut self) -> Result<()> {
        let x = self.pick_rank(1)?;
        let rank = self.builder.shape(x.id).rank();
        let mut axes: Vec<usize> = (0..rank).filter(|_| self.random.chance(2)).collect();
        if axes.is_empty() {
            axes.push(rank - 1);
        }
        let sizes = self.sizes(&self.builder.shape(x.id).clone());
        let count: usize = axes.iter().map(|axis| sizes[*axis]).product();
        let keep = self.random.chance(2);
        let (id, bound) = match self.random.below(if self.options.smooth { 3 } else { 5 }) {
            0 => (self.builder.reduce(ReduceOp::Sum, x.id, &axes, keep)?, x.bound * count as f64),
            1 => (self.builder.mean(x.id, &axes, keep)?, x.bound),
            2 => {
                let tame = self.builder.unary(UnaryOp::Cos, x.id)?;
                (self.builder.reduce(ReduceOp::Prod, tame, &axes, keep)?, 1.0)
            }
            3 => (self.builder.reduce(ReduceOp::Max, x.id, &axes, keep)?, x.bound),
            _ => (self.builder.reduce(ReduceOp::Min, x.id, &axes, keep)?, x.bound),
        };
        self.push(id, bound)
    }

    /// Softmax or log-softmax over the last axis.
    fn softmax(&mut self) -> Result<()> {
        let x = self.pick_rank(1)?;
        let last = self.builder.shape(x.id).rank() - 1;
        let top = self.builder.reduce(ReduceOp::Max, x.id, &[last], true)?;
        let top = self.builder.detach(top);
        let shifted = self.builder.binary(BinaryOp::Sub, x.id, top)?;
        let exp = self.builder.unary(UnaryOp::Exp, shifted)?;
        let sum = self.builder.reduce(ReduceOp::Sum, exp, &[last], true)?;
        if self.random.chance(2) {
            let id = self.builder.binary(BinaryOp::Div, exp, sum)?;
            self.push(id, 1.0)
        } else {
            let log = self.builder.unary(UnaryOp::Log, sum)?;
            let id = self.builder.binary(BinaryOp::Sub, shifted, log)?;
            self.push(id, 2.0 * x.bound + 8.0)
        }
    }

    /// Layer normalisation over the last axis.
    fn normalize(&mut self) -> Result<()> {
        let x = self.pick_rank(1)?;
        let last = self.builder.shape(x.id).rank() - 1;
        let mean = self.builder.mean(x.id, &[last], true)?;
        let centred = self.builder.binary(BinaryOp::Sub, x.id, mean)?;
        let square = self.builder.binary(BinaryOp::Mul, centred, centred)?;
        let variance = self.builder.mean(square, &[last], true)?;
        let safe = self.apply(BinaryOp::Add, variance, 0.1)?;
        let scale = self.builder.unary(UnaryOp::Rsqrt, safe)?;
        let id = self.builder.binary(BinaryOp::Mul, centred, scale)?;
        self.push(id, 3.0)
    }

    /// A permutation, slice, flip, padding, window or new axis.
    fn rearrange(&mut self) -> Result<()> {
        let x = self.pick_rank(1)?;
        let shape = self.builder.shape(x.id).clone();
        let axis = self.random.below(shape.rank());
        let mut index: Vec<AxisIndex> = (0..shape.rank()).map(AxisIndex::axis).collect();
        let mut dims = shape.0.clone();
        let one = || Dim::from(1);
        match self.random.below(6) {
            0 => {
                let mut order: Vec<usize> = (0..shape.rank()).collect();
                for place in (1..order.len()).rev() {
                    order.swap(place, self.random.below(place + 1));
                }
                let id = self.builder.permute(x.id, &order)?;
                return self.push(id, x.bound);
            }
            // Every second element, or the one in front of the last.
            1 => {
                dims[axis] = (dims[axis].clone() + one()).floor_div(2);
                index[axis].terms = vec![(axis, 2)];
            }
            2 => {
                index[axis] = AxisIndex { terms: vec![(axis, -1)], offset: dims[axis].clone() - one(), divisor: 1 };
            }
            3 => {
                dims[axis] = dims[axis].clone() + Dim::from(3);
                index[axis].offset = Dim::constant(-1);
            }
            // Windows of two, padded by one on the left.
            4 => {
                index[axis] =
                    AxisIndex { terms: vec![(axis, 1), (dims.len(), 1)], offset: Dim::constant(-1), divisor: 1 };
                dims.push(Dim::from(2));
            }
            _ => {
                dims.push(Dim::from(3));
            }
        }
        let id = self.builder.view(x.id, Shape(dims), index)?;
        self.push(id, x.bound)
    }

    /// A view with any coordinates: shears, diagonals, divisors.
    fn affine_view(&mut self) -> Result<()> {
        let x = self.pick_rank(1)?;
        let shape = self.shape();
        let index = (0..self.builder.shape(x.id).rank())
            .map(|_| {
                let mut terms = Vec::new();
                for axis in 0..shape.rank() {
                    if self.random.chance(2) {
                        terms.push((axis, [1, 1, 1, 2, -1, 3][self.random.below(6)]));
                    }
                }
                let offset = Dim::constant([0, 0, 1, -1, 2][self.random.below(5)]);
                AxisIndex { terms, offset, divisor: [1, 1, 1, 2][self.random.below(4)] }
            })
            .collect();
        let id = self.builder.view(x.id, shape, index)?;
        self.push(id, x.bound)
    }

    /// Two axes made one, or all.
    fn reshape(&mut self) -> Result<()> {
        let x = self.pick_rank(2)?;
        let shape = self.builder.shape(x.id).clone();
        let flat = if self.random.chance(3) {
            Shape(vec![shape.elements()])
        } else {
            let axis = self.random.below(shape.rank() - 1);
            let mut dims = shape.0.clone();
            let merged = dims.remove(axis) * dims[axis].clone();
            dims[axis] = merged;
            Shape(dims)
        };
        let id = self.builder.reshape(x.id, flat)?;
        self.push(id, x.bound)
    }

    /// `x w`, `x x^T`, or a convolution.
    fn product(&mut self) -> Result<()> {
        if self.random.chance(4) {
            return self.convolution();
        }
        let x = self.pick_rank(2)?;
        let shape = self.builder.shape(x.id).clone();
        let inner = shape[shape.rank() - 1].clone();
        let terms = self.sizes(&Shape(vec![inner.clone()]))[0] as f64;
        let (other, bound) = if self.random.chance(3) {
            (self.builder.transpose(x.id)?, x.bound)
        } else {
            let columns = [Dim::from(2), Dim::from(5), Dim::symbol("N")][self.random.below(3)].clone();
            (self.parameter(Shape(vec![inner, columns])), 1.5)
        };
        let id = self.builder.matmul(x.id, other)?;
        self.push(id, terms * x.bound * bound)
    }

    fn convolution(&mut self) -> Result<()> {
        let groups = 1 + self.random.below(2);
        let mut pair = |low: u64| [low + self.random.below(2) as u64, low + self.random.below(2) as u64];
        let geometry = ConvGeometry { stride: pair(1), padding: pair(0), dilation: pair(1), groups: groups as u64 };
        let x = self.argument(Shape(vec![Dim::symbol("N"), Dim::from(2), Dim::from(5), Dim::from(4)]));
        let w = self.parameter(Shape::of(&[2, 2 / groups, 2, 3]));
        let id = self.builder.conv2d(x, w, geometry)?;
        self.push(id, 12.0)
    }

    /// Four rows of three: a parameter, or another shape of one, of something computed, of a sum.
    fn table(&mut self) -> Result<(NodeId, f64)> {
        let rows = Shape::of(&[4, 3]);
        let (table, bound) = match self.random.below(4) {
            0 => return Ok((self.parameter(rows), 1.5)),
            1 => (self.parameter(Shape::of(&[2, 6])), 1.5),
            2 => {
                let x = self.parameter(Shape::of(&[12]));
                (self.builder.unary(UnaryOp::Sin, x)?, 1.0)
            }
            _ => {
                let x = self.parameter(Shape::of(&[3, 4, 2]));
                (self.builder.reduce(ReduceOp::Sum, x, &[2], false)?, 3.0)
            }
        };
        Ok((self.builder.reshape(table, rows)?, bound))
    }

    /// Something new: an argument, rows by number, coordinates, random numbers, a constant.
    fn source(&mut self) -> Result<()> {
        let shape = self.shape();
        match self.random.below(5) {
            0 => {
                self.argument(shape);
                Ok(())
            }
            1 => {
                let (table, bound) = self.table()?;
                let count = self.sizes(&shape).iter().product::<usize>();
                // Now and then out of range.
                let numbers: Vec<f64> = (0..count).map(|_| self.random.below(6) as f64 - 1.0).collect();
                let name = format!("x{}", self.arguments);
                let kind = InputKind::Argument(self.arguments);
                self.arguments += 1;
                let indices = self.supply(kind, name, shape, DType::I32, &numbers);
                let id = self.builder.gather(table, indices)?;
                self.push(id, bound)
            }
            2 => {
                let axis = self.random.below(shape.rank());
                let coordinate = self.builder.iota(&shape, axis, DType::I32)?;
                let id = self.builder.cast(coordinate, self.options.float)?;
                self.push(id, 6.0)
            }
            3 if self.options.random => {
                let nodes = self.builder.graph().iter();
                let seed =
                    nodes.filter(|(_, node)| node.op == Op::Input(InputKind::Scalar(0))).map(|(id, _)| id).next();
                let seed = match seed {
                    Some(seed) => seed,
                    None => {
                        let number = f64::from(self.random.word());
                        let scalar = Shape::scalar();
                        self.supply(InputKind::Scalar(0), "seed".into(), scalar, DType::U32, &[number])
                    }
                };
                let id = self.builder.random(seed, &shape)?;
                let id = self.builder.cast(id, self.options.float)?;
                self.push(id, 1.0)
            }
            _ => {
                let value = [-1.0, 0.0, 0.25, 1.0, 3.0][self.random.below(5)];
                let id = self.builder.full(value, &shape, self.options.float);
                self.push(id, 3.0)
            }
        }
    }
}
