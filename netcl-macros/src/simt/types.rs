//! Making values meet: types of numbers, conversions, operators.

use super::state::{Simt, Val};
use crate::ast::Constant;
use crate::literal::{one_of, wider};
use crate::messages as m;
use crate::number::ConstFloat;
use crate::parse;
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::graph::{BinaryOp, CompareOp};
use netcl_kernels::kir::{Expr, ExprId, ValueType};
use proc_macro2::Span;
use std::fmt::Display;
use syn::spanned::Spanned;
use syn::{BinOp, ExprBinary};

impl Simt<'_> {
    /// The value as an expression; a number takes `wanted`, or `u32`, or `f32`.
    pub(super) fn value(&mut self, value: Val, wanted: Option<DType>, span: Span) -> Option<ExprId> {
        match value {
            Val::Expr(id, position) => {
                self.settle(id, position, wanted);
                Some(id)
            }
            Val::Number(number) => {
                let dtype = match (number, wanted) {
                    (Constant::Bool(_), _) => DType::Bool,
                    (Constant::Float(ConstFloat { ty: Some(dtype), .. }), _) => dtype.compute(),
                    (Constant::Float(_), Some(dtype)) if dtype.is_float() => dtype.compute(),
                    (Constant::Float(_), _) => DType::F32,
                    // Rust does not take `1` for `1.0`; the hidden function says so.
                    (Constant::Integer(_), Some(dtype)) if dtype.is_integer() => dtype,
                    (Constant::Integer(value), _) => {
                        let holds = |dtype: &DType| dtype.holds(value);
                        [DType::U32, DType::I32].into_iter().find(holds).unwrap_or(DType::I64)
                    }
                };
                if let Constant::Integer(value) = number
                    && !dtype.holds(value)
                {
                    self.report(span, &m::NUMBER_TYPE, &[&value, &dtype, &one_of(dtype), &wider(value)]);
                    return None;
                }
                if let Constant::Float(number) = number
                    && !self.large.fits(self.diag, number.value, dtype)
                {
                    return None;
                }
                Some(self.literal(number, dtype))
            }
            Val::Unknown => None,
            other => {
                self.no_number(&other, span);
                None
            }
        }
    }

    /// Rule: operators, arguments and elements are numbers. Wrong: `y[i] = x`.
    pub(super) fn no_number(&self, value: &Val, span: Span) -> Val {
        match value {
            Val::Buffer(buffer) => {
                let tensor = &self.buffers[*buffer];
                self.report(span, &m::KERNEL_TENSOR_VALUE, &[&tensor.name, &tensor.name, &tensor.index()])
            }
            value => self.report(span, &m::SIMT_VALUE, &[&kind(value)]),
        }
    }

    /// A `let` of a bare number that is used as `wanted` is of that type after all; where uses disagree, of the first one's.
    pub(super) fn settle(&mut self, id: ExprId, position: Option<usize>, wanted: Option<DType>) {
        let (Some(position), Some(wanted)) = (position, wanted) else { return };
        let own = self.ty(id).dtype;
        let fits = own != wanted && own.is_float() == wanted.is_float() && wanted != DType::Bool;
        if fits && !self.changed && self.is_open(Some(position)) {
            self.numbers.insert(position, wanted);
            self.changed = true;
        }
    }

    /// Whether it is the key of bare numbers that no use has given a type yet.
    pub(super) fn is_open(&self, position: Option<usize>) -> bool {
        position.is_some_and(|position| !self.numbers.contains_key(&position))
    }

    /// Both as expressions of one type; the places are where a number is marked that the type has not.
    pub(super) fn pair(&mut self, a: Val, b: Val, places: [Span; 2]) -> Option<(ExprId, ExprId)> {
        let of = |this: &Self, value: &Val| match value {
            // What a use has said of a bare number is firm.
            Val::Expr(id, position) => Some((this.ty(*id).dtype, this.is_open(*position))),
            Val::Number(Constant::Float(number)) => number.ty.map(|dtype| (dtype.compute(), false)),
            _ => None,
        };
        let (x, y) = (of(self, &a), of(self, &b));
        // A firm type wins over that of a bare number.
        let wanted = match (x, y) {
            (Some((dtype, false)), _) => Some(dtype),
            (_, Some((dtype, false))) => Some(dtype),
            (Some((dtype, true)), _) | (_, Some((dtype, true))) => {
                // `k > -1` says of a `k` that is open that it has a sign.
                let held = |dtype: DType| ![&a, &b].into_iter().any(|value| is_beyond(value, dtype));
                [dtype, DType::I32, DType::I64].into_iter().find(|dtype| held(*dtype)).or(Some(dtype))
            }
            _ => None,
        };
        let float = matches!(a, Val::Number(Constant::Float(_))) || matches!(b, Val::Number(Constant::Float(_)));
        let wanted = wanted.or(float.then_some(DType::F32));
        Some((self.value(a, wanted, places[0])?, self.value(b, wanted, places[1])?))
    }

    /// `a op b`; the places are those of the operator and, where a number is to be marked, of the operands.
    pub(super) fn binary(&mut self, op: &BinOp, a: Val, b: Val, (span, places): (Span, [Span; 2])) -> Val {
        if matches!(a, Val::Unknown) || matches!(b, Val::Unknown) {
            return Val::Unknown;
        }
        if let (Val::Number(Constant::Integer(x)), Val::Number(Constant::Integer(y))) = (&a, &b)
            && let Some(value) = crate::parse::fold_integers(op, *x, *y)
        {
            return Val::Number(Constant::Integer(value));
        }
        if let (Val::Number(Constant::Integer(x)), Val::Number(Constant::Integer(y))) = (&a, &b) {
            if let Some(value) = shifted(op, *x, *y) {
                return Val::Number(Constant::Integer(value));
            }
            if let Some(crate::lower::Operator::Compare(op)) = crate::lower::operator(op) {
                let truth = fold::compare_literals(op, Literal::Int(*x, DType::I64), Literal::Int(*y, DType::I64));
                return Val::Expr(self.builder.literal(Literal::Bool(truth)), None);
            }
        }
        if let BinOp::Shl(_) | BinOp::Shr(_) | BinOp::ShlAssign(_) | BinOp::ShrAssign(_) = op {
            let shift = if matches!(op, BinOp::Shl(_) | BinOp::ShlAssign(_)) { BinaryOp::Shl } else { BinaryOp::Shr };
            let Some(a) = self.value(a, None, span) else { return Val::Unknown };
            let ty = self.ty(a);
            if !ty.dtype.is_integer() {
                return self.report(span, &m::BITS_OF, &[&crate::parse::text(op), &ty]);
            }
            let Some(b) = self.value(b, Some(ty.dtype), span) else { return Val::Unknown };
            if !self.same(op, a, b, span) {
                return Val::Unknown;
            }
            return Val::Expr(self.builder.binary(shift, a, b), None);
        }
        let Some((a, b)) = self.pair(a, b, places) else { return Val::Unknown };
        if !self.same(op, a, b, span) {
            return Val::Unknown;
        }
        // `&&` and `||` do not look at the other side where they need not: a guarded read may stand there.
        if let BinOp::And(_) | BinOp::Or(_) = op
            && let Some(refused) = self.judge_logic(&parse::text(op), self.ty(a), span)
        {
            return refused;
        }
        match op {
            BinOp::And(_) => {
                let no = self.builder.literal(Literal::Bool(false));
                return Val::Expr(self.builder.select(a, b, no), None);
            }
            BinOp::Or(_) => {
                let yes = self.builder.literal(Literal::Bool(true));
                return Val::Expr(self.builder.select(a, yes, b), None);
            }
            _ => {}
        }
        if let Some(operator) = crate::lower::operator(op)
            && let Some(refused) = self.judge_operator(operator, &parse::text(op), self.ty(a), span)
        {
            return refused;
        }
        let id = match crate::lower::operator(op) {
            Some(crate::lower::Operator::Binary(op)) => self.builder.binary(op, a, b),
            Some(crate::lower::Operator::Compare(op)) => self.builder.compare(op, a, b),
            None => return self.report(span, &m::UNSUPPORTED, &[&"this operator", &"use arithmetic and comparisons"]),
        };
        Val::Expr(id, None)
    }

    /// Rule: a number is shifted by less than it has bits. Wrong: `x[i] << 40` of a `u32`.
    pub(super) fn shifted_beyond(&self, binary: &ExprBinary, left: &Val) -> Option<Val> {
        let dtype = match left {
            Val::Expr(id, position) => Some(self.ty(*id).dtype).filter(|_| !self.is_open(*position)),
            _ => None,
        };
        let bound = |name: &str| self.lookup(name).is_some();
        let beyond = crate::shift::beyond(&binary.op, &binary.right, dtype, &self.unit.constants, bound)?;
        if self.left_out {
            return None;
        }
        let crate::shift::Beyond { what, last, by, instead } = beyond;
        Some(self.report(binary.right.span(), &m::SHIFT_DISTANCE, &[&what, &last, &by, &instead]))
    }

    /// Rule: a truth is no number. Wrong: `(x[i] > 0.0) * x[i]`, where Rust has no `as f32` either.
    pub(super) fn truth_as_number(&mut self, binary: &ExprBinary, left: &Val, right: &Val) -> Option<Val> {
        let ty = |value: &Val| match value {
            Val::Expr(id, _) => Some(self.ty(*id)).filter(|ty| ty.lanes == 1).map(|ty| ty.dtype),
            _ => None,
        };
        let logical = |op: BinaryOp| matches!(op, BinaryOp::And | BinaryOp::Or | BinaryOp::Xor);
        let operator = crate::lower::operator(&binary.op);
        let arithmetic = matches!(operator, Some(crate::lower::Operator::Binary(op)) if !logical(op));
        let (truth, number, other) = match (ty(left), ty(right)) {
            (Some(DType::Bool), Some(other)) if other != DType::Bool => (&binary.left, &binary.right, other),
            (Some(other), Some(DType::Bool)) if other != DType::Bool => (&binary.right, &binary.left, other),
            _ => return None,
        };
        if !arithmetic || self.changed {
            return None;
        }
        let written = |expr: &syn::Expr| parse::index::text_of(parse::unparenthesized(expr));
        let (one, zero) = if other.is_float() { ("1.0", "0.0") } else { ("1", "0") };
        let instead = match binary.op {
            BinOp::Mul(_) => format!("if {} {{ {} }} else {{ {zero} }}", written(truth), written(number)),
            _ => format!("if {} {{ {one} }} else {{ {zero} }}", written(truth)),
        };
        Some(self.report(binary.op.span(), &m::SIMT_TRUTH, &[&parse::text(&binary.op), &other, &instead]))
    }

    fn same(&mut self, op: &impl quote::ToTokens, a: ExprId, b: ExprId, span: Span) -> bool {
        let (x, y) = (self.ty(a), self.ty(b));
        if x != y {
            let op = op.to_token_stream().to_string();
            let number = |id, other: ValueType| match self.builder.kernel().expr(id) {
                Expr::Literal(literal) => crate::literal::as_float(*literal, other.dtype),
                _ => None,
            };
            match number(a, y).or_else(|| number(b, x)).filter(|_| !self.changed && x.lanes == y.lanes) {
                Some(instead) => self.report(span, &m::SIMT_TYPES, &[&op, &x, &y, &instead]),
                None => self.unlike_types(&op, x, y, span),
            };
        }
        x == y
    }

    /// The same of types, of which one may be that of a vector.
    pub(super) fn unlike_types(&self, what: &str, one: ValueType, other: ValueType, span: Span) -> Val {
        let lanes = one.lanes.max(other.lanes);
        if self.changed || one.lanes == other.lanes {
            return self.unlike(what, &one, &other, span);
        }
        if one.lanes.min(other.lanes) > 1 {
            let instead = "vectors keep their lanes: load and store as many at once, `x.load4(i)` and `y.store4(i, v)`";
            return self.report(span, &m::SIMT_LANES, &[&what, &one, &other, &instead]);
        }
        let scalar = if one.lanes == 1 { one } else { other };
        let element = if one.lanes == 1 { other } else { one }.dtype;
        let written = if scalar.dtype == element { "..".to_string() } else { format!(".. as {element}") };
        self.report(span, &m::SIMT_LANES, &[&what, &one, &other, &repeated(&format!("splat{lanes}({written})"))])
    }

    /// Rule: a vector meets vectors. Wrong: `x.load4(i) * 2.0`.
    pub(super) fn number_beside_vector(&mut self, binary: &ExprBinary, left: &Val, right: &Val) -> Option<Val> {
        let ty = |value: &Val| match value {
            Val::Expr(id, _) => Some(self.ty(*id)),
            _ => None,
        };
        let vector = |value: &Val| ty(value).filter(|ty| ty.lanes > 1);
        let scalar = |value: &Val| match value {
            Val::Number(Constant::Bool(_)) => None,
            Val::Number(_) => Some(None),
            value => ty(value).filter(|ty| ty.lanes == 1 && ty.dtype != DType::Bool).map(|ty| Some(ty.dtype)),
        };
        let (vector, scalar, expr) = match (vector(left), vector(right)) {
            (Some(vector), None) => (vector, scalar(right)?, &binary.right),
            (None, Some(vector)) => (vector, scalar(left)?, &binary.left),
            _ => return None,
        };
        if self.changed {
            return None;
        }
        let written = parse::index::text_of(parse::unparenthesized(expr));
        let written = match scalar {
            None if vector.dtype.is_float() && written.bytes().all(|byte| byte.is_ascii_digit()) => {
                format!("{written}.0")
            }
            Some(dtype) if dtype != vector.dtype => match parse::unparenthesized(expr) {
                syn::Expr::Path(_) | syn::Expr::Index(_) => format!("{written} as {}", vector.dtype),
                _ => format!("({written}) as {}", vector.dtype),
            },
            _ => written,
        };
        let number = scalar.unwrap_or(vector.dtype);
        let instead = format!("splat{}({written})", vector.lanes);
        Some(self.report(
            binary.op.span(),
            &m::SIMT_LANES,
            &[&parse::text(&binary.op), &vector, &number, &repeated(&instead)],
        ))
    }

    /// Says that `what` takes values of one type, unless the next try may see another.
    pub(super) fn unlike(&self, what: &str, one: &dyn Display, other: &dyn Display, span: Span) -> Val {
        if self.changed {
            Val::Unknown
        } else {
            self.report(span, &m::SIMT_TYPES, &[&what, one, other, &crate::literal::ONE_TYPE])
        }
    }

    /// A function of two values.
    pub(super) fn function_of_two(&mut self, op: BinaryOp, a: Val, b: Val, span: Span) -> Val {
        let Some((a, b)) = self.pair(a, b, [span; 2]) else { return Val::Unknown };
        let (x, y) = (self.ty(a), self.ty(b));
        if x != y {
            return self.unlike_types(op.name(), x, y, span);
        }
        if let Some(refused) = self.judge_operator(crate::lower::Operator::Binary(op), op.name(), x, span) {
            return refused;
        }
        Val::Expr(self.builder.binary(op, a, b), None)
    }

    /// The value converted to `dtype`.
    pub(super) fn convert(&mut self, value: Val, dtype: DType, span: Span) -> Val {
        match value {
            Val::Number(Constant::Integer(value)) => {
                let literal = fold::cast(Literal::Int(value, DType::I64), dtype);
                Val::Expr(self.builder.literal(as_computed(literal)), None)
            }
            Val::Number(Constant::Float(number)) if dtype.is_float() => {
                if self.large.fits(self.diag, number.value, dtype) {
                    Val::Expr(self.literal(Constant::Float(number), dtype), None)
                } else {
                    Val::Unknown
                }
            }
            Val::Number(Constant::Float(number)) => Val::Expr(self.builder.literal(number.cast(dtype)), None),
            value => match self.value(value, None, span) {
                Some(id) => Val::Expr(self.builder.cast(dtype, id), None),
                None => Val::Unknown,
            },
        }
    }

    /// `-x`, `!x`.
    pub(super) fn unary(&mut self, op: &syn::UnOp, value: Val, span: Span) -> Val {
        match (op, value) {
            (_, Val::Unknown) => Val::Unknown,
            (syn::UnOp::Neg(_), Val::Number(Constant::Integer(value))) => match value.checked_neg() {
                Some(value) => Val::Number(Constant::Integer(value)),
                None => self.report(span, &m::TOO_LARGE, &[&format!("-({value})")]),
            },
            (syn::UnOp::Neg(_), Val::Number(Constant::Float(number))) => Val::Number(Constant::Float(number.negated())),
            (syn::UnOp::Neg(_), value) => match self.value(value, None, span) {
                Some(id) if self.judge_sign(op, self.ty(id), span).is_some() => Val::Unknown,
                Some(id) => Val::Expr(self.builder.unary(netcl_kernels::graph::UnaryOp::Neg, id), None),
                None => Val::Unknown,
            },
            (syn::UnOp::Not(_), value) => {
                let Some(id) = self.value(value, None, span) else { return Val::Unknown };
                let ty = self.ty(id);
                if let Some(refused) = self.judge_sign(op, ty, span) {
                    return refused;
                }
                if ty.dtype == DType::Bool {
                    return Val::Expr(self.builder.unary(netcl_kernels::graph::UnaryOp::Not, id), None);
                }
                let ones = match ty.dtype {
                    DType::U8 => i64::from(u8::MAX),
                    DType::U32 => i64::from(u32::MAX),
                    _ => -1,
                };
                let ones = self.builder.literal(Literal::Int(ones, ty.dtype));
                Val::Expr(self.builder.binary(BinaryOp::Xor, id, ones), None)
            }
            (_, value) => self.no_number(&value, span),
        }
    }

    /// `a != 0`-like test of a value against its own zero.
    pub(super) fn negated(&mut self, condition: ExprId) -> ExprId {
        let no = self.builder.literal(Literal::Bool(false));
        self.builder.compare(CompareOp::Eq, condition, no)
    }
}

/// Whether it is a whole number without a type that `dtype`, one of whole numbers, has not.
fn is_beyond(value: &Val, dtype: DType) -> bool {
    matches!(value, Val::Number(Constant::Integer(number)) if dtype.is_integer() && !dtype.holds(*number))
}

/// `x << by` and `x >> by` of bare numbers, where every type that they may be of gives the same.
fn shifted(op: &BinOp, x: i64, by: i64) -> Option<i64> {
    let by = u32::try_from(by).ok().filter(|by| *by < i64::BITS - 1)?;
    match op {
        // By 32 or more only `i64` is shifted.
        BinOp::Shl(_) => x.checked_mul(1 << by).filter(|value| by >= i32::BITS || DType::I32.holds(*value)),
        BinOp::Shr(_) => Some(x >> by),
        _ => None,
    }
}

impl Simt<'_> {
    /// The number as a value of the type; of a half-precision type, rounded to it.
    pub(super) fn literal(&mut self, value: Constant, dtype: DType) -> ExprId {
        let literal = match value {
            Constant::Integer(value) if dtype.is_float() => Literal::float(value as f64, dtype),
            Constant::Integer(value) => Literal::Int(value, dtype),
            Constant::Float(number) => Literal::float(number.value, if dtype.is_float() { dtype } else { DType::F32 }),
            Constant::Bool(value) => Literal::Bool(value),
        };
        self.builder.literal(as_computed(fold::stored(literal)))
    }
}

/// The literal in the type that kernels compute with.
pub(super) fn as_computed(literal: Literal) -> Literal {
    let computed = literal.dtype().compute();
    if computed == literal.dtype() { literal } else { fold::cast(literal, computed) }
}

/// What a value is, for messages.
pub(super) fn kind(value: &Val) -> &'static str {
    match value {
        Val::Expr(..) | Val::Number(_) => "a number",
        Val::Buffer(_) => "a whole tensor",
        Val::Array(..) => "a whole array",
        Val::Tuple(_) => "a tuple",
        Val::List(_) => "a list",
        Val::Unit => "nothing",
        Val::Unknown => "something unknown",
    }
}

/// The type of that name: `f32`, `u32x4`.
pub(super) fn value_type(name: &str) -> Option<ValueType> {
    let (scalar, lanes) = match name.split_once('x') {
        Some((scalar, lanes)) => (scalar, lanes.parse().ok()?),
        None => (name, 1),
    };
    let dtype = DType::from_name(scalar)?;
    [1, 2, 4, 8, 16].contains(&lanes).then_some(ValueType { dtype: dtype.compute(), lanes })
}

/// Where an operator stands, and where an operand is marked: at a number itself, at the operator where it is more than that.
pub(super) fn places(binary: &ExprBinary) -> (Span, [Span; 2]) {
    let op = binary.op.span();
    let place = |side: &syn::Expr| match parse::unparenthesized(side) {
        syn::Expr::Lit(number) => number.span(),
        syn::Expr::Unary(unary) if matches!(&*unary.expr, syn::Expr::Lit(_)) => unary.expr.span(),
        _ => op,
    };
    (op, [place(&binary.left), place(&binary.right)])
}

/// What to write for a number beside a vector.
fn repeated(splat: &str) -> String {
    format!("repeat the number in all lanes: write `{splat}`")
}
