//! Operators on values of every kind.

use super::affine::{Affine, TooLarge};
use super::size_arithmetic::{dims, indices, is_too_large};
use super::value::{Integer, WholeNumber};
use super::{Lowering, Val};
use crate::ast::PlainType;
use crate::messages as m;
use crate::number::ConstFloat;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::fold;
use netcl_kernels::graph::{BinaryOp, CompareOp, Op, UnaryOp};
use netcl_kernels::scalar;
use proc_macro2::Span;
use quote::{ToTokens, quote};
use syn::BinOp;

/// An operator, by what it does.
#[derive(Clone, Copy)]
pub(crate) enum Operator {
    Binary(BinaryOp),
    Compare(CompareOp),
}

impl Operator {
    fn name(self) -> &'static str {
        match self {
            Operator::Binary(op) => op.name(),
            Operator::Compare(op) => op.name(),
        }
    }
}

/// Where an operator and its operands stand.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub(super) op: Span,
    pub(super) left: Span,
    pub(super) right: Span,
}

impl Places {
    /// All at one place.
    pub(super) fn all(span: Span) -> Self {
        Places { op: span, left: span, right: span }
    }
}

/// The operator that Rust's `op` (or `op=`) stands for.
pub(crate) fn operator(op: &BinOp) -> Option<Operator> {
    use Operator::{Binary, Compare};
    Some(match op {
        BinOp::Add(_) | BinOp::AddAssign(_) => Binary(BinaryOp::Add),
        BinOp::Sub(_) | BinOp::SubAssign(_) => Binary(BinaryOp::Sub),
        BinOp::Mul(_) | BinOp::MulAssign(_) => Binary(BinaryOp::Mul),
        BinOp::Div(_) | BinOp::DivAssign(_) => Binary(BinaryOp::Div),
        BinOp::Rem(_) | BinOp::RemAssign(_) => Binary(BinaryOp::Rem),
        BinOp::And(_) | BinOp::BitAnd(_) | BinOp::BitAndAssign(_) => Binary(BinaryOp::And),
        BinOp::Or(_) | BinOp::BitOr(_) | BinOp::BitOrAssign(_) => Binary(BinaryOp::Or),
        BinOp::BitXor(_) | BinOp::BitXorAssign(_) => Binary(BinaryOp::Xor),
        BinOp::Shl(_) | BinOp::ShlAssign(_) => Binary(BinaryOp::Shl),
        BinOp::Shr(_) | BinOp::ShrAssign(_) => Binary(BinaryOp::Shr),
        BinOp::Eq(_) => Compare(CompareOp::Eq),
        BinOp::Ne(_) => Compare(CompareOp::Ne),
        BinOp::Lt(_) => Compare(CompareOp::Lt),
        BinOp::Le(_) => Compare(CompareOp::Le),
        BinOp::Gt(_) => Compare(CompareOp::Gt),
        BinOp::Ge(_) => Compare(CompareOp::Ge),
        _ => return None,
    })
}

/// Whether the right operand is a distance, which is of any whole type.
pub(crate) fn is_shift(operator: Operator) -> bool {
    matches!(operator, Operator::Binary(BinaryOp::Shl | BinaryOp::Shr))
}

impl<'a> Lowering<'a> {
    /// `left op right`; `op` is the user's token.
    pub(super) fn binary(&mut self, op: &BinOp, left: Val<'a>, right: Val<'a>, places: Places) -> Val<'a> {
        let span = places.op;
        if left.is_unknown() || right.is_unknown() {
            return Val::Unknown;
        }
        let text = op.to_token_stream().to_string();
        let Some(operator) = operator(op) else {
            return self.report(span, &m::UNSUPPORTED, &[&format!("`{text}`"), &"use arithmetic and comparisons"]);
        };
        if let Some(value) = self.is_that_variant(operator, &left, &right, span) {
            return value;
        }
        let tensor = |value: &Val<'a>| matches!(value, Val::Tensor(_));
        if (matches!(left, Val::Plain(..)) || matches!(right, Val::Plain(..))) && !tensor(&left) && !tensor(&right) {
            if let (Some((a, x)), Some((b, y))) = (plain(&left), plain(&right))
                && x == y
                && let Some(ty) = plain_result(operator, x)
            {
                return Val::Plain(quote!((#a #op #b)), ty);
            }
            let known = |value: &Val<'a>| match value {
                Val::Dim(dim) => format!("`{dim}`"),
                Val::Number(number) => format!("`{:?}`", number.value),
                other => other.kind(),
            };
            let instead = match (&left, &right) {
                (Val::Index(_), Val::Plain(given, PlainType::Usize))
                | (Val::Plain(given, PlainType::Usize), Val::Index(_)) => {
                    format!(
                        "make it an `i32` argument, `{given}: i32`, and say that outside is zero: `pad(x[n {text} {given}])`"
                    )
                }
                _ => {
                    "a plain `usize` meets whole numbers from 0 on and other plain `usize`s, a plain `bool` meets bools"
                        .to_string()
                }
            };
            return self.report(span, &m::PLAIN_OPERANDS, &[&text, &known(&left), &known(&right), &instead]);
        }
        if let (Operator::Binary(BinaryOp::Div | BinaryOp::Rem), Val::Index(_), Val::Dim(b)) = (operator, &left, &right)
            && b.is(0)
        {
            return self.report(places.op, &m::KERNEL_BY_ZERO, &[&text]);
        }
        // A list that is written beside a tensor is one as well.
        let beside = |this: &mut Self, list: Val<'a>, other: &Val<'a>, place: Span| match (&list, other) {
            (Val::List(values), Val::Tensor(other)) if !this.elementwise => {
                this.listed_tensor(values, Some(this.builder.dtype(*other)), place)
            }
            _ => list,
        };
        let left = beside(self, left, &right, places.left);
        let right = beside(self, right, &left, places.right);
        if left.is_unknown() || right.is_unknown() {
            return Val::Unknown;
        }
        self.operate(operator, &text, left, right, places)
    }

    /// Of a quotient that is no whole number here: one that numbers make is open, of another is said what to write.
    fn no_quotient(&mut self, op: BinaryOp, (a, b): (&Dim, &Dim), span: Span) -> Val<'a> {
        if self.is_open_quotient(a, b) {
            return self.open();
        }
        if b.is(0) {
            let sign = if op == BinaryOp::Div { "/" } else { "%" };
            return self.report(span, &m::KERNEL_BY_ZERO, &[&format!("{a} {sign} 0")]);
        }
        // Beside a tensor the same numbers would be floats: nobody could tell `1 / W` from `1 / 64`.
        let sign = if op == BinaryOp::Div { "/" } else { "%" };
        let [a, b] = [a, b].map(|size| self.builder.in_rounds(size));
        let part = |size: &Dim| if size.to_string().contains(' ') { format!("({size})") } else { size.to_string() };
        let float = a.as_constant().map_or_else(|| format!("{} as f32", part(&a)), |a| format!("{a}.0"));
        let values = [format!("{} {sign} {}", part(&a), part(&b)), format!("{float} {sign} {}", part(&b))];
        let given = match (a.as_constant(), b.as_constant()) {
            (Some(a), Some(b)) => crate::quotient::what_is_left(a, b),
            _ => "and gives none that is known here".to_string(),
        };
        self.report(span, &m::QUOTIENT, &[&values[0], &given, &values[1]])
    }

    /// The operator applied to known values and tensors; `text` is what the user wrote.
    pub(super) fn operate(
        &mut self,
        op: Operator,
        text: &str,
        left: Val<'a>,
        right: Val<'a>,
        places: Places,
    ) -> Val<'a> {
        let span = places.op;
        if left.is_unknown() || right.is_unknown() {
            return Val::Unknown;
        }
        match (op, &left, &right) {
            (Operator::Binary(op), Val::Dim(a), Val::Dim(b)) => {
                if let Some(value) = self.operate_sizes(op, text, (a, b), places) {
                    return value;
                }
            }
            (Operator::Compare(op), Val::Dim(a), Val::Dim(b)) => {
                if let (Some(a), Some(b)) = (a.as_constant(), b.as_constant()) {
                    return Val::Bool(scalar::compare(op, a, b));
                }
                let (a, b) = (&a.size, &b.size);
                if let Some(difference) = (a.clone() - b.clone()).as_constant() {
                    return Val::Bool(scalar::compare(op, difference, 0));
                }
                if self.is_open(&(a.clone() - b.clone())) {
                    return self.open();
                }
                if self.builder.is_in_loop(a) || self.builder.is_in_loop(b) {
                    let [a, b] = [a, b].map(|size| self.builder.in_rounds(size).to_string());
                    let instead = match b.parse::<i64>() {
                        Ok(number) => format!("Tensor::full({a}, [], f32) {text} {number}.0"),
                        Err(_) => format!("Tensor::full({a} - ({b}), [], f32) {text} 0.0"),
                    };
                    return self.report(span, &m::CONDITION_ROUND, &[&format!("{a} {text} {b}"), &instead]);
                }
                let condition = format!("{a} {text} {b}");
                return self.known_later(&condition, [a, b], span);
            }
            (Operator::Binary(op), Val::Bool(a), Val::Bool(b)) => {
                let literal = netcl_kernels::dtype::Literal::Bool;
                if let Some(value) = fold::binary(op, literal(*a), literal(*b)) {
                    return Val::Bool(value.is(1.0));
                }
            }
            (_, Val::Index(_), Val::Dim(_) | Val::Index(_)) | (_, Val::Dim(_), Val::Index(_)) => {
                if let Operator::Binary(op) = op
                    && let Some(index) = self
                        .one_in_round(op, &left, &right)
                        .or_else(|| indices(op, &left, &right, self.axes.as_deref().unwrap_or_default()))
                {
                    return match index {
                        Ok(index) => Val::Index(index),
                        Err(TooLarge) => self.report(span, &m::KERNEL_FACTOR, &[]),
                    };
                }
            }
            _ => {
                if let (Some(a), Some(b)) = (number(&left), number(&right)) {
                    if let (Some(x), Some(y)) = (typed(&left), typed(&right))
                        && x != y
                    {
                        return self.report(span, &m::SIMT_TYPES, &[&text, &x, &y, &crate::literal::ONE_TYPE]);
                    }
                    if is_of_bits(op) {
                        let place = if matches!(left, Val::Number(_)) { places.left } else { places.right };
                        return self.report(place, &m::BITS_OF_FLOAT, &[&text]);
                    }
                    let ty = typed(&left).or(typed(&right));
                    match op {
                        Operator::Binary(op) => {
                            let known = |x: &[f64]| fold::binary_f64(op, x[0], x[1]);
                            if let Some(number) = ConstFloat::computed(&[a, b], ty, known) {
                                return Val::Number(number);
                            }
                        }
                        Operator::Compare(op) => {
                            let [a, b] = [a, b].map(|number| number.meeting(ty.unwrap_or(DType::F64)));
                            return Val::Bool(scalar::compare(op, a, b));
                        }
                    }
                }
            }
        }
        self.operate_tensors(op, text, (left, right), places)
    }

    /// The operator applied to two sizes; `None` where it gives none, and is computed.
    fn operate_sizes(
        &mut self,
        op: BinaryOp,
        text: &str,
        (a, b): (&WholeNumber, &WholeNumber),
        places: Places,
    ) -> Option<Val<'a>> {
        let shifts = is_shift(Operator::Binary(op));
        if shifts && b.as_constant().is_some_and(|b| !(0..i64::from(i64::BITS)).contains(&b)) {
            return Some(self.no_distance(b, places.right));
        }
        if is_too_large(op, a, b) {
            return Some(self.report(places.op, &m::TOO_LARGE, &[&format!("{a} {text} {b}")]));
        }
        if let Some(size) = dims(op, a, b) {
            let whole = if shifts { a.of_its_type(size) } else { a.with(b, size) };
            return Some(Val::Dim(whole.wrapped()));
        }
        let axes = self.axes.as_deref().unwrap_or_default();
        let left = || Val::Index(Affine::fixed(a.size.clone()));
        if self.indexing
            && !(b.is(0) && matches!(op, BinaryOp::Div | BinaryOp::Rem))
            && let Some(Ok(index)) = indices(op, &left(), &Val::Dim(b.clone()), axes)
        {
            return Some(Val::Index(index));
        }
        if shifts && (self.is_open(a) || self.is_open(b)) {
            return Some(self.open());
        }
        // Of a type that the text says there is no doubt which quotient is meant.
        let typed = matches!(a.type_with(b), Some(Integer::Of(_)));
        let by_zero = b.is(0) && matches!(op, BinaryOp::Div | BinaryOp::Rem);
        if op == BinaryOp::Div && !typed || self.is_open_quotient(a, b) || by_zero {
            return Some(self.no_quotient(op, (a, b), places.op));
        }
        None
    }

    /// The same of what is no number that is known: of tensors, and of numbers beside them.
    fn operate_tensors(
        &mut self,
        op: Operator,
        text: &str,
        (left, right): (Val<'a>, Val<'a>),
        places: Places,
    ) -> Val<'a> {
        let span = places.op;
        let fits = |value: &Val<'_>| {
            matches!(
                value,
                Val::Tensor(_) | Val::Number(_) | Val::Dim(_) | Val::Bool(_) | Val::Index(_) | Val::Plain(..)
            )
        };
        if !fits(&left) || !fits(&right) {
            return self.report(span, &m::OPERANDS, &[&text, &left.kind(), &right.kind(), &beside(&left, &right)]);
        }
        let shifts = is_shift(op);
        let chosen = match self.chosen_by_operator(op, text, [&left, &right], span) {
            Ok(chosen) => chosen,
            Err(refused) => return refused,
        };
        let position = self.position_of(op, &left, &right);
        // Sizes without a type are numbers of any: what is computed of them is exact, and then a float as they are.
        let exact = |value: &Val<'a>| self.exact(value).is_some();
        let of_sizes = matches!(op, Operator::Binary(op) if op.takes(DType::I64))
            && match (&left, &right) {
                // A distance decides over no type.
                (Val::Dim(left), _) if shifts && matches!(left.ty, Some(Integer::Of(_))) => false,
                (Val::Dim(left), Val::Dim(right)) => !matches!(left.type_with(right), Some(Integer::Of(_))),
                (left, Val::Dim(_) | Val::Index(_)) => exact(left),
                (Val::Dim(_) | Val::Index(_), right) => exact(right),
                (left, right) => exact(left) && exact(right),
            };
        let [left, right] = [left, right].map(|value| match value {
            Val::Tensor(id) if of_sizes => Val::Tensor(self.marks.exact[&id]),
            value => value,
        });
        let dtype = if of_sizes { DType::I64 } else { self.common_dtype(&left, &right) };
        // A whole number of a type of its own is of no other beside an element; an index is of any.
        let beside = |value: &Val<'a>, other: &Val<'a>| match (value, other) {
            (Val::Dim(_), Val::Tensor(_)) if dtype.is_integer() && !of_sizes => value.whole_dtype().unwrap_or(dtype),
            _ => dtype,
        };
        let (x, y) = match shifts && !of_sizes {
            true => {
                let shifted = self.shifted_as(&left, dtype);
                (shifted, shifted)
            }
            false => (beside(&left, &right), beside(&right, &left)),
        };
        let (a, b) = (self.tensor(left, Some(x), places.left), self.tensor(right, Some(y), places.right));
        let (Some(a), Some(b)) = (a, b) else { return Val::Unknown };
        let own = self.builder.dtype(a);
        // Distances are of any whole type.
        let casts = shifts && own.is_integer() && self.builder.dtype(b).is_integer();
        let b = if casts { self.builder.cast(b, own).unwrap_or(b) } else { b };
        let (a, b) = (self.position_beside(a, b), self.position_beside(b, a));
        let (x, y) = (self.builder.dtype(a), self.builder.dtype(b));
        if !self.converts(x, y) {
            let number = |id, other| match self.builder.node(id).op {
                Op::Constant(literal) => crate::literal::as_float(literal, other),
                _ => None,
            };
            let instead = number(a, y).or_else(|| number(b, x)).unwrap_or_else(|| crate::literal::ONE_TYPE.to_string());
            return self.report(span, &m::SIMT_TYPES, &[&text, &x, &y, &instead]);
        }
        self.at(span);
        let result = match op {
            Operator::Binary(op) => self.builder.binary(op, a, b),
            Operator::Compare(op) => self.builder.compare(op, a, b),
        };
        // The compiler calls the operator by its own name.
        let named = |mut diagnostic: netcl_kernels::span::Diagnostic| {
            diagnostic.message = diagnostic.message.replacen(&format!("`{}`", op.name()), &format!("`{text}`"), 1);
            diagnostic
        };
        let exact = result.as_ref().ok().copied().filter(|_| of_sizes);
        let result = match exact {
            Some(exact) => self.builder.cast(exact, DType::F32),
            None => result,
        };
        let value = self.check(result.map_err(named), span);
        if let (Val::Tensor(id), Some(exact)) = (&value, exact) {
            self.marks.exact.insert(*id, exact);
        }
        if let (Val::Tensor(id), Some(position)) = (&value, position) {
            self.marks.positions.insert(*id, position);
        }
        self.note_chosen_whole(&value, chosen);
        value
    }

    /// The type of what is shifted, where it would be `met` beside another number: its own, or what Rust takes it for.
    fn shifted_as(&self, left: &Val<'a>, met: DType) -> DType {
        match left {
            Val::Dim(number) if number.ty.is_none() => {
                let held = met != DType::U8 && number.as_constant().is_none_or(|number| met.holds(number));
                if held && !self.in_function() { met } else { DType::I32 }
            }
            left => left.whole_dtype().unwrap_or(met),
        }
    }

    /// The type that numbers beside the other operand take.
    pub(super) fn common_dtype(&self, left: &Val<'a>, right: &Val<'a>) -> DType {
        let of = |value: &Val<'a>| match value {
            Val::Tensor(id) => Some(self.builder.dtype(*id)),
            _ => None,
        };
        let number = |value: &Val<'a>| matches!(value, Val::Number(_));
        // An index or a float beside it is what it is.
        let whole = match (left, right) {
            (Val::Dim(left), Val::Dim(right)) => left.type_with(right),
            _ => None,
        };
        let whole = whole.and_then(|ty| if let Integer::Of(dtype) = ty { Some(dtype) } else { None });
        let said = of(left).or(of(right)).or(typed(left)).or(typed(right)).or(whole);
        said.unwrap_or(if number(left) || number(right) {
            DType::F32
        } else if matches!(left, Val::Index(_)) || matches!(right, Val::Index(_)) {
            DType::I32
        } else {
            DType::F32
        })
    }

    /// `-x`, `!x`, and `*x` of what is borrowed.
    pub(super) fn unary(&mut self, op: &syn::UnOp, value: Val<'a>, span: Span) -> Val<'a> {
        use syn::UnOp;
        match (op, value) {
            (_, Val::Unknown) => Val::Unknown,
            (UnOp::Deref(_), value @ (Val::Tensor(_) | Val::Place(_))) => value,
            (UnOp::Deref(_), value) => {
                let what = format!("`*` before {}", value.kind());
                self.report(span, &m::UNSUPPORTED, &[&what, &"nothing is borrowed here: leave it out"])
            }
            (UnOp::Neg(_), Val::Dim(dim)) if dim.is(i64::MIN) => {
                self.report(span, &m::TOO_LARGE, &[&format!("-({dim})")])
            }
            (UnOp::Neg(_), Val::Dim(dim)) => Val::Dim(dim.of_its_type(dim.size.clone() * Dim::constant(-1))),
            (UnOp::Neg(_), Val::Number(number)) => Val::Number(number.negated()),
            (UnOp::Neg(_), Val::Index(index)) => match index.times(-1) {
                Ok(index) => Val::Index(index),
                Err(TooLarge) => self.report(span, &m::KERNEL_FACTOR, &[]),
            },
            (UnOp::Not(_), Val::Bool(value)) => Val::Bool(!value),
            (UnOp::Not(_), Val::Plain(tokens, PlainType::Bool)) => Val::Plain(quote!((!#tokens)), PlainType::Bool),
            (UnOp::Neg(_), Val::Tensor(id)) => {
                self.at(span);
                let chosen = self.chosen_by_negation(id);
                let negative = self.builder.unary(UnaryOp::Neg, id);
                let result = match chosen {
                    Some(_) => negative.and_then(|negative| self.one_zero(id, negative)),
                    None => negative,
                };
                let value = self.check(result, span);
                self.note_chosen_whole(&value, chosen);
                value
            }
            (UnOp::Not(_), Val::Tensor(id)) if self.builder.dtype(id).is_float() => {
                let whole = if self.axes.is_some() || self.elementwise { "x as i32" } else { "x.cast(i32)" };
                self.report(span, &m::NOT_OF_FLOATS, &[&format!("elements of {}", self.builder.dtype(id)), &whole])
            }
            (UnOp::Not(_), Val::Tensor(id)) => {
                self.at(span);
                let result = self.builder.unary(UnaryOp::Not, id);
                let value = self.check(result, span);
                self.note_chosen_whole(&value, self.chosen_by_negation(id));
                value
            }
            (UnOp::Not(_), Val::Number(_)) => self.report(span, &m::BITS_OF_FLOAT, &[&"!"]),
            (op, value) => {
                let text = op.to_token_stream().to_string();
                self.report(span, &m::OPERAND, &[&text, &value.kind()])
            }
        }
    }
}

/// Whether the operator is of bits, which floats have none of.
fn is_of_bits(op: Operator) -> bool {
    use BinaryOp::{And, Or, Shl, Shr, Xor};
    matches!(op, Operator::Binary(And | Or | Xor | Shl | Shr))
}

/// What an operator takes; where one side is a list in a kernel, how its values are read.
fn beside(left: &Val<'_>, right: &Val<'_>) -> String {
    match (left, right) {
        (Val::Tensor(_), Val::List(items)) | (Val::List(items), Val::Tensor(_))
            if items.iter().all(|item| number(item).is_some()) =>
        {
            "an element has one of a list's values, by its number: `let w = [0.5, 2.0];` above, and `x[n, c] * w[c]`"
                .to_string()
        }
        _ => "it takes tensors, numbers and sizes".to_string(),
    }
}

/// The value as Rust over plain arguments, and its type.
fn plain(value: &Val<'_>) -> Option<(proc_macro2::TokenStream, PlainType)> {
    match value {
        Val::Plain(tokens, ty) => Some((tokens.clone(), *ty)),
        Val::Dim(dim) => {
            let value = usize::try_from(dim.as_constant()?).ok()?;
            let value = proc_macro2::Literal::usize_unsuffixed(value);
            Some((quote!(#value), PlainType::Usize))
        }
        Val::Bool(value) => Some((quote!(#value), PlainType::Bool)),
        _ => None,
    }
}

/// What the operator gives for two plain values of that type, if Rust has it.
fn plain_result(op: Operator, ty: PlainType) -> Option<PlainType> {
    match (op, ty) {
        (_, PlainType::Enum) => None,
        (Operator::Compare(_), _) => Some(PlainType::Bool),
        (Operator::Binary(BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), _) => Some(ty),
        (Operator::Binary(_), PlainType::Usize) => Some(ty),
        (Operator::Binary(_), PlainType::Bool) => None,
    }
}

/// The value as a number known while compiling.
pub(super) fn number(value: &Val<'_>) -> Option<ConstFloat> {
    match value {
        Val::Number(number) => Some(*number),
        Val::Dim(dim) => dim.as_constant().map(ConstFloat::whole_literal),
        _ => None,
    }
}

/// The type that the text gives a number that is known.
pub(super) fn typed(value: &Val<'_>) -> Option<DType> {
    match value {
        Val::Number(number) => number.ty,
        _ => None,
    }
}
