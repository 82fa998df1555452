//! Functions of numbers by Rust's names and with Rust's meaning, of numbers that are known and as nodes.
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
use netcl_kernels::graph::{BinaryOp, Graph, InputKind, NodeId, OutputKind, UnaryOp};
use netcl_kernels::ops::{self, Formula, Value};
use netcl_kernels::span::Result;
use proc_macro2::Span;

/// A function of floats by its name and its number of operands, as it is computed where they are known.
struct Composed {
    name: &'static str,
    operands: usize,
    known: Known,
}

/// A function of floats that are known.
enum Known {
    OfOne(fn(f64) -> f64),
    OfMany(fn(&[f64]) -> f64),
}

impl Known {
    fn of(&self, x: &[f64]) -> f64 {
        match self {
            Known::OfOne(function) => function(x[0]),
            Known::OfMany(function) => function(x),
        }
    }
}

const fn of_one(name: &'static str, function: fn(f64) -> f64) -> Composed {
    Composed { name, operands: 1, known: Known::OfOne(function) }
}

const fn of_many(name: &'static str, operands: usize, function: fn(&[f64]) -> f64) -> Composed {
    Composed { name, operands, known: Known::OfMany(function) }
}

const FUNCTIONS: &[Composed] = &[
    of_one("trunc", f64::trunc),
    of_one("fract", f64::fract),
    of_one("log10", f64::log10),
    of_one("sinh", f64::sinh),
    of_one("cosh", f64::cosh),
    of_one("asin", f64::asin),
    of_one("acos", f64::acos),
    of_one("atan", f64::atan),
    of_one("asinh", f64::asinh),
    of_one("acosh", f64::acosh),
    of_one("atanh", f64::atanh),
    of_one("to_degrees", f64::to_degrees),
    of_one("to_radians", f64::to_radians),
    of_one("cbrt", f64::cbrt),
    of_many("hypot", 2, |x| x[0].hypot(x[1])),
    of_many("copysign", 2, |x| x[0].copysign(x[1])),
    of_many("log", 2, |x| x[0].log(x[1])),
    of_many("mul_add", 3, |x| x[0].mul_add(x[1], x[2])),
];

impl<'a> Lowering<'a> {
    /// `receiver.name(args)` as Rust means it, if it is such a function of such numbers.
    pub(super) fn composed(&mut self, name: &str, receiver: &Val<'a>, args: &[Val<'a>], span: Span) -> Option<Val<'a>> {
        let values: Vec<Val<'a>> = std::iter::once(receiver).chain(args).cloned().collect();
        let whole = match receiver {
            Val::Tensor(id) => self.builder.dtype(*id).is_integer(),
            value => matches!(value, Val::Dim(_)) && !values.iter().any(|value| matches!(value, Val::Number(_))),
        };
        if OTHERS.contains(&name) && (!whole || name.ends_with("euclid")) {
            let nodes = nodes(name, values.len())?;
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
            ("pow", [exponent]) if whole && matches!((receiver, exponent), (Val::Tensor(_), _) | (_, Val::Dim(_))) => {
                let known = match exponent {
                    Val::Dim(exponent) => exponent.as_constant().and_then(|value| u32::try_from(value).ok()),
                    _ => None,
                };
                return Some(match known {
                    None if matches!(exponent, Val::Dim(open) if self.is_open(open)) => self.open(),
                    Some(exponent) => self.whole_power(receiver.clone(), exponent, span),
                    None => self.report(span, &m::WHOLE_POWER, &[&exponent.kind()]),
                });
            }
            _ => {}
        }
        let function = FUNCTIONS.iter().find(|known| known.name == name && known.operands == values.len())?;
        if let Some(known) = values.iter().map(number).collect::<Option<Vec<ConstFloat>>>() {
            let ty = values.iter().find_map(typed);
            return ConstFloat::computed(&known, ty, |x| Some(function.known.of(x))).map(Val::Number);
        }
        self.formula(&values, (name, span), nodes(name, values.len())?)
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
                return Some(self.report(span, &m::SIMT_TYPES, &[&name, &first, &own, &crate::literal::ONE_TYPE]));
            }
            operands.push(id);
        }
        self.at(span);
        let result = nodes(&mut Formula(&mut self.builder), &operands);
        Some(self.check(result, span))
    }

    /// `x.pow(exponent)` of a whole number, wrapping.
    pub(super) fn whole_power(&mut self, base: Val<'a>, exponent: u32, span: Span) -> Val<'a> {
        let base = match &base {
            Val::Dim(size) if size.as_constant().is_none() => match super::whole::power(size, exponent.into()) {
                Some(power) => return Val::Dim(size.of_its_type(power)),
                // Of what would have too many terms each product is a number of its own.
                None => match self.whole_number(&base, span) {
                    Some(number) => number,
                    None => return Val::Unknown,
                },
            },
            _ => base,
        };
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
        power.unwrap_or(Val::from(netcl_kernels::dim::Dim::constant(1)))
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

/// The nodes of a function of so many operands: those of the table's operation, or of what Rust has beside it.
fn nodes(name: &str, operands: usize) -> Option<impl FnOnce(&mut Formula<'_>, &[NodeId]) -> Result<NodeId>> {
    let here = FUNCTIONS.iter().any(|function| function.name == name && function.operands == operands);
    if !here && !OTHERS.contains(&name) {
        return None;
    }
    let operation = ops::find(name).filter(|operation| operation.args.len() == operands);
    if operation.is_none() && !matches!((name, operands), ("log", 2) | ("mul_add", 3)) {
        return None;
    }
    let with_base = name == "log";
    Some(move |f: &mut Formula<'_>, x: &[NodeId]| match operation {
        Some(operation) => ops::call(f.0, operation, &x.iter().copied().map(Value::Tensor).collect::<Vec<_>>()),
        None if with_base => {
            let (log, base) = (f.apply(UnaryOp::Log, x[0])?, f.apply(UnaryOp::Log, x[1])?);
            f.div(log, base)
        }
        None => {
            let product = f.mul(x[0], x[1])?;
            f.add(product, x[2])
        }
    })
}

/// The function of that name, of so many floats of type `dtype`, as a graph; `None` if there is none.
pub(crate) fn composed_graph(name: &str, operands: usize, dtype: DType) -> Option<Result<Graph>> {
    let nodes = nodes(name, operands)?;
    let mut builder = Builder::new(name);
    let input = |position| builder.input(InputKind::Argument(position), "", Shape::scalar(), dtype);
    let given: Vec<NodeId> = (0..operands).map(input).collect();
    let result = nodes(&mut Formula(&mut builder), &given);
    Some(result.map(|result| {
        builder.output(OutputKind::Result(0), result);
        builder.finish()
    }))
}
