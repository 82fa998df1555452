//! Functions of numbers that Rust has and netcl's table of operations has not, composed of those that it has.
//!
//! They mean what they mean in Rust, infinities, NaN and zeros included, with two differences that no kernel can avoid:
//! `mul_add` may round twice, and nothing panics (`clamp` with bounds in the wrong order gives the upper one).

use super::arith::{Operator, Places, number, typed};
use super::{Lowering, Val};
use crate::messages as m;
use crate::number::ConstFloat;
use netcl_kernels::dim::Shape;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::build::Builder;
use netcl_kernels::graph::{BinaryOp, CompareOp, Graph, InputKind, NodeId, OutputKind, UnaryOp};
use netcl_kernels::span::Result;
use proc_macro2::Span;
use std::f64::consts::{LOG10_2, PI};

/// A function by its name and its number of operands: on floats that are known, and as nodes.
struct Composed {
    name: &'static str,
    operands: usize,
    known: fn(&[f64]) -> f64,
    nodes: Nodes,
}

/// The nodes of a function over its operands.
type Nodes = fn(&mut Formula<'_>, &[NodeId]) -> Result<NodeId>;

const FUNCTIONS: &[Composed] = &[
    Composed { name: "trunc", operands: 1, known: |x| x[0].trunc(), nodes: |f, x| f.trunc(x[0]) },
    Composed {
        name: "fract",
        operands: 1,
        known: |x| x[0].fract(),
        nodes: |f, x| {
            let whole = f.trunc(x[0])?;
            f.sub(x[0], whole)
        },
    },
    Composed {
        name: "log10",
        operands: 1,
        known: |x| x[0].log10(),
        nodes: |f, x| {
            let log = f.apply(UnaryOp::Log2, x[0])?;
            f.scaled(log, LOG10_2)
        },
    },
    Composed { name: "sinh", operands: 1, known: |x| x[0].sinh(), nodes: |f, x| f.sinh(x[0]) },
    Composed { name: "cosh", operands: 1, known: |x| x[0].cosh(), nodes: |f, x| f.cosh(x[0]) },
    Composed {
        name: "asin",
        operands: 1,
        known: |x| x[0].asin(),
        nodes: |f, x| {
            let cosine = f.other_leg(x[0])?;
            f.0.binary(BinaryOp::Atan2, x[0], cosine)
        },
    },
    Composed {
        name: "acos",
        operands: 1,
        known: |x| x[0].acos(),
        nodes: |f, x| {
            let sine = f.other_leg(x[0])?;
            f.0.binary(BinaryOp::Atan2, sine, x[0])
        },
    },
    Composed {
        name: "atan",
        operands: 1,
        known: |x| x[0].atan(),
        nodes: |f, x| {
            let one = f.number(1.0, x[0]);
            f.0.binary(BinaryOp::Atan2, x[0], one)
        },
    },
    Composed { name: "asinh", operands: 1, known: |x| x[0].asinh(), nodes: |f, x| f.asinh(x[0]) },
    Composed { name: "acosh", operands: 1, known: |x| x[0].acosh(), nodes: |f, x| f.acosh(x[0]) },
    Composed { name: "atanh", operands: 1, known: |x| x[0].atanh(), nodes: |f, x| f.atanh(x[0]) },
    Composed {
        name: "to_degrees",
        operands: 1,
        known: |x| x[0].to_degrees(),
        nodes: |f, x| f.scaled(x[0], 180.0 / PI),
    },
    Composed {
        name: "to_radians",
        operands: 1,
        known: |x| x[0].to_radians(),
        nodes: |f, x| f.scaled(x[0], PI / 180.0),
    },
    Composed { name: "cbrt", operands: 1, known: |x| x[0].cbrt(), nodes: |f, x| f.cbrt(x[0]) },
    Composed { name: "hypot", operands: 2, known: |x| x[0].hypot(x[1]), nodes: |f, x| f.hypot(x[0], x[1]) },
    Composed { name: "copysign", operands: 2, known: |x| x[0].copysign(x[1]), nodes: |f, x| f.copysign(x[0], x[1]) },
    Composed {
        name: "log",
        operands: 2,
        known: |x| x[0].log(x[1]),
        nodes: |f, x| {
            let (log, base) = (f.apply(UnaryOp::Log, x[0])?, f.apply(UnaryOp::Log, x[1])?);
            f.0.binary(BinaryOp::Div, log, base)
        },
    },
    Composed {
        name: "mul_add",
        operands: 3,
        known: |x| x[0].mul_add(x[1], x[2]),
        nodes: |f, x| {
            let product = f.mul(x[0], x[1])?;
            f.0.binary(BinaryOp::Add, product, x[2])
        },
    },
];

impl<'a> Lowering<'a> {
    /// `receiver.name(args)` as Rust means it, if it is such a function of such numbers.
    pub(super) fn composed(&mut self, name: &str, receiver: &Val<'a>, args: &[Val<'a>], span: Span) -> Option<Val<'a>> {
        let values: Vec<Val<'a>> = std::iter::once(receiver).chain(args).cloned().collect();
        let whole = match receiver {
            Val::Tensor(id) => self.builder.dtype(*id).is_integer(),
            value => matches!(value, Val::Dim(_)) && !values.iter().any(|value| matches!(value, Val::Number(_))),
        };
        if let Some(nodes) = beside_table(name, values.len()).filter(|_| !whole || name.ends_with("euclid")) {
            return self.formula(&values, (name, span), nodes);
        }
        match (name, args) {
            // Between numbers that are known it is an operation of the table.
            ("clamp", [low, high])
                if number(low).is_none() || number(high).is_none() || !matches!(receiver, Val::Tensor(_)) =>
            {
                return self.formula(&values, (name, span), |f, x| f.clamp(x[0], x[1], x[2]));
            }
            ("sin_cos", []) => {
                let both = [UnaryOp::Sin, UnaryOp::Cos].map(|op| self.function_of_one(op, receiver.clone(), span));
                return Some(Val::Tuple(both.into()));
            }
            ("pow", [Val::Dim(exponent)]) if whole => {
                let exponent = exponent.as_constant().and_then(|value| u32::try_from(value).ok())?;
                return Some(self.whole_power(receiver.clone(), exponent, span));
            }
            _ => {}
        }
        let function = FUNCTIONS.iter().find(|known| known.name == name && known.operands == values.len())?;
        if let Some(known) = values.iter().map(number).collect::<Option<Vec<ConstFloat>>>() {
            let ty = values.iter().find_map(typed);
            return ConstFloat::computed(&known, ty, |x| Some((function.known)(x))).map(Val::Number);
        }
        self.formula(&values, (name, span), function.nodes)
    }

    /// The nodes of a formula over operands of one type.
    fn formula(
        &mut self,
        values: &[Val<'a>],
        (name, span): (&str, Span),
        nodes: impl FnOnce(&mut Formula<'_>, &[NodeId]) -> Result<NodeId>,
    ) -> Option<Val<'a>> {
        let typed = values.iter().find_map(|value| match value {
            Val::Tensor(id) => Some(self.builder.dtype(*id)),
            value => typed(value),
        });
        let mut operands = Vec::new();
        for value in values {
            let Some(id) = self.tensor(value.clone(), typed, span) else { return Some(Val::Unknown) };
            let (first, own) = (self.builder.dtype(*operands.first().unwrap_or(&id)), self.builder.dtype(id));
            if first != own {
                return Some(self.report(span, &m::SIMT_TYPES, &[&name, &first, &own]));
            }
            operands.push(id);
        }
        self.at(span);
        let result = nodes(&mut Formula(&mut self.builder), &operands);
        Some(self.check(result, span))
    }

    /// `x.pow(exponent)` of a whole number, wrapping.
    fn whole_power(&mut self, base: Val<'a>, exponent: u32, span: Span) -> Val<'a> {
        let mut times =
            |a: Val<'a>, b: Val<'a>| self.operate(Operator::Binary(BinaryOp::Mul), "pow", a, b, Places::all(span));
        let (mut power, mut square, mut left) = (None, base, exponent);
        while left > 0 {
            if left % 2 == 1 {
                power = Some(match power {
                    Some(power) => times(power, square.clone()),
                    None => square.clone(),
                });
            }
            left /= 2;
            if left > 0 {
                square = times(square.clone(), square);
            }
        }
        power.unwrap_or(Val::Dim(netcl_kernels::dim::Dim::constant(1)))
    }
}

/// Arithmetic on nodes, short enough to read as formulas.
pub(super) struct Formula<'b>(pub(super) &'b mut Builder);

impl Formula<'_> {
    pub(super) fn number(&mut self, value: f64, like: NodeId) -> NodeId {
        let dtype = self.0.dtype(like);
        self.0.constant(value, dtype)
    }

    pub(super) fn apply(&mut self, op: UnaryOp, x: NodeId) -> Result<NodeId> {
        self.0.unary(op, x)
    }

    pub(super) fn sub(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.0.binary(BinaryOp::Sub, a, b)
    }

    pub(super) fn mul(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.0.binary(BinaryOp::Mul, a, b)
    }

    pub(super) fn div(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        self.0.binary(BinaryOp::Div, a, b)
    }

    pub(super) fn scaled(&mut self, x: NodeId, by: f64) -> Result<NodeId> {
        let by = self.number(by, x);
        self.mul(x, by)
    }

    /// Whether `x` compares so with a number.
    pub(super) fn is(&mut self, op: CompareOp, x: NodeId, than: f64) -> Result<NodeId> {
        let than = self.number(than, x);
        self.0.compare(op, x, than)
    }

    /// The whole number next to `x` on the way to zero.
    fn trunc(&mut self, x: NodeId) -> Result<NodeId> {
        let negative = self.is(CompareOp::Lt, x, 0.0)?;
        let (up, down) = (self.apply(UnaryOp::Ceil, x)?, self.apply(UnaryOp::Floor, x)?);
        self.0.select(negative, up, down)
    }

    /// `sqrt(1 - x²)`, without a difference of near numbers, and with a derivative at both ends.
    fn other_leg(&mut self, x: NodeId) -> Result<NodeId> {
        let one = self.number(1.0, x);
        let (less, more) = (self.sub(one, x)?, self.0.binary(BinaryOp::Add, one, x)?);
        let (less, more) = (self.apply(UnaryOp::Sqrt, less)?, self.apply(UnaryOp::Sqrt, more)?);
        self.mul(less, more)
    }

    /// The power `1/3`, and one step of Newton's, because a third is no float.
    fn cbrt(&mut self, x: NodeId) -> Result<NodeId> {
        let size = self.apply(UnaryOp::Abs, x)?;
        let third = self.number(1.0 / 3.0, x);
        let root = self.0.binary(BinaryOp::Pow, size, third)?;
        let square = self.mul(root, root)?;
        let other = self.div(size, square)?;
        let excess = self.sub(root, other)?;
        let excess = self.scaled(excess, 1.0 / 3.0)?;
        let better = self.sub(root, excess)?;
        let (none, endless) = (self.is(CompareOp::Eq, size, 0.0)?, self.is(CompareOp::Eq, size, f64::INFINITY)?);
        let exact = self.0.binary(BinaryOp::Or, none, endless)?;
        let root = self.0.select(exact, root, better)?;
        self.copysign(root, x)
    }

    /// The length of `(x, y)`: by the larger of the two, so that no square overflows. Infinite where either is, whatever the
    /// other is.
    fn hypot(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let (a, b) = (self.apply(UnaryOp::Abs, x)?, self.apply(UnaryOp::Abs, y)?);
        let largest = self.0.binary(BinaryOp::Max, a, b)?;
        let scale = self.0.detach(largest);
        let [far, off] = [a, b].map(|side| self.is(CompareOp::Eq, side, f64::INFINITY));
        let endless = self.0.binary(BinaryOp::Or, far?, off?)?;
        let none = self.is(CompareOp::Eq, scale, 0.0)?;
        let (u, v) = (self.div(x, scale)?, self.div(y, scale)?);
        let (u, v) = (self.mul(u, u)?, self.mul(v, v)?);
        let square = self.0.binary(BinaryOp::Add, u, v)?;
        let root = self.apply(UnaryOp::Sqrt, square)?;
        let length = self.mul(root, scale)?;
        let length = self.0.select(none, scale, length)?;
        let infinity = self.number(f64::INFINITY, x);
        self.0.select(endless, infinity, length)
    }

    /// The size of `x` with the sign that `y` is written with; that of NaN is taken to be positive.
    fn copysign(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let negative = self.is_negative(y)?;
        let size = self.apply(UnaryOp::Abs, x)?;
        let minus = self.apply(UnaryOp::Neg, size)?;
        self.0.select(negative, minus, size)
    }

    fn is_infinite(&mut self, x: NodeId) -> Result<NodeId> {
        let size = self.apply(UnaryOp::Abs, x)?;
        self.is(CompareOp::Eq, size, f64::INFINITY)
    }

    /// Whether `x` is below zero or -0, which its reciprocal alone tells from 0.
    fn is_negative(&mut self, x: NodeId) -> Result<NodeId> {
        let inverse = self.apply(UnaryOp::Recip, x)?;
        let (turned, below) = (self.is(CompareOp::Lt, inverse, 0.0)?, self.is(CompareOp::Lt, x, 0.0)?);
        self.0.binary(BinaryOp::Or, below, turned)
    }

    fn clamp(&mut self, x: NodeId, low: NodeId, high: NodeId) -> Result<NodeId> {
        let below = self.0.compare(CompareOp::Lt, x, low)?;
        let x = self.0.select(below, low, x)?;
        let above = self.0.compare(CompareOp::Gt, x, high)?;
        self.0.select(above, high, x)
    }

    fn is_unsigned(&self, x: NodeId) -> bool {
        matches!(self.0.dtype(x), DType::U8 | DType::U32)
    }

    /// The remainder that is not negative.
    fn rem_euclid(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let rest = self.0.binary(BinaryOp::Rem, x, y)?;
        if self.is_unsigned(x) {
            return Ok(rest);
        }
        let negative = self.is(CompareOp::Lt, rest, 0.0)?;
        let size = self.apply(UnaryOp::Abs, y)?;
        let moved = self.0.binary(BinaryOp::Add, rest, size)?;
        self.0.select(negative, moved, rest)
    }

    /// The quotient that leaves it.
    fn div_euclid(&mut self, x: NodeId, y: NodeId) -> Result<NodeId> {
        let mut quotient = self.div(x, y)?;
        if self.is_unsigned(x) {
            return Ok(quotient);
        }
        if self.0.dtype(x).is_float() {
            quotient = self.trunc(quotient)?;
        }
        let rest = self.0.binary(BinaryOp::Rem, x, y)?;
        let negative = self.is(CompareOp::Lt, rest, 0.0)?;
        let positive = self.is(CompareOp::Gt, y, 0.0)?;
        let one = self.number(1.0, x);
        let (less, more) = (self.sub(quotient, one)?, self.0.binary(BinaryOp::Add, quotient, one)?);
        let moved = self.0.select(positive, less, more)?;
        self.0.select(negative, moved, quotient)
    }
}

/// Names of functions that Rust's numbers have as methods and netcl's table under another name, or not at all. In kernels they
/// are functions too, as netcl's own are methods too.
pub(crate) fn rust_names() -> impl Iterator<Item = &'static str> {
    let composed = FUNCTIONS.iter().map(|function| function.name).chain(OTHERS);
    RENAMED.iter().map(|(own, _)| *own).chain(composed).chain([
        "signum",
        "round_ties_even",
        "clamp",
        "sin_cos",
        "is_nan",
        "is_finite",
    ])
}

/// Rust's names of functions in the table, and the table's.
const RENAMED: [(&str, &str); 5] =
    [("ln", "log"), ("powf", "pow"), ("powi", "pow"), ("exp_m1", "expm1"), ("ln_1p", "log1p")];

/// The table's name of a function by Rust's.
pub(crate) fn in_table(name: &str) -> &str {
    RENAMED.iter().find(|(own, _)| *own == name).map_or(name, |(_, table)| table)
}

/// Whether it is a function of Rust's numbers that kernels and functions of scalars have beside the operations.
pub(super) fn is_composed(name: &str) -> bool {
    FUNCTIONS.iter().any(|function| function.name == name) || OTHERS.contains(&name)
}

/// Those whose results are no floats, or need not be: of numbers that are known they are computed as of others.
const OTHERS: [&str; 5] = ["rem_euclid", "div_euclid", "is_infinite", "is_sign_negative", "is_sign_positive"];

/// The nodes of one of these, if `name` is one with so many operands.
fn beside_table(name: &str, operands: usize) -> Option<Nodes> {
    Some(match (name, operands) {
        ("rem_euclid", 2) => |f, x| f.rem_euclid(x[0], x[1]),
        ("div_euclid", 2) => |f, x| f.div_euclid(x[0], x[1]),
        ("is_infinite", 1) => |f, x| f.is_infinite(x[0]),
        ("is_sign_negative", 1) => |f, x| f.is_negative(x[0]),
        ("is_sign_positive", 1) => |f, x| {
            let negative = f.is_negative(x[0])?;
            f.apply(UnaryOp::Not, negative)
        },
        _ => return None,
    })
}

/// The function of that name, of so many floats of type `dtype`, as a graph; `None` if there is none.
pub(crate) fn composed_graph(name: &str, operands: usize, dtype: DType) -> Option<Result<Graph>> {
    let in_table = || FUNCTIONS.iter().find(|known| known.name == name && known.operands == operands);
    let nodes = beside_table(name, operands).or_else(|| in_table().map(|known| known.nodes))?;
    let mut builder = Builder::new(name);
    let input = |position| builder.input(InputKind::Argument(position), "", Shape::scalar(), dtype);
    let given: Vec<NodeId> = (0..operands).map(input).collect();
    let result = nodes(&mut Formula(&mut builder), &given);
    Some(result.map(|result| {
        builder.output(OutputKind::Result(0), result);
        builder.finish()
    }))
}
