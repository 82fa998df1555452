//! What leaves a body before its end: `return`, `break` and `continue`; and the loops that run as long as something that is known
//! while compiling says, `while` and `loop`.
//!
//! What leaves is noted in the call's frame, and blocks and loops stop where they find it. Among scalars a `return` under an
//! `if` on a value leaves for some elements alone: it is noted with its condition, and chooses once the body has been looked at.

use super::leave::{BranchSide, EnteredLoop, Leave};
use super::{Lowering, Val};
use crate::ast::PlainType;
use crate::messages as m;
use crate::parse::text;
use crate::words;
use netcl_kernels::graph::{BinaryOp, NodeId, UnaryOp};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprBreak, ExprContinue, ExprLoop, ExprReturn, ExprWhile, Label, Lifetime};

/// What a `while` compares.
const COUNTED: &str = "each round is compiled: compare numbers that change, as in `while i < 3 { .. i += 1; }`";

impl<'a> Lowering<'a> {
    /// Whether what follows is not reached.
    pub(super) fn leaves(&self) -> bool {
        self.frame().control.leaves.is_some()
    }

    /// Takes what leaves out of sight, for what may be reached or not.
    pub(super) fn stay(&mut self) -> Option<Leave<'a>> {
        self.frame_mut().control.leaves.take()
    }

    /// What leaves is what it was.
    pub(super) fn leave_as(&mut self, leaves: Option<Leave<'a>>) {
        self.frame_mut().control.leaves = leaves;
    }

    /// The value of a function's block: what it ends with, or returns before.
    pub(super) fn function_block(&mut self, block: &'a Block) -> Val<'a> {
        self.frame_mut().control.declared = self.expected;
        let value = self.block(block);
        self.with_returned(value, block.span())
    }

    /// The value of a body that has been looked at and ends with `value`.
    pub(super) fn with_returned(&mut self, value: Val<'a>, span: Span) -> Val<'a> {
        let control = std::mem::take(&mut self.frame_mut().control);
        let value = match control.leaves {
            Some(Leave::Return(value)) => value,
            _ => value,
        };
        let returned = control.returned.into_iter().rev().fold(value, |rest, (condition, value)| {
            self.expected = control.declared;
            self.returned_or(condition, value, rest, span)
        });
        self.expected = None;
        returned
    }

    /// What leaves, and the loops that something else than a range ends.
    pub(super) fn leaving(&mut self, expr: &'a Expr) -> Val<'a> {
        match expr {
            Expr::While(each) => self.while_loop(each),
            Expr::Loop(each) => self.endless_loop(each),
            Expr::Return(given) => self.returns(given),
            Expr::Break(given) => self.breaks(given),
            Expr::Continue(given) => self.continues(given),
            other => self.unsupported(other),
        }
    }

    /// `return x`.
    pub(super) fn returns(&mut self, given: &'a ExprReturn) -> Val<'a> {
        if self.axes.is_some() && !self.in_function() {
            let instead = super::misuse::early(given);
            return self.report(given.span(), &m::UNSUPPORTED, &[&"`return`", &instead]);
        }
        if let Some(said) = self.frame().control.loops.iter().find_map(|own| own.symbolic) {
            return self.leaves_rounds("return", said, given.span());
        }
        (self.expected, self.wanted) = (self.frame().control.declared, true);
        let value = given.expr.as_deref().map_or(Val::Unit, |value| self.expr(value));
        if !self.leaves() {
            let condition = self.condition_here();
            let control = &mut self.frame_mut().control;
            if let Some(condition) = condition {
                control.returned.push((condition, value.clone()));
            }
            control.leaves = Some(Leave::Return(value));
        }
        Val::Unknown
    }

    /// Whether all elementwise `if`s that this is in are gone through this way.
    fn condition_here(&mut self) -> Option<NodeId> {
        let all = self.frame().control.chosen.clone();
        let all = all.into_iter().map(|(condition, holds)| match holds {
            true => condition,
            false => self.builder.unary(UnaryOp::Not, condition).unwrap_or(condition),
        });
        let all: Vec<NodeId> = all.collect();
        all.into_iter().reduce(|a, b| self.builder.binary(BinaryOp::And, a, b).unwrap_or(a))
    }

    /// Evaluates the side of an elementwise `if` that is gone where `condition` holds or does not.
    pub(super) fn side(
        &mut self,
        condition: (NodeId, bool),
        evaluate: impl FnOnce(&mut Self) -> Val<'a>,
    ) -> BranchSide<'a> {
        self.frame_mut().control.chosen.push(condition);
        let value = evaluate(self);
        let control = &mut self.frame_mut().control;
        control.chosen.pop();
        match control.leaves.take() {
            Some(Leave::Return(_)) => BranchSide::Returned,
            _ => BranchSide::Value(value),
        }
    }

    /// Both sides of an elementwise `if` have returned: so does the `if`, the one side where its condition holds.
    pub(super) fn both_returned(&mut self) {
        let Some((_, value)) = self.frame_mut().control.returned.pop() else { return };
        let condition = self.condition_here();
        let control = &mut self.frame_mut().control;
        if let Some(condition) = condition {
            control.returned.push((condition, value.clone()));
        }
        control.leaves = Some(Leave::Return(value));
    }

    /// `break`, also with a value.
    pub(super) fn breaks(&mut self, given: &'a ExprBreak) -> Val<'a> {
        if self.leads_nowhere("break", given.label.as_ref(), given.span()) {
            return Val::Unknown;
        }
        let value = given.expr.as_deref().map_or(Val::Unit, |value| self.expr(value));
        let leaves = Leave::Break(given.label.as_ref().map(|label| label.to_string()), value);
        self.frame_mut().control.leaves.get_or_insert(leaves);
        Val::Unknown
    }

    /// `continue`.
    pub(super) fn continues(&mut self, given: &'a ExprContinue) -> Val<'a> {
        if self.leads_nowhere("continue", given.label.as_ref(), given.span()) {
            return Val::Unknown;
        }
        let leaves = Leave::Continue(given.label.as_ref().map(|label| label.to_string()));
        self.frame_mut().control.leaves.get_or_insert(leaves);
        Val::Unknown
    }

    /// Rule: a loop is left as a whole, and one that there is. Wrong: `break` under an `if` on an element's value.
    fn leads_nowhere(&mut self, word: &str, label: Option<&Lifetime>, span: Span) -> bool {
        let control = &self.frame().control;
        let wanted = label.map(ToString::to_string);
        let target = control.loops.iter().rposition(|own| wanted.is_none() || own.label == wanted);
        let left = target.map_or(&[][..], |target| &control.loops[target..]);
        if let Some(said) = left.iter().find_map(|own| own.symbolic) {
            self.leaves_rounds(word, said, span);
            return true;
        }
        // An `if` around the whole loop is not left.
        let around = left.first().map_or(0, |own| own.chosen);
        let instead = if target.is_none() {
            "it leaves a loop, and stands in none of that name"
        } else if control.chosen.len() > around || self.axes.is_some() && !self.in_function() {
            "all rounds are computed for every element: assign under the `if` what the rest would change"
        } else {
            return false;
        };
        self.report(span, &m::UNSUPPORTED, &[&format!("this `{word}`"), &instead]);
        true
    }

    /// Rule: a loop over a symbol has all its rounds. Wrong: `break`, or `return h`, in `for t in 0..T`.
    fn leaves_rounds(&mut self, word: &str, said: usize, span: Span) -> Val<'a> {
        // Of what may never be reached nothing is said, nor of what stands under a condition that was refused.
        if !self.doubtful && self.diag.count() == said {
            let instead =
                "a loop over a symbol has all its rounds: choose with `condition.select(a, b)` what a round gives";
            self.report(span, &m::UNSUPPORTED, &[&format!("this `{word}`"), &instead]);
        }
        Val::Unknown
    }

    /// One round of a loop: whether another follows, and what is given to `break`.
    pub(super) fn one_round(
        &mut self,
        label: Option<&Label>,
        body: impl FnOnce(&mut Self) -> Val<'a>,
    ) -> (bool, Option<Val<'a>>) {
        let own = label.map(|label| label.name.to_string());
        let control = &mut self.frame_mut().control;
        control.loops.push(EnteredLoop { label: own.clone(), symbolic: None, chosen: control.chosen.len() });
        let value = body(self);
        let control = &mut self.frame_mut().control;
        control.loops.pop();
        let here = |label: &Option<String>| label.is_none() || *label == own;
        match control.leaves.take() {
            None => (true, Some(value)),
            Some(Leave::Continue(label)) if here(&label) => (true, Some(Val::Unit)),
            Some(Leave::Break(label, value)) if here(&label) => (false, Some(value)),
            leaves => {
                control.leaves = leaves;
                (false, None)
            }
        }
    }

    /// `while i < 3 { .. }`.
    pub(super) fn while_loop(&mut self, each: &'a ExprWhile) -> Val<'a> {
        if let Some(name) = super::slips::unchanged(&each.cond, &each.body)
            && matches!(self.lookup(&name), Some((Val::Dim(_), _)))
            && matches!(self.expr(&each.cond), Val::Bool(true))
        {
            return self.report(each.cond.span(), &m::LOOP_UNCHANGED, &[&name, &name, &name]);
        }
        self.rounds_while(each.cond.span(), each.label.as_ref(), &each.body, |this| {
            this.frame_mut().scopes.push(Vec::new());
            this.runs_on(&each.cond)
        })
        .map_or(Val::Unknown, |_| Val::Unit)
    }

    /// `loop { .. break; .. }`.
    pub(super) fn endless_loop(&mut self, each: &'a ExprLoop) -> Val<'a> {
        let open = std::mem::take(&mut self.open);
        let run = |this: &mut Self| {
            this.frame_mut().scopes.push(Vec::new());
            // In which round a `break` is, whose condition depends on numbers of the model, is known where these are.
            (!this.open).then_some(true)
        };
        let value = self.rounds_while(each.loop_token.span, each.label.as_ref(), &each.body, run);
        self.open |= open;
        value.unwrap_or(Val::Unknown)
    }

    /// The rounds of a loop, while `run`, which opens a scope for each, says so; what it was left with.
    fn rounds_while(
        &mut self,
        span: Span,
        label: Option<&Label>,
        body: &'a Block,
        mut run: impl FnMut(&mut Self) -> Option<bool>,
    ) -> Option<Val<'a>> {
        let before = self.diag.count();
        for _ in 0..=words::MAX_ROUNDS {
            let runs = run(self);
            if runs != Some(true) || self.decisions.len() > words::MAX_PATHS || self.doubtful {
                let last = |this: &mut Self| {
                    if runs != Some(false) {
                        this.somehow(span, |this| drop(this.one_round(label, |this| this.block(body))));
                    }
                    this.frame_mut().scopes.pop();
                };
                last(self);
                // Of too many ways through the function it is said where they are counted.
                return (runs == Some(false)).then_some(Val::Unit);
            }
            self.rounds += 1;
            if self.rounds > words::MAX_ALL_ROUNDS {
                self.frame_mut().scopes.pop();
                self.report(span, &m::LOOPS_TOO_LONG, &[&words::MAX_ALL_ROUNDS]);
                return None;
            }
            let (goes_on, value) = self.one_round(label, |this| this.block(body));
            self.frame_mut().scopes.pop();
            let value = value?;
            if !goes_on {
                return Some(value);
            }
            if !matches!(value, Val::Unit | Val::Unknown) {
                self.report(body.span(), &m::UNUSED_VALUE, &[&super::slips::KEPT]);
            }
            // One round's mistakes are every round's.
            if self.diag.count() > before {
                return None;
            }
        }
        self.report(span, &m::LOOP_TOO_LONG, &[&format!("more than {}", words::MAX_ROUNDS), &words::MAX_ROUNDS]);
        None
    }

    /// Whether the condition of a `while` holds; `None` where nobody knows, which has been said.
    fn runs_on(&mut self, condition: &'a Expr) -> Option<bool> {
        if super::choice::has_let(condition) {
            return self.let_chain(condition);
        }
        match self.expr(condition) {
            Val::Bool(value) => Some(value),
            Val::Plain(tokens, PlainType::Bool) => Some(self.decide(tokens)),
            Val::Unknown => None,
            other => {
                let written = text(condition);
                let (found, instead) = match other {
                    Val::Tensor(_) if self.elementwise => (
                        format!("`{written}`, which is computed"),
                        format!(
                            "each round is compiled: so many rounds as there may be, `for _ in 0..8`, with the condition inside, \
                             `if {written} {{ .. }}`"
                        ),
                    ),
                    Val::Tensor(_) => (format!("`{written}`, which is computed"), COUNTED.to_string()),
                    other => (other.kind(), COUNTED.to_string()),
                };
                self.report(condition.span(), &m::WHILE_CONDITION, &[&found, &instead]);
                None
            }
        }
    }
}
