//! Expressions: one arm per construct that can be compiled, one error for those that cannot.

use super::arith::{Operator, Places, is_shift, operator};
use super::chosen::{is_chosen, passes};
use super::expected::Expected;
use super::value::{Integer, WholeNumber};
use super::{Lowering, Val};
use crate::ast::Constant;
use crate::foreign;
use crate::literal;
use crate::messages as m;
use crate::number::ConstFloat;
use crate::parse::{constant, standard, suggestion, text};
use crate::words;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, RangeLimits};

impl<'a> Lowering<'a> {
    /// The value of `expr`.
    pub(super) fn expr(&mut self, expr: &'a Expr) -> Val<'a> {
        if let Some(known) = self.known_value(expr) {
            return known;
        }
        if self.depth == words::MAX_DEPTH {
            // What is beside it is as deep: one expression is one mistake.
            return match std::mem::replace(&mut self.said_too_deep, true) {
                true => Val::Unknown,
                false => self.report(crate::nesting::place(expr), &m::TOO_DEEP, &[&crate::nesting::more()]),
            };
        }
        self.said_too_deep &= self.depth > 0;
        self.depth += 1;
        let value = self.evaluate(expr);
        self.depth -= 1;
        value
    }

    fn evaluate(&mut self, expr: &'a Expr) -> Val<'a> {
        let span = expr.span();
        // What an expression is declared to be, its last part is too; and so are both sides of an operator.
        let expected = self.expected.take();
        let wanted = std::mem::take(&mut self.wanted);
        match expr {
            Expr::Paren(_) | Expr::Group(_) | Expr::Block(_) | Expr::If(_) | Expr::Match(_) => {
                (self.expected, self.wanted) = (expected, wanted);
            }
            Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => {
                self.expected = expected.and_then(Expected::negated);
            }
            Expr::Call(call) if super::reduction::keeps_type(call) => self.expected = expected,
            Expr::MethodCall(call) if super::reduction::folds_range(call) => self.expected = expected,
            _ => {}
        }
        match expr {
            Expr::Paren(inner) => self.expr(&inner.expr),
            Expr::Group(inner) => self.expr(&inner.expr),
            Expr::Reference(inner) if inner.mutability.is_none() => self.expr(&inner.expr),
            Expr::Lit(lit) => self.literal(&lit.lit, false),
            Expr::Path(path) if path.qself.is_none() => self.path(&path.path),
            Expr::Unary(unary) => self.unary_expr(unary, span),
            Expr::Binary(binary) if is_assignment(&binary.op) => self.updated(binary, span),
            // Rust would see a product with what the right side refers to.
            Expr::Binary(binary) if is_power(binary) => {
                let instead = "write a power as `x.pow(3.0)`, a square as `x.square()`, a product as `x * y`";
                self.report(binary.op.span(), &m::UNSUPPORTED, &[&"`**`", &instead])
            }
            Expr::Binary(binary) => self.binary_expr(binary, expected, span),
            Expr::Assign(assign) => {
                self.expected = self.assigned_as(&assign.left);
                let right = self.expr(&assign.right);
                self.assign(&assign.left, None, right, span)
            }
            Expr::Block(block) if block.label.is_none() => self.block(&block.block),
            Expr::Unsafe(block) if !self.elementwise => self.promise(block),
            Expr::If(branch) => self.branch(branch),
            Expr::Match(given) => self.choice(given, wanted),
            Expr::ForLoop(each) => self.for_loop(each),
            Expr::Closure(written) => self.closure(written),
            Expr::Struct(given) if !self.elementwise => self.struct_value(given),
            Expr::Tuple(tuple) if tuple.elems.is_empty() => Val::Unit,
            Expr::Tuple(tuple) => {
                let parts = Val::Tuple(self.parts_as(expected, &tuple.elems));
                self.written(parts, span)
            }
            Expr::Array(array) => {
                let elements = self.list_elements(array, expected);
                match self.of_one_kind(array, &elements) {
                    true => self.written(Val::List(elements), span),
                    false => Val::Unknown,
                }
            }
            Expr::Repeat(list) => self.repeated(list),
            Expr::Range(range) => self.range(expr, range),
            Expr::Field(field) => self.field(field),
            Expr::Index(index) => self.subscript(index),
            Expr::MethodCall(call) => match self.pushes(call).filter(|_| !wanted) {
                Some(list) => self.push(call, &list),
                None => self.method(call),
            },
            Expr::Call(call) => self.call(call),
            Expr::Cast(cast) => self.cast(cast),
            other => self.leaving(other),
        }
    }

    /// `x + y`, `x < y`, `flag && other`.
    fn binary_expr(&mut self, binary: &'a syn::ExprBinary, expected: Option<Expected<'a>>, span: Span) -> Val<'a> {
        let compares = matches!(operator(&binary.op), Some(Operator::Compare(_)));
        // A whole number that branches choose is of the type of what it is compared with, which comes first then.
        let first = compares && is_chosen(&binary.left) && !is_chosen(&binary.right);
        let other = first.then(|| self.expr(&binary.right));
        self.expected = match &other {
            Some(other) => self.compared_with(other, &binary.right),
            None => expected.filter(|_| passes(&binary.op)),
        };
        let left = self.expr(&binary.left);
        // `flag && ..` with a flag known to be false never looks at the other side.
        match (&binary.op, &left) {
            // `act == "relu"`, where of `act: &str` all has been said.
            (_, Val::Unknown) if super::misuse::is_text(&binary.right) => return Val::Unknown,
            (syn::BinOp::And(_), Val::Bool(false)) | (syn::BinOp::Or(_), Val::Bool(true)) => {
                self.unreached(&*binary.right, |this| drop(this.expr(&binary.right)));
                return left;
            }
            (syn::BinOp::And(_) | syn::BinOp::Or(_), Val::Unknown) if self.partial => {
                self.perhaps(span, |this| drop(this.expr(&binary.right)));
                return Val::Unknown;
            }
            _ => {}
        }
        let before = self.assignments();
        let right = match other {
            Some(other) => other,
            None => {
                let of_left = if compares { self.compared_with(&left, &binary.left) } else { None };
                self.expected = of_left.or(expected.filter(|_| passes(&binary.op)));
                self.expr(&binary.right)
            }
        };
        let lazy = matches!(binary.op, syn::BinOp::And(_) | syn::BinOp::Or(_));
        if let Some(refused) = self.no_truths(lazy, binary, [&left, &right]) {
            return refused;
        }
        let (left, right) = match operator(&binary.op).is_some_and(is_shift) {
            true => (left, right),
            false => (
                self.bits_beside(&binary.left, &left, &right).unwrap_or(left.clone()),
                self.bits_beside(&binary.right, &right, &left).unwrap_or(right),
            ),
        };
        if lazy && !matches!(left, Val::Bool(_)) && self.assignments() > before {
            let what = format!("an assignment on the right of `{}`", text(&binary.op));
            let instead = "write it before the condition, or under an `if`";
            return self.report(binary.right.span(), &m::UNSUPPORTED, &[&what, &instead]);
        }
        if !self.as_suffix_says(binary, &left, &right) {
            return Val::Unknown;
        }
        if let Some(refused) = self.shifted_beyond(binary, &left).or_else(|| self.cut_off(binary, &left, &right)) {
            return refused;
        }
        let sides = (&*binary.left, Some(&*binary.right));
        if let Some(value) = self.of_their_type(&binary.op, sides, (&left, &right), binary.op.span()) {
            return value;
        }
        let places = Places { op: binary.op.span(), left: binary.left.span(), right: binary.right.span() };
        self.advice = self.advise_binary(binary, &left, &right);
        let left = self.dividend(&binary.op, left, binary.left.span());
        let value = self.binary(&binary.op, left, right, places);
        self.advice = None;
        value
    }

    /// The values of the parts of a tuple or list.
    pub(super) fn parts_as(
        &mut self,
        expected: Option<Expected<'a>>,
        parts: &'a syn::punctuated::Punctuated<Expr, syn::Token![,]>,
    ) -> Vec<Val<'a>> {
        let each = parts.iter().enumerate().map(|(position, part)| {
            self.expected = expected.and_then(|expected| expected.part(position));
            self.expr(part)
        });
        each.collect()
    }

    /// The value of a literal; `negative`: there is a minus before it.
    fn literal(&mut self, lit: &syn::Lit, negative: bool) -> Val<'a> {
        match literal::value(self.diag, lit, negative) {
            Some((Constant::Float(number), ty)) => {
                self.large.note(number.value, lit.span());
                Val::Number(ConstFloat::of(number.value, ty))
            }
            Some((Constant::Integer(number), _)) => {
                Val::Dim(WholeNumber { size: Dim::constant(number), ty: Integer::named(lit.suffix()) })
            }
            Some((value, _)) => value.into(),
            None => Val::Unknown,
        }
    }

    /// Rule: `&&` and `||` are of truths. Wrong: `x && y` of whole numbers, whose bits `&` combines.
    fn no_truths(&mut self, lazy: bool, binary: &syn::ExprBinary, sides: [&Val<'a>; 2]) -> Option<Val<'a>> {
        let sides = sides.map(|side| match side {
            Val::Tensor(id) => Some(self.builder.dtype(*id)).filter(|dtype| *dtype != DType::Bool),
            _ => None,
        });
        let (dtype, written) = match sides {
            _ if !lazy => return None,
            [Some(dtype), _] => (dtype, &binary.left),
            [_, Some(dtype)] => (dtype, &binary.right),
            _ => return None,
        };
        let instead = literal::compared_with_zero(written, dtype.is_float());
        Some(self.report(written.span(), &m::TRUTHS, &[&text(&binary.op), &dtype, &instead]))
    }

    /// Rule: a factor is meant as it is written. Wrong: `x * (1 / 2)`, where Rust's quotient of whole numbers is 0.
    fn cut_off(&mut self, binary: &syn::ExprBinary, left: &Val<'a>, right: &Val<'a>) -> Option<Val<'a>> {
        let float = |value: &Val<'a>| match value {
            Val::Tensor(id) => self.builder.dtype(*id).is_float() && self.exact(value).is_none(),
            _ => false,
        };
        let number = match (left, right) {
            (Val::Dim(_), other) if float(other) => &binary.left,
            (other, Val::Dim(_)) if float(other) => &binary.right,
            _ => return None,
        };
        let Expr::Binary(quotient) = crate::parse::unparenthesized(number) else { return None };
        let digits = |expr: &Expr| match expr {
            // A suffix says that it is meant.
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(int), .. }) if int.suffix().is_empty() => {
                int.base10_parse::<i64>().ok()
            }
            _ => None,
        };
        let (syn::BinOp::Div(sign), Some(a), Some(b)) = (&quotient.op, digits(&quotient.left), digits(&quotient.right))
        else {
            return None;
        };
        if b == 0 || a % b == 0 {
            return None;
        }
        Some(self.report(
            sign.span(),
            &m::QUOTIENT,
            &[&format!("{a} / {b}"), &crate::quotient::what_is_left(a, b), &format!("{a}.0 / {b}.0")],
        ))
    }

    fn path(&mut self, path: &syn::Path) -> Val<'a> {
        let span = path.span();
        let Some(last) = path.segments.last() else { return Val::Unknown };
        let name = crate::parse::name(&last.ident);
        // A variant may be one of a model with parameters.
        if variant(path).is_none()
            && let Some(refused) = self.judge_type_arguments(path, None)
        {
            return refused;
        }
        if let Some(list) = self.frame().unit.constants.lists.get(&constant::key(path))
            && self.lookup(&name).is_none_or(|_| path.segments.len() > 1)
        {
            return Val::from(list).declared(self.frame().unit.constants.integers.get(&constant::key(path)).copied());
        }
        // A constant that has been refused stands for some number where a size is wanted, and here for nothing.
        if path.segments.len() > 1 && self.frame().unit.broken.contains(&text(path)) {
            self.partial = true;
            return Val::Unknown;
        }
        if path.segments.len() > 1 {
            if let Some(value) = constant::known(path, &self.frame().unit.constants) {
                let declared = self.frame().unit.constants.integers.get(&constant::key(path)).copied();
                return Val::from(value).declared(declared.or_else(|| standard::whole_type(path)));
            }
            if let Some(variant) = variant(path) {
                return variant;
            }
            let known = path.segments.iter().rev().nth(1).is_some_and(|segment| segment.ident == "DType");
            if let Some(dtype) = DType::from_name(&name.to_lowercase()).filter(|_| known) {
                return Val::DType(dtype);
            }
            return self.unknown_name(&text(path), span);
        }
        if let Some((value, axes)) = self.lookup(&name) {
            if self.is_filling(&name) {
                // Said once of the list.
                if value.is_unknown() {
                    return Val::Unknown;
                }
                if let Some((scope, position)) = self.place_of(&name) {
                    self.frame_mut().scopes[scope][position].value = Val::Unknown;
                }
                return self.report(span, &m::LOOP_LIST_READ, &[&name, &name]);
            }
            if let (Val::Tensor(id), true) = (&value, self.axes.is_some() && self.frames.len() == 1 && axes == 0) {
                let rank = self.builder.shape(*id).rank();
                if rank > 0 {
                    let indices = super::index::names(rank);
                    return self.report(span, &m::KERNEL_TENSOR_VALUE, &[&name, &name, &indices]);
                }
            }
            return self.deepen(value, axes, span);
        }
        if name == "self"
            && let Some(this) = &self.frame().this
        {
            return Val::Place(this.clone());
        }
        if let Some(dim) = self.frame().symbols.get(&name) {
            return dim.clone().into();
        }
        if let Some(value) =
            self.frame().unit.constants.get(&name).filter(|_| !self.frame().unit.broken.contains(&name))
        {
            return Val::from(*value).declared(self.frame().unit.constants.integers.get(&name).copied());
        }
        match DType::from_name(&name) {
            Some(dtype) => Val::DType(dtype),
            None if name == "None" => Val::Option(None),
            // A size that an argument would have named.
            None if self.unsure && !name.contains(char::is_lowercase) => Val::Unknown,
            None => self.unknown_name(&name, span),
        }
    }

    pub(super) fn lookup(&self, name: &str) -> Option<(Val<'a>, usize)> {
        let variables = self.frame().scopes.iter().rev().flat_map(|scope| scope.iter().rev());
        variables.into_iter().find(|variable| variable.name == name).map(|v| (v.value.clone(), v.axes))
    }

    /// Rule: what a loop over a symbol pushes is there behind it. Wrong: `all.last()` in its body, which is one for all rounds.
    fn is_filling(&self, name: &str) -> bool {
        self.place_of(name).is_some_and(|(scope, position)| self.frame().scopes[scope][position].filling)
    }

    /// Where the variable of that name stands: its scope, and its position in it.
    pub(super) fn place_of(&self, name: &str) -> Option<(usize, usize)> {
        let scopes = self.frame().scopes.iter().enumerate().rev();
        scopes.into_iter().find_map(|(scope, own)| Some((scope, own.iter().rposition(|own| own.name == name)?)))
    }

    fn unknown_name(&mut self, name: &str, span: Span) -> Val<'a> {
        let frame = self.frame();
        if frame.unit.broken.contains(name) {
            self.partial = true;
            return Val::Unknown;
        }
        if name == "self" && !frame.function.is_empty() {
            let instead = match frame.unit.model {
                Some(_) => "write `&self` in front of its arguments",
                None => {
                    "what it reads is passed as arguments: `w: &Tensor<f32, N>`; a function of a model stands in its `impl` block"
                }
            };
            self.diag.once(span, &m::NO_SELF, &[&frame.function, &instead]);
            return Val::Unknown;
        }
        if (name == "Self" || frame.unit.types.contains_key(name))
            && let Some(refused) = self.type_as_value(name, span)
        {
            return refused;
        }
        let variables = frame.scopes.iter().flatten().map(|variable| variable.name.as_str());
        let near = suggestion(name, variables.chain(frame.symbols.keys().map(String::as_str)));
        let fields =
            frame.this.is_some().then_some(&frame.unit.model).and_then(Option::as_ref).map(|model| &model.fields);
        if fields.into_iter().flatten().any(|field| crate::parse::name(&field.name) == name) {
            return self.report(span, &m::FIELD_WITHOUT_SELF, &[&name, &name]);
        }
        if name.len() == 1 && name.starts_with(char::is_uppercase) {
            return self.report(
                span,
                &m::UNKNOWN_SIZE_NAME,
                &[&name, &near, &crate::parse::constant::longer(name), &name],
            );
        }
        if let Some(number) = foreign::number(name.rsplit("::").next().unwrap_or(name)) {
            return self.report(span, &m::NUMBER_ELSEWHERE, &[&name, &number]);
        }
        // Mathematics counts `c` to `C`.
        if near.is_empty() && frame.symbols.contains_key(&name.to_uppercase()) {
            let size = format!("; did you mean `{}`?", name.to_uppercase());
            return self.report(span, &m::UNKNOWN_NAME, &[&name, &size]);
        }
        if self.axes.is_some() && frame.function == name {
            return self.report(span, &m::KERNEL_OWN_RESULT, &[&name]);
        }
        if near.is_empty() && !name.contains(char::is_uppercase) && !name.contains("::") {
            return self.report(span, &m::UNKNOWN_LOWER_NAME, &[&name, &name.to_uppercase()]);
        }
        self.report(span, &m::UNKNOWN_NAME, &[&name, &near])
    }

    fn range(&mut self, whole: &'a Expr, range: &'a syn::ExprRange) -> Val<'a> {
        let start = range.start.as_deref().map_or(Val::from(Dim::constant(0)), |start| self.expr(start));
        let Some(end) = range.end.as_deref() else { return self.no_range(whole) };
        match (start, self.expr(end)) {
            (Val::Unknown, _) | (_, Val::Unknown) => Val::Unknown,
            (Val::Dim(start), Val::Dim(end)) => {
                let past = if matches!(range.limits, RangeLimits::Closed(_)) { 1 } else { 0 };
                let ty = start.type_with(&end);
                Val::Range(start.size, end.size + Dim::constant(past), ty)
            }
            (_, end) => {
                let brought = self.brought(&end).filter(|_| self.axes.is_none());
                let Some((given, ty)) = brought else { return self.no_range(whole) };
                let instead = super::ranges::only(&given, &ty);
                self.report(whole.span(), &m::PLAIN_ROUNDS, &[&given, &ty, &instead, &given])
            }
        }
    }

    /// `left op= right`.
    fn updated(&mut self, binary: &'a syn::ExprBinary, span: Span) -> Val<'a> {
        let shifts = operator(&binary.op).is_some_and(is_shift);
        self.expected = if shifts { None } else { self.assigned_as(&binary.left) };
        let right = self.expr(&binary.right);
        if shifts {
            let current = self.expr(&binary.left);
            if let Some(refused) = self.shifted_beyond(binary, &current) {
                return refused;
            }
        }
        self.assign(&binary.left, Some(&binary.op), right, span)
    }

    /// `-x`, `!x`, `*x`.
    fn unary_expr(&mut self, unary: &'a syn::ExprUnary, span: Span) -> Val<'a> {
        let value = match (&unary.op, &*unary.expr) {
            (syn::UnOp::Neg(_), Expr::Lit(lit)) if constant::is_least(&lit.lit) => {
                return Val::from(Dim::constant(i64::MIN));
            }
            // `-2147483648i32` is a number of `i32`.
            (syn::UnOp::Neg(_), Expr::Lit(lit)) => self.literal(&lit.lit, true),
            (_, inner) => self.expr(inner),
        };
        if let (syn::UnOp::Neg(_), Val::Dim(known)) = (&unary.op, &value)
            && let Some(known) = known.as_constant().filter(|_| !matches!(&*unary.expr, Expr::Lit(_)))
            && let Some(negated) = known.checked_neg()
            && let Some(refused) = self.overflows(Some(negated), &unary.expr, &Expr::Unary(unary.clone()))
        {
            return refused;
        }
        // What goes through a list is a reference to its elements: `for q in v.iter() { s += *q; }`.
        if let (syn::UnOp::Deref(_), Expr::Path(_), Val::Dim(_) | Val::Number(_) | Val::Bool(_) | Val::Index(_)) =
            (&unary.op, crate::parse::unparenthesized(&unary.expr), &value)
        {
            return value;
        }
        match self.turned(unary, &value) {
            Some(turned) => turned,
            None if matches!(unary.op, syn::UnOp::Not(_))
                && (matches!(value, Val::Dim(_)) || self.exact(&value).is_some()) =>
            {
                let size = text(&unary.expr);
                self.report(span, &m::SIZE_BITS, &[&size, &size])
            }
            None => self.unary(&unary.op, value, span),
        }
    }

    /// What cannot be compiled, by its name, and what to write instead.
    pub(super) fn unsupported(&mut self, expr: &Expr) -> Val<'a> {
        // What chooses by an argument that has been refused is written anew with it.
        let by = match expr {
            Expr::Match(given) => Some(&*given.expr),
            Expr::Let(given) => Some(&*given.expr),
            _ => None,
        };
        if let Some(Expr::Path(by)) = by
            && let Some(name) = by.path.get_ident()
            && self.lookup(&crate::parse::name(name)).is_some_and(|(value, _)| value.is_unknown())
        {
            return Val::Unknown;
        }
        let (what, instead) = match expr {
            Expr::Try(_) => ("`?`", "operations in a compiled function cannot fail: leave it out"),
            Expr::Await(_) | Expr::Async(_) => ("`async` code", "leave it out: launches do not block"),
            Expr::Unsafe(_) => ("`unsafe` code", "leave it to an ordinary function"),
            Expr::Macro(call) => return self.macro_in_body(&call.mac, expr.span()),
            Expr::Struct(_) => ("a struct value", "a function of scalars gives one number"),
            Expr::Let(_) => {
                ("`let` in an expression", "write it as the condition of an `if` or a `while`, among others with `&&`")
            }
            Expr::Reference(_) => ("`&mut`", "assign the variable itself: `h = h.relu();`, where it is `let mut h`"),
            Expr::Block(_) => (
                "a labelled block",
                "leave the label out, and write what stands behind a `break` of it in the `else` of its `if`",
            ),
            Expr::RawAddr(_) => ("a raw pointer", "pass the tensor itself"),
            Expr::Path(_) => ("a qualified path", "call the function as a method"),
            _ => (
                "this expression",
                "ordinary Rust is written in a function with `#[netcl::dynamic]` whose tensors have no sizes, `x: &Tensor`",
            ),
        };
        self.report(expr.span(), &m::UNSUPPORTED, &[&what, &instead])
    }
}

/// `x ** y`, as other languages write a power.
fn is_power(binary: &syn::ExprBinary) -> bool {
    let borrowed = |expr: &Expr| matches!(expr, Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Deref(_)));
    match &binary.op {
        syn::BinOp::Mul(star) if borrowed(&binary.right) => stand_together(star.span(), binary.right.span()),
        _ => false,
    }
}

/// Whether there is nothing between the two, as far as rustc tells: `a ** b`, and not `a * *b`.
fn stand_together(one: Span, other: Span) -> bool {
    if !proc_macro::is_available() {
        return false;
    }
    let (end, start) = (one.unwrap().end(), other.unwrap().start());
    (end.line(), end.column()) == (start.line(), start.column())
}

/// `Kind::Deep` of a user's enum.
fn variant<'a>(path: &syn::Path) -> Option<Val<'a>> {
    let mut last = path.segments.iter().rev().map(|segment| crate::parse::name(&segment.ident));
    let (variant, ty) = (last.next()?, last.next()?);
    let types = [&variant, &ty]
        .into_iter()
        .all(|name| name.starts_with(char::is_uppercase) && (name.len() == 1 || name.contains(char::is_lowercase)));
    (types && ty != "Self" && ty != "DType").then_some(Val::Variant(ty, variant))
}

/// Whether the operator also assigns.
pub(crate) fn is_assignment(op: &syn::BinOp) -> bool {
    use syn::BinOp::*;
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitXorAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}
