"""What references.json holds: for each operation and layer its inputs and PyTorch's function for it."""

import math
import random

import torch
import torch.nn.functional as F

NAN, INF = math.nan, math.inf


class Tensor:
    """An input: given numbers, or drawn from `low..high`: multiples of 1/64, no two alike, none a whole number, because
    that is where most kinks are."""

    def __init__(self, shape, low=-2.0, high=2.0, dtype="f32", given=None):
        self.shape, self.low, self.high, self.dtype, self.given = list(shape), low, high, dtype, given

    def values(self, name, position):
        count = math.prod(self.shape)
        if self.given is not None:
            assert len(self.given) == count, name
            return self.given
        rng = random.Random(f"{name} {position}")
        if self.dtype == "bool":
            return [rng.random() < 0.5 for _ in range(count)]
        if self.dtype != "f32":
            return [rng.randint(int(self.low), int(self.high) - 1) for _ in range(count)]
        step = 64 if (self.high - self.low) * 48 > count else 64 * 16
        far = lambda x, of: abs(x / of - round(x / of)) * of > 0.012  # noqa: E731
        pool = [i / step for i in range(int(self.low * step), int(self.high * step) + 1)]
        return rng.sample([x for x in pool if far(x, 1.0)], count)


def T(*shape, low=-2.0, high=2.0):
    return "tensor", Tensor(shape, low, high)


def given(values, shape=None, dtype="f32"):
    return "tensor", Tensor(shape if shape is not None else [len(values)], dtype=dtype, given=values)


def labels(shape, classes, dtype="u32"):
    return "tensor", Tensor(shape, 0, classes, dtype)


def mask(*shape):
    return "tensor", Tensor(shape, dtype="bool")


def tensors(*many):
    return "tensors", [tensor for _, tensor in many]


def axis(value):
    return "axis", value


def axes(*values):
    return "axes", list(values)


def size(value):
    return "size", value


def sizes(*values):
    return "sizes", list(values)


def num(value):
    return "number", value


def yes(value):
    return "bool", value


def words(value):
    return "text", value


def dtype(name):
    return "dtype", name


OPERATIONS, LAYERS = [], []


def op(operation, args, function, note="", smooth=True):
    OPERATIONS.append(
        {
            "operation": operation,
            "name": f"{operation} {note}".strip(),
            "args": args,
            "torch": function,
            "smooth": smooth,
        }
    )


def edge(operation, args, function, note):
    op(operation, args, function, note, smooth=False)


SPECIAL = [NAN, INF, -INF, 0.0, -0.0, 100.0, -100.0]

# ---- Arithmetic

POSITIVE = dict(low=0.1, high=3.0)
for name, function in [("add", torch.add), ("sub", torch.sub), ("mul", torch.mul), ("div", torch.div)]:
    op(name, [T(2, 3), T(3, low=0.5)], function, "broadcast")
    op(name, [T(2, 1, 3), T(4, 1, low=0.5)], function, "broadcast both")
op("rem", [T(2, 3, low=0.2, high=5), T(3, low=1.1, high=1.9)], torch.fmod)
edge("rem", [given([5.5, -5.5, 5.5, -5.5]), given([2.0, 2.0, -2.0, -2.0])], torch.fmod, "signs")
edge("div", [given([7, -7, 7, -7], dtype="i32"), given([2, 2, -2, -2], dtype="i32")],
     lambda a, b: torch.div(a, b, rounding_mode="trunc"), "integers")
op("pow", [T(2, 3, **POSITIVE), T(3)], torch.pow)
for power in [0.0, 1.0, 2.0, 3.0, 0.5, -0.5, -1.0, 2.5]:
    op("pow", [T(4, **POSITIVE), num(power)], lambda x, p: torch.pow(x, p), f"{power}")
edge("pow", [given([0.0, -2.0, 1.0]), num(2.0)], lambda x, p: torch.pow(x, p), "square of zero")
for name, function in [("maximum", torch.maximum), ("minimum", torch.minimum)]:
    op(name, [T(2, 3), T(3, low=-1.5, high=1.5)], function)
    edge(name, [given([1.0, NAN, 2.0, INF]), given([1.0, 0.0, NAN, -INF])], function, "ties and NaN")
op("atan2", [T(5), T(5)], torch.atan2)
for name, function, domain in [
    ("neg", torch.neg, {}),
    ("abs", torch.abs, {}),
    ("sign", torch.sign, {}),
    ("exp", torch.exp, {}),
    ("exp2", torch.exp2, {}),
    ("log", torch.log, POSITIVE),
    ("log2", torch.log2, POSITIVE),
    ("log1p", torch.log1p, POSITIVE),
    ("expm1", torch.expm1, {}),
    ("sqrt", torch.sqrt, POSITIVE),
    ("rsqrt", torch.rsqrt, POSITIVE),
    ("square", torch.square, {}),
    ("recip", torch.reciprocal, POSITIVE),
    ("sin", torch.sin, {}),
    ("cos", torch.cos, {}),
    ("tan", torch.tan, dict(low=-1.2, high=1.2)),
    ("erf", torch.erf, {}),
    ("floor", torch.floor, {}),
    ("ceil", torch.ceil, {}),
]:
    op(name, [T(2, 3, **domain)], function)
op("round", [given([0.3, 1.7, -0.3, -1.7, 2.2, -2.2])], torch.round)
edge("round", [given([0.5, 1.5, 2.5, -0.5, -1.5])], torch.round, "halves")
edge("abs", [given([0.0, -INF])], torch.abs, "special")
edge("abs", [given([NAN])], lambda x: torch.abs(x).detach(), "NaN")
edge("erf", [given([0.0, INF, -INF, NAN, 6.0, -6.0, 0.001, 1e-10])], torch.erf, "special")
op("clamp", [T(8), num(-0.76), num(1.26)], torch.clamp)
edge("clamp", [given([*SPECIAL[1:], -1.0, 1.0]), num(-1.0), num(1.0)], torch.clamp, "bounds")
edge("clamp", [given([NAN]), num(-1.0), num(1.0)], lambda *a: torch.clamp(*a).detach(), "NaN")
op("lerp", [T(2, 3), T(2, 3), T(3)], torch.lerp)
COMPARED = [given([1.0, 2.0, NAN, -INF, 0.0]), given([1.0, 1.0, NAN, 0.0, -0.0])]
for name in ["eq", "ne", "lt", "le", "gt", "ge"]:
    op(name, COMPARED, getattr(torch, name))
op("and", [given([0, 0, 1, 1], dtype="bool"), given([0, 1, 0, 1], dtype="bool")], torch.logical_and)
op("or", [given([0, 0, 1, 1], dtype="bool"), given([0, 1, 0, 1], dtype="bool")], torch.logical_or)
op("xor", [given([0, 0, 1, 1], dtype="bool"), given([0, 1, 0, 1], dtype="bool")], torch.logical_xor)
op("and", [given([12, 10], dtype="i32"), given([10, -1], dtype="i32")], torch.bitwise_and, "integers")
op("shl", [given([1, -3, 5], dtype="i32"), given([4, 1, 30], dtype="i32")], torch.bitwise_left_shift)
op("shr", [given([256, -3, 5], dtype="i32"), given([4, 1, 30], dtype="i32")], torch.bitwise_right_shift)
op("not", [given([0, 1], dtype="bool")], torch.logical_not)
op("not", [given([0, 1, -8], dtype="i32")], torch.bitwise_not, "integers")
op("is_nan", [given(SPECIAL)], torch.isnan)
op("is_finite", [given(SPECIAL)], torch.isfinite)
op("select", [mask(2, 3), T(2, 3), T(3)], torch.where)
op("cast", [given([1.7, -1.7, 0.0, 3.0]), dtype("i32")], lambda x, t: x.to(torch.int32), "to i32")
op("cast", [given([1.7, 0.0, NAN]), dtype("bool")], lambda x, t: x.to(torch.bool), "to bool")
op("cast", [given([3, -4], dtype="i32"), dtype("f32")], lambda x, t: x.to(torch.float64), "to f32")
op("cast", [T(3), dtype("f64")], lambda x, t: x * 1.0, "to f64")
edge("detach", [T(3)], lambda x: x.detach(), "no gradient")

# ---- Elementary functions

UNIT = dict(low=-0.9, high=0.9)
for name, function, domain in [
    ("trunc", torch.trunc, {}),
    ("fract", torch.frac, {}),
    ("log10", torch.log10, POSITIVE),
    ("cbrt", lambda x: torch.sign(x) * torch.abs(x) ** (1 / 3), {}),
    ("sinh", torch.sinh, {}),
    ("cosh", torch.cosh, {}),
    ("asin", torch.asin, UNIT),
    ("acos", torch.acos, UNIT),
    ("atan", torch.atan, {}),
    ("asinh", torch.asinh, {}),
    ("acosh", torch.acosh, dict(low=1.1, high=4.0)),
    ("atanh", torch.atanh, UNIT),
    ("to_degrees", torch.rad2deg, {}),
    ("to_radians", torch.deg2rad, {}),
    ("logit", torch.logit, dict(low=0.05, high=0.95)),
    ("sinc", torch.sinc, {}),
]:
    op(name, [T(2, 3, **domain)], function)
    # PyTorch's gradients of some at infinities and NaN are not the limits.
    edge(name, [given([NAN, INF, -INF, 0.0])], lambda x, function=function: function(x).detach(), "special")
edge("sinc", [given([0.0, 1e-3, 0.005, 0.0095, 0.0096, -0.01, 1.0])], torch.sinc, "near zero")
edge("trunc", [given([2.7, -2.7, 0.3, -0.3])], torch.trunc, "signs")
for name, function in [
    ("hypot", torch.hypot),
    ("logaddexp", torch.logaddexp),
    ("copysign", torch.copysign),
    ("xlogy", lambda x, y: torch.special.xlogy(x, torch.abs(y)) if y.min() < 0 else torch.special.xlogy(x, y)),
]:
    op(name, [T(2, 3), T(3, low=0.3)], function, "broadcast")
edge("hypot", [given([3.0, 0.0, INF, NAN, 1e30]), given([4.0, -2.0, NAN, 1.0, 1e30])],
     lambda x, y: torch.hypot(x, y).detach(), "special")
edge("logaddexp", [given([1.0, INF, -INF, -INF, 100.0, NAN]), given([1.0, INF, -INF, 2.0, -100.0, 1.0])],
     lambda x, y: torch.logaddexp(x, y).detach(), "special")
edge("logaddexp", [given([1.0, 1000.0]), given([1.0, -1000.0])], torch.logaddexp, "equal and far")
edge("logaddexp", [given([2e38, -3e38, 2e38, -3e38, -INF, 2.0]), given([2e38, -3e38, -3e38, 3e38, 1.0, -INF])],
     torch.logaddexp, "large")
edge("xlogy", [given([0.0, 0.0, 2.0, 0.0]), given([0.0, 3.0, 1.0, NAN])],
     lambda x, y: torch.special.xlogy(x, y).detach(), "zeros")
edge("xlogy", [given([0.0, 0.0, 0.0, 2.0, 2.0]), given([0.5, 2.0, -1.0, 0.0, INF])], torch.special.xlogy, "gradients at zero")
op("remainder", [T(2, 3, low=0.2, high=5), T(3, low=1.1, high=1.9)], torch.remainder)
op("floor_divide", [T(2, 3, low=0.2, high=5), T(3, low=1.1, high=1.9)], lambda x, y: torch.floor(x / y))
op("rem_euclid", [T(2, 3, low=0.2, high=5), T(3, low=1.1, high=1.9)], torch.fmod)
op("div_euclid", [T(2, 3, low=0.2, high=5), T(3, low=1.1, high=1.9)], lambda x, y: torch.trunc(x / y))
SIGNS = [[5.5, -5.5, 5.5, -5.5, 6.0, -6.0], [2.0, 2.0, -2.0, -2.0, -2.0, 2.0]]
WHOLE = [[7, -7, 7, -7, 6, -6], [2, 2, -2, -2, -2, 2]]
# The remainder by the size of the divisor is that which is not negative.
for name, function in [
    ("remainder", torch.remainder),
    ("floor_divide", lambda x, y: torch.floor_divide(x, y).detach()),
    ("rem_euclid", lambda x, y: torch.remainder(x, torch.abs(y)).detach()),
    ("div_euclid", lambda x, y: (torch.floor_divide(x, torch.abs(y)) * torch.sign(y)).detach()),
]:
    edge(name, [given(values) for values in SIGNS], function, "signs")
    edge(name, [given(values, dtype="i32") for values in WHOLE], function, "integers")
op("is_infinite", [given(SPECIAL)], torch.isinf)
op("is_infinite", [given([1, 0], dtype="i32")], torch.isinf, "integers")
op("is_sign_negative", [given(SPECIAL)], torch.signbit)
op("is_sign_positive", [given(SPECIAL)], lambda x: ~torch.signbit(x))

# ---- Activations

for name, function in [
    ("relu", F.relu),
    ("relu6", F.relu6),
    ("gelu", F.gelu),
    ("gelu_tanh", lambda x: F.gelu(x, approximate="tanh")),
    ("silu", F.silu),
    ("sigmoid", torch.sigmoid),
    ("log_sigmoid", F.logsigmoid),
    ("tanh", torch.tanh),
    ("softplus", lambda x: F.softplus(x, threshold=1e6) if x.abs().max() < 700 else softplus_wide(x)),
    ("selu", F.selu),
    ("hard_sigmoid", F.hardsigmoid),
    ("hard_swish", F.hardswish),
    ("hard_tanh", F.hardtanh),
    ("mish", F.mish),
    ("softsign", F.softsign),
]:
    op(name, [T(12, low=-4.5, high=7.5)], function)
    edge(name, [given([0.0])], function, "zero")
    # Of the result alone: PyTorch has no one rule for the gradient at NaN.
    edge(name, [given([NAN, 1.0])], lambda x, function=function: function(x).detach(), "NaN")
    if name in ("softplus", "mish", "tanh"):
        continue
    edge(name, [given([100.0, -100.0, 20.0, -20.0, 1000.0, -1000.0])], function, "large")


def softplus_wide(x):
    return torch.logaddexp(x, torch.zeros_like(x))


edge("softplus", [given([100.0, -100.0, 20.0, -20.0, 1000.0, -1000.0])], softplus_wide, "large")
edge("mish", [given([100.0, -100.0, 20.0, -20.0])], F.mish, "large")
# Where the derivative is 0 in f64: at 20 it is 1.7e-17, and PyTorch's 1 - y^2 has lost it.
edge("tanh", [given([1000.0, -1000.0])], torch.tanh, "large")
edge("relu", [given([INF, -INF, -0.0])], F.relu, "infinite")
edge("relu6", [given([6.0, 0.0, 7.0])], F.relu6, "bounds")
edge("hard_sigmoid", [given([3.0, -3.0])], F.hardsigmoid, "bounds")
edge("hard_tanh", [given([1.0, -1.0])], F.hardtanh, "bounds")
op("leaky_relu", [T(6), num(0.1)], lambda x, slope: F.leaky_relu(x, slope))
edge("leaky_relu", [given([0.0, NAN, -INF, INF]), num(0.1)], lambda x, slope: F.leaky_relu(x, slope), "special")
op("prelu", [T(2, 3, 4), T(3, 1)], lambda x, w: F.prelu(x, w.reshape(-1)))
op("elu", [T(6), num(1.5)], lambda x, a: F.elu(x, a))
edge("elu", [given([0.0, -20.0, 100.0, -100.0, 1000.0]), num(1.5)], lambda x, a: F.elu(x, a), "special")
op("celu", [T(6), num(0.5)], lambda x, a: F.celu(x, a))
edge("celu", [given([0.0, 1000.0, -1000.0]), num(0.5)], lambda x, a: F.celu(x, a), "special")

op("threshold", [T(6), num(0.5), num(-3.0)], lambda x, t, v: F.threshold(x, t, v))
op("hard_shrink", [T(6), num(0.5)], lambda x, l: F.hardshrink(x, l))
op("soft_shrink", [T(6), num(0.5)], lambda x, l: F.softshrink(x, l))
op("tanh_shrink", [T(6)], F.tanhshrink)
edge("tanh_shrink", [given([0.0, 1e-3, 0.01, 0.0499, 0.0501, -0.02, 10.0])], F.tanhshrink, "near zero")
for name, values in [("threshold", (1.0, 2.0)), ("hard_shrink", (1.0,)), ("soft_shrink", (1.0,))]:
    function = {"threshold": F.threshold, "hard_shrink": F.hardshrink, "soft_shrink": F.softshrink}[name]
    edge(name, [given([1.0, -1.0, 0.0, INF, -INF]), *map(num, values)], lambda x, *v, f=function: f(x, *v), "bounds")

# ---- Reductions

for name, function in [
    ("sum", lambda x, a: x.sum(a)),
    ("sum_keepdim", lambda x, a: x.sum(a, keepdim=True)),
    ("mean", lambda x, a: x.mean(a)),
    ("mean_keepdim", lambda x, a: x.mean(a, keepdim=True)),
    ("max", lambda x, a: x.amax(a)),
    ("max_keepdim", lambda x, a: x.amax(a, keepdim=True)),
    ("min", lambda x, a: x.amin(a)),
    ("min_keepdim", lambda x, a: x.amin(a, keepdim=True)),
    ("logsumexp", lambda x, a: x.logsumexp(a)),
]:
    op(name, [T(2, 3, 4), axes(1)], function, "middle")
    op(name, [T(2, 3, 4), axes(0, -1)], function, "two axes")
op("prod", [T(2, 3, low=0.5), axes(1)], lambda x, a: x.prod(1))
edge("prod", [given([0.0, 2.0, 3.0, 0.0, 0.0, 5.0], [2, 3]), axes(1)], lambda x, a: x.prod(1), "zeros")
for name, function in [("sum_all", torch.sum), ("mean_all", torch.mean), ("max_all", torch.max), ("min_all", torch.min)]:
    op(name, [T(2, 3)], function)
edge("sum", [given([1, 2, 3, 4], [2, 2], "i32"), axes(0)], lambda x, a: x.sum(a).to(torch.int32), "integers")
for name, function in [("max", lambda x, a: x.max(1).values), ("min", lambda x, a: x.min(1).values)]:
    edge(name, [given([1.0, NAN, 2.0, 3.0, 1.0, 3.0, 1.0, 1.0, 2.0], [3, 3]), axes(1)], function, "ties and NaN")
op("var", [T(3, 5), axes(1), size(1)], lambda x, a, c: x.var(a, correction=c), "sample")
op("var", [T(3, 5), axes(0, 1), size(0)], lambda x, a, c: x.var(a, correction=c), "population")
edge("var", [T(3, 1), axes(1), size(1)], lambda x, a, c: x.var(a, correction=c).detach(), "of one element")
op("std", [T(3, 5), axes(1), size(1)], lambda x, a, c: x.std(a, correction=c))
edge("std", [given([2.0, 2.0, 2.0, 1.0, 2.0, 3.0], [2, 3]), axes(1), size(0)],
     lambda x, a, c: x.std(a, correction=c), "of equal elements")
op("argmax", [T(3, 5), axis(1)], lambda x, a: x.argmax(a))
op("argmin", [T(3, 5), axis(0)], lambda x, a: x.argmin(a))
edge("argmax", [given([2.0, 3.0, 3.0, NAN, 5.0, 6.0], [2, 3]), axis(1)], lambda x, a: x.argmax(a), "ties and NaN")
edge("logsumexp", [given([1000.0, 1000.0, -1000.0, -1001.0, INF, 1.0], [3, 2]), axes(1)],
     lambda x, a: x.logsumexp(a).detach(), "large")
edge("logsumexp", [given([-INF, -INF], [1, 2]), axes(1)], lambda x, a: x.logsumexp(a).detach(), "nothing")
BOOLS = given([1, 0, 1, 1, 0, 0], [3, 2], "bool")
op("any", [BOOLS, axes(1)], lambda x, a: x.any(1))
op("all", [BOOLS, axes(1)], lambda x, a: x.all(1))

# ---- Norms and running totals

for p in [1.0, 2.0, 4.0, INF]:
    op("norm", [T(2, 3, 4), axes(1, 2), num(p)], lambda x, a, p: torch.linalg.vector_norm(x, p, dim=a), f"{p}")
edge("norm", [given([0.0, 0.0, 3.0, 4.0], [2, 2]), axes(1), num(2.0)], lambda x, a, p: x.norm(p, dim=a), "of zeros")
edge("norm", [given([0.0, 0.0, 3.0, 4.0], [2, 2]), axes(1), num(3.0)],
     lambda x, a, p: x.norm(p, dim=a).detach(), "of zeros, 3")
# PyTorch has no largest of no elements.
for p in [1.0, 2.0, 3.0, INF]:
    edge("norm", [T(0, 4), axes(0), num(p)], lambda x, a, p: x.sum(dim=a).abs(), f"of nothing, {p}")
op("normalize", [T(3, 4), axis(1)], lambda x, a: F.normalize(x, dim=a))
edge("normalize", [given([0.0, 0.0, 3.0, 4.0], [2, 2]), axis(-1)], lambda x, a: F.normalize(x, dim=a).detach(), "of zeros")
op("cosine_similarity", [T(3, 4), T(3, 4), axis(1)], lambda x, y, a: F.cosine_similarity(x, y, dim=a))
for name, function in [
    ("cumsum", lambda x, a: x.cumsum(a)),
    ("cumprod", lambda x, a: x.cumprod(a)),
    ("cummax", lambda x, a: x.cummax(a).values),
    ("cummin", lambda x, a: x.cummin(a).values),
    ("logcumsumexp", lambda x, a: x.logcumsumexp(a)),
]:
    op(name, [T(3, 4), axis(1)], function)
    op(name, [T(3, 2, 2), axis(0)], function, "first axis")
    # More than two blocks.
    long = given([1.0625, 0.9375, 1.125] * 25) if name == "cumprod" else T(75)
    op(name, [long, axis(0)], function, "blocks", smooth=name != "cumprod")
    edge(name, [given([1.0, -INF, 2.0, NAN, 3.0]), axis(0)], lambda x, a, f=function: f(x, a).detach(), "special")
    edge(name, [given([], [2, 0]), axis(1)], lambda x, a, f=function: f(x, a).detach(), "of nothing")
edge("cumsum", [given([1.0, INF, 2.0, -INF, 3.0]), axis(0)], lambda x, a: x.cumsum(a).detach(), "infinite")
edge("cumprod", [given([2.0, 0.0, 3.0, 0.0]), axis(0)], lambda x, a: x.cumprod(a), "zeros")
edge("cumsum", [given([3, -1, 2, 7], dtype="i32"), axis(0)], lambda x, a: x.cumsum(a), "integers")
edge("cummax", [given([3, -1, 7, 2], dtype="i32"), axis(0)], lambda x, a: x.cummax(a).values, "integers")
edge("cummin", [given([3, -1, 7, 2], dtype="i32"), axis(0)], lambda x, a: x.cummin(a).values, "integers")

# ---- Rearranging

op("slice", [T(3, 9), axis(1), size(1), size(8), size(3)], lambda x, a, s, e, t: x[:, s:e:t])
op("slice", [T(3, 9), axis(1), size(2), size(9), size(2)], lambda x, a, s, e, t: x[:, s:e:t], "to the end")
op("slice", [T(7, 2), axis(0), size(2), size(5), size(1)], lambda x, a, s, e, t: x[s:e:t], "no step")
op("unfold", [T(2, 7), axis(1), size(3), size(2)], lambda x, a, s, t: x.unfold(a, s, t))
op("unfold", [T(6, 2), axis(0), size(2), size(1)], lambda x, a, s, t: x.unfold(a, s, t), "first axis, overlapping")
for offset in [0, 1, -2, 4]:
    op("diagonal", [T(3, 4), axis(offset), axis(0), axis(1)], torch.diagonal, f"{offset}", smooth=offset != 4)
op("diagonal", [T(3, 2, 3), axis(0), axis(2), axis(0)], torch.diagonal, "of other axes")
op("trace", [T(3, 4)], torch.trace)
op("trace", [T(2, 3, 3)], lambda x: x.diagonal(dim1=1, dim2=2).sum(-1), "of many")
op("movedim", [T(2, 3, 4), axis(0), axis(-1)], torch.movedim)
op("movedim", [T(2, 3, 4), axis(2), axis(0)], torch.movedim, "to the front")
for shift in [1, -2, 7, 0]:
    op("roll", [T(2, 4), axis(shift), axis(1)], torch.roll, f"{shift}")
op("tile", [T(2, 3), sizes(2, 1)], lambda x, c: x.tile(c))
op("tile", [T(2, 3), sizes(2)], lambda x, c: x.tile(c), "last axis")
op("tile", [T(2, 3), sizes(2, 1, 3)], lambda x, c: x.tile(c), "new axes")
op("repeat_interleave", [T(2, 3), axis(1), size(3)], lambda x, a, n: x.repeat_interleave(n, a))
for name, mode in [("pad_reflect", "reflect"), ("pad_replicate", "replicate"), ("pad_circular", "circular")]:
    op(name, [T(2, 4), axis(1), size(2), size(3)], lambda x, a, p, q, mode=mode: F.pad(x, (p, q), mode=mode))
    op(name, [T(2, 4), axis(-1), size(0), size(1)], lambda x, a, p, q, mode=mode: F.pad(x, (p, q), mode=mode), "one side")
op("outer", [T(3), T(4)], torch.outer)
op("dot", [T(5), T(5)], torch.dot)

# ---- Lines, transposed convolutions, sizes of images

op("conv1d", [T(2, 4, 9), T(6, 2, 3), size(2), size(1), size(1), size(2)],
   lambda x, w, s, p, d, g: F.conv1d(x, w, None, s, p, d, g))
op("conv1d", [T(1, 2, 7), T(3, 2, 3), size(1), size(2), size(2), size(1)],
   lambda x, w, s, p, d, g: F.conv1d(x, w, None, s, p, d, g), "dilated")
op("max_pool1d", [T(2, 3, 8), size(3), size(2), size(1), size(1)], lambda x, k, s, p, d: F.max_pool1d(x, k, s, p, d))
op("avg_pool1d", [T(2, 3, 8), size(3), size(2), size(1)], lambda x, k, s, p: F.avg_pool1d(x, k, s, p))
op("conv_transpose1d", [T(2, 4, 5), T(4, 3, 3), size(2), size(1), size(1), size(1), size(2)],
   lambda x, w, s, p, o, d, g: F.conv_transpose1d(x, w, None, s, p, o, g, d))
op("conv_transpose1d", [T(2, 4, 5), T(4, 3, 3), size(2), size(1), size(2), size(3), size(2)],
   lambda x, w, s, p, o, d, g: F.conv_transpose1d(x, w, None, s, p, o, g, d), "output padding of a step")
for note, stride, padding, more, dilation, groups in [
    ("", 1, 0, 0, 1, 1),
    ("stride, padding, output padding", 2, 1, 1, 1, 1),
    ("dilation, groups", 1, 1, 0, 2, 2),
    ("output padding of steps", 1, 0, 1, 3, 1),
    ("output padding beyond a step", 2, 1, 3, 4, 2),
]:
    op("conv_transpose2d",
       [T(2, 4, 3, 4), T(4, 2, 3, 3), sizes(stride), sizes(padding), sizes(more), sizes(dilation), size(groups)],
       lambda x, w, s, p, o, d, g: F.conv_transpose2d(x, w, None, s[0], p[0], o[0], g, d[0]), note)
for note, target in [("that divide", (2, 3)), ("that do not", (3, 4)), ("of one", (1, 1)), ("that are larger", (5, 2))]:
    op("adaptive_avg_pool2d", [T(2, 3, 4, 6), sizes(*target)], lambda x, s: F.adaptive_avg_pool2d(x, tuple(s)), f"sizes {note}")
op("pixel_shuffle", [T(2, 8, 2, 3), size(2)], F.pixel_shuffle)
op("pixel_unshuffle", [T(2, 2, 4, 6), size(2)], F.pixel_unshuffle)

# ---- More losses

PROBABILITIES = dict(low=0.05, high=0.95)
op("bce_loss", [T(2, 3, **PROBABILITIES), T(2, 3, **PROBABILITIES)], F.binary_cross_entropy)
edge("bce_loss", [given([0.0, 1.0, 0.0, 1.0]), given([0.0, 1.0, 1.0, 0.0])],
     lambda x, t: F.binary_cross_entropy(x, t).detach(), "certain")


def binary_cross_entropy(x, target):
    """With PyTorch's gradient in x, and in the target that of the bounded logarithms, where PyTorch's is infinite."""
    log, other = (torch.clamp(torch.log(p.detach()), min=-100) for p in (x, 1 - x))
    of_target = -torch.mean(target * log + (1 - target) * other)
    return F.binary_cross_entropy(x, target.detach()) + of_target - of_target.detach()


edge("bce_loss", [given([0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 0.5]), given([0.0, 0.5, 1.0, 0.0, 0.5, 1.0, 1.0])],
     binary_cross_entropy, "certain, gradients")
edge("bce_loss", [given([1e-13, 1e-13, 1e-30]), given([0.0, 1.0, 0.5])], binary_cross_entropy, "nearly certain")
op("kl_div", [T(2, 3, low=-3, high=-0.1), T(2, 3, **PROBABILITIES)], lambda x, t: F.kl_div(x, t, reduction="mean"))
edge("kl_div", [T(2, 2), given([0.0, 1.0, 0.5, 0.5], [2, 2])], lambda x, t: F.kl_div(x, t, reduction="mean").detach(), "zeros")
op("poisson_nll_loss", [T(2, 3), T(2, 3, **POSITIVE)], lambda x, t: F.poisson_nll_loss(x, t))

# ---- Softmax

LARGE = given([1000.0, 999.0, 0.0, -1000.0, -1001.0, -1000.0], [2, 3])
for name, function in [("softmax", torch.softmax), ("log_softmax", torch.log_softmax)]:
    op(name, [T(3, 5), axis(1)], function)
    op(name, [T(2, 3, 2), axis(-2)], function, "middle")
    edge(name, [LARGE, axis(1)], function, "large logits")
    edge(name, [given([1.0, NAN, 1.0, 2.0], [2, 2]), axis(1)], function, "NaN")
edge("softmax", [given([1.0, -INF, 2.0]), axis(0)], torch.softmax, "masked")

# ---- Shapes

op("reshape", [T(2, 6), sizes(3, 4)], lambda x, s: x.reshape(s))
op("reshape", [T(2, 6), sizes(-1, 3)], lambda x, s: x.reshape(s), "worked out")
op("flatten", [T(2, 3, 2), axis(1)], lambda x, a: x.flatten(a))
op("permute", [T(2, 3, 4), axes(2, 0, 1)], lambda x, a: x.permute(a))
op("transpose", [T(2, 3, 4), axis(0), axis(-1)], lambda x, a, b: x.transpose(a, b))
op("t", [T(2, 3)], lambda x: x.t())
op("broadcast_to", [T(3, 1), sizes(2, 3, 4)], lambda x, s: x.broadcast_to(s))
op("squeeze", [T(2, 1, 3), axis(1)], lambda x, a: x.squeeze(a))
op("unsqueeze", [T(2, 3), axis(-1)], lambda x, a: x.unsqueeze(a))
op("unsqueeze", [T(2, 3), axis(0)], lambda x, a: x.unsqueeze(a), "front")
op("narrow", [T(3, 6), axis(1), size(2), size(3)], lambda x, a, s, n: x.narrow(a, s, n))
op("get", [T(3, 4), axis(0), size(1)], lambda x, a, i: x.select(a, i))
op("flip", [T(2, 3, 2), axes(0, 1)], lambda x, a: x.flip(a))
op("pad", [T(2, 3), axis(1), size(1), size(2), num(0.0)], lambda x, a, b, c, v: F.pad(x, (b, c), value=v), "zeros")
op("pad", [T(2, 3), axis(1), size(2), size(0), num(1.5)], lambda x, a, b, c, v: F.pad(x, (b, c), value=v), "value")
op("concat", [T(2, 3), tensors(T(2, 1), T(2, 2)), axis(1)], lambda x, o, a: torch.cat([x, *o], a))
op("stack", [T(2, 3), tensors(T(2, 3)), axis(1)], lambda x, o, a: torch.stack([x, *o], a))
edge("concat", [given([NAN, INF]), tensors(given([1.0]), given([-INF])), axis(0)],
     lambda x, o, a: torch.cat([x, *o], a), "special")
op("repeat", [T(2, 3), axis(1), size(3)], lambda x, a, n: x.repeat(1, n))
op("repeat", [T(2, 3), axis(0), size(2)], lambda x, a, n: x.repeat(n, 1), "rows")

# ---- Indexing

NUMBERS = given([3, 0, 3, 1], [2, 2], "u32")
op("gather", [T(4, 3), NUMBERS], lambda x, i: x[i.long()])
op("index_select", [T(3, 4), axis(1), given([3, 0, 3], dtype="i32")], lambda x, a, i: x.index_select(a, i.long()))
op("one_hot", [NUMBERS, size(4)], lambda x, n: F.one_hot(x.long(), n).double())
op("masked_fill", [T(2, 3), mask(2, 3), num(-5.0)], lambda x, m, v: x.masked_fill(m, v))
op("tril", [T(3, 4), axis(0)], lambda x, d: x.tril(d))
op("tril", [T(2, 3, 3), axis(1)], lambda x, d: x.tril(d), "diagonal 1")
op("triu", [T(3, 4), axis(-1)], lambda x, d: x.triu(d))

op("take_along_axis", [T(3, 4), labels([3, 2], 4), axis(1)], lambda x, i, a: x.gather(a, i.long()))
op("take_along_axis", [T(3, 4), labels([5, 4], 3, "i32"), axis(0)], lambda x, i, a: x.gather(a, i.long()), "first axis")
op("scatter_add", [T(3, 4), axis(1), labels([3, 6], 4), T(3, 6)], lambda x, a, i, s: x.scatter_add(a, i.long(), s))
op("scatter_add", [T(2, 3, 2), axis(0), labels([4, 3, 2], 2, "i32"), T(4, 3, 2)],
   lambda x, a, i, s: x.scatter_add(a, i.long(), s), "first axis")
op("index_add", [T(4, 3), axis(0), labels([5], 4), T(5, 3)], lambda x, a, i, s: x.index_add(a, i.long(), s))
op("index_add", [T(2, 4, 3), axis(-1), labels([2], 3, "i32"), T(2, 4, 2)], lambda x, a, i, s: x.index_add(a, i.long(), s), "last axis")

# ---- Order

SHAPES = [("", [3, 5], 1), ("first axis", [4, 3], 0), ("middle axis", [2, 7, 3], 1), ("one", [3, 1], 1), ("two steps", [2, 70], -1)]
MIXED = given([2.0, NAN, -1.0, INF, -0.0, 2.0, 0.0, -INF, 2.0, NAN, 1.0, -1.0], [2, 6])
for note, shape, along in SHAPES:
    for down in [False, True]:
        what = f"{note} descending".strip() if down else note
        op("sort", [T(*shape), axis(along), yes(down)], lambda x, a, d: x.sort(dim=a, descending=d, stable=True).values, what)
        op("argsort", [T(*shape), axis(along), yes(down)], lambda x, a, d: x.argsort(dim=a, descending=d, stable=True), what)
    most = min(3, shape[along])
    op("topk", [T(*shape), size(most), axis(along)], lambda x, k, a: x.topk(k, a).values, note)
    op("topk_indices", [T(*shape), size(most), axis(along)], lambda x, k, a: x.topk(k, a).indices, note)
    op("kthvalue", [T(*shape), size(most), axis(along)], lambda x, k, a: x.kthvalue(k, a).values, note)
    op("median", [T(*shape), axis(along)], lambda x, a: x.median(a).values, note)
    for q in [0.0, 0.3125, 0.5, 1.0]:
        op("quantile", [T(*shape), num(q), axis(along)], lambda x, q, a: x.quantile(q, a), f"{note} {q}".strip())
for down in [False, True]:
    what = "ties and NaN descending" if down else "ties and NaN"
    edge("sort", [MIXED, axis(1), yes(down)], lambda x, a, d: x.sort(dim=a, descending=d, stable=True).values, what)
    edge("argsort", [MIXED, axis(1), yes(down)], lambda x, a, d: x.argsort(dim=a, descending=d, stable=True), what)
    for kind, values in [("i32", [3, -1, 2, 3, -7, 0]), ("bool", [1, 0, 1, 1, 0, 0])]:
        edge("sort", [given(values, dtype=kind), axis(0), yes(down)], lambda x, a, d: x.sort(dim=a, descending=d, stable=True).values,
             f"{kind} descending" if down else kind)
    edge("sort", [given([], [2, 0]), axis(1), yes(down)], lambda x, a, d: x.sort(a, d).values, f"none {down}")
edge("argsort", [given([], [0, 3]), axis(1), yes(False)], lambda x, a, d: x.argsort(a, d), "none")
edge("topk", [MIXED, size(2), axis(1)], lambda x, k, a: x.topk(k, a).values.detach(), "NaN")
edge("topk", [given([3, -1, 2, 3], dtype="i32"), size(3), axis(0)], lambda x, k, a: x.topk(k, a).values, "integers")
edge("kthvalue", [MIXED, size(5), axis(1)], lambda x, k, a: x.kthvalue(k, a).values.detach(), "NaN")
edge("median", [given([2.0, NAN, -1.0, 1.0, 3.0, 2.0], [2, 3]), axis(1)], lambda x, a: x.median(a).values, "NaN")
edge("median", [given([3, -1, 2, 7], dtype="i32"), axis(0)], lambda x, a: x.median(a).values, "integers")
edge("quantile", [given([2.0, NAN, -1.0, 1.0, 3.0, 2.0], [2, 3]), num(0.375), axis(1)], lambda x, q, a: x.quantile(q, a).detach(), "NaN")

LINE = given([-1.0, -0.5, -0.5, 0.25, 1.0, 1.5, 1.5])
for right in [False, True]:
    what = "right" if right else ""
    search = lambda s, v, r: torch.searchsorted(s.detach(), v.detach(), right=r)  # noqa: E731
    op("searchsorted", [LINE, T(2, 9), yes(right)], search, what)
    op("searchsorted", [given([-1.0, 0.0, 0.5, -0.5, -0.5, 2.0], [2, 3]), T(2, 4), yes(right)], search, f"rows {what}".strip())
    op("searchsorted", [given([-3, 0, 0, 9], dtype="i32"), given([0, 10, -3, 4], [2, 2], "i32"), yes(right)],
       lambda s, v, r: torch.searchsorted(s, v, right=r), f"integers {what}".strip())
    edge("searchsorted", [LINE, given([1.5, -0.5, NAN, INF, -INF]), yes(right)], search, f"ends {what}".strip())
    op("bucketize", [T(3, 4), LINE, yes(right)], lambda x, s, r: torch.bucketize(x.detach(), s.detach(), right=r), what)
op("histogram", [T(4, 25), size(5), num(-1.5), num(1.0)], lambda x, n, a, b: x.detach().histc(n, a, b).int())
edge("histogram", [given([0.0, 1.0, 0.25, 0.5, NAN, INF, -INF, 1.5, -0.5, 0.75]), size(4), num(0.0), num(1.0)],
     lambda x, n, a, b: x[x.isfinite()].detach().histc(n, a, b).int(), "ends")
op("bincount", [labels([2, 9], 4), size(6)], lambda x, n: x.reshape(-1).bincount(minlength=n).int())
op("bincount", [given([0, 2, 2, 9], dtype="i32"), size(3)], lambda x, n: x.bincount().int()[:n], "out of range")

# ---- Sums of products

for equation, shapes in [
    ("ij->ji", [(2, 3)]),
    ("ij->", [(2, 3)]),
    ("ii->i", [(3, 3)]),
    ("ii", [(3, 3)]),
    ("bij->b", [(2, 3, 4)]),
    ("ij,jk->ik", [(2, 3), (3, 4)]),
    ("ij,jk", [(2, 3), (3, 4)]),
    ("bij,bjk->bik", [(2, 3, 4), (2, 4, 5)]),
    ("bhqd,bhkd->bhqk", [(2, 2, 3, 4), (2, 2, 5, 4)]),
    ("bqhd,bkhd->bhqk", [(2, 3, 2, 4), (2, 5, 2, 4)]),
    ("i,j->ij", [(3,), (4,)]),
    ("i,i->", [(5,), (5,)]),
    ("ij,ij->ij", [(2, 3), (2, 3)]),
    ("ij,j->i", [(2, 3), (3,)]),
    ("bn,anm,bm->ba", [(2, 3), (5, 3, 4), (2, 4)]),
    ("ab,cd,ad->bc", [(2, 3), (4, 5), (2, 5)]),
    ("ijk,kl,m->jlm", [(2, 3, 4), (4, 1), (2,)]),
    ("iij,jkk->ik", [(3, 3, 2), (2, 4, 4)]),
    ("i,,j->ji", [(3,), (), (4,)]),
    ("...ij,...jk->...ik", [(2, 3, 4), (4, 5)]),
    ("...ij,jk", [(2, 1, 3, 4), (4, 5)]),
    ("i...,...->...i", [(3, 1, 2), (4, 1)]),
    (" b i , b -> i b ", [(2, 3), (2,)]),
]:
    op("einsum", [T(*shapes[0]), words(equation), tensors(*[T(*shape) for shape in shapes[1:]])],
       lambda x, e, others: torch.einsum(e, x, *others), equation.replace("->", " to ").replace(",", " and "))
op("einsum", [given([1, 2, 3, 4], [2, 2], "i32"), words("ij,jk->ik"), tensors(given([5, -6, 7, 8], [2, 2], "i32"))],
   lambda x, e, others: torch.einsum(e, x.long(), others[0].long()).int(), "integers")
op("einsum", [T(0, 3), words("ij,kj->ki"), tensors(T(2, 3))], lambda x, e, others: torch.einsum(e, x, *others), "nothing")

# ---- Products

op("matmul", [T(3, 4), T(4, 2)], torch.matmul)
op("matmul", [T(2, 3, 4), T(2, 4, 2)], torch.matmul, "batch")
op("matmul", [T(2, 1, 3, 4), T(3, 4, 2)], torch.matmul, "broadcast batch")
op("matmul", [T(2, 3, 4), T(4, 2)], torch.matmul, "batch by matrix")
op("linear", [T(2, 2, 3), T(3, 4), T(4)], lambda x, w, b: F.linear(x, w.t(), b))

# ---- Linear algebra

def square(name, *shape, diagonal=0.0, symmetric=False):
    """Matrices of multiples of 1/64; with a diagonal they are far from singular ones, or positive definite."""
    rng = random.Random(f"matrix {name} {shape}")
    n, count = shape[-1], math.prod(shape[:-2])
    values = []
    for _ in range(count):
        rows = [[rng.randint(-96, 96) / 64 for _ in range(n)] for _ in range(n)]
        for i in range(n):
            for j in range(i if symmetric else 0):
                rows[i][j] = rows[j][i]
            rows[i][i] += diagonal * n
        values += [value for row in rows for value in row]
    return given(values, list(shape))


def positive(size, vectors):
    """Of each column the largest element is positive."""
    largest = vectors.gather(-2, size.abs().argmax(-2, keepdim=True))
    return largest.detach().sign()


def symmetric(x):
    return (x + x.mT) / 2


def eigh(x):
    values, vectors = torch.linalg.eigh(symmetric(x))
    return values, vectors * positive(vectors, vectors)


def svd(x):
    u, s, vh = torch.linalg.svd(x, full_matrices=False)
    signs = positive(u, u)
    return u * signs, s, signs.mT * vh


for note, shape in [("", [3, 3]), ("batch", [2, 1, 4, 4]), ("one", [1, 1]), ("large", [7, 7])]:
    definite = square("definite", *shape, diagonal=2.0, symmetric=True)
    regular = square("regular", *shape, diagonal=0.75)
    op("cholesky", [definite], lambda a: torch.linalg.cholesky(symmetric(a)), note)
    op("inv", [regular], torch.linalg.inv, note)
    op("det", [regular], torch.linalg.det, note)
    op("logabsdet", [regular], lambda a: torch.linalg.slogdet(a).logabsdet, note)
    op("det_sign", [regular], lambda a: torch.linalg.slogdet(a).sign.detach(), note)
    op("eigvalsh", [square("symmetric", *shape)], lambda a: torch.linalg.eigvalsh(symmetric(a)), note)
    op("eigh_vectors", [square("symmetric", *shape)], lambda a: eigh(a)[1], note)
    for power in [-2, 0, 1, 5]:
        op("matrix_power", [square("power", *shape, diagonal=0.5), axis(power)],
           lambda a, n: torch.linalg.matrix_power(a, n), f"{note} {power}".strip())
    for upper in [False, True]:
        op("solve_triangular", [regular, T(*shape[:-1], 2), yes(upper)],
           lambda a, b, u: torch.linalg.solve_triangular(a.triu() if u else a.tril(), b, upper=u), f"{note} {upper}".strip())
    op("solve", [regular, T(*shape[:-1], 3)], torch.linalg.solve, note)
op("solve", [square("exchanged", 2, 3, 3), T(3)], lambda a, b: torch.linalg.solve(a, b.expand(2, 3)), "vector")
op("solve", [square("pivots", 3, 3), T(2, 3, 2)], torch.linalg.solve, "broadcast")
op("solve_triangular", [square("pivots", 2, 1, 3, 3, diagonal=0.5), T(3, 3, 2), yes(False)],
   lambda a, b, u: torch.linalg.solve_triangular(a.tril(), b, upper=u), "broadcast")
op("det", [given([0.0, 2.0, 0.0, 0.0, 0.0, 3.0, 5.0, 0.0, 0.0], [3, 3])], torch.linalg.det, "rows in another order")
for note, shape in [("", [4, 4]), ("high", [2, 5, 3]), ("wide", [2, 3, 5]), ("column", [4, 1]), ("row", [1, 4]), ("one", [1, 1])]:
    op("qr_q", [T(*shape)], lambda a: torch.linalg.qr(a).Q, note)
    op("qr_r", [T(*shape)], lambda a: torch.linalg.qr(a).R, note)
    op("svd_u", [T(*shape)], lambda a: svd(a)[0], note)
    op("svdvals", [T(*shape)], torch.linalg.svdvals, note)
    op("svd_vh", [T(*shape)], lambda a: svd(a)[2], note)
    if shape[-2] >= shape[-1]:
        op("lstsq", [T(*shape), T(*shape[:-1], 2)], lambda a, b: torch.linalg.lstsq(a, b).solution, note)
op("cross", [T(2, 3), T(2, 3), axis(-1)], lambda x, y, a: torch.linalg.cross(x, y, dim=a))
op("cross", [T(3, 2), T(3, 1), axis(0)], lambda x, y, a: torch.linalg.cross(x, y, dim=a), "broadcast")
op("kron", [T(2, 3), T(3, 2)], torch.kron)
op("kron", [T(2, 1, 2), T(3, 2)], torch.kron, "of fewer axes")
op("kron", [given([1, 2, -3], dtype="i32"), given([4, 5], dtype="i32")], torch.kron, "integers")
INDEFINITE = given([1.0, 2.0, 2.0, 1.0, 4.0, 0.0, 0.0, 9.0], [2, 2, 2])
edge("cholesky", [INDEFINITE], lambda a: torch.tensor([[[NAN, NAN], [NAN, NAN]], [[2.0, 0.0], [0.0, 3.0]]], dtype=torch.float64),
     "not positive definite")
SINGULAR = given([1.0, 2.0, 2.0, 4.0, 4.0, 0.0, 0.0, 8.0], [2, 2, 2])
edge("inv", [SINGULAR], lambda a: torch.tensor([[[NAN, NAN], [NAN, NAN]], [[0.25, 0.0], [0.0, 0.125]]], dtype=torch.float64), "singular")
edge("solve", [SINGULAR, given([1.0, 2.0])], lambda a, b: torch.tensor([[NAN, NAN], [0.25, 0.25]], dtype=torch.float64), "singular")
edge("det", [SINGULAR], lambda a: torch.linalg.det(a).detach(), "singular")
edge("logabsdet", [SINGULAR], lambda a: torch.linalg.slogdet(a).logabsdet.detach(), "singular")
edge("det_sign", [SINGULAR], lambda a: torch.linalg.slogdet(a).sign.detach(), "singular")
edge("svdvals", [given([1.0, 2.0, 2.0, 4.0, 0.0, 0.0], [3, 2])], lambda a: torch.linalg.svdvals(a).detach(), "dependent columns")
edge("svd_u", [given([0.0] * 6, [3, 2])], lambda a: torch.eye(3, 2, dtype=torch.float64), "zeros")
edge("qr_q", [given([0.0] * 6, [3, 2])], lambda a: torch.linalg.qr(a).Q.detach(), "zeros")
edge("eigh_vectors", [given([2.0, 0.0, 0.0, 2.0], [2, 2])], lambda a: torch.eye(2, dtype=torch.float64), "equal")
for shape in [[0, 3, 3], [2, 0, 0]]:
    nothing = given([], shape)
    for name, function in [("cholesky", torch.linalg.cholesky), ("inv", torch.linalg.inv), ("det", torch.linalg.det),
                           ("logabsdet", lambda a: torch.linalg.slogdet(a).logabsdet), ("det_sign", lambda a: torch.linalg.slogdet(a).sign),
                           ("eigvalsh", torch.linalg.eigvalsh), ("eigh_vectors", lambda a: torch.linalg.eigh(a).eigenvectors),
                           ("qr_r", lambda a: torch.linalg.qr(a).R), ("svdvals", torch.linalg.svdvals),
                           ("svd_vh", lambda a: torch.linalg.svd(a).Vh)]:
        edge(name, [nothing], lambda a, function=function: function(a.detach()), f"none {shape[0]}")
    edge("solve", [nothing, given([], [*shape[:-1], 2])], lambda a, b: torch.linalg.solve(a.detach(), b.detach()), f"none {shape[0]}")

# ---- Fourier transforms

def parts(function):
    """Of complex numbers, whose parts are a last axis of 2."""
    return lambda x, *rest: torch.view_as_real(function(torch.view_as_complex(x.contiguous()), *rest))


LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 15, 16, 22, 26, 30]
for n in LENGTHS:
    op("fft", [T(2, n, 2), axis(1)], parts(lambda x, a: torch.fft.fft(x, dim=a)), f"of {n}")
    op("rfft", [T(2, n), axis(-1)], lambda x, a: torch.view_as_real(torch.fft.rfft(x, dim=a)), f"of {n}")
    op("irfft", [T(2, n // 2 + 1, 2), size(n), axis(1)], lambda x, n, a: torch.fft.irfft(torch.view_as_complex(x.contiguous()), n, dim=a), f"of {n}")
op("fft", [T(8, 3, 2), axis(0)], parts(lambda x, a: torch.fft.fft(x, dim=0)), "first axis")
op("fft", [T(2, 3, 4, 2), axis(-3)], parts(lambda x, a: torch.fft.fft(x, dim=1)), "middle axis")
op("fft", [T(67, 2), axis(0)], parts(lambda x, a: torch.fft.fft(x, dim=0)), "of a prime")
edge("fft", [given([], [0, 3, 2]), axis(1)], parts(lambda x, a: torch.fft.fft(x, dim=a)), "none")
op("ifft", [T(2, 12, 2), axis(1)], parts(lambda x, a: torch.fft.ifft(x, dim=a)))
op("ifft", [T(5, 2, 2), axis(-3)], parts(lambda x, a: torch.fft.ifft(x, dim=0)), "first axis")
op("ifft", [T(134, 2), axis(0)], parts(lambda x, a: torch.fft.ifft(x, dim=0)), "of twice a prime")
op("rfft", [T(6, 3), axis(0)], lambda x, a: torch.view_as_real(torch.fft.rfft(x, dim=a)), "first axis")
op("irfft", [T(4, 3, 2), size(7), axis(0)], lambda x, n, a: torch.fft.irfft(torch.view_as_complex(x.contiguous()), n, dim=a), "first axis")
op("fft2", [T(2, 3, 4, 2)], parts(torch.fft.fft2))
op("ifft2", [T(4, 6, 2)], parts(torch.fft.ifft2))
op("rfft2", [T(2, 4, 5)], lambda x: torch.view_as_real(torch.fft.rfft2(x)))
op("irfft2", [T(2, 4, 3, 2), size(5)], lambda x, n: torch.fft.irfft2(torch.view_as_complex(x.contiguous()), (4, n)))
for n in [4, 5]:
    op("fftshift", [T(2, n), axis(1)], lambda x, a: torch.fft.fftshift(x, dim=a), f"of {n}")
    op("ifftshift", [T(n, 2), axis(0)], lambda x, a: torch.fft.ifftshift(x, dim=a), f"of {n}")
op("complex_mul", [T(3, 2), T(3, 2)], lambda x, y: torch.view_as_real(torch.view_as_complex(x) * torch.view_as_complex(y)))
op("complex_mul", [T(2, 1, 2), T(3, 2)], lambda x, y: torch.view_as_real(torch.view_as_complex(x) * torch.view_as_complex(y)), "broadcast")

# ---- Convolution and pooling


def conv(x, w, s, p, d, g):
    return F.conv2d(x, w, None, s, p, d, g)


op("conv2d", [T(2, 2, 5, 4), T(3, 2, 3, 2), sizes(1), sizes(0), sizes(1), size(1)], conv)
op("conv2d", [T(1, 2, 6, 5), T(2, 2, 3, 2), sizes(2, 1), sizes(1, 0), sizes(1, 2), size(1)], conv, "uneven")
op("conv2d", [T(1, 4, 4, 4), T(4, 2, 3, 3), sizes(2), sizes(1), sizes(1), size(2)], conv, "groups")
op("max_pool2d", [T(1, 2, 4, 5), sizes(2), sizes(2), sizes(0), sizes(1)], lambda x, k, s, p, d: F.max_pool2d(x, k[0], s[0]))
op("avg_pool2d", [T(1, 2, 5, 4), sizes(3, 2), sizes(2), sizes(1)], lambda x, k, s, p: F.avg_pool2d(x, k, s[0], p[0]))

# ---- Upsampling


def nearest(x, scale):
    return F.interpolate(x, scale_factor=tuple(scale) if len(scale) > 1 else scale[0], mode="nearest")


def bilinear(x, scale):
    scale = tuple(scale) if len(scale) > 1 else scale[0]
    return F.interpolate(x, scale_factor=scale, mode="bilinear", align_corners=False)


op("upsample_nearest2d", [T(2, 2, 3, 2), sizes(2)], nearest)
op("upsample_nearest2d", [T(1, 2, 2, 3), sizes(1, 3)], nearest, "across")
op("upsample_bilinear2d", [T(2, 2, 3, 2), sizes(2)], bilinear)
op("upsample_bilinear2d", [T(1, 2, 3, 4), sizes(3, 2)], bilinear, "uneven")
op("upsample_bilinear2d", [T(1, 1, 1, 3), sizes(4, 1)], bilinear, "one row")
bicubic = lambda x, s: F.interpolate(x, scale_factor=[float(each) for each in (s if len(s) == 2 else s * 2)], mode="bicubic")  # noqa: E731
op("upsample_bicubic2d", [T(2, 2, 3, 4), sizes(2)], bicubic)
op("upsample_bicubic2d", [T(1, 2, 5, 7), sizes(3, 4)], bicubic, "uneven")
op("upsample_bicubic2d", [T(1, 1, 1, 2), sizes(1, 5)], bicubic, "one row")


def volume(x, w, s, p, d, g):
    return F.conv3d(x, w, None, s, p, d, g)


op("conv3d", [T(2, 2, 4, 5, 4), T(3, 2, 3, 2, 3), sizes(1), sizes(0), sizes(1), size(1)], volume)
op("conv3d", [T(1, 2, 5, 4, 6), T(2, 2, 2, 3, 1), sizes(2, 1, 3), sizes(1, 2, 0), sizes(2, 1, 1), size(1)], volume, "uneven")
op("conv3d", [T(1, 4, 3, 3, 3), T(6, 2, 3, 2, 2), sizes(1), sizes(1), sizes(1), size(2)], volume, "groups")
op("conv3d", [T(2, 3, 1, 1, 1), T(2, 3, 1, 1, 1), sizes(1), sizes(0), sizes(1), size(1)], volume, "one")

for mode in ["bilinear", "nearest"]:
    for padding in ["zeros", "border"]:
        for corners, image in [(False, (2, 2, 5, 3)), (True, (2, 3, 6, 4))]:
            op("grid_sample", [T(*image), T(2, 3, 4, 2, low=-1.3, high=1.3), words(mode), words(padding), yes(corners)],
               lambda x, g, m, p, c: F.grid_sample(x, g, m, p, align_corners=c), f"{mode} {padding} {'corners' if corners else 'edges'}")
op("grid_sample", [T(1, 1, 1, 1), T(1, 1, 3, 2, low=-0.9, high=0.9), words("bilinear"), words("zeros"), yes(False)],
   lambda x, g, m, p, c: F.grid_sample(x, g, m, p, align_corners=c), "one pixel")

for mode in ["sum", "mean", "max"]:
    bag = lambda x, i, m: F.embedding_bag(i.long(), x, mode=m)  # noqa: E731
    op("embedding_bag", [T(6, 3), labels([4, 5], 6), words(mode)], bag, mode)
    op("embedding_bag", [T(2, 1), labels([3, 1], 2, "i32"), words(mode)], bag, f"{mode} of one")

# ---- Attention


def attention(q, k, v, causal):
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal)


op("scaled_dot_product_attention", [T(2, 3, 4), T(2, 5, 4), T(2, 5, 2), yes(False)], attention)
op("scaled_dot_product_attention", [T(2, 2, 3, 4), T(2, 2, 3, 4), T(2, 2, 3, 4), yes(True)], attention, "causal")

# ---- Losses

op("cross_entropy", [T(4, 3), labels([4], 3)], lambda x, y: F.cross_entropy(x, y.long()))
op("cross_entropy", [T(4, 3), labels([4], 3, "i32")], lambda x, y: F.cross_entropy(x, y.long()), "i32")
op("cross_entropy", [T(2, 3, 4), labels([2, 3], 4)],
   lambda x, y: F.cross_entropy(x.reshape(-1, 4), y.long().reshape(-1)), "sequences")
edge("cross_entropy", [LARGE, given([2, 0], dtype="u32")], lambda x, y: F.cross_entropy(x, y.long()), "large logits")
op("cross_entropy_ignoring", [T(4, 3), given([2, -100, 0, -100], dtype="i32"), axis(-100)],
   lambda x, y, i: F.cross_entropy(x, y.long(), ignore_index=i))
op("nll_loss", [T(4, 3), labels([4], 3)], lambda x, y: F.nll_loss(x, y.long()))
op("mse_loss", [T(2, 3), T(2, 3)], F.mse_loss)
op("l1_loss", [T(2, 3, low=0.0), T(2, 3, high=0.0)], F.l1_loss)
edge("l1_loss", [given([1.0, 2.0, 3.0]), given([1.0, 3.0, 2.0])], F.l1_loss, "no difference")
op("huber_loss", [given([0.2, 3.0, -0.2, -3.0]), given([0.0, 0.0, 0.0, 0.0]), num(1.5)],
   lambda x, y, d: F.huber_loss(x, y, delta=d), "both sides")
edge("huber_loss", [given([1.5, -1.5, 0.0, NAN]), given([0.0, 0.0, 0.0, 0.0]), num(1.5)],
     lambda x, y, d: F.huber_loss(x, y, delta=d), "at the bounds")
op("smooth_l1_loss", [given([0.2, 3.0, -0.2, -3.0]), given([0.0, 0.0, 0.0, 0.0]), num(0.5)],
   lambda x, y, b: F.smooth_l1_loss(x, y, beta=b), "both sides")
op("smooth_l1_loss", [T(3, low=0.0), T(3, high=0.0), num(0.0)], lambda x, y, b: F.smooth_l1_loss(x, y, beta=b), "beta 0")
op("bce_with_logits", [T(2, 3), T(2, 3, low=0.0, high=1.0)], F.binary_cross_entropy_with_logits)
edge("bce_with_logits", [given([0.0, 100.0, -100.0, 1000.0]), given([1.0, 0.0, 1.0, 1.0])],
     F.binary_cross_entropy_with_logits, "large and zero")


# ---- Layers


def layer(name, config, x, params, function, note="", mode="inference", state=(), smooth=True):
    LAYERS.append(
        {
            "layer": name,
            "name": f"{name} {note}".strip(),
            "config": config,
            "input": x[1],
            "tensors": {key: tensor for key, (_, tensor) in params.items()},
            "torch": function,
            "mode": mode,
            "state": list(state),
            "smooth": smooth,
        }
    )


def lin(x, weight, bias=None):
    return F.linear(x, weight.t(), bias)


layer("Linear", {"inputs": 4, "outputs": 3}, T(5, 4), {"weight": T(4, 3), "bias": T(3)}, lin)
layer("Linear", {"inputs": 4, "outputs": 3, "bias": False}, T(5, 4), {"weight": T(4, 3)}, lin, "without bias")
layer("Linear", {"inputs": 4, "outputs": 3}, T(2, 3, 4), {"weight": T(4, 3), "bias": T(3)}, lin, "three axes")
layer("Linear", {"inputs": 4, "outputs": 3}, T(4), {"weight": T(4, 3), "bias": T(3)}, lin, "vector")


def conv_layer(**options):
    return lambda x, weight, bias=None: F.conv2d(x, weight, bias, **options)


layer("Conv2d", {"inputs": 2, "outputs": 3, "kernel": 3}, T(2, 2, 5, 4), {"weight": T(3, 2, 3, 3), "bias": T(3)}, conv_layer())
layer("Conv2d", {"inputs": 2, "outputs": 3, "kernel": [3, 2], "stride": [2, 1], "padding": [1, 0]}, T(1, 2, 6, 4),
      {"weight": T(3, 2, 3, 2), "bias": T(3)}, conv_layer(stride=(2, 1), padding=(1, 0)), "uneven")
layer("Conv2d", {"inputs": 2, "outputs": 2, "kernel": 2, "dilation": 2, "padding": 1, "bias": False}, T(1, 2, 5, 5),
      {"weight": T(2, 2, 2, 2)}, conv_layer(dilation=2, padding=1), "dilation")
layer("Conv2d", {"inputs": 4, "outputs": 4, "kernel": 3, "stride": 2, "padding": 1, "groups": 2}, T(1, 4, 5, 5),
      {"weight": T(4, 2, 3, 3), "bias": T(4)}, conv_layer(stride=2, padding=1, groups=2), "groups")
layer("Conv2d", {"inputs": 3, "outputs": 6, "kernel": 2, "groups": 3}, T(1, 3, 3, 3),
      {"weight": T(6, 1, 2, 2), "bias": T(6)}, conv_layer(groups=3), "depthwise")

layer("Conv1d", {"inputs": 4, "outputs": 6, "kernel": 3, "stride": 2, "padding": 1, "groups": 2}, T(2, 4, 7),
      {"weight": T(6, 2, 3), "bias": T(6)}, lambda x, weight, bias: F.conv1d(x, weight, bias, 2, 1, 1, 2))
layer("Conv1d", {"inputs": 2, "outputs": 3, "kernel": 2, "dilation": 2, "bias": False}, T(1, 2, 6),
      {"weight": T(3, 2, 2)}, lambda x, weight: F.conv1d(x, weight, None, dilation=2), "without bias")
layer("ConvTranspose2d", {"inputs": 4, "outputs": 2, "kernel": 2, "stride": 2}, T(2, 4, 3, 2),
      {"weight": T(4, 2, 2, 2), "bias": T(2)}, lambda x, weight, bias: F.conv_transpose2d(x, weight, bias, 2))
layer("ConvTranspose2d",
      {"inputs": 4, "outputs": 6, "kernel": [3, 2], "stride": 2, "padding": [1, 0], "output_padding": 1, "groups": 2, "bias": False},
      T(1, 4, 3, 3), {"weight": T(4, 3, 3, 2)},
      lambda x, weight: F.conv_transpose2d(x, weight, None, 2, (1, 0), 1, 2), "uneven, groups")


def pool(**options):
    return lambda x: F.max_pool2d(x, **options)


TIES = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0, 2.0, 2.0, -1.0, -1.0, 2.0, 2.0, -1.0, -1.0]
layer("MaxPool2d", {"kernel": 2}, T(2, 2, 4, 4), {}, pool(kernel_size=2))
layer("MaxPool2d", {"kernel": 2}, T(1, 1, 5, 7), {}, pool(kernel_size=2), "rest cut off")
layer("MaxPool2d", {"kernel": 2}, given(TIES, [1, 1, 4, 4]), {}, pool(kernel_size=2), "ties", smooth=False)
layer("MaxPool2d", {"kernel": 3, "stride": 2, "padding": 1}, T(1, 2, 5, 5, low=-3.0, high=-0.1), {},
      pool(kernel_size=3, stride=2, padding=1), "padding of negative numbers")
layer("MaxPool2d", {"kernel": [3, 2], "stride": 1, "dilation": [1, 2]}, T(1, 1, 5, 5), {},
      pool(kernel_size=(3, 2), stride=1, dilation=(1, 2)), "dilation")
layer("MaxPool2d", {"kernel": 2}, given([1.0, NAN, 3.0, 4.0], [1, 1, 2, 2]), {}, pool(kernel_size=2), "NaN", smooth=False)
layer("AvgPool2d", {"kernel": 2}, T(2, 2, 4, 4), {}, lambda x: F.avg_pool2d(x, 2))
layer("AvgPool2d", {"kernel": [3, 2], "stride": [2, 1], "padding": [1, 1]}, T(1, 2, 5, 4), {},
      lambda x: F.avg_pool2d(x, (3, 2), (2, 1), (1, 1)), "padding")
layer("Upsample", {"scale": 2}, T(1, 2, 3, 2), {}, lambda x: F.interpolate(x, scale_factor=2))
layer("Upsample", {"scale": [2, 3], "bilinear": True}, T(1, 2, 2, 3), {},
      lambda x: F.interpolate(x, scale_factor=(2, 3), mode="bilinear"), "bilinear")

NORMS = {"running_mean": T(3), "running_var": T(3, low=0.5, high=2.0), "weight": T(3), "bias": T(3)}


def norm(training, momentum=0.1, eps=1e-5):
    return lambda x, running_mean, running_var, weight=None, bias=None: F.batch_norm(
        x, running_mean, running_var, weight, bias, training, momentum, eps)


STATE = ["running_mean", "running_var"]
for mode in ["training", "inference"]:
    on = mode == "training"
    layer("BatchNorm", {"features": 3}, T(4, 3), NORMS, norm(on), f"{mode} of rows", mode, STATE)
    layer("BatchNorm", {"features": 3, "momentum": 0.3, "epsilon": 0.001}, T(2, 3, 3, 2), NORMS,
          norm(on, 0.3, 0.001), f"{mode} of images", mode, STATE)
layer("BatchNorm", {"features": 3, "affine": False}, T(4, 3), {key: NORMS[key] for key in STATE}, norm(True),
      "without affine", "training", STATE)
layer("LayerNorm", {"features": 5}, T(3, 5), {"weight": T(5), "bias": T(5)},
      lambda x, weight, bias: F.layer_norm(x, (5,), weight, bias))
layer("LayerNorm", {"features": 5, "affine": False, "epsilon": 0.01}, T(2, 2, 5), {},
      lambda x: F.layer_norm(x, (5,), eps=0.01), "without affine")
layer("LayerNorm", {"features": 4}, given([5.0] * 4 + [1e4, 1e4 + 1, 1e4 + 2, 1e4 + 3], [2, 4]),
      {"weight": T(4), "bias": T(4)}, lambda x, weight, bias: F.layer_norm(x, (4,), weight, bias),
      "equal elements and a large mean", smooth=False)
layer("GroupNorm", {"features": 6, "groups": 2}, T(2, 6, 2, 3), {"weight": T(6), "bias": T(6)},
      lambda x, weight, bias: F.group_norm(x, 2, weight, bias))
layer("GroupNorm", {"features": 4, "groups": 4, "affine": False, "epsilon": 0.01}, T(2, 4, 5), {},
      lambda x: F.instance_norm(x, eps=0.01), "instances")
layer("GroupNorm", {"features": 4, "groups": 1}, T(3, 4), {"weight": T(4), "bias": T(4)},
      lambda x, weight, bias: F.group_norm(x, 1, weight, bias), "rows")
layer("RmsNorm", {"features": 5}, T(2, 3, 5), {"weight": T(5)}, lambda x, weight: F.rms_norm(x, (5,), weight, eps=1e-6))
layer("RmsNorm", {"features": 5, "affine": False, "epsilon": 0.01}, T(3, 5), {},
      lambda x: F.rms_norm(x, (5,), eps=0.01), "without affine")
layer("Dropout", {"rate": 0.25}, T(3, 4), {}, lambda x: F.dropout(x, 0.25, training=False) * 1.0, "inference")
layer("Dropout", {"rate": 0}, T(3, 4), {}, lambda x: F.dropout(x, 0.0, training=True) * 1.0, "rate 0", "training")
layer("Embedding", {"entries": 5, "features": 3}, given([4, 0, 4, 2], [2, 2], "u32"), {"weight": T(5, 3)},
      lambda x, weight: F.embedding(x.long(), weight))
layer("Flatten", {}, T(2, 3, 2, 2), {}, lambda x: x.flatten(1))
layer("Flatten", {"from": 0}, T(2, 3), {}, lambda x: x.flatten(0), "from 0")


def self_attention(heads, causal):
    def run(x, qkv_weight, output_weight, qkv_bias=None, output_bias=None):
        batch, time, features = x.shape
        module = torch.nn.MultiheadAttention(features, heads, bias=qkv_bias is not None, batch_first=True)
        hidden = torch.ones(time, time, dtype=torch.bool).triu(1) if causal else None
        named = {"in_proj_weight": qkv_weight.t(), "out_proj.weight": output_weight.t()}
        if qkv_bias is not None:
            named |= {"in_proj_bias": qkv_bias, "out_proj.bias": output_bias}
        options = dict(need_weights=False, attn_mask=hidden)
        return torch.func.functional_call(module, named, (x, x, x), options)[0]

    return run


PROJECTIONS = {"qkv_weight": T(6, 18), "output_weight": T(6, 6), "qkv_bias": T(18), "output_bias": T(6)}
layer("SelfAttention", {"features": 6, "heads": 2}, T(2, 3, 6), PROJECTIONS, self_attention(2, False))
layer("SelfAttention", {"features": 6, "heads": 3, "causal": True, "bias": False}, T(1, 4, 6),
      {key: PROJECTIONS[key] for key in ["qkv_weight", "output_weight"]}, self_attention(3, True), "causal")
layer("Relu", {}, T(3, 4), {}, F.relu)
layer("LeakyRelu", {"slope": 0.2}, T(3, 4), {}, lambda x: F.leaky_relu(x, 0.2))
layer("Gelu", {}, T(3, 4), {}, F.gelu)
layer("Silu", {}, T(3, 4), {}, F.silu)
layer("Sigmoid", {}, T(3, 4), {}, torch.sigmoid)
layer("Tanh", {}, T(3, 4), {}, torch.tanh)
layer("Identity", {}, T(3, 4), {}, lambda x: x * 1.0)
