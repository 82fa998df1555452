//! Discrete Fourier transforms of complex numbers, whose real and imaginary parts are a last axis of 2.

use super::args::{self, AXIS, Args, OTHER, X, arg, float};
use super::scatter::within;
use super::shape::{get, narrow};
use super::{ArgKind, Operation};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::graph::build::Builder;
use crate::graph::{AxisIndex, BinaryOp, CompareOp, NodeId, UnaryOp};
use crate::numeric::fourier::{FourierStep, step};
use crate::span::{Diagnostic, Result};
use std::f64::consts::FRAC_PI_2;

/// How many numbers a transform may be of: four times its length must be a number of 32 bits.
const MOST: i64 = 1 << 30;
/// Steps of these lengths are taken first; prime factors follow.
const FIRST: [i64; 3] = [8, 4, 2];
/// A step costs as much as its length for each element: beyond this length, a transform is a convolution with another length.
const LONGEST_STEP: i64 = 61;

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "fft",
        doc: "the discrete Fourier transform along `axis`, `y[k] = sum of x[j] e^(-2 pi i j k / n)`, of complex numbers: their real and \
              imaginary parts are a last axis of 2, which `axis` counts. `n` is a number that is known, the cheapest have no prime \
              factor beyond 13",
        args: &[X, AXIS],
        build: |b, a| along(b, "fft", a.tensor(0)?, a.integer(1)?, Way::Forward),
    },
    Operation {
        name: "ifft",
        doc: "the inverse of `fft` along `axis`: `x[j] = sum of y[k] e^(2 pi i j k / n) / n`",
        args: &[X, AXIS],
        build: |b, a| along(b, "ifft", a.tensor(0)?, a.integer(1)?, Way::Inverse),
    },
    Operation {
        name: "rfft",
        doc: "the frequencies `0..=n/2` of the `fft` along `axis` of real numbers, which are all that differ: `[.., n, ..] -> \
              [.., floor(n/2) + 1, .., 2]`",
        args: &[X, AXIS],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = args::axis("rfft", b.shape(x), a.integer(1)?)?;
            of_real(b, "rfft", x, axis)
        },
    },
    Operation {
        name: "irfft",
        doc: "the `n` real numbers along `axis` whose `rfft` is `x`, `[.., floor(n/2) + 1, .., 2] -> [.., n, ..]`; imaginary parts \
              that such a transform has not, of the first frequency and of `n/2`, count as 0",
        args: &[X, arg("n", ArgKind::Size), AXIS],
        build: |b, a| {
            let axis = axis_of(b, "irfft", a.tensor(0)?, a.integer(2)?)?;
            to_real(b, "irfft", a.tensor(0)?, &a.size(1)?, axis)
        },
    },
    Operation {
        name: "fft2",
        doc: "the `fft` along both axes of `x [.., m, n, 2]`",
        args: &[X],
        build: |b, a| both(b, "fft2", a.tensor(0)?, Way::Forward),
    },
    Operation {
        name: "ifft2",
        doc: "the inverse of `fft2`",
        args: &[X],
        build: |b, a| both(b, "ifft2", a.tensor(0)?, Way::Inverse),
    },
    Operation {
        name: "rfft2",
        doc: "the `rfft` along the last axis of `x [.., m, n]`, and the `fft` along the other: `-> [.., m, floor(n/2) + 1, 2]`",
        args: &[X],
        build: |b, a| {
            let x = a.tensor(0)?;
            let rank = b.shape(x).rank();
            if rank < 2 {
                return Err(Diagnostic::new(format!("`rfft2` expects an image [.., m, n], found {}", b.shape(x))));
            }
            let rows = of_real(b, "rfft2", x, rank - 1)?;
            transform(b, "rfft2", rows, rank - 2, Way::Forward)
        },
    },
    Operation {
        name: "irfft2",
        doc: "the image `[.., m, n]` whose `rfft2` is `x [.., m, floor(n/2) + 1, 2]`",
        args: &[X, arg("n", ArgKind::Size)],
        build: |b, a| {
            let x = a.tensor(0)?;
            let axis = image(b, "irfft2", x)?;
            let columns = transform(b, "irfft2", x, axis, Way::Inverse)?;
            to_real(b, "irfft2", columns, &a.size(1)?, axis + 1)
        },
    },
    Operation {
        name: "fftshift",
        doc: "the frequencies along `axis` in rising order, from `-floor(n/2)` on: moved by `floor(n/2)` places, as `roll` does",
        args: &[X, AXIS],
        build: |b, a| shifted(b, "fftshift", a.tensor(0)?, a.integer(1)?, 0),
    },
    Operation {
        name: "ifftshift",
        doc: "the inverse of `fftshift`",
        args: &[X, AXIS],
        build: |b, a| shifted(b, "ifftshift", a.tensor(0)?, a.integer(1)?, 1),
    },
    Operation {
        name: "complex_mul",
        doc: "the product of complex numbers, whose parts are a last axis of 2",
        args: &[X, OTHER],
        build: |b, a| {
            let (x, other) = (a.tensor(0)?, a.tensor(1)?);
            [x, other].into_iter().try_for_each(|operand| complex(b, "complex_mul", operand))?;
            product(b, x, other)
        },
    },
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Forward,
    Inverse,
}

impl Way {
    fn sign(self) -> i64 {
        if self == Way::Forward { -1 } else { 1 }
    }
}

/// That the last axis is one of real and imaginary parts, of floats.
fn complex(b: &Builder, op: &str, x: NodeId) -> Result<()> {
    float(b, op, x)?;
    let shape = b.shape(x);
    if shape.0.last().is_some_and(|last| last.is(2)) {
        return Ok(());
    }
    let hint = match op {
        "fft" => "of real numbers it is `x.rfft(axis)`",
        "fft2" => "of real numbers it is `x.rfft2()`",
        _ => "`real.stack([&imaginary], -1)` makes them of two tensors",
    };
    Err(Diagnostic::new(format!("`{op}` expects complex numbers, whose parts are a last axis of 2, found {shape}"))
        .hint(hint))
}

/// The axis of complex numbers.
fn axis_of(b: &Builder, op: &str, x: NodeId, axis: i64) -> Result<usize> {
    complex(b, op, x)?;
    let shape = b.shape(x);
    let found = args::axis(op, shape, axis)?;
    if found + 1 < shape.rank() {
        return Ok(found);
    }
    let problem = format!("`{op}` names axis {axis} of {shape}, which is that of real and imaginary parts");
    Err(Diagnostic::new(problem).hint(match shape.rank() {
        1 => "it is one complex number".to_owned(),
        _ => format!("the last axis before it is `{op}(-2)`"),
    }))
}

/// The first of the two axes of complex numbers that are transformed.
fn image(b: &Builder, op: &str, x: NodeId) -> Result<usize> {
    complex(b, op, x)?;
    let shape = b.shape(x);
    shape
        .rank()
        .checked_sub(3)
        .ok_or_else(|| Diagnostic::new(format!("`{op}` expects complex numbers [.., m, n, 2], found {shape}")))
}

fn along(b: &mut Builder, op: &str, x: NodeId, axis: i64, way: Way) -> Result<NodeId> {
    let axis = axis_of(b, op, x, axis)?;
    transform(b, op, x, axis, way)
}

fn both(b: &mut Builder, op: &str, x: NodeId, way: Way) -> Result<NodeId> {
    let axis = image(b, op, x)?;
    let rows = transform(b, op, x, axis + 1, way)?;
    transform(b, op, rows, axis, way)
}

/// The length of `axis`, which is known, and not 0.
fn length(b: &Builder, op: &str, x: NodeId, axis: usize) -> Result<i64> {
    let shape = b.shape(x);
    match shape[axis].as_constant() {
        Some(0) => {
            Err(Diagnostic::new(format!("`{op}` expects at least one element along axis {axis}, found {shape}")))
        }
        Some(length) => Ok(length),
        None => {
            let problem = format!("`{op}` expects an axis whose size is known, axis {axis} of {shape} is a symbol");
            Err(Diagnostic::new(problem)
                .needs_number(&shape[axis])
                .hint("its steps are the factors of the size: write a number, or `narrow` or pad the axis to one"))
        }
    }
}

/// The transform along `axis` of complex numbers.
fn transform(b: &mut Builder, op: &str, x: NodeId, axis: usize, way: Way) -> Result<NodeId> {
    let (length, own) = (length(b, op, x, axis)?, b.dtype(x));
    let moved: Vec<usize> = (0..b.shape(x).rank() - 1).filter(|&other| other != axis).collect();
    let order: Vec<usize> = moved.into_iter().chain([axis, b.shape(x).rank() - 1]).collect();
    let back: Vec<usize> = (0..order.len()).filter_map(|to| order.iter().position(|&from| from == to)).collect();
    let rows = b.cast(x, own.compute())?;
    let rows = b.permute(rows, &order)?;
    let shape = b.shape(rows).clone();
    let count = shape.0[..shape.rank() - 2].iter().fold(Dim::constant(1), |all, size| all * size.clone());
    if count.is(0) {
        return Ok(x);
    }
    let rows = b.reshape(rows, Shape(vec![count, Dim::constant(length), Dim::constant(2)]))?;
    let mut y = of_rows(b, op, rows, length, way.sign())?;
    if way == Way::Inverse {
        let count = b.constant(length as f64, own.compute());
        y = b.binary(BinaryOp::Div, y, count)?;
    }
    let y = b.reshape(y, shape)?;
    let y = b.permute(y, &back)?;
    b.cast(y, own)
}

/// The steps of a transform of that length: lengths that multiply to it.
fn steps(length: i64) -> Vec<i64> {
    let (mut left, mut steps) = (length, Vec::new());
    for factor in FIRST.into_iter().chain(3..) {
        if left == 1 {
            break;
        }
        // What has no factor up to its root is a prime.
        let factor = if factor > FIRST[0] && factor * factor > left { left } else { factor };
        while left % factor == 0 {
            steps.push(factor);
            left /= factor;
        }
    }
    steps
}

/// Of rows `[r, n, 2]`, without a factor.
fn of_rows(b: &mut Builder, op: &str, rows: NodeId, length: i64, sign: i64) -> Result<NodeId> {
    within(b, op, &b.shape(rows).clone(), MOST)?;
    let steps = steps(length);
    if steps.iter().any(|&radix| radix > LONGEST_STEP) {
        return convolved(b, op, rows, length, sign);
    }
    let (mut y, mut done) = (rows, 1);
    for radix in steps {
        y = step(b, y, FourierStep { radix, done, sign })?;
        done *= radix;
    }
    Ok(y)
}

/// The transform as a convolution with a chirp, of a length that has short steps (Bluestein 1970): since `2 j k = j^2 + k^2 - (k - j)^2`,
/// `y[k] = c[k] sum of (x[j] c[j]) / c[k - j]` with `c[k] = e^(sign pi i k^2 / n)`.
fn convolved(b: &mut Builder, op: &str, rows: NodeId, length: i64, sign: i64) -> Result<NodeId> {
    let (dtype, count) = (b.dtype(rows), b.shape(rows)[0].clone());
    let long = (2 * length - 1) as u64;
    let long = long.next_power_of_two() as i64;
    let own = chirp(b, (length, length), length, sign, dtype)?;
    let other = chirp(b, (long, long), length, -sign, dtype)?;
    let x = product(b, rows, own)?;
    let padded = Shape(vec![count.clone(), Dim::constant(long), Dim::constant(2)]);
    let x = b.view(x, padded, [0, 1, 2].map(AxisIndex::axis).to_vec())?;
    let other = of_rows(b, op, other, long, -1)?;
    let x = of_rows(b, op, x, long, -1)?;
    let x = product(b, x, other)?;
    let x = of_rows(b, op, x, long, 1)?;
    let x = narrow(b, x, 1, &Dim::constant(0), &Dim::constant(length))?;
    let x = product(b, x, own)?;
    let count = b.constant(long as f64, dtype);
    b.binary(BinaryOp::Div, x, count)
}

/// `c[k]` for `k` and `-k` in a circle of `around`, 0 between them, as one row of `size`.
fn chirp(b: &mut Builder, (size, around): (i64, i64), length: i64, sign: i64, dtype: DType) -> Result<NodeId> {
    let shape = Shape(vec![Dim::constant(1), Dim::constant(size)]);
    // Squares in 32 bits where they fit: the remainder of 64 is a loop on some devices, of which some end long ones (llvmpipe).
    let counted = if size < 46_341 { DType::I32 } else { DType::I64 };
    let k = b.iota(&shape, 1, counted)?;
    let number = |b: &mut Builder, value: i64| b.integer(value, counted);
    let (around, turn, end) = (number(b, around)?, number(b, 2 * length)?, number(b, length)?);
    let behind = b.binary(BinaryOp::Sub, around, k)?;
    let k = if size == length { k } else { b.binary(BinaryOp::Min, k, behind)? };
    let square = b.binary(BinaryOp::Mul, k, k)?;
    let part = b.binary(BinaryOp::Rem, square, turn)?;
    let part = b.cast(part, DType::I32)?;
    let root = root(b, part, 2 * length, sign, dtype)?;
    let used = b.compare(CompareOp::Lt, k, end)?;
    let used = b.reshape(used, Shape(vec![Dim::constant(1), Dim::constant(size), Dim::constant(1)]))?;
    let zero = b.constant(0.0, dtype);
    b.select(used, root, zero)
}

/// `e^(sign 2 pi i part / turn)`, with an axis of its parts; from whole numbers reduced to an eighth of a turn.
fn root(b: &mut Builder, part: NodeId, turn: i64, sign: i64, dtype: DType) -> Result<NodeId> {
    let number = |b: &mut Builder, value: i64| b.integer(value, DType::I32);
    let [zero, one, two, four, turn] = [0, 1, 2, 4, turn].map(|value| number(b, value));
    let (zero, one, two, four, turn) = (zero?, one?, two?, four?, turn?);
    let part = b.binary(BinaryOp::Mul, part, four)?;
    let quarter = b.binary(BinaryOp::Div, part, turn)?;
    let part = b.binary(BinaryOp::Rem, part, turn)?;
    let twice = b.binary(BinaryOp::Mul, part, two)?;
    let far = b.compare(CompareOp::Gt, twice, turn)?;
    let other = b.binary(BinaryOp::Sub, turn, part)?;
    let part = b.select(far, other, part)?;
    let (part, turn) = (b.cast(part, dtype)?, b.cast(turn, dtype)?);
    let share = b.binary(BinaryOp::Div, part, turn)?;
    let right = b.constant(FRAC_PI_2, dtype);
    let angle = b.binary(BinaryOp::Mul, share, right)?;
    let (near, side) = (b.unary(UnaryOp::Cos, angle)?, b.unary(UnaryOp::Sin, angle)?);
    let (c, s) = (b.select(far, side, near)?, b.select(far, near, side)?);
    let odd = b.binary(BinaryOp::Rem, quarter, two)?;
    let even = b.compare(CompareOp::Eq, odd, zero)?;
    let minus = b.unary(UnaryOp::Neg, s)?;
    let (c, s) = (b.select(even, c, minus)?, b.select(even, s, c)?);
    let behind = b.compare(CompareOp::Gt, quarter, one)?;
    let [real, imaginary] = [c, s].map(|part| -> Result<NodeId> {
        let minus = b.unary(UnaryOp::Neg, part)?;
        b.select(behind, minus, part)
    });
    let (real, mut imaginary) = (real?, imaginary?);
    if sign < 0 {
        imaginary = b.unary(UnaryOp::Neg, imaginary)?;
    }
    let mut shape = b.shape(real).clone();
    shape.0.push(Dim::constant(2));
    let [real, imaginary] = [real, imaginary].map(|part| {
        let index = (0..shape.rank() - 1).map(AxisIndex::axis).collect();
        b.view(part, shape.clone(), index)
    });
    let second = b.iota(&shape, shape.rank() - 1, DType::I32)?;
    let second = b.compare(CompareOp::Eq, second, one)?;
    b.select(second, imaginary?, real?)
}

/// The product of complex numbers.
fn product(b: &mut Builder, x: NodeId, y: NodeId) -> Result<NodeId> {
    let shape = b.broadcast_shapes("complex_mul", b.shape(x).clone(), b.shape(y).clone())?;
    let (x, y) = (b.broadcast_to(x, &shape)?, b.broadcast_to(y, &shape)?);
    let (last, dtype) = (shape.rank() - 1, b.dtype(x));
    let index = |part: AxisIndex| -> Vec<AxisIndex> { (0..last).map(AxisIndex::axis).chain([part]).collect() };
    let real = b.view(x, shape.clone(), index(AxisIndex::fixed(0)))?;
    let imaginary = b.view(x, shape.clone(), index(AxisIndex::fixed(1)))?;
    let swapped = AxisIndex { terms: vec![(last, -1)], offset: Dim::constant(1), divisor: 1 };
    let swapped = b.view(y, shape.clone(), index(swapped))?;
    let (along, across) = (b.binary(BinaryOp::Mul, real, y)?, b.binary(BinaryOp::Mul, imaginary, swapped)?);
    let (sum, difference) = (b.binary(BinaryOp::Add, along, across)?, b.binary(BinaryOp::Sub, along, across)?);
    let part = b.iota(&shape, last, DType::I32)?;
    let first = b.integer(0, DType::I32)?;
    let first = b.compare(CompareOp::Eq, part, first)?;
    debug_assert_eq!(dtype, b.dtype(y), "operands of one type");
    b.select(first, difference, sum)
}

fn of_real(b: &mut Builder, op: &str, x: NodeId, axis: usize) -> Result<NodeId> {
    float(b, op, x)?;
    let (length, mut shape) = (length(b, op, x, axis)?, b.shape(x).clone());
    let rank = shape.rank();
    shape.0.push(Dim::constant(1));
    let parts = b.reshape(x, shape.clone())?;
    // Outside of the real parts there are zeros.
    shape.0[rank] = Dim::constant(2);
    let numbers = b.view(parts, shape, (0..=rank).map(AxisIndex::axis).collect())?;
    let all = transform(b, op, numbers, axis, Way::Forward)?;
    narrow(b, all, axis, &Dim::constant(0), &Dim::constant(length / 2 + 1))
}

fn to_real(b: &mut Builder, op: &str, x: NodeId, n: &Dim, axis: usize) -> Result<NodeId> {
    let (mut shape, own) = (b.shape(x).clone(), b.dtype(x));
    let Some(n) = n.as_constant().filter(|&n| n > 0) else {
        return Err(Diagnostic::new(format!("`{op}` expects a number of at least 1 as `n`, found {n}"))
            .needs_number(n)
            .hint("it is how many real numbers there are, which the frequencies do not tell"));
    };
    let half = n / 2 + 1;
    if !shape[axis].is(half) {
        let problem = format!("`{op}` to {n} real numbers expects {half} frequencies along axis {axis}, found {shape}");
        let hint = match shape[axis].as_constant() {
            Some(found) if found > 1 => format!("{found} are those of {} or {}", 2 * found - 2, 2 * found - 1),
            _ => format!("`{op}` is of what `{}` gives", &op[1..]),
        };
        return Err(Diagnostic::new(problem).hint(hint));
    }
    // Each frequency but the first and n/2 stands for its conjugate too, whose real part in the sum is the same.
    let k = b.iota(&shape, axis, DType::I32)?;
    let (zero, middle) = (b.integer(0, DType::I32)?, b.integer(if n % 2 == 0 { n / 2 } else { -1 }, DType::I32)?);
    let (first, last) = (b.compare(CompareOp::Eq, k, zero)?, b.compare(CompareOp::Eq, k, middle)?);
    let alone = b.binary(BinaryOp::Or, first, last)?;
    let twice = b.binary(BinaryOp::Add, x, x)?;
    let weighted = b.select(alone, x, twice)?;
    shape.0[axis] = Dim::constant(n);
    let rank = shape.rank();
    let all = b.view(weighted, shape, (0..rank).map(AxisIndex::axis).collect())?;
    let all = transform(b, op, all, axis, Way::Inverse)?;
    let real = get(b, all, rank - 1, &Dim::constant(0))?;
    b.cast(real, own)
}

/// The elements along `axis` from half of them on, rounded up or down, and then the others.
fn shifted(b: &mut Builder, op: &str, x: NodeId, axis: i64, inverse: i64) -> Result<NodeId> {
    let axis = args::axis(op, b.shape(x), axis)?;
    let size = b.shape(x)[axis].clone();
    if size.is(0) {
        return Ok(x);
    }
    // A roll by n/2 starts at n - n/2, its inverse at n/2.
    let start = (size.clone() + Dim::constant(1 - inverse)).floor_div(2);
    let rest = size - start.clone();
    let (behind, before) = (narrow(b, x, axis, &start, &rest)?, narrow(b, x, axis, &Dim::constant(0), &start)?);
    super::shape::concat(b, &[behind, before], axis)
}
