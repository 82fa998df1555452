//! `for`: over ranges, with or without their end, in steps.
//!
//! A step that is known only when the kernel runs may be 0. Rust panics there, which a work-item cannot: it counts as 1.

use super::state::{Simt, Val};
use super::types::kind;
use crate::ast::Constant;
use crate::messages as m;
use crate::parse::{text, unparenthesized, written_integer};
use netcl_kernels::dtype::{DType, Literal};
use netcl_kernels::graph::{BinaryOp, CompareOp};
use netcl_kernels::kir::{Expr as Kir, ExprId, Stmt, ValueType, VarId};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, Pat, RangeLimits};

/// What a loop counts.
struct LoopRange {
    start: ExprId,
    end: ExprId,
    /// Whether `end` is the last value.
    closed: bool,
    /// A `U32`.
    step: ExprId,
    ty: ValueType,
}

impl Simt<'_> {
    /// `for i in a..b`, `for i in a..=b` and `for i in (a..b).step_by(s)`; over a list, unrolled.
    pub(super) fn for_loop(&mut self, each: &ExprForLoop) -> Val {
        let counts = match unparenthesized(&each.expr) {
            Expr::Range(_) => true,
            Expr::MethodCall(call) => call.method != "iter",
            _ => false,
        };
        if !counts {
            return match self.iterated(each) {
                (Val::List(values), pattern) => self.unrolled(each, pattern, values),
                (Val::Unknown, _) => self.unknown_rounds(each),
                _ => {
                    self.report(each.expr.span(), &m::SIMT_LOOP, &[]);
                    self.unknown_rounds(each)
                }
            };
        }
        let name = match &*each.pat {
            Pat::Ident(ident) => crate::parse::name(&ident.ident),
            Pat::Wild(_) => "round".to_string(),
            other => {
                self.report(other.span(), &m::PATTERN, &[]);
                self.counted(&each.expr);
                return self.unknown_rounds(each);
            }
        };
        if let Some((counter, instead)) = backwards(each) {
            self.report(each.expr.span(), &m::SIMT_BACKWARDS, &[&counter, &instead]);
            return self.unknown_rounds(each);
        }
        let Some(mut range) = self.counted(&each.expr) else { return self.unknown_rounds(each) };
        let statement = match self.bounds(&range) {
            Some((end, step)) => {
                let var = self.builder.var(&name, range.ty);
                self.counts(var, range.start, end);
                let counter = self.builder.get(var);
                let known = self.learn_below(counter, end);
                let body = self.rounds(each, &name, |_| counter);
                self.forget(known);
                Stmt::For { var, start: range.start, end, step, body }
            }
            None => {
                let (var, end) = self.number_of_rounds(&mut range);
                let body = self.rounds(each, &name, |this| {
                    let value = this.value_in_round(&range, var);
                    this.builder.named(&name, value)
                });
                let [start, step] = [0, 1].map(|value| self.builder.literal(Literal::Int(value, wide(range.ty.dtype))));
                Stmt::For { var, start, end, step, body }
            }
        };
        self.builder.stmt(statement);
        Val::Unit
    }

    fn counted(&mut self, expr: &Expr) -> Option<LoopRange> {
        let span = expr.span();
        let (range, step) = match unparenthesized(expr) {
            Expr::MethodCall(call) if call.method == "step_by" && call.args.len() == 1 => {
                (unparenthesized(&call.receiver), Some(&call.args[0]))
            }
            other => (other, None),
        };
        let (start, end, closed) = match range {
            Expr::Range(range) => match (&range.start, &range.end) {
                (Some(start), Some(end)) => (&**start, &**end, matches!(range.limits, RangeLimits::Closed(_))),
                _ => return self.no_range(span),
            },
            _ => return self.no_range(span),
        };
        // A number that has a name may be another one where the kernel is used.
        if let [Some(first), Some(last)] = [start, end].map(written_integer)
            && (first > last || first == last && !closed)
        {
            let instead = match first > last {
                true => format!("write `{last}..{first}`, and to go down turn the index round"),
                false => format!("give it an end above {last}"),
            };
            self.report(range.span(), &m::RANGE_DOWN, &[&text(range), &instead]);
            return None;
        }
        let step_span = step.map_or(span, Spanned::span);
        let mut values = self.operands([start, end].into_iter().chain(step)).into_iter();
        let mut next = || values.next();
        let (start, end) = (next().unwrap_or(Val::Unknown), next().unwrap_or(Val::Unknown));
        let step = next().unwrap_or(Val::Number(Constant::Integer(1)));
        let (start, end) = self.pair(start, end, [span; 2])?;
        let ty = self.ty(start);
        if self.ty(end) != ty {
            self.unlike("..", &ty, &self.ty(end), span);
            return None;
        }
        if !ty.dtype.is_integer() || ty.lanes > 1 {
            return self.no_range(span);
        }
        let step = self.value(step, Some(DType::U32), step_span)?;
        // `step_by` takes a `usize`, whatever the counter is.
        let step = self.builder.cast(DType::U32, step);
        if self.whole(step) == Some(0) {
            self.report(step_span, &m::SIMT_STEP, &[]);
            return None;
        }
        Some(LoopRange { start, end, closed, step, ty })
    }

    fn no_range<T>(&self, span: Span) -> Option<T> {
        self.report(span, &m::SIMT_LOOP, &[]);
        None
    }

    /// The end and the step of a loop that counts by itself: where neither can leave the counter's type.
    fn bounds(&mut self, range: &LoopRange) -> Option<(ExprId, ExprId)> {
        let dtype = range.ty.dtype;
        let number =
            |this: &mut Self, value: i64| dtype.holds(value).then(|| this.builder.literal(Literal::Int(value, dtype)));
        let width = self.whole(range.step)?;
        let step = number(self, width)?;
        let end = match range.closed {
            true => {
                let past = self.whole(range.end)?.checked_add(1)?;
                number(self, past)?
            }
            false => range.end,
        };
        // By steps of 1 the counter ends at the end itself, else as far behind it as a step is wide.
        let fits = width == 1 || self.range(end).1.checked_add(width).is_some_and(|past| dtype.holds(past));
        fits.then_some((end, step))
    }

    /// A counter of rounds and how many there are, for a range whose step or last value the kernel learns when it runs.
    fn number_of_rounds(&mut self, range: &mut LoopRange) -> (VarId, ExprId) {
        let wide = wide(range.ty.dtype);
        let [zero, one] = [0, 1].map(|value| self.builder.literal(Literal::Int(value, wide)));
        range.start = self.once("first", range.start);
        range.end = self.once("last", range.end);
        let step = self.builder.cast(wide, range.step);
        let step = self.builder.binary(BinaryOp::Max, step, one);
        range.step = self.once("step", step);
        let order = if range.closed { CompareOp::Le } else { CompareOp::Lt };
        let any = self.builder.compare(order, range.start, range.end);
        let [start, end] = [range.start, range.end].map(|value| self.builder.cast(wide, value));
        let mut distance = self.builder.binary(BinaryOp::Sub, end, start);
        if !range.closed {
            distance = self.builder.binary(BinaryOp::Sub, distance, one);
        }
        let steps = self.builder.binary(BinaryOp::Div, distance, range.step);
        let rounds = self.builder.binary(BinaryOp::Add, steps, one);
        let rounds = self.builder.select(any, rounds, zero);
        let rounds = self.once("rounds", rounds);
        (self.builder.var("round", ValueType::scalar(wide)), rounds)
    }

    /// What the loop's variable is in a round.
    fn value_in_round(&mut self, range: &LoopRange, round: VarId) -> ExprId {
        let start = self.builder.cast(wide(range.ty.dtype), range.start);
        let round = self.builder.get(round);
        let passed = self.builder.binary(BinaryOp::Mul, round, range.step);
        let value = self.builder.binary(BinaryOp::Add, start, passed);
        self.builder.cast(range.ty.dtype, value)
    }

    /// The body, where `name` is `value`.
    fn rounds(&mut self, each: &ExprForLoop, name: &str, value: impl FnOnce(&mut Self) -> ExprId) -> Vec<Stmt> {
        self.scopes.push(Vec::new());
        self.rounds.push(None);
        self.builder.open();
        let value = value(self);
        self.bind(name, Val::Expr(value, None), None);
        let value = self.block(&each.body);
        let body = self.builder.close();
        self.rounds.pop();
        self.scopes.pop();
        if !matches!(value, Val::Unit | Val::Unknown) {
            self.report(each.body.span(), &m::OPERAND, &[&"for", &kind(&value)]);
        }
        body
    }

    /// The body of a loop over what is wrong, for its own mistakes.
    fn unknown_rounds(&mut self, each: &ExprForLoop) -> Val {
        self.scopes.push(Vec::new());
        self.rounds.push(None);
        self.builder.open();
        self.bind_unknown(&each.pat);
        self.block(&each.body);
        self.builder.close();
        self.rounds.pop();
        self.scopes.pop();
        Val::Unknown
    }

    /// The whole number that stands in the text.
    fn whole(&self, id: ExprId) -> Option<i64> {
        match self.builder.kernel().expr(id) {
            Kir::Literal(Literal::Int(value, _)) => Some(*value),
            _ => None,
        }
    }
}

/// The type in which the distance between two numbers of the type is counted.
fn wide(dtype: DType) -> DType {
    if dtype == DType::I64 { DType::I64 } else { DType::U32 }
}

/// What to write for `for i in (0..N).rev()`: a loop that counts up, and the index that follows from its counter.
fn backwards(each: &ExprForLoop) -> Option<(String, String)> {
    let Expr::MethodCall(call) = unparenthesized(&each.expr) else { return None };
    let Expr::Range(range) = unparenthesized(&call.receiver) else { return None };
    let (Some(start), Some(end)) = (&range.start, &range.end) else { return None };
    if call.method != "rev" || !call.args.is_empty() {
        return None;
    }
    let name = text(&each.pat);
    let counter = if name == "k" { "j" } else { "k" };
    let (start, end) = (text(start), text(end));
    let last = match range.limits {
        RangeLimits::HalfOpen(_) => format!("{end} - 1"),
        RangeLimits::Closed(_) => end,
    };
    let behind = if start == "0" { counter.to_string() } else { format!("({counter} - {start})") };
    let range = text(unparenthesized(&call.receiver));
    Some((range.clone(), format!("for {counter} in {range} {{ let {name} = {last} - {behind}; .. }}")))
}
