//! Expressions of SIMT-form kernels.

use super::state::{Simt, Val, Var};
use super::types::{as_computed, places};
use super::untyped;
use crate::ast::Constant;
use crate::literal;
use crate::messages as m;
use crate::number::ConstFloat;
use crate::parse::{self, constant, suggestion, text};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::fold;
use netcl_kernels::kir::{Expr as Kir, ExprId, Stmt};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{BinOp, Expr, ExprBinary, ExprCast, ExprField, ExprIf, Member};

impl Simt<'_> {
    /// The value of `expr`.
    pub(super) fn expr(&mut self, expr: &Expr) -> Val {
        if self.too_deep() {
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

    fn evaluate(&mut self, expr: &Expr) -> Val {
        match expr {
            Expr::Paren(inner) => self.expr(&inner.expr),
            Expr::Group(inner) => self.expr(&inner.expr),
            Expr::Lit(lit) => match literal::value(self.diag, &lit.lit, false) {
                Some((value, dtype)) => self.number(value, dtype, lit.span()),
                None => Val::Unknown,
            },
            Expr::Path(path) => self.path(&path.path),
            Expr::Unary(unary) => {
                if let (syn::UnOp::Neg(_), Expr::Lit(lit)) = (&unary.op, &*unary.expr) {
                    return self.negative(&lit.lit, unary);
                }
                let value = self.expr(&unary.expr);
                if let (syn::UnOp::Neg(_), Val::Number(Constant::Integer(own)), Expr::Path(path)) =
                    (&unary.op, &value, parse::unparenthesized(&unary.expr))
                    && let Some(dtype) = crate::parse::standard::whole_type(&path.path)
                    && let Some(negated) = own.checked_neg()
                    && literal::overflows(self.diag, Some(negated), dtype, (&unary.expr, expr))
                {
                    return Val::Unknown;
                }
                let open = self.meeting([&value], unary);
                let value = self.met(open, value, None, unary.op.span());
                let result = self.unary(&unary.op, value, unary.op.span());
                self.opened(open, result)
            }
            Expr::Binary(binary) => {
                if let Some(refused) = self.ids_elsewhere(binary) {
                    return refused;
                }
                if let BinOp::And(_) | BinOp::Or(_) = binary.op {
                    return self.short_circuit(binary);
                }
                if let Some(truth) = untyped::compared(&binary.op, &binary.left, &binary.right) {
                    return Val::Expr(self.builder.literal(truth), None);
                }
                let mut operands = self.operands([&*binary.left, &*binary.right]).into_iter();
                let mut next = || operands.next().unwrap_or(Val::Unknown);
                let (left, right) = (next(), next());
                let open = match binary.op {
                    // By how much says nothing of what is shifted.
                    BinOp::Shl(_) | BinOp::Shr(_) => self.meeting([&left], binary),
                    _ => self.meeting([&left, &right], binary),
                };
                let left = self.met(open, left, None, binary.op.span());
                if let Some(refused) = self.truth_as_number(binary, &left, &right) {
                    return refused;
                }
                if let Some(refused) = self.number_beside_vector(binary, &left, &right) {
                    return refused;
                }
                if let Some(refused) = self.shifted_beyond(binary, &left) {
                    return refused;
                }
                let result = self.binary(&binary.op, left, right, places(binary));
                self.opened(open, result)
            }
            Expr::Cast(cast) => self.cast(cast),
            Expr::Tuple(tuple) if tuple.elems.is_empty() => Val::Unit,
            Expr::Tuple(tuple) => {
                let parts = Val::Tuple(self.operands(&tuple.elems));
                self.written(parts, tuple.span())
            }
            Expr::Array(list) => {
                let elements = Val::List(self.operands(&list.elems));
                self.written(elements, list.span())
            }
            Expr::Repeat(list) => self.repeated(list),
            Expr::Index(index) => self.load(index),
            Expr::If(branch) => self.choice(branch),
            Expr::Field(field) => match self.id_elsewhere(expr) {
                Some(refused) => refused,
                None => self.field(field),
            },
            Expr::Block(block) if block.label.is_none() => self.block(&block.block),
            Expr::Call(call) => self.call(call),
            Expr::MethodCall(call) => self.method(call),
            Expr::Macro(call) => self.macro_call(&call.mac, call.span()),
            other => self.refused(other),
        }
    }

    /// `x as f32`.
    fn cast(&mut self, cast: &ExprCast) -> Val {
        // `step_by` takes a `usize`; ids and sizes are `u32` here.
        let to = text(&cast.ty);
        let Some(dtype) = DType::from_name(if to == "usize" { "u32" } else { &to }) else {
            self.expr(&cast.expr);
            return self.report(cast.ty.span(), &m::UNKNOWN_DTYPE, &[&to, &crate::parse::types::near_type(&to)]);
        };
        if let Some(number) = untyped::computed(&cast.expr) {
            if dtype == DType::Bool && number.dtype() != DType::Bool {
                return self.no_truth(cast, number.dtype().is_float());
            }
            return Val::Expr(self.builder.literal(as_computed(fold::cast(number, dtype))), None);
        }
        let value = self.expr(&cast.expr);
        let is_float = match &value {
            Val::Number(Constant::Bool(_)) => None,
            Val::Number(number) => Some(matches!(number, Constant::Float(_))),
            Val::Expr(id, _) => Some(self.ty(*id).dtype).filter(|own| *own != DType::Bool).map(DType::is_float),
            _ => None,
        };
        if let (DType::Bool, Some(is_float)) = (dtype, is_float) {
            return self.no_truth(cast, is_float);
        }
        self.settle_cast(&value, &cast.expr, dtype);
        self.convert(value, dtype, cast.span())
    }

    /// Rule: a number is compared and not converted to a truth. Wrong: `x[i] as bool`.
    fn no_truth(&self, cast: &ExprCast, is_float: bool) -> Val {
        let instead = literal::compared_with_zero(&cast.expr, is_float);
        self.report(cast.span(), &m::CAST_TRUTH, &[&text(&cast.expr), &instead])
    }

    /// `a && b` and `a || b`: what `b` changes is changed only where `a` does not decide.
    fn short_circuit(&mut self, binary: &ExprBinary) -> Val {
        let span = binary.op.span();
        let left = self.expr(&binary.left);
        self.builder.open();
        let known = match left {
            Val::Expr(left, _) => self.learn(left, matches!(binary.op, BinOp::And(_))),
            _ => self.facts.len(),
        };
        let right = self.expr(&binary.right);
        self.forget(known);
        let mut then = self.builder.close();
        if then.is_empty() {
            return self.binary(&binary.op, left, right, (span, [span; 2]));
        }
        let Some((left, right)) = self.pair(left, right, [span; 2]) else { return Val::Unknown };
        for operand in [left, right] {
            if let Some(refused) = self.judge_logic(&text(&binary.op), self.ty(operand), span) {
                return refused;
            }
            if !self.judge_condition(operand, span) {
                return Val::Unknown;
            }
        }
        let decided = self.builder.bind("decided", left);
        let left = self.builder.get(decided);
        let condition = if matches!(binary.op, BinOp::And(_)) { left } else { self.negated(left) };
        then.push(Stmt::Assign(decided, right));
        self.builder.stmt(Stmt::If { condition, then, otherwise: Vec::new() });
        Val::Expr(left, None)
    }

    /// `pair.0`
    fn field(&mut self, field: &ExprField) -> Val {
        match (self.expr(&field.base), &field.member) {
            (Val::Unknown, _) => Val::Unknown,
            (Val::Tuple(values), Member::Unnamed(position)) => match values.get(position.index as usize) {
                Some(value) => value.clone(),
                None => {
                    let (count, last) = (values.len(), values.len().saturating_sub(1));
                    self.report(field.member.span(), &m::TUPLE_FIELD, &[&count, &position.index, &last])
                }
            },
            _ => {
                let instead = "numbers have none: elements are read by `x[i]`, lanes by `v.lane(0)`";
                self.report(field.span(), &m::UNSUPPORTED, &[&"a field", &instead])
            }
        }
    }

    /// A literal and the minus before it, which are one number: `i32` has -2147483648 and not what stands behind the minus.
    fn negative(&mut self, lit: &syn::Lit, whole: &syn::ExprUnary) -> Val {
        if constant::is_least(lit) {
            return self.number(Constant::Integer(i64::MIN), literal::whole_type(&whole.expr), lit.span());
        }
        match literal::value(self.diag, lit, true) {
            Some((Constant::Integer(value), dtype)) => self.number(Constant::Integer(-value), dtype, lit.span()),
            Some((Constant::Float(number), dtype)) => self.number(Constant::Float(number.negated()), dtype, lit.span()),
            Some((truth, dtype)) => {
                let truth = self.number(truth, dtype, lit.span());
                self.unary(&whole.op, truth, whole.op.span())
            }
            None => Val::Unknown,
        }
    }

    /// A number as it is written, and the type that its suffix says.
    fn number(&mut self, value: Constant, dtype: Option<DType>, span: Span) -> Val {
        match (value, dtype) {
            (Constant::Float(number), Some(_)) => Val::Number(Constant::Float(ConstFloat::of(number.value, dtype))),
            (value, Some(dtype)) => Val::Expr(self.literal(value, dtype), None),
            (value @ Constant::Bool(_), None) => Val::Expr(self.literal(value, DType::Bool), None),
            (value, None) => {
                if let Constant::Float(number) = value {
                    self.large.note(number.value.abs(), span);
                }
                Val::Number(value)
            }
        }
    }

    fn path(&mut self, path: &syn::Path) -> Val {
        let name = constant::name(path).unwrap_or_default();
        if let Some(Var { value, .. }) = self.lookup(&name).filter(|_| path.segments.len() == 1) {
            return value.clone();
        }
        if let Some(list) = self.unit.constants.lists.get(&constant::key(path)) {
            return list.into();
        }
        let refused = self.unit.broken.contains(&text(path));
        if let Some(value) = constant::known(path, &self.unit.constants).filter(|_| !refused) {
            // Sizes are used as `u32` here, whatever the declared type.
            return Val::Number(value);
        }
        // A size that an argument would have named.
        if self.unsure && !name.contains(char::is_lowercase) {
            return Val::Unknown;
        }
        if refused || self.unit.broken.contains(&name) {
            self.partial = true;
            return Val::Unknown;
        }
        if let Some(here) = crate::foreign::variable(&name) {
            return self.report(path.span(), &m::SIMT_IDS, &[&format!("`{name}`"), &here]);
        }
        if let Some(example) = super::call::as_called(&name).filter(|_| path.segments.len() == 1) {
            let instead = format!("it is a function: write {example}");
            return self.report(path.span(), &m::UNSUPPORTED, &[&format!("`{name}` as a value"), &instead]);
        }
        let near = suggestion(&name, self.scopes.iter().flatten().map(|variable| variable.name.as_str()));
        if near.is_empty() && !name.contains(char::is_uppercase) {
            return self.report(path.span(), &m::UNKNOWN_LOWER_NAME, &[&name, &name.to_uppercase()]);
        }
        self.report(path.span(), &m::UNKNOWN_NAME, &[&name, &near])
    }

    /// The condition of an `if` or a loop.
    pub(super) fn condition(&mut self, expr: &Expr) -> Option<ExprId> {
        if let Expr::Assign(assign) = crate::parse::unparenthesized(expr) {
            self.report(expr.span(), &m::CONDITION_ASSIGN, &[&crate::parse::compared(assign)]);
            return None;
        }
        let value = self.expr(expr);
        let id = self.value(value, Some(DType::Bool), expr.span())?;
        if self.ty(id).dtype != DType::Bool {
            let compared = crate::literal::compared_with_zero(expr, self.ty(id).dtype.is_float());
            self.report(expr.span(), &m::CONDITION_TYPE, &[&self.ty(id), &compared]);
            return None;
        }
        self.judge_condition(id, expr.span()).then_some(id)
    }

    /// A branch, which nobody takes where a number decides against it.
    fn in_branch(&mut self, left_out: bool, lower: impl FnOnce(&mut Self) -> Val) -> Val {
        let before = self.left_out;
        self.left_out |= left_out;
        let value = lower(self);
        self.left_out = before;
        value
    }

    /// `if` as a statement or a value.
    pub(super) fn choice(&mut self, branch: &ExprIf) -> Val {
        let Some(condition) = self.condition(&branch.cond) else {
            // Look into both branches for mistakes of their own.
            self.builder.open();
            self.block(&branch.then_branch);
            if let Some((_, otherwise)) = &branch.else_branch {
                self.expr(otherwise);
            }
            self.builder.close();
            return Val::Unknown;
        };
        let decided = match self.builder.kernel().expr(condition) {
            Kir::Literal(Literal::Bool(truth)) => Some(*truth),
            _ => None,
        };
        self.builder.open();
        let known = self.learn(condition, true);
        let then = self.in_branch(decided == Some(false), |this| this.block(&branch.then_branch));
        self.forget(known);
        let mut first = self.builder.close();
        self.builder.open();
        let known = self.learn(condition, false);
        let otherwise = match &branch.else_branch {
            Some((_, otherwise)) => self.in_branch(decided == Some(true), |this| this.expr(otherwise)),
            None => Val::Unit,
        };
        self.forget(known);
        let mut second = self.builder.close();
        if matches!(then, Val::Unknown) || matches!(otherwise, Val::Unknown) {
            return Val::Unknown;
        }
        if let (Val::Unit, Val::Unit) = (&then, &otherwise) {
            self.builder.stmt(Stmt::If { condition, then: first, otherwise: second });
            return Val::Unit;
        }
        if matches!(otherwise, Val::Unit) {
            return self.report(branch.span(), &m::IF_WITHOUT_ELSE, &[]);
        }
        let open = self.meeting([&then, &otherwise], branch);
        let then = self.met(open, then, Some(&otherwise), branch.span());
        let Some((then, otherwise)) = self.pair(then, otherwise, [branch.span(); 2]) else { return Val::Unknown };
        let (x, y) = (self.ty(then), self.ty(otherwise));
        if x != y {
            return self.unlike("if", &x, &y, branch.span());
        }
        if first.is_empty() && second.is_empty() {
            let chosen = self.builder.select(condition, then, otherwise);
            return self.opened(open, Val::Expr(chosen, None));
        }
        // Branches with statements of their own: a variable takes the value.
        let zero =
            self.literal(if x.dtype == DType::Bool { Constant::Bool(false) } else { Constant::Integer(0) }, x.dtype);
        let zero = if x.lanes > 1 { self.builder.splat(zero, x.lanes) } else { zero };
        let var = self.builder.bind("chosen", zero);
        first.push(Stmt::Assign(var, then));
        second.push(Stmt::Assign(var, otherwise));
        self.builder.stmt(Stmt::If { condition, then: first, otherwise: second });
        let chosen = self.builder.get(var);
        self.opened(open, Val::Expr(chosen, None))
    }

    fn refused(&mut self, expr: &Expr) -> Val {
        let (what, instead) = match expr {
            Expr::Return(_) => ("`return` here", "write `if done { return; }` as a statement of the function itself"),
            Expr::Match(_) => ("`match`", "write `if`"),
            Expr::Closure(_) => (
                "a closure",
                "write it above `kernel!` as a function, `#[netcl::function] fn twice(v: f32) -> f32 { v * 2.0 }`, and call that",
            ),
            Expr::Reference(_) => ("a reference", "pass values; atomics take `&mut x[i]`"),
            Expr::Assign(_) => ("an assignment as a value", "write it as a statement"),
            Expr::Range(_) => ("a range", "ranges stand in `for i in 0..N`"),
            Expr::Try(_) => ("`?`", "nothing here can fail: leave it out"),
            Expr::Struct(_) => ("a struct value", "use separate variables"),
            _ => ("this expression", "use arithmetic, indexing, `if` and calls"),
        };
        self.report(expr.span(), &m::UNSUPPORTED, &[&what, &instead])
    }
}
