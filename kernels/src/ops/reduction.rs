//! Reductions: over given axes (which disappear), with the axes kept as size 1, and over the whole tensor.

use super::args::{self, AXES, AXIS, Args, X, arg, float};
use super::{ArgKind, Operation};
use crate::dim::Dim;
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId, ReduceOp, UnaryOp};
use crate::span::{Diagnostic, Result};

macro_rules! reduce {
    ($name:literal, $op:ident, $keep:literal, $doc:literal) => {
        Operation {
            name: $name,
            doc: $doc,
            args: &[X, AXES],
            build: |b, a| {
                let (x, axes) = axes_of(b, $name, a)?;
                let x = widened(b, ReduceOp::$op, x)?;
                b.reduce(ReduceOp::$op, x, &axes, $keep)
            },
        }
    };
}

macro_rules! whole {
    ($name:literal, $op:ident, $doc:literal) => {
        Operation {
            name: $name,
            doc: $doc,
            args: &[X],
            build: |b, a| {
                let x = a.tensor(0)?;
                let axes = args::all_axes(b, x);
                let x = widened(b, ReduceOp::$op, x)?;
                b.reduce(ReduceOp::$op, x, &axes, false)
            },
        }
    };
}

pub(super) const OPERATIONS: &[Operation] = &[
    reduce!("sum", Sum, false, "the sum over `axes`; of u8 as i32, other integers wrap"),
    reduce!("sum_keepdim", Sum, true, "`sum`, the axes kept with size 1"),
    whole!("sum_all", Sum, "the sum of all elements; of u8 as i32, other integers wrap"),
    Operation {
        name: "mean",
        doc: "the mean of floats over `axes`; NaN over no elements",
        args: &[X, AXES],
        build: |b, a| {
            let (x, axes) = axes_of(b, "mean", a)?;
            b.mean(x, &axes, false)
        },
    },
    Operation {
        name: "mean_keepdim",
        doc: "`mean`, the axes kept with size 1",
        args: &[X, AXES],
        build: |b, a| {
            let (x, axes) = axes_of(b, "mean_keepdim", a)?;
            b.mean(x, &axes, true)
        },
    },
    Operation {
        name: "mean_all",
        doc: "the mean of all elements",
        args: &[X],
        build: |b, a| mean_all(b, a.tensor(0)?),
    },
    reduce!("prod", Prod, false, "the product over `axes`; of u8 as i32, other integers wrap"),
    reduce!(
        "max",
        Max,
        false,
        "the largest element over `axes`; NaN if there is one, -inf over no elements; of equal ones the first has the gradient"
    ),
    reduce!("max_keepdim", Max, true, "`max`, the axes kept with size 1"),
    whole!("max_all", Max, "the largest of all elements"),
    reduce!(
        "min",
        Min,
        false,
        "the smallest element over `axes`; NaN if there is one, +inf over no elements; of equal ones the first has the gradient"
    ),
    reduce!("min_keepdim", Min, true, "`min`, the axes kept with size 1"),
    whole!("min_all", Min, "the smallest of all elements"),
    Operation {
        name: "var",
        doc: "`sum((x - mean)^2) / (n - correction)` over `axes`: correction 1 for a sample, 0 for a population",
        args: &[X, AXES, arg("correction", ArgKind::Size)],
        build: |b, a| {
            let (x, axes) = axes_of(b, "var", a)?;
            let dtype = b.dtype(x);
            let variance = variance(b, "var", x, &axes, &correction("var", a)?)?;
            b.cast(variance, dtype)
        },
    },
    Operation {
        name: "std",
        doc: "`sqrt(var)`; where the variance is 0 the gradient is 0",
        args: &[X, AXES, arg("correction", ArgKind::Size)],
        build: |b, a| {
            let (x, axes) = axes_of(b, "std", a)?;
            let dtype = b.dtype(x);
            let root = deviation(b, "std", x, &axes, &correction("std", a)?)?;
            b.cast(root, dtype)
        },
    },
    Operation {
        name: "argmax",
        doc: "the first position of the largest element along `axis`, or of a NaN if there is one, as i32",
        args: &[X, AXIS],
        build: |b, a| position(b, "argmax", ReduceOp::ArgMax, a),
    },
    Operation {
        name: "argmin",
        doc: "the first position of the smallest element along `axis`, or of a NaN if there is one, as i32",
        args: &[X, AXIS],
        build: |b, a| position(b, "argmin", ReduceOp::ArgMin, a),
    },
    Operation {
        name: "logsumexp",
        doc: "`log(sum(e^x))` over `axes`, without overflow",
        args: &[X, AXES],
        build: |b, a| {
            let (x, axes) = axes_of(b, "logsumexp", a)?;
            logsumexp(b, x, &axes)
        },
    },
    Operation {
        name: "any",
        doc: "whether a bool tensor holds a `true` along `axes`",
        args: &[X, AXES],
        build: |b, a| truth(b, "any", ReduceOp::Max, a),
    },
    Operation {
        name: "all",
        doc: "whether a bool tensor holds `true` alone along `axes`",
        args: &[X, AXES],
        build: |b, a| truth(b, "all", ReduceOp::Min, a),
    },
];

fn axes_of(b: &Builder, op: &str, a: &[super::Value]) -> Result<(NodeId, Vec<usize>)> {
    let x = a.tensor(0)?;
    let axes = args::axes(op, b.shape(x), &a.integers(1)?)?;
    Ok((x, axes))
}

/// What is subtracted from the number of elements.
fn correction(op: &str, a: &[super::Value]) -> Result<Dim> {
    let correction = a.size(2)?;
    match correction.as_constant() {
        Some(number) if number < 0 => {
            let problem = format!("`{op}` expects a `correction` of 0 or more, found {number}");
            Err(Diagnostic::new(problem).hint("it is 1 for a sample, 0 for a population"))
        }
        _ => Ok(correction),
    }
}

/// What is summed or multiplied: bytes as i32, since a few of them exceed a byte.
fn widened(b: &mut Builder, op: ReduceOp, x: NodeId) -> Result<NodeId> {
    match op {
        ReduceOp::Sum | ReduceOp::Prod if b.dtype(x) == DType::U8 => b.cast(x, DType::I32),
        _ => Ok(x),
    }
}

fn position(b: &mut Builder, name: &str, op: ReduceOp, a: &[super::Value]) -> Result<NodeId> {
    let x = a.tensor(0)?;
    let axis = args::axis(name, b.shape(x), a.integer(1)?)?;
    let shape = b.shape(x);
    if shape[axis].is(0) {
        let problem = format!("`{name}` expects at least one element along axis {axis}, found {shape}");
        return Err(
            Diagnostic::new(problem).hint("no elements have no largest and no smallest one, and no position of it")
        );
    }
    b.reduce(op, x, &[axis], false)
}

fn truth(b: &mut Builder, name: &str, op: ReduceOp, a: &[super::Value]) -> Result<NodeId> {
    let (x, axes) = axes_of(b, name, a)?;
    let dtype = b.dtype(x);
    if dtype != DType::Bool {
        return Err(Diagnostic::new(format!("`{name}` expects a bool tensor, found {dtype}"))
            .hint("compare it with something first"));
    }
    let bytes = b.cast(x, DType::U8)?;
    let reduced = b.reduce(op, bytes, &axes, false)?;
    // Over no elements the neutral element of u8: 0 for max, 255 for min, which are `false` and `true`.
    b.cast(reduced, DType::Bool)
}

/// The mean of all elements.
pub fn mean_all(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let axes = args::all_axes(b, x);
    b.mean(x, &axes, false)
}

/// Mean and population variance of a tensor over some axes, which disappear, of the type that it is computed in: sums of squares
/// are beyond half precision.
pub struct Moments {
    /// `mean(x)`, rounded.
    pub mean: NodeId,
    /// `mean(x - mean)`: what the rounded mean misses by, a constant to gradients, since it would be zero.
    pub residual: NodeId,
    /// `mean((x - mean - residual)²)`.
    pub variance: NodeId,
}

impl Moments {
    /// Those of `x` over `axes`.
    pub fn of(b: &mut Builder, x: NodeId, axes: &[usize]) -> Result<Moments> {
        let Deviations { mean, residual, squares, .. } = Deviations::of(b, x, axes)?;
        let squares = b.mean(squares, axes, false)?;
        let missed = b.binary(BinaryOp::Mul, residual, residual)?;
        let variance = b.binary(BinaryOp::Sub, squares, missed)?;
        Ok(Moments { mean, residual, variance: not_negative(b, variance)? })
    }

    /// `x - mean - residual`, the statistics spread to its shape.
    pub fn centred(
        &self,
        b: &mut Builder,
        x: NodeId,
        spread: &dyn Fn(&mut Builder, NodeId) -> Result<NodeId>,
    ) -> Result<NodeId> {
        let mean = spread(b, self.mean)?;
        let centred = b.binary(BinaryOp::Sub, x, mean)?;
        let residual = spread(b, self.residual)?;
        b.binary(BinaryOp::Sub, centred, residual)
    }
}

/// How far elements are from their mean.
///
/// Two passes: the one-pass form `mean(x²) - mean²` loses every digit where the mean is large. There the mean is rounded by as much as
/// elements may differ, so that what it misses by is corrected (Chan, Golub, LeVeque, "Algorithms for Computing the Sample
/// Variance", 1983): in the second pass, at the cost of a sum.
struct Deviations {
    mean: NodeId,
    residual: NodeId,
    /// `x - mean`.
    centred: NodeId,
    /// `(x - mean)²`.
    squares: NodeId,
}

impl Deviations {
    fn of(b: &mut Builder, x: NodeId, axes: &[usize]) -> Result<Deviations> {
        let shape = b.shape(x).clone();
        let x = b.cast(x, b.dtype(x).compute())?;
        let mean = b.mean(x, axes, false)?;
        let spread_mean = b.spread(mean, &shape, axes)?;
        let centred = b.binary(BinaryOp::Sub, x, spread_mean)?;
        let residual = b.mean(centred, axes, false)?;
        let squares = b.binary(BinaryOp::Mul, centred, centred)?;
        Ok(Deviations { mean, residual: b.detach(residual), centred, squares })
    }
}

/// `x`, and 0 where rounding has made it negative.
fn not_negative(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let zero = b.constant(0.0, b.dtype(x));
    let negative = b.compare(CompareOp::Lt, x, zero)?;
    b.select(negative, zero, x)
}

/// What the squares of `f32` are multiplied with where their sum is none, but their mean may be: as many terms as there can be.
const MANY: f64 = 1.0 / (1u64 << 20) as f64;
/// The same where squares are beyond `f32`, as all elements but their root are not.
const LARGE: f64 = 1.0 / (1u128 << 80) as f64;
/// The same where squares are too small for `f32`.
const SMALL: f64 = (1u128 << 64) as f64;
/// What elements are smaller than that the last is for.
const TINY: f64 = 1.0 / (1u64 << 50) as f64;
/// What the sum of the squares is smaller than there.
const TINY_SUM: f64 = 1.0 / (1u128 << 110) as f64;

/// Whether the squares of the type's numbers may be none of the type that they are computed in.
fn overflows(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::BF16)
}

/// The sum of the squares of all deviations, and what it is divided by.
struct Squares {
    deviations: Deviations,
    axes: Vec<usize>,
    elements: NodeId,
    divisor: NodeId,
}

impl Squares {
    fn of(b: &mut Builder, x: NodeId, axes: &[usize], correction: &Dim) -> Result<Squares> {
        let dtype = b.dtype(x).compute();
        let shape = b.shape(x).clone();
        let deviations = Deviations::of(b, x, axes)?;
        let count = axes.iter().fold(Dim::constant(1), |count, &axis| count * shape[axis].clone());
        let elements = b.dim(&count, dtype)?;
        // No more elements than the correction gives 0/0, NaN: there is no such variance.
        let divisor = b.dim(&(count - correction.clone()), dtype)?;
        let zero = b.constant(0.0, dtype);
        let divisor = b.binary(BinaryOp::Max, divisor, zero)?;
        Ok(Squares { deviations, axes: axes.to_vec(), elements, divisor })
    }

    /// The variance, and the sum of squares before it is corrected.
    fn variance(&self, b: &mut Builder) -> Result<[NodeId; 2]> {
        self.divided(b, self.deviations.squares, self.deviations.residual)
    }

    /// That of the deviations times `by`, a power of two; of such alone as are smaller than `below`.
    fn scaled(&self, b: &mut Builder, by: f64, below: Option<f64>) -> Result<NodeId> {
        let Deviations { mut centred, residual, .. } = self.deviations;
        let dtype = b.dtype(centred);
        if let Some(below) = below {
            let (limit, zero) = (b.constant(below, dtype), b.constant(0.0, dtype));
            let size = b.unary(UnaryOp::Abs, centred)?;
            let small = b.compare(CompareOp::Lt, size, limit)?;
            centred = b.select(small, centred, zero)?;
        }
        let by = b.constant(by, dtype);
        let [centred, residual] = [b.binary(BinaryOp::Mul, centred, by)?, b.binary(BinaryOp::Mul, residual, by)?];
        let squares = b.binary(BinaryOp::Mul, centred, centred)?;
        Ok(self.divided(b, squares, residual)?[0])
    }

    fn divided(&self, b: &mut Builder, squares: NodeId, residual: NodeId) -> Result<[NodeId; 2]> {
        let whole = b.reduce(ReduceOp::Sum, squares, &self.axes, false)?;
        let missed = b.binary(BinaryOp::Mul, residual, residual)?;
        let missed = b.binary(BinaryOp::Mul, missed, self.elements)?;
        let sum = b.binary(BinaryOp::Sub, whole, missed)?;
        let sum = not_negative(b, sum)?;
        Ok([b.binary(BinaryOp::Div, sum, self.divisor)?, whole])
    }
}

/// The variance, of the type that `x` is computed in.
fn variance(b: &mut Builder, op: &str, x: NodeId, axes: &[usize], correction: &Dim) -> Result<NodeId> {
    let own = float(b, op, x)?;
    let squares = Squares::of(b, x, axes, correction)?;
    let [variance, sum] = squares.variance(b)?;
    if !overflows(own) {
        return Ok(variance);
    }
    // Where the sum is beyond the type, its mean need not be. Where that is, too, the gradient is still that of the sum.
    let dtype = own.compute();
    let (infinity, back) = (b.constant(f64::INFINITY, dtype), b.constant(1.0 / (MANY * MANY), dtype));
    let scaled = squares.scaled(b, MANY, None)?;
    let scaled = b.binary(BinaryOp::Mul, scaled, back)?;
    let too_large = b.compare(CompareOp::Eq, sum, infinity)?;
    let fits = b.compare(CompareOp::Lt, scaled, infinity)?;
    let mean = b.binary(BinaryOp::Div, sum, squares.divisor)?;
    let otherwise = b.select(fits, scaled, mean)?;
    b.select(too_large, otherwise, variance)
}

/// The standard deviation. Its square need not be a number of the type that `x` is computed in.
fn deviation(b: &mut Builder, op: &str, x: NodeId, axes: &[usize], correction: &Dim) -> Result<NodeId> {
    let own = float(b, op, x)?;
    let squares = Squares::of(b, x, axes, correction)?;
    let [variance, sum] = squares.variance(b)?;
    if !overflows(own) {
        return safe_sqrt(b, variance);
    }
    let dtype = own.compute();
    let number = |b: &mut Builder, value: f64| b.constant(value, dtype);
    let (large, small) = (squares.scaled(b, LARGE, None)?, squares.scaled(b, SMALL, Some(TINY))?);
    let (infinity, tiny) = (number(b, f64::INFINITY), number(b, TINY_SUM));
    // Where the mean is beyond the type, so is the variance.
    let fits = b.compare(CompareOp::Lt, large, infinity)?;
    let large = b.select(fits, large, infinity)?;
    let is_large = b.compare(CompareOp::Eq, sum, infinity)?;
    let is_small = b.compare(CompareOp::Lt, sum, tiny)?;
    let chosen = b.select(is_small, small, variance)?;
    let chosen = b.select(is_large, large, chosen)?;
    let root = safe_sqrt(b, chosen)?;
    let [back_large, back_small, one] = [1.0 / LARGE, 1.0 / SMALL, 1.0].map(|value| number(b, value));
    let back = b.select(is_small, back_small, one)?;
    let back = b.select(is_large, back_large, back)?;
    b.binary(BinaryOp::Mul, root, back)
}

/// `sqrt(x)` with gradient 0 where `x` is 0.
pub(super) fn safe_sqrt(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let dtype = b.dtype(x);
    let (zero, one) = (b.constant(0.0, dtype), b.constant(1.0, dtype));
    let none = b.compare(CompareOp::Eq, x, zero)?;
    let held = b.select(none, one, x)?;
    let root = b.unary(UnaryOp::Sqrt, held)?;
    b.select(none, zero, root)
}

/// `log(sum(e^x))` over `axes`, which disappear, as `m + log(sum(e^(x - m)))` with `m` the largest element.
///
/// The gradient in `m` is zero, so `m` is a constant to it. An infinite `m` is left out: all -inf gives -inf.
pub fn logsumexp(b: &mut Builder, x: NodeId, axes: &[usize]) -> Result<NodeId> {
    let own = float(b, "logsumexp", x)?;
    let dtype = own.compute();
    let shape = b.shape(x).clone();
    let x = b.cast(x, dtype)?;
    let largest = b.reduce(ReduceOp::Max, x, axes, false)?;
    let largest = b.detach(largest);
    let size = b.unary(UnaryOp::Abs, largest)?;
    let (zero, infinity) = (b.constant(0.0, dtype), b.constant(f64::INFINITY, dtype));
    let infinite = b.compare(CompareOp::Eq, size, infinity)?;
    let largest = b.select(infinite, zero, largest)?;
    let spread_largest = b.spread(largest, &shape, axes)?;
    let shifted = b.binary(BinaryOp::Sub, x, spread_largest)?;
    let power = b.unary(UnaryOp::Exp, shifted)?;
    let sum = b.reduce(ReduceOp::Sum, power, axes, false)?;
    let log = b.unary(UnaryOp::Log, sum)?;
    let y = b.binary(BinaryOp::Add, log, largest)?;
    b.cast(y, own)
}
