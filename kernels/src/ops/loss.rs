//! Losses, all with PyTorch's default reduction: the mean. Of half precision, the loss alone is rounded.
//!
//! Class losses take logits or log-probabilities `[.., classes]` and labels `[..]`. **A label outside `0..classes` makes
//! the loss NaN**, and with `cross_entropy` that row's gradient too (with `nll_loss` it is zero): a number that looks
//! right would be worse. `cross_entropy_ignoring` leaves rows of one label out.

use super::activation::{SoftplusParts, softplus_parts};
use super::args::{self, Args, X, arg, float, literal, number_arg, scalar_arg, tensor_arg};
use super::reduction::mean_all;
use super::{ArgKind, Formula, Operation, Value};
use crate::dim::{Dim, Shape};
use crate::dtype::DType;
use crate::equality::Equality;
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId, ReduceOp, UnaryOp};
use crate::span::{Diagnostic, Result, WrongArgument};

pub(super) const OPERATIONS: &[Operation] = &[
    Operation {
        name: "cross_entropy",
        doc: "the mean over rows of `log(sum(e^x)) - x[label]`, logits `[.., classes]`, labels `[..]` (u32 or i32); \
              a label out of range gives NaN",
        args: &[X, tensor_arg("labels")],
        build: |b, a| cross_entropy(b, a.tensor(0)?, a.tensor(1)?),
    },
    Operation {
        name: "cross_entropy_ignoring",
        doc: "`cross_entropy` over the rows whose label is not `ignored`; NaN if there are none",
        args: &[X, tensor_arg("labels"), arg("ignored", ArgKind::Axis)],
        build: |b, a| cross_entropy_ignoring(b, a.tensor(0)?, a.tensor(1)?, a.integer(2)?),
    },
    Operation {
        name: "nll_loss",
        doc: "the mean over rows of `-x[label]`, log-probabilities `[.., classes]`, labels `[..]` (u32 or i32); \
              a label out of range gives NaN",
        args: &[X, tensor_arg("labels")],
        build: |b, a| nll_loss(b, a.tensor(0)?, a.tensor(1)?),
    },
    Operation {
        name: "mse_loss",
        doc: "the mean of `(x - target)^2`, both of one shape",
        args: &[X, tensor_arg("target")],
        build: |b, a| {
            let Difference { value, dtype } = difference(b, "mse_loss", a.tensor(0)?, a.tensor(1)?)?;
            let squared = b.binary(BinaryOp::Mul, value, value)?;
            mean_as(b, squared, dtype)
        },
    },
    Operation {
        name: "l1_loss",
        doc: "the mean of `|x - target|`, both of one shape",
        args: &[X, tensor_arg("target")],
        build: |b, a| {
            let Difference { value, dtype } = difference(b, "l1_loss", a.tensor(0)?, a.tensor(1)?)?;
            let size = b.unary(UnaryOp::Abs, value)?;
            mean_as(b, size, dtype)
        },
    },
    Operation {
        name: "huber_loss",
        doc: "the mean of `d^2/2` where `d = |x - target|` is below `delta`, else of `delta * (d - delta/2)`",
        args: &[X, tensor_arg("target"), scalar_arg("delta")],
        build: |b, a| huber_loss(b, a.tensor(0)?, a.tensor(1)?, a.scalar(2)?),
    },
    Operation {
        name: "smooth_l1_loss",
        doc: "`huber_loss(beta) / beta`; `l1_loss` for a `beta` of 0",
        args: &[X, tensor_arg("target"), number_arg("beta")],
        build: |b, a| smooth_l1_loss(b, a.tensor(0)?, a.tensor(1)?, a.number(2)?),
    },
    Operation {
        name: "bce_with_logits",
        doc: "the mean of `softplus(x) - x * target`: binary cross-entropy of `sigmoid(x)`, both of one shape",
        args: &[X, tensor_arg("target")],
        build: |b, a| bce_with_logits(b, a.tensor(0)?, a.tensor(1)?),
    },
    Operation {
        name: "bce_loss",
        doc: "the mean of `-target * log(x) - (1 - target) * log(1 - x)`: binary cross-entropy of probabilities, both of one shape; \
              logarithms count as at least -100; gradient `(x - target) / max((1 - x) x, 1e-12)` in `x`",
        args: &[X, tensor_arg("target")],
        build: |b, a| bce_loss(b, a.tensor(0)?, a.tensor(1)?),
    },
    Operation {
        name: "kl_div",
        doc: "the mean of `target * (log(target) - x)`: Kullback-Leibler divergence of log-probabilities `x` from the probabilities \
              `target`, both of one shape",
        args: &[X, tensor_arg("target")],
        build: |b, a| kl_div(b, a.tensor(0)?, a.tensor(1)?),
    },
    Operation {
        name: "poisson_nll_loss",
        doc: "the mean of `e^x - target * x`: Poisson-distributed counts whose expectation is `e^x`, both of one shape",
        args: &[X, tensor_arg("target")],
        build: |b, a| poisson_nll_loss(b, a.tensor(0)?, a.tensor(1)?),
    },
];

/// The class axis, after checking types and shapes.
fn class_axis(b: &mut Builder, op: &str, x: NodeId, labels: NodeId) -> Result<usize> {
    float(b, op, x)?;
    let (shape, label_shape, label_type) = (b.shape(x).clone(), b.shape(labels).clone(), b.dtype(labels));
    if !matches!(label_type, DType::U32 | DType::I32) {
        // A row of ones and zeros for each label, as other frameworks take them.
        let last = label_shape.rank().checked_sub(1).filter(|_| label_shape.rank() == shape.rank());
        let problem = match last {
            Some(_) => format!("{label_type} {label_shape}"),
            None => label_type.to_string(),
        };
        let problem = Diagnostic::new(format!("`{op}` expects u32 or i32 labels, found {problem}"));
        return Err(match last {
            Some(axis) => {
                problem.hint(format!("labels are class numbers: of rows of ones and zeros `.argmax({axis})`"))
            }
            None => problem.hint("labels are class numbers; convert them with `.cast(DType::U32)`"),
        }
        .of_argument(WrongArgument::Named("labels")));
    }
    let Some(axis) = shape.rank().checked_sub(1) else {
        return Err(Diagnostic::new(format!("`{op}` expects a tensor [.., classes], found a scalar")));
    };
    let expected = Shape(shape.0[..axis].to_vec());
    let what = format!("`{op}` of {shape} expects labels of shape {expected}, found {label_shape}");
    let fits = label_shape.rank() == axis
        && (0..axis).all(|a| b.agree_along([(x, a), (labels, a)], &format!("{what}: axis {a} is"), "against"));
    let elsewhere = |at: &usize| {
        let others = (0..=axis).filter(|other| other != at);
        label_shape.rank() == axis
            && others.zip(0..axis).all(|(own, label)| shape[own].equality(&label_shape[label]) == Equality::Always)
    };
    if let Some(at) = (0..axis).filter(|_| !fits).find(elsewhere) {
        let order: Vec<usize> = (0..=axis).filter(|other| *other != at).chain([at]).collect();
        return Err(Diagnostic::new(format!(
            "`{op}` takes the classes as the last axis, found {shape} with labels of shape {label_shape}, whose classes are axis {at}"
        ))
        .hint(format!("put them there: `.permute({order:?})`")));
    }
    if !fits {
        let notes = (0..axis.min(label_shape.rank()))
            .find(|&a| shape[a].equality(&label_shape[a]) == Equality::No)
            .map_or(String::new(), |a| {
                let (rows, labelled) = (b.origin_note(x, a), b.origin_note(labels, a));
                format!(": axis {a} is {}{rows} against {}{labelled}", shape[a], label_shape[a])
            });
        let problem = Diagnostic::new(what + &notes);
        return Err(match label_shape.rank() == axis + 1 && label_shape[axis].is(1) {
            true => problem.hint(format!("leave the axis of one element out: `labels.squeeze({axis})`")),
            false => problem.hint("labels are the numbers of classes, without an axis for the classes"),
        });
    }
    Ok(axis)
}

/// The mean of all elements, each a term of the loss, as `dtype`.
fn mean_as(b: &mut Builder, each: NodeId, dtype: DType) -> Result<NodeId> {
    let mean = mean_all(b, each)?;
    b.cast(mean, dtype)
}

/// `x` as the type that it is computed in.
fn computed(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    b.cast(x, b.dtype(x).compute())
}

/// `x[label]` for each row: a sum over the classes, so that it is part of the row's one pass.
fn pick(b: &mut Builder, x: NodeId, labels: NodeId, axis: usize) -> Result<NodeId> {
    let shape = b.shape(x).clone();
    let (dtype, label_type) = (b.dtype(x), b.dtype(labels));
    let classes = b.iota(&shape, axis, label_type)?;
    let spread_labels = b.spread(labels, &shape, &[axis])?;
    let hit = b.compare(CompareOp::Eq, classes, spread_labels)?;
    let zero = b.constant(0.0, dtype);
    let picked = b.select(hit, x, zero)?;
    b.reduce(ReduceOp::Sum, picked, &[axis], false)
}

/// `rows` times 1 where the label is a class, times NaN where it is none: what flows back through a row becomes NaN too.
fn poison(b: &mut Builder, rows: NodeId, labels: NodeId, classes: &Dim) -> Result<NodeId> {
    let (dtype, label_type) = (b.dtype(rows), b.dtype(labels));
    let count = b.dim(classes, label_type)?;
    let mut valid = b.compare(CompareOp::Lt, labels, count)?;
    if label_type == DType::I32 {
        let zero = b.constant(0.0, label_type);
        let positive = b.compare(CompareOp::Ge, labels, zero)?;
        valid = b.binary(BinaryOp::And, valid, positive)?;
    }
    let (one, nan) = (b.constant(1.0, dtype), b.constant(f64::NAN, dtype));
    let factor = b.select(valid, one, nan)?;
    b.binary(BinaryOp::Mul, rows, factor)
}

/// `log(sum(e^x)) - x[label]` for each row, of the type that `x` is computed in.
fn cross_entropy_rows(b: &mut Builder, op: &str, x: NodeId, labels: NodeId) -> Result<NodeId> {
    let axis = class_axis(b, op, x, labels)?;
    let classes = b.shape(x)[axis].clone();
    let x = computed(b, x)?;
    let shifted = b.shifted(x, axis)?;
    let log = b.log_of_sum(shifted, axis)?;
    let picked = pick(b, shifted, labels, axis)?;
    let rows = b.binary(BinaryOp::Sub, log, picked)?;
    poison(b, rows, labels, &classes)
}

/// The mean over rows of `log(sum(e^x)) - x[label]`.
pub fn cross_entropy(b: &mut Builder, x: NodeId, labels: NodeId) -> Result<NodeId> {
    let rows = cross_entropy_rows(b, "cross_entropy", x, labels)?;
    mean_as(b, rows, b.dtype(x))
}

/// [`cross_entropy`] over the rows whose label is not `ignored`.
pub fn cross_entropy_ignoring(b: &mut Builder, x: NodeId, labels: NodeId, ignored: i64) -> Result<NodeId> {
    let op = "cross_entropy_ignoring";
    class_axis(b, op, x, labels)?;
    let (own, label_type) = (b.dtype(x), b.dtype(labels));
    let dtype = own.compute();
    let ignored = literal(b, op, &Value::Dim(Dim::constant(ignored)), label_type)?;
    let counted = b.compare(CompareOp::Ne, labels, ignored)?;
    // Class 0 stands in for an ignored label, which need be no class: a NaN would come back as the gradient `0 * NaN`.
    let first = b.constant(0.0, label_type);
    let labels = b.select(counted, labels, first)?;
    let rows = cross_entropy_rows(b, op, x, labels)?;
    let zero = b.constant(0.0, dtype);
    let kept = b.select(counted, rows, zero)?;
    let ones = b.cast(counted, dtype)?;
    let axes: Vec<usize> = (0..b.shape(rows).rank()).collect();
    let total = b.reduce(ReduceOp::Sum, kept, &axes, false)?;
    let count = b.reduce(ReduceOp::Sum, ones, &axes, false)?;
    let mean = b.binary(BinaryOp::Div, total, count)?;
    b.cast(mean, own)
}

/// The mean over rows of `-x[label]`.
pub fn nll_loss(b: &mut Builder, x: NodeId, labels: NodeId) -> Result<NodeId> {
    let axis = class_axis(b, "nll_loss", x, labels)?;
    let classes = b.shape(x)[axis].clone();
    let dtype = b.dtype(x);
    let x = computed(b, x)?;
    let picked = pick(b, x, labels, axis)?;
    let rows = b.unary(UnaryOp::Neg, picked)?;
    let rows = poison(b, rows, labels, &classes)?;
    mean_as(b, rows, dtype)
}

/// What most losses are of.
struct Difference {
    /// `x - target`, of the type that `x` is computed in.
    value: NodeId,
    /// The type of `x`, and so of the loss.
    dtype: DType,
}

/// `x - target`, both of one shape: a loss that broadcasts hides mistakes.
fn difference(b: &mut Builder, op: &str, x: NodeId, target: NodeId) -> Result<Difference> {
    let dtype = b.dtype(x);
    let [x, target] = alike(b, op, x, target)?;
    Ok(Difference { value: b.binary(BinaryOp::Sub, x, target)?, dtype })
}

/// Both as the type that they are computed in, after checking that they are of one type and one shape.
fn alike(b: &mut Builder, op: &str, x: NodeId, target: NodeId) -> Result<[NodeId; 2]> {
    same_shape(b, op, x, target)?;
    let (dtype, found) = (b.dtype(x), b.dtype(target));
    if dtype != found {
        return Err(Diagnostic::new(format!("`{op}` of {dtype} expects a target of the same type, found {found}"))
            .hint(format!("convert it: `{}`", args::cast_to(dtype))));
    }
    Ok([computed(b, x)?, computed(b, target)?])
}

fn same_shape(b: &mut Builder, op: &str, x: NodeId, target: NodeId) -> Result<()> {
    float(b, op, x)?;
    let (shape, found) = (b.shape(x).clone(), b.shape(target).clone());
    let what = format!("`{op}` of {shape} expects a target of the same shape, found {found}");
    if b.agree_everywhere([x, target], &what) {
        return Ok(());
    }
    let notes = (0..shape.rank().min(found.rank())).find(|&a| shape[a].equality(&found[a]) == Equality::No).map_or(
        String::new(),
        |a| {
            let (left, right) = (b.origin_note(x, a), b.origin_note(target, a));
            format!(": axis {a} is {}{left} against {}{right}", shape[a], found[a])
        },
    );
    let problem = Diagnostic::new(what + &notes);
    // One of them has an axis of one element more.
    let without = |long: &Shape, short: &Shape| {
        let last = long.rank().checked_sub(1).filter(|last| long[*last].is(1) && long.0[..*last] == short.0[..]);
        last.map(|last| format!("leave the axis of one element out, `.squeeze({last})`, or give both one"))
    };
    let problem = problem.of_argument(WrongArgument::Named("target"));
    Err(match without(&shape, &found).or_else(|| without(&found, &shape)) {
        Some(instead) => problem.hint(instead),
        None if found.rank() < shape.rank() => {
            problem.hint("a target has a value for each element; of class numbers the loss is `cross_entropy`")
        }
        None => problem,
    })
}

/// With `c` the difference `d` kept between `-delta` and `delta` both sides are `c * (d - c/2)`; an infinite difference has a finite
/// gradient. Without `|d|` the second derivative at 0 is 1, too.
fn huber_loss(b: &mut Builder, x: NodeId, target: NodeId, delta: &Value) -> Result<NodeId> {
    if let Some(delta) = delta.as_number().filter(|delta| delta.is_nan() || *delta <= 0.0) {
        return Err(Diagnostic::new(format!("`huber_loss` expects a `delta` above 0, found {delta}")));
    }
    let difference = difference(b, "huber_loss", x, target)?;
    let delta = literal(b, "huber_loss", delta, b.dtype(difference.value))?;
    huber_mean(b, &difference, delta, 1.0)
}

fn smooth_l1_loss(b: &mut Builder, x: NodeId, target: NodeId, beta: f64) -> Result<NodeId> {
    if beta.is_nan() || beta < 0.0 {
        return Err(Diagnostic::new(format!("`smooth_l1_loss` expects a `beta` of at least 0, found {beta}")));
    }
    let difference = difference(b, "smooth_l1_loss", x, target)?;
    if beta == 0.0 {
        let size = b.unary(UnaryOp::Abs, difference.value)?;
        return mean_as(b, size, difference.dtype);
    }
    let width = b.constant(beta, b.dtype(difference.value));
    huber_mean(b, &difference, width, 1.0 / beta)
}

fn huber_mean(b: &mut Builder, difference: &Difference, delta: NodeId, scale: f64) -> Result<NodeId> {
    let dtype = b.dtype(difference.value);
    let (half, scale) = (b.constant(0.5, dtype), b.constant(scale, dtype));
    let least = b.unary(UnaryOp::Neg, delta)?;
    let capped = b.binary(BinaryOp::Min, difference.value, delta)?;
    let capped = b.binary(BinaryOp::Max, capped, least)?;
    let halved = b.binary(BinaryOp::Mul, capped, half)?;
    let rest = b.binary(BinaryOp::Sub, difference.value, halved)?;
    let weight = b.binary(BinaryOp::Mul, capped, scale)?;
    let each = b.binary(BinaryOp::Mul, weight, rest)?;
    mean_as(b, each, difference.dtype)
}

/// The mean of `softplus(x) - x * target`, as `log(1 + e^-|x|) + x * (step(x) - target)`: where the prediction is right, the step and
/// the target cancel before what is left of the gradient, `e^-|x|`, is added to them.
pub fn bce_with_logits(b: &mut Builder, x: NodeId, target: NodeId) -> Result<NodeId> {
    let dtype = b.dtype(x);
    let [x, target] = alike(b, "bce_with_logits", x, target)?;
    let SoftplusParts { negative, rest } = softplus_parts(b, x)?;
    let (zero, one) = (b.constant(0.0, b.dtype(x)), b.constant(1.0, b.dtype(x)));
    let step = b.select(negative, zero, one)?;
    let slope = b.binary(BinaryOp::Sub, step, target)?;
    let line = b.binary(BinaryOp::Mul, x, slope)?;
    let each = b.binary(BinaryOp::Add, line, rest)?;
    mean_as(b, each, dtype)
}

/// `-target * log(x) - (1 - target) * log(1 - x)`, the logarithms at least -100, with PyTorch's gradient,
/// `(x - target) / max((1 - x) * x, 1e-12)`: where `x` is so near to 0 or 1 that the bound counts, what is added has that gradient and
/// the value 0.
fn bce_loss(b: &mut Builder, x: NodeId, target: NodeId) -> Result<NodeId> {
    const LEAST: f64 = 1e-12;
    let own = b.dtype(x);
    let [x, target] = alike(b, "bce_loss", x, target)?;
    let dtype = b.dtype(x);
    let [one, half, least] = [1.0, 0.5, LEAST].map(|value| b.constant(value, dtype));
    let rest = b.binary(BinaryOp::Sub, one, x)?;
    let product = b.binary(BinaryOp::Mul, rest, x)?;
    let at_an_end = b.compare(CompareOp::Lt, product, least)?;

    // Between the ends, at whose places stands a number that has logarithms.
    let held = b.select(at_an_end, half, x)?;
    let [log, other] = logarithms(b, held)?;
    // At the ends; the bound cannot count elsewhere.
    let still = b.detach(x);
    let lowest = b.constant(-100.0, dtype);
    let [end_log, end_other] = logarithms(b, still)?.map(|log| b.binary(BinaryOp::Max, log, lowest));
    let (log, other) = (b.select(at_an_end, end_log?, log)?, b.select(at_an_end, end_other?, other)?);

    let rest = b.binary(BinaryOp::Sub, one, target)?;
    let (hit, missed) = (b.binary(BinaryOp::Mul, target, log)?, b.binary(BinaryOp::Mul, rest, other)?);
    let sum = b.binary(BinaryOp::Add, hit, missed)?;

    // `(x - s) ((x + s) / 2 - target)` of the number `s` that `x` is: 0, with the derivative `x - target`.
    let (nothing, twice) = (b.binary(BinaryOp::Sub, x, still)?, b.binary(BinaryOp::Add, x, still)?);
    let mean = b.binary(BinaryOp::Mul, twice, half)?;
    let slope = b.binary(BinaryOp::Sub, mean, target)?;
    let steep = b.constant(1.0 / LEAST, dtype);
    let slope = b.binary(BinaryOp::Mul, slope, steep)?;
    let turn = b.binary(BinaryOp::Mul, nothing, slope)?;
    let zero = b.constant(0.0, dtype);
    let turn = b.select(at_an_end, turn, zero)?;
    let each = b.binary(BinaryOp::Sub, turn, sum)?;
    mean_as(b, each, own)
}

/// `log(x)` and `log(1 - x)`.
fn logarithms(b: &mut Builder, x: NodeId) -> Result<[NodeId; 2]> {
    let minus = b.unary(UnaryOp::Neg, x)?;
    Ok([b.unary(UnaryOp::Log, x)?, b.unary(UnaryOp::Log1p, minus)?])
}

fn kl_div(b: &mut Builder, x: NodeId, target: NodeId) -> Result<NodeId> {
    let own = b.dtype(x);
    let [x, target] = alike(b, "kl_div", x, target)?;
    let entropy = Formula(b).xlogy(target, target)?;
    let cross = b.binary(BinaryOp::Mul, target, x)?;
    let each = b.binary(BinaryOp::Sub, entropy, cross)?;
    mean_as(b, each, own)
}

fn poisson_nll_loss(b: &mut Builder, x: NodeId, target: NodeId) -> Result<NodeId> {
    let own = b.dtype(x);
    let [x, target] = alike(b, "poisson_nll_loss", x, target)?;
    let expected = b.unary(UnaryOp::Exp, x)?;
    let line = b.binary(BinaryOp::Mul, target, x)?;
    let each = b.binary(BinaryOp::Sub, expected, line)?;
    mean_as(b, each, own)
}
