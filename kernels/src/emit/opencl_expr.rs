//! Expressions of OpenCL C, as trees with the parentheses that they need.

use super::opencl_stmt::Body;
use super::opencl_types::{c_type, mask_type};
use crate::dtype::{DType, Literal};
use crate::kir::*;

/// An expression's text and how tightly its outermost operator binds.
#[derive(Clone, Debug)]
pub(super) struct ExprText {
    pub(super) code: String,
    pub(super) level: u8,
}

/// Calls, names, literals, indexing.
pub(super) const PRIMARY: u8 = 15;
pub(super) const UNARY: u8 = 14;
pub(super) const PRODUCT: u8 = 13;
pub(super) const SUM: u8 = 12;
pub(super) const SHIFT: u8 = 11;
pub(super) const RELATION: u8 = 10;
pub(super) const EQUALITY: u8 = 9;
pub(super) const BIT_AND: u8 = 8;
pub(super) const BIT_XOR: u8 = 7;
pub(super) const BIT_OR: u8 = 6;
pub(super) const AND: u8 = 5;
pub(super) const OR: u8 = 4;
const CHOICE: u8 = 3;

/// Constants up to here count as index arithmetic.
pub(super) const SMALL: i64 = 1 << 24;

pub(super) fn text(level: u8, code: String) -> ExprText {
    ExprText { code, level }
}

pub(super) fn primary(code: String) -> ExprText {
    text(PRIMARY, code)
}

/// The text, in parentheses if it binds less tightly than `level`.
pub(super) fn at_least(text: ExprText, level: u8) -> String {
    if text.level >= level { text.code } else { format!("({})", text.code) }
}

impl Body<'_, '_> {
    /// The expression for a place that takes any.
    pub(super) fn value(&mut self, id: ExprId) -> String {
        self.text(id).code
    }

    /// The expression where its value is converted to its type anyway: no suffixes or casts are needed.
    pub(super) fn initialiser(&mut self, id: ExprId) -> String {
        match *self.expr(id) {
            Expr::Literal(literal @ Literal::Int(_, DType::U32 | DType::U8)) => bare(literal),
            Expr::WorkItem(item, dimension) => self.work_item(item, dimension),
            Expr::Cast(DType::I32 | DType::U32, a) => match *self.expr(a) {
                Expr::WorkItem(item, dimension) => self.work_item(item, dimension),
                _ => self.value(id),
            },
            _ => self.value(id),
        }
    }

    /// The end of a loop, compared with a counter of its type.
    pub(super) fn bound(&mut self, id: ExprId) -> String {
        match *self.expr(id) {
            Expr::Literal(literal @ Literal::Int(_, DType::U32)) => bare(literal),
            _ => at_least(self.text(id), SUM),
        }
    }

    /// Inside square brackets or as an argument that is a size.
    pub(super) fn index(&mut self, id: ExprId) -> String {
        self.initialiser(id)
    }

    /// Behind `pointer +`.
    pub(super) fn offset(&mut self, id: ExprId) -> String {
        match *self.expr(id) {
            Expr::Literal(literal @ Literal::Int(_, DType::U32)) => bare(literal),
            _ => at_least(self.text(id), PRODUCT),
        }
    }

    /// What long chains are made of is told apart here, and in [`Body::unary`] and [`Body::binary`], without a value of its own: a chain
    /// takes a frame of each for every operation, and without optimization a function has room for the values of all its branches at once.
    pub(super) fn text(&mut self, id: ExprId) -> ExprText {
        match *self.expr(id) {
            Expr::Unary(op, a) => self.unary(id, op, a),
            Expr::Binary(op, a, b) => self.binary(id, op, a, b),
            Expr::MulAdd(a, b, c) if self.ty(id).dtype.is_float() => self.mul_add(a, b, c),
            Expr::MulAdd(..) => self.integer(id),
            Expr::Cast(dtype, a) => self.cast(dtype, a),
            Expr::Select(condition, a, b) => self.select(condition, a, b),
            _ => self.other(id),
        }
    }

    fn mul_add(&mut self, a: ExprId, b: ExprId, c: ExprId) -> ExprText {
        // Only a splat that stands alone must say its width.
        let (a, b, c) = (self.value(a), self.value(b), self.value(c));
        primary(format!("mad({a}, {b}, {c})"))
    }

    fn other(&mut self, id: ExprId) -> ExprText {
        let ty = self.ty(id);
        match self.expr(id) {
            Expr::Literal(literal) => self.literal(*literal),
            Expr::Var(var) => primary(self.var_name(*var).to_string()),
            Expr::Param(param) => {
                let name = self.params[param.0 as usize].clone();
                if ty.dtype == DType::Bool { text(EQUALITY, format!("{name} != 0")) } else { primary(name) }
            }
            Expr::WorkItem(item, dimension) => {
                let call = self.work_item(*item, *dimension);
                if call.starts_with("get_sub") { primary(call) } else { text(UNARY, format!("(uint){call}")) }
            }
            Expr::Compare(op, a, b) => self.compare(*op, *a, *b),
            Expr::Unary(..) | Expr::Binary(..) | Expr::MulAdd(..) | Expr::Cast(..) | Expr::Select(..) => self.text(id),
            Expr::Bitcast(_, a) => {
                let a = self.value(*a);
                primary(format!("as_{}({a})", c_type(ty)))
            }
            Expr::Load { buffer, index, lanes } => self.load(*buffer, *index, *lanes),
            Expr::LoadArray { array, index } => self.load_array(*array, *index),
            Expr::Splat(a, lanes) if ty.dtype == DType::Bool => {
                let a = at_least(self.text(*a), CHOICE + 1);
                text(UNARY, format!("(int{lanes})({a} ? -1 : 0)"))
            }
            Expr::Splat(a, _) => {
                let a = match *self.expr(*a) {
                    Expr::Literal(_) => self.initialiser(*a),
                    _ => self.value(*a),
                };
                text(UNARY, format!("({})({a})", c_type(ty)))
            }
            Expr::LaneIds(dtype, lanes) => {
                let lanes: Vec<String> = (0..*lanes)
                    .map(|lane| match dtype {
                        DType::F64 => format!("{lane}.0"),
                        DType::F32 => format!("{lane}.0f"),
                        _ => lane.to_string(),
                    })
                    .collect();
                text(UNARY, format!("({})({})", c_type(ty), lanes.join(", ")))
            }
            Expr::Lane(a, lane) => {
                let mask = self.ty(*a).dtype == DType::Bool;
                let a = at_least(self.text(*a), PRIMARY);
                let code = format!("{a}.s{lane:x}");
                if mask { text(EQUALITY, format!("{code} != 0")) } else { primary(code) }
            }
            Expr::Horizontal(op, a) => {
                let helper = self.program.horizontal(*op, self.ty(*a));
                let a = self.value(*a);
                primary(format!("{helper}({a})"))
            }
            Expr::Philox { counter, seed, stream } => {
                let helper = self.program.uniform(ty.lanes);
                let (counter, seed) = (self.value(*counter), self.value(*seed));
                primary(format!("{helper}({counter}, {seed}, {stream}u)"))
            }
            Expr::SubGroup(op, a, other) => self.sub_group(*op, *a, *other),
            Expr::Call(function, arguments) => {
                let name = self.function_name(*function as usize);
                let arguments: Vec<String> = arguments.iter().map(|&argument| self.value(argument)).collect();
                primary(format!("{name}({})", arguments.join(", ")))
            }
        }
    }

    pub(super) fn literal(&self, literal: Literal) -> ExprText {
        let negative = |code: String| if code.starts_with('-') { text(UNARY, code) } else { primary(code) };
        match literal {
            Literal::Bool(value) => primary(value.to_string()),
            Literal::Int(value, DType::U8) => text(UNARY, format!("(uchar){value}")),
            Literal::Int(value, DType::U32) => primary(format!("{value}u")),
            Literal::Int(i64::MIN, DType::I64) => primary("LONG_MIN".to_string()),
            Literal::Int(value, DType::I64) => negative(format!("{value}L")),
            Literal::Int(value, _) if value == i64::from(i32::MIN) => primary("INT_MIN".to_string()),
            Literal::Int(value, _) => negative(value.to_string()),
            Literal::Float(bits, dtype) => {
                let value = f64::from_bits(bits);
                if dtype == DType::F64 && !value.is_finite() {
                    // The macros are of type `float`.
                    return text(UNARY, format!("(double){}", float(value, String::new(), "")));
                }
                if dtype == DType::F64 {
                    return negative(float(value, format!("{value:?}"), ""));
                }
                let single = value as f32;
                negative(float(f64::from(single), format!("{single:?}"), "f"))
            }
        }
    }

    pub(super) fn select(&mut self, condition: ExprId, a: ExprId, b: ExprId) -> ExprText {
        let (lanes, ty) = (self.ty(condition).lanes, self.ty(a));
        if lanes == 1 {
            let condition = at_least(self.text(condition), OR);
            let (a, b) = (at_least(self.text(a), CHOICE + 1), at_least(self.text(b), CHOICE));
            return self.narrow(ty, text(CHOICE, format!("{condition} ? {a} : {b}")));
        }
        let mask = mask_type(ty);
        let condition = match self.value(condition) {
            code if mask.starts_with("int") => code,
            code => format!("convert_{mask}({code})"),
        };
        let (a, b) = (self.value(a), self.value(b));
        primary(format!("select({b}, {a}, {condition})"))
    }
}

/// An integer without suffix.
pub(super) fn bare(literal: Literal) -> String {
    match literal {
        Literal::Int(value, DType::U32) if value > 0x7fff_ffff => format!("{value}u"),
        Literal::Int(value, _) => value.to_string(),
        Literal::Bool(_) | Literal::Float(..) => literal.to_string(),
    }
}

/// A float as C writes it: the shortest decimals that give exactly this number.
pub(super) fn float(value: f64, decimals: String, suffix: &str) -> String {
    if value.is_nan() {
        "NAN".to_string()
    } else if value.is_infinite() {
        if value > 0.0 { "INFINITY".to_string() } else { "-INFINITY".to_string() }
    } else {
        format!("{decimals}{suffix}")
    }
}
