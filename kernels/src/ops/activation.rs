//! Activation functions, elementwise on float tensors, as PyTorch defines them (`torch.nn.functional`, 2.x).
//!
//! Each formula is stable over the whole range in value and gradient: an exponential never has a positive argument, and what
//! overflows is nowhere multiplied by a zero. Infinities themselves give the value that IEEE says, as in PyTorch: `-inf` times a
//! gate that is 0 is NaN.

use super::args::{Args, X, float, literal, number_arg, scalar_arg, tensor_arg};
use super::arithmetic::clamp;
use super::{Operation, Value};
use crate::graph::build::Builder;
use crate::graph::{BinaryOp, CompareOp, NodeId, UnaryOp};
use crate::span::{Diagnostic, Result};

macro_rules! plain {
    ($name:literal, $function:ident, $doc:literal) => {
        Operation { name: $name, doc: $doc, args: &[X], build: |b, a| $function(b, a.tensor(0)?) }
    };
}

pub(super) const OPERATIONS: &[Operation] = &[
    plain!("relu", relu, "`max(x, 0)`; NaN stays NaN, the gradient at 0 is 0"),
    plain!("relu6", relu6, "`min(max(x, 0), 6)`"),
    Operation {
        name: "leaky_relu",
        doc: "`x` above zero, `slope * x` below",
        args: &[X, scalar_arg("slope")],
        build: |b, a| leaky_relu(b, a.tensor(0)?, a.scalar(1)?),
    },
    Operation {
        name: "prelu",
        doc: "`x` above zero, `slope * x` below, the slope a tensor that broadcasts",
        args: &[X, tensor_arg("slope")],
        build: |b, a| prelu(b, a.tensor(0)?, a.tensor(1)?),
    },
    plain!("gelu", gelu, "`x * Phi(x) = x/2 * (1 + erf(x / sqrt(2)))`, exact"),
    plain!("gelu_tanh", gelu_tanh, "`x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))`, an approximation of `gelu`"),
    plain!("silu", silu, "`x * sigmoid(x)`, also called swish"),
    plain!("sigmoid", sigmoid, "`1 / (1 + e^-x)`"),
    plain!("log_sigmoid", log_sigmoid, "`log(sigmoid(x)) = min(x, 0) - log(1 + e^-|x|)`"),
    plain!("tanh", tanh, "hyperbolic tangent"),
    plain!("softplus", softplus, "`log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)`"),
    Operation {
        name: "elu",
        doc: "`x` above zero, `alpha * (e^x - 1)` below",
        args: &[X, number_arg("alpha")],
        build: |b, a| elu(b, a.tensor(0)?, a.number(1)?),
    },
    Operation {
        name: "celu",
        doc: "`x` above zero, `alpha * (e^(x/alpha) - 1)` below",
        args: &[X, number_arg("alpha")],
        build: |b, a| celu(b, a.tensor(0)?, a.number(1)?),
    },
    plain!("selu", selu, "`1.0507 * elu(x, 1.67326)`: keeps mean 0 and variance 1 (Klambauer et al. 2017)"),
    plain!("hard_sigmoid", hard_sigmoid, "`clamp(x/6 + 1/2, 0, 1)`"),
    plain!("hard_swish", hard_swish, "`x * hard_sigmoid(x)`"),
    plain!("hard_tanh", hard_tanh, "`clamp(x, -1, 1)`"),
    plain!("mish", mish, "`x * tanh(softplus(x))`"),
    plain!("softsign", softsign, "`x / (1 + |x|)`"),
    Operation {
        name: "threshold",
        doc: "`x` above `threshold`, else `value`",
        args: &[X, scalar_arg("threshold"), scalar_arg("value")],
        build: |b, a| threshold(b, a.tensor(0)?, a.scalar(1)?, a.scalar(2)?),
    },
    Operation {
        name: "hard_shrink",
        doc: "`x` where `|x|` is above `lambda`, else 0",
        args: &[X, scalar_arg("lambda")],
        build: |b, a| hard_shrink(b, a.tensor(0)?, a.scalar(1)?),
    },
    Operation {
        name: "soft_shrink",
        doc: "`x` moved by `lambda` toward 0, and 0 where it would cross it",
        args: &[X, scalar_arg("lambda")],
        build: |b, a| soft_shrink(b, a.tensor(0)?, a.scalar(1)?),
    },
    plain!("tanh_shrink", tanh_shrink, "`x - tanh(x)`"),
];

/// `max(x, 0)`. The derivative rule of a maximum against a constant gives the tie to the constant.
pub fn relu(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let dtype = float(b, "relu", x)?;
    let zero = b.constant(0.0, dtype);
    b.binary(BinaryOp::Max, x, zero)
}

fn relu6(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    float(b, "relu6", x)?;
    clamp(b, x, 0.0, 6.0)
}

fn hard_tanh(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    float(b, "hard_tanh", x)?;
    clamp(b, x, -1.0, 1.0)
}

fn hard_sigmoid(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let dtype = float(b, "hard_sigmoid", x)?;
    let (sixth, half) = (b.constant(1.0 / 6.0, dtype), b.constant(0.5, dtype));
    let scaled = b.binary(BinaryOp::Mul, x, sixth)?;
    let line = b.binary(BinaryOp::Add, scaled, half)?;
    clamp(b, line, 0.0, 1.0)
}

fn hard_swish(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    float(b, "hard_swish", x)?;
    let gate = hard_sigmoid(b, x)?;
    b.binary(BinaryOp::Mul, x, gate)
}

fn threshold(b: &mut Builder, x: NodeId, threshold: &Value, value: &Value) -> Result<NodeId> {
    let dtype = float(b, "threshold", x)?;
    let (threshold, value) = (literal(b, "threshold", threshold, dtype)?, literal(b, "threshold", value, dtype)?);
    let below = b.compare(CompareOp::Le, x, threshold)?;
    b.select(below, value, x)
}

/// NaN stays NaN.
fn hard_shrink(b: &mut Builder, x: NodeId, lambda: &Value) -> Result<NodeId> {
    let (within, _) = within(b, "hard_shrink", x, lambda)?;
    let zero = b.constant(0.0, b.dtype(x));
    b.select(within, zero, x)
}

fn soft_shrink(b: &mut Builder, x: NodeId, lambda: &Value) -> Result<NodeId> {
    let (within, [down, up]) = within(b, "soft_shrink", x, lambda)?;
    let zero = b.constant(0.0, b.dtype(x));
    let positive = b.compare(CompareOp::Gt, x, zero)?;
    let toward = b.select(positive, down, up)?;
    let moved = b.binary(BinaryOp::Add, x, toward)?;
    b.select(within, zero, moved)
}

/// Whether `x` is from `-lambda` to `lambda`, and these.
fn within(b: &mut Builder, op: &str, x: NodeId, lambda: &Value) -> Result<(NodeId, [NodeId; 2])> {
    let dtype = float(b, op, x)?;
    if let Some(lambda) = lambda.as_number().filter(|lambda| lambda.is_nan() || *lambda < 0.0) {
        return Err(Diagnostic::new(format!("`{op}` expects a `lambda` of at least 0, found {lambda}")));
    }
    let most = literal(b, op, lambda, dtype)?;
    let least = b.unary(UnaryOp::Neg, most)?;
    let (above, below) = (b.compare(CompareOp::Ge, x, least)?, b.compare(CompareOp::Le, x, most)?);
    Ok((b.binary(BinaryOp::And, above, below)?, [least, most]))
}

/// Near 0, where the two differ in nothing but their last digits, `x³/3 - 2 x⁵/15 + 17 x⁷/315`.
fn tanh_shrink(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let dtype = float(b, "tanh_shrink", x)?;
    let square = b.binary(BinaryOp::Mul, x, x)?;
    let mut series = b.constant(17.0 / 315.0, dtype);
    for factor in [-2.0 / 15.0, 1.0 / 3.0] {
        let (higher, factor) = (b.binary(BinaryOp::Mul, series, square)?, b.constant(factor, dtype));
        series = b.binary(BinaryOp::Add, higher, factor)?;
    }
    let cube = b.binary(BinaryOp::Mul, square, x)?;
    let series = b.binary(BinaryOp::Mul, cube, series)?;
    let value = tanh(b, x)?;
    let difference = b.binary(BinaryOp::Sub, x, value)?;
    let (size, limit) = (b.unary(UnaryOp::Abs, x)?, b.constant(0.05, dtype));
    let near = b.compare(CompareOp::Lt, size, limit)?;
    b.select(near, series, difference)
}

fn leaky_relu(b: &mut Builder, x: NodeId, slope: &Value) -> Result<NodeId> {
    let dtype = float(b, "leaky_relu", x)?;
    let slope = literal(b, "leaky_relu", slope, dtype)?;
    prelu(b, x, slope)
}

fn prelu(b: &mut Builder, x: NodeId, slope: NodeId) -> Result<NodeId> {
    let dtype = float(b, "prelu", x)?;
    let zero = b.constant(0.0, dtype);
    let on = b.compare(CompareOp::Gt, x, zero)?;
    let leak = b.binary(BinaryOp::Mul, x, slope)?;
    b.select(on, x, leak)
}

/// `x/2 * (1 + erf(x / sqrt(2)))` (Hendrycks, Gimpel 2016).
pub fn gelu(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let dtype = float(b, "gelu", x)?;
    let scale = b.constant(std::f64::consts::FRAC_1_SQRT_2, dtype);
    let held = gate_argument(b, x)?;
    let scaled = b.binary(BinaryOp::Mul, held, scale)?;
    let erf = b.unary(UnaryOp::Erf, scaled)?;
    let (half, one) = (b.constant(0.5, dtype), b.constant(1.0, dtype));
    let halved = b.binary(BinaryOp::Mul, x, half)?;
    let opened = b.binary(BinaryOp::Add, erf, one)?;
    b.binary(BinaryOp::Mul, halved, opened)
}

/// The approximation of [`gelu`] that GPT-2 and BERT use.
pub fn gelu_tanh(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let dtype = float(b, "gelu_tanh", x)?;
    let scale = b.constant((8.0 / std::f64::consts::PI).sqrt(), dtype);
    let cubic = b.constant(0.044715, dtype);
    let one = b.constant(1.0, dtype);
    // `(1 + tanh(u))/2` is `sigmoid(2u)`, which keeps its digits where the gate closes.
    // sqrt(2/pi) * x * (1 + 0.044715 x²): one product fewer than with x³. From |x| = 10 on, where the gate has long been 0 or 1
    // to the last digit, the square stays as it is: half precision would overflow.
    let held = gate_argument(b, x)?;
    let limit = b.constant(100.0, dtype);
    let squared = b.binary(BinaryOp::Mul, held, held)?;
    let squared = b.binary(BinaryOp::Min, squared, limit)?;
    let weighted = b.binary(BinaryOp::Mul, squared, cubic)?;
    let factor = b.binary(BinaryOp::Add, weighted, one)?;
    let scaled = b.binary(BinaryOp::Mul, held, scale)?;
    let inner = b.binary(BinaryOp::Mul, scaled, factor)?;
    let gate = sigmoid(b, inner)?;
    b.binary(BinaryOp::Mul, x, gate)
}

/// `1 / (1 + e^-x)`, as `e^x / (1 + e^x)` below zero.
///
/// The plain form has a right value everywhere, but `e^-x` overflows below -88 in `f32` and the gradient becomes
/// `0 * inf`; and a negative argument keeps full relative precision where the result is tiny.
pub fn sigmoid(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let dtype = float(b, "sigmoid", x)?;
    let (zero, one) = (b.constant(0.0, dtype), b.constant(1.0, dtype));
    let negative = b.compare(CompareOp::Lt, x, zero)?;
    let minus = b.unary(UnaryOp::Neg, x)?;
    // -|x| by a select: unlike `abs` it has a derivative at 0, where the two sides then agree on 1/4.
    let exponent = b.select(negative, x, minus)?;
    let power = b.unary(UnaryOp::Exp, exponent)?;
    let numerator = b.select(negative, power, one)?;
    let denominator = b.binary(BinaryOp::Add, power, one)?;
    b.binary(BinaryOp::Div, numerator, denominator)
}

/// `x * sigmoid(x)`.
pub fn silu(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    float(b, "silu", x)?;
    let held = gate_argument(b, x)?;
    let gate = sigmoid(b, held)?;
    b.binary(BinaryOp::Mul, x, gate)
}

/// `x` between two bounds beyond which every gate here is 0 or 1 in any type, for the gate of `x * gate(x)`.
///
/// The gate's cotangent is `g * x`, which may overflow where the gate's derivative is 0: at a bound, which does not depend on
/// `x`, the gradient is 0 and not `inf * 0`.
///
/// Both bounds are maxima, whose derivative at NaN is 1: all derivatives of the gate are NaN there. That of a minimum is 0.
fn gate_argument(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let bound = b.constant(-1024.0, b.dtype(x));
    let above = b.binary(BinaryOp::Max, x, bound)?;
    let turned = b.unary(UnaryOp::Neg, above)?;
    let within = b.binary(BinaryOp::Max, turned, bound)?;
    b.unary(UnaryOp::Neg, within)
}

fn tanh(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    b.unary(UnaryOp::Tanh, x)
}

/// `log(1 + e^x)` without overflow, as `max(x, 0) + log(1 + e^-|x|)`.
pub fn softplus(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let dtype = float(b, "softplus", x)?;
    let SoftplusParts { negative, rest } = softplus_parts(b, x)?;
    let zero = b.constant(0.0, dtype);
    let positive_part = b.select(negative, zero, x)?;
    b.binary(BinaryOp::Add, positive_part, rest)
}

/// What [`softplus`] adds to `x` where that is not negative, and to 0 where it is.
pub(super) struct SoftplusParts {
    /// Whether `x < 0`. Both parts switch on this comparison, so at 0 the derivative is that of the positive side, `1 - 1/2`.
    pub(super) negative: NodeId,
    /// `log(1 + e^-|x|)`.
    pub(super) rest: NodeId,
}

/// The parts of [`softplus`].
pub(super) fn softplus_parts(b: &mut Builder, x: NodeId) -> Result<SoftplusParts> {
    let zero = b.constant(0.0, b.dtype(x));
    let negative = b.compare(CompareOp::Lt, x, zero)?;
    let minus = b.unary(UnaryOp::Neg, x)?;
    let exponent = b.select(negative, x, minus)?;
    let power = b.unary(UnaryOp::Exp, exponent)?;
    let rest = b.unary(UnaryOp::Log1p, power)?;
    Ok(SoftplusParts { negative, rest })
}

fn log_sigmoid(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    float(b, "log_sigmoid", x)?;
    let minus = b.unary(UnaryOp::Neg, x)?;
    let loss = softplus(b, minus)?;
    b.unary(UnaryOp::Neg, loss)
}

/// `x` above zero, `scale * expm1(x * rate)` at and below; the exponential never sees a positive argument.
fn exponential_unit(b: &mut Builder, x: NodeId, scale: f64, rate: f64) -> Result<NodeId> {
    let dtype = b.dtype(x);
    let (zero, scale, rate) = (b.constant(0.0, dtype), b.constant(scale, dtype), b.constant(rate, dtype));
    // NaN is not above zero, and so takes the side whose gradient is NaN too.
    let straight = b.compare(CompareOp::Gt, x, zero)?;
    let held = b.select(straight, zero, x)?;
    let argument = b.binary(BinaryOp::Mul, held, rate)?;
    let power = b.unary(UnaryOp::Expm1, argument)?;
    let below = b.binary(BinaryOp::Mul, power, scale)?;
    b.select(straight, x, below)
}

fn elu(b: &mut Builder, x: NodeId, alpha: f64) -> Result<NodeId> {
    float(b, "elu", x)?;
    exponential_unit(b, x, alpha, 1.0)
}

fn celu(b: &mut Builder, x: NodeId, alpha: f64) -> Result<NodeId> {
    float(b, "celu", x)?;
    if alpha == 0.0 || alpha.is_nan() {
        return Err(Diagnostic::new(format!("`celu` expects an `alpha` other than 0, found {alpha}")));
    }
    exponential_unit(b, x, alpha, 1.0 / alpha)
}

fn selu(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    // The two constants of Klambauer et al., "Self-normalizing neural networks" (2017), section 2.
    const ALPHA: f64 = 1.6732632423543772;
    const SCALE: f64 = 1.0507009873554805;
    let dtype = float(b, "selu", x)?;
    let unit = exponential_unit(b, x, ALPHA, 1.0)?;
    let scale = b.constant(SCALE, dtype);
    b.binary(BinaryOp::Mul, unit, scale)
}

fn mish(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    float(b, "mish", x)?;
    let held = gate_argument(b, x)?;
    let inner = softplus(b, held)?;
    let gate = b.unary(UnaryOp::Tanh, inner)?;
    b.binary(BinaryOp::Mul, x, gate)
}

/// `x / (1 + |x|)`, from `|x| = 1` on as `1 - 1 / (1 + |x|)` with the sign of `x`: the gradient of a quotient is a difference of
/// two numbers of `1/x`, which leaves nothing of `1/x²`.
fn softsign(b: &mut Builder, x: NodeId) -> Result<NodeId> {
    let dtype = float(b, "softsign", x)?;
    let (zero, one) = (b.constant(0.0, dtype), b.constant(1.0, dtype));
    let size = b.unary(UnaryOp::Abs, x)?;
    let denominator = b.binary(BinaryOp::Add, size, one)?;
    let part = b.unary(UnaryOp::Recip, denominator)?;
    let near = b.compare(CompareOp::Lt, size, one)?;
    let inner = b.binary(BinaryOp::Mul, x, part)?;
    let rest = b.binary(BinaryOp::Sub, one, part)?;
    let negative = b.compare(CompareOp::Lt, x, zero)?;
    let mirrored = b.unary(UnaryOp::Neg, rest)?;
    let outer = b.select(negative, mirrored, rest)?;
    b.select(near, inner, outer)
}
