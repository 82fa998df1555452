//! `for` loops: what they run over, and their rounds.

use super::value::WholeNumber;
use super::{FieldRef, Lowering, Val};
use crate::messages as m;
use crate::parse::{self, text};
use crate::words;
use netcl_kernels::dim::Dim;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprForLoop, Pat};

impl<'a> Lowering<'a> {
    /// What a loop runs over; what it cannot run over is reported.
    fn rounds_of(&mut self, each: &'a ExprForLoop) -> Option<Rounds<'a>> {
        if let Expr::MethodCall(call) = parse::unparenthesized(&each.expr)
            && call.method == "rev"
            && let range @ Expr::Range(_) = parse::unparenthesized(&call.receiver)
            && let Val::Range(start, end, ty) = self.expr(range)
            && self.is_symbolic(&start, &end)
        {
            let length = end - start.clone();
            return Some(Rounds::Symbolic { start: WholeNumber { size: start, ty }, length, reversed: true });
        }
        let (wrong, found) = match self.expr(&each.expr) {
            Val::Unknown => return None,
            Val::Range(start, end, ty) => match (start.as_constant(), end.as_constant()) {
                (Some(start), Some(end)) => {
                    let rounds = end.saturating_sub(start).max(0);
                    if rounds <= words::MAX_ROUNDS {
                        let round = |value| Val::Dim(WholeNumber { size: Dim::constant(value), ty });
                        return Some(Rounds::Each((start..end).map(round).collect()));
                    }
                    self.report(each.expr.span(), &m::LOOP_TOO_LONG, &[&rounds, &words::MAX_ROUNDS]);
                    return None;
                }
                _ if self.is_open(&(end.clone() - start.clone())) => {
                    self.open();
                    return None;
                }
                _ if self.is_symbolic(&start, &end) => {
                    let length = end - start.clone();
                    return Some(Rounds::Symbolic { start: WholeNumber { size: start, ty }, length, reversed: false });
                }
                _ if self.builder.is_in_loop(&(end.clone() - start.clone())) => {
                    let what = format!("an inner loop over `{}`", text(&each.expr));
                    let instead = "it has as many rounds in each round of the outer one: let it run over the whole axis, and choose zero for what a round does not use";
                    self.report(each.expr.span(), &m::UNSUPPORTED, &[&what, &instead]);
                    return None;
                }
                // At most one round, where a size is 1.
                _ if self.axes.is_none()
                    && !self.elementwise
                    && (Dim::constant(1) - (end.clone() - start.clone())).never_negative() =>
                {
                    self.counts_down(&each.expr, (&start, &end));
                    return None;
                }
                _ if self.axes.is_none() && !self.elementwise => {
                    let (range, length) = (format!("{start}..{end}"), end - start);
                    let mut symbol = String::new();
                    length.visit_symbols(&mut |one| symbol = one.to_string());
                    self.report(each.expr.span(), &m::LOOP_NEGATIVE, &[&range, &length, &symbol, &symbol, &symbol]);
                    return None;
                }
                _ if self.axes.is_some() => (&m::KERNEL_LOOP, format!("{start}..{end}")),
                _ => (&m::LOOP_SYMBOL, format!("{start}..{end}")),
            },
            Val::Place(place @ FieldRef::Many(..)) => return Some(Rounds::Each(self.elements(&place))),
            Val::List(items) => return Some(Rounds::Each(items)),
            // Of a field: in Rust a tuple is gone over by nobody.
            Val::Tuple(items) if items.iter().all(|item| matches!(item, Val::Place(_))) => {
                return Some(Rounds::Each(items));
            }
            // Of one of them all has been said.
            other if other.is_unknown() => return None,
            other => (&m::LOOP_RANGE, other.kind()),
        };
        self.report(each.expr.span(), wrong, &[&found]);
        None
    }

    /// Rule: a range goes up. Wrong: `T..0`, `T - 1..=0`.
    fn counts_down(&self, range: &Expr, (start, end): (&Dim, &Dim)) {
        let closed = matches!(parse::unparenthesized(range), Expr::Range(range) if matches!(range.limits, syn::RangeLimits::Closed(_)));
        let past = Dim::constant(i64::from(closed));
        let instead = format!("({}..{}).rev()", end.clone() - past.clone(), start.clone() + past);
        self.report(range.span(), &m::RANGE_DOWN, &[&text(range), &format!("to count down write `{instead}`")]);
    }

    /// Whether a loop over `start..end` is one of the graph: how many rounds it has is known at run time, and none is negative.
    fn is_symbolic(&self, start: &Dim, end: &Dim) -> bool {
        let length = end.clone() - start.clone();
        self.axes.is_none()
            && !self.elementwise
            && length.as_constant().is_none()
            && !self.is_open(&length)
            && length.never_negative()
    }

    /// `for i in 0..4` and `for layer in &self.layers`, unrolled; `for t in 0..T`.
    pub(super) fn for_loop(&mut self, each: &'a ExprForLoop) -> Val<'a> {
        let span = each.expr.span();
        // The elements of `&list` are references in Rust.
        let pattern = match (&*each.pat, &*each.expr) {
            (Pat::Reference(pattern), Expr::Reference(_) | Expr::MethodCall(_)) => &pattern.pat,
            _ => &each.pat,
        };
        let said = self.diag.count();
        let Some(rounds) = self.rounds_of(each).filter(|_| !self.doubtful) else {
            // Look into the body for mistakes of its own.
            let round = |this: &mut Self| {
                this.one_round(each.label.as_ref(), |this| this.for_round((pattern, false), Val::Unknown, &each.body));
            };
            if self.partial && self.diag.count() == said {
                self.perhaps(span, round);
            } else {
                self.somehow(span, round);
            }
            return Val::Unknown;
        };
        let alike = self.is_certain(&each.expr) && rounds.are_alike();
        let items = match rounds {
            Rounds::Each(items) => items,
            Rounds::Symbolic { start, length, reversed } => {
                return self.symbolic_loop(pattern, (start, length, reversed), each);
            }
        };
        if items.is_empty() {
            self.no_rounds(pattern, each);
        }
        let before = self.diag.count();
        for item in items {
            self.rounds += 1;
            if self.rounds > words::MAX_ALL_ROUNDS {
                return self.report(span, &m::LOOPS_TOO_LONG, &[&words::MAX_ALL_ROUNDS]);
            }
            let (goes_on, value) =
                self.one_round(each.label.as_ref(), |this| this.for_round((pattern, alike), item, &each.body));
            if !matches!(value, None | Some(Val::Unit | Val::Unknown)) {
                return self.report(each.body.span(), &m::UNUSED_VALUE, &[&super::slips::KEPT]);
            }
            if !goes_on {
                break;
            }
            // One round's mistakes are every round's.
            if self.diag.count() > before {
                return Val::Unknown;
            }
        }
        Val::Unit
    }

    /// The value of a loop's body where `pattern` is `item`. `alike`: all items are of one kind.
    pub(super) fn for_round(&mut self, (pattern, alike): (&'a Pat, bool), item: Val<'a>, body: &'a Block) -> Val<'a> {
        self.frame_mut().scopes.push(Vec::new());
        self.bind_certain(alike, |this| this.bind_pattern(pattern, item));
        let value = self.block(body);
        self.frame_mut().scopes.pop();
        value
    }
}

/// What a loop runs over.
enum Rounds<'a> {
    /// Each of these is compiled.
    Each(Vec<Val<'a>>),
    /// As many as a symbol says, from a start on, or back to it.
    Symbolic { start: WholeNumber, length: Dim, reversed: bool },
}

impl Rounds<'_> {
    /// Whether all are of one kind, as the parts of a list are, and those of a tuple need not be.
    fn are_alike(&self) -> bool {
        let Rounds::Each(items) = self else { return true };
        let alike = |(one, other): (&Val<'_>, &Val<'_>)| match (one, other) {
            (Val::Place(FieldRef::Layer(one, ..)), Val::Place(FieldRef::Layer(other, ..))) => {
                one.layer.name == other.layer.name
            }
            (Val::Place(FieldRef::Model(one, ..)), Val::Place(FieldRef::Model(other, ..))) => {
                std::ptr::eq(*one, *other)
            }
            (one, other) => {
                ![one, other].iter().any(|item| matches!(item, Val::Place(_) | Val::Tuple(_) | Val::Struct(..)))
            }
        };
        items.iter().zip(items.iter().skip(1)).all(alike)
    }
}
