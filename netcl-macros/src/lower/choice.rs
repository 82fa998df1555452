//! `match`, `if let` and the patterns in them: which arm is taken is known while compiling, chosen by a plain argument, or, among
//! scalars, chosen element by element.

use super::arith::Places;
use super::cases::{Cases, cases};
use super::expected::Expected;
use super::{Lowering, Val};
use crate::ast::PlainType;
use crate::messages as m;
use crate::parse::text;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::NodeId;
use syn::spanned::Spanned;
use syn::{Arm, Expr, ExprIf, ExprMatch, Pat};

/// An arm, with the cases of its or-patterns that it is taken for.
pub(super) type OneArm<'a> = (&'a Arm, Cases<'a>);

/// What of a value is known that a pattern is compared with.
enum Taken {
    Yes,
    No,
    /// Nobody knows, which has been said, or numbers say that this is compiled for.
    Unknown,
    /// Element by element.
    Elementwise(NodeId),
}

/// How elements are chosen.
pub(super) const CHOICE: &str = "condition.select(a, b)";

impl<'a> Lowering<'a> {
    /// `let Some(l) = &self.l else { return x; };`: a `match` whose first arm is the rest of the block.
    pub(super) fn let_else(&mut self, local: &'a syn::Local, given: &'a Expr, otherwise: &'a Expr) -> Val<'a> {
        let value = self.expr(given);
        let value = self.as_certain(value, given);
        let taken = match &value {
            Val::Unknown => Taken::Unknown,
            value => self.takes(&local.pat, value),
        };
        match taken {
            Taken::Yes => {
                self.unreached(otherwise, |this| {
                    let value = this.expr(otherwise);
                    if !this.leaves() && !value.is_unknown() {
                        this.report(otherwise.span(), &m::LET_ELSE, &[]);
                    }
                });
                Val::Unit
            }
            Taken::No => {
                let before = self.diag.count();
                let value = self.expr(otherwise);
                let said = self.leaves() || self.diag.count() > before || self.doubtful && value.is_unknown();
                if said { Val::Unknown } else { self.report(otherwise.span(), &m::LET_ELSE, &[]) }
            }
            Taken::Unknown => {
                self.somehow(otherwise.span(), |this| drop(this.expr(otherwise)));
                self.bind_unknown(&local.pat, false);
                Val::Unit
            }
            Taken::Elementwise(_) => {
                let instead = "which it is differs from element to element: write `if` and `else` with a value in both";
                self.bind_unknown(&local.pat, false);
                self.report(local.span(), &m::UNSUPPORTED, &[&"`let .. else`", &instead])
            }
        }
    }

    /// `match kind { 0 => x.relu(), _ => x }`.
    pub(super) fn choice(&mut self, given: &'a ExprMatch, wanted: bool) -> Val<'a> {
        let expected = self.expected.take();
        let value = self.expr(&given.expr);
        let value = self.as_certain(value, &given.expr);
        self.expected = expected;
        self.judge_arms(given, &value);
        if value.is_unknown() {
            // Each arm may be the one.
            let said = self.diag.count();
            for arm in &given.arms {
                let look = |this: &mut Self| {
                    this.frame_mut().scopes.push(Vec::new());
                    this.bind_unknown(&arm.pat, false);
                    this.arm_value(arm, wanted);
                    this.frame_mut().scopes.pop();
                };
                match self.partial && self.diag.count() == said {
                    true => self.perhaps(given.expr.span(), look),
                    false => self.somehow(given.expr.span(), look),
                }
            }
            return Val::Unknown;
        }
        if let (Val::Tensor(_), false) = (&value, self.elementwise) {
            let on = format!("`{}`", text(&given.expr));
            return self.report(given.expr.span(), &m::MATCH_TENSOR, &[&on]);
        }
        let decided = self.decisions.len();
        let arms: Vec<OneArm<'a>> =
            given.arms.iter().flat_map(|arm| cases(&arm.pat).into_iter().map(move |cases| (arm, cases))).collect();
        self.arms(given, &arms, value, (wanted, decided))
    }

    /// The first of the arms that the value fits.
    fn arms(
        &mut self,
        given: &'a ExprMatch,
        arms: &[OneArm<'a>],
        value: Val<'a>,
        (wanted, decided): (bool, usize),
    ) -> Val<'a> {
        // Patterns and conditions are of other types.
        let expected = self.expected.take();
        let Some(((arm, cases), rest)) = arms.split_first() else {
            if self.without_arm(&given.expr, &value) {
                return Val::Unknown;
            }
            let found = match &value {
                Val::Dim(dim) => format!("`{dim}`"),
                Val::Bool(truth) => format!("`{truth}`"),
                Val::Number(number) => format!("`{:?}`", number.value),
                Val::Variant(ty, name) => format!("`{ty}::{name}`"),
                other => match self.left_out(given, other) {
                    left if left.is_empty() => other.kind(),
                    left => left.join(", "),
                },
            };
            return self.report(given.match_token.span, &m::MATCH_WITHOUT_ARM, &[&found]);
        };
        self.frame_mut().scopes.push(Vec::new());
        // Where the arms are all that there are, the last one needs no question.
        let last = rest.is_empty() && !matches!(arm.pat, Pat::Guard(_));
        let taken = match last && self.are_all(given, &value) {
            true => {
                self.cases = cases.clone();
                // Of a pattern that fits no such value it is said.
                match self.fits(&arm.pat, &value) {
                    Val::Unknown => Taken::Unknown,
                    _ => {
                        self.bind_matched(&arm.pat, &value);
                        Taken::Yes
                    }
                }
            }
            false => self.takes_case(&arm.pat, cases, &value),
        };
        self.expected = expected;
        let result = match taken {
            Taken::Yes => {
                self.reached(*arm);
                self.arm_value(arm, wanted)
            }
            Taken::No => {
                self.frame_mut().scopes.pop();
                self.arms_left_out(given, &value, &arms[..1], rest);
                return self.arms(given, rest, value, (wanted, decided));
            }
            Taken::Unknown => {
                self.somehow(arm.pat.span(), |this| drop(this.arm_value(arm, wanted)));
                self.frame_mut().scopes.pop();
                for (arm, _) in rest {
                    self.somehow(arm.pat.span(), |this| {
                        this.frame_mut().scopes.push(Vec::new());
                        this.bind_unknown(&arm.pat, false);
                        this.arm_value(arm, wanted);
                        this.frame_mut().scopes.pop();
                    });
                }
                return Val::Unknown;
            }
            Taken::Elementwise(condition) => {
                let suffix = arms.iter().find_map(|(arm, _)| self.whole_type(&arm.body));
                self.expected = suffix.map(Expected::One).or(expected);
                let value = self.elementwise_choice(
                    (condition, (given.expr.span(), given.span()), true),
                    |this| this.arm_value(arm, wanted),
                    |this| this.arms(given, rest, value, (wanted, decided)),
                );
                let value = self.as_branches_say(suffix, value, given.span());
                self.frame_mut().scopes.pop();
                return value;
            }
        };
        self.frame_mut().scopes.pop();
        self.arms_left_out(given, &value, rest, &[]);
        result
    }

    fn arm_value(&mut self, arm: &'a Arm, wanted: bool) -> Val<'a> {
        self.wanted = wanted;
        self.expr(&arm.body)
    }

    /// Whether the value fits the pattern, whose names are bound then. What plain arguments say is decided on this path.
    fn takes(&mut self, pattern: &'a Pat, value: &Val<'a>) -> Taken {
        for cases in cases(pattern) {
            match self.takes_case(pattern, &cases, value) {
                Taken::No => {}
                taken => return taken,
            }
        }
        Taken::No
    }

    /// The same of these cases of the or-patterns in it.
    fn takes_case(&mut self, pattern: &'a Pat, cases: &Cases<'a>, value: &Val<'a>) -> Taken {
        self.cases = cases.clone();
        let (pattern, guard) = match pattern {
            Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
            pattern => (pattern, None),
        };
        let fits = match self.fits(pattern, value) {
            // Part of a tuple is a number that only a call has: `(Act::Line(_), 0.0) => ..` of `(self, s)`.
            Val::Tensor(_) if !self.elementwise => self.report(pattern.span(), &m::MATCH_TENSOR, &[&"this value"]),
            fits => fits,
        };
        let elementwise = match self.holds(fits) {
            Taken::Yes => None,
            Taken::Elementwise(condition) => Some(condition),
            other => {
                self.bind_unknown(pattern, false);
                return other;
            }
        };
        self.bind_matched(pattern, value);
        let Some(guard) = guard else { return elementwise.map_or(Taken::Yes, Taken::Elementwise) };
        if has_let(guard) {
            return match self.let_chain(guard) {
                Some(true) => Taken::Yes,
                Some(false) => Taken::No,
                None => Taken::Unknown,
            };
        }
        let mut guarded = self.expr(guard);
        if let Some(condition) = elementwise {
            let and = syn::BinOp::And(Default::default());
            guarded = self.binary(&and, Val::Tensor(condition), guarded, Places::all(guard.span()));
        }
        let guarded = self.as_condition(guarded, guard, None);
        self.holds(guarded)
    }

    fn holds(&mut self, condition: Val<'a>) -> Taken {
        match condition {
            Val::Bool(true) => Taken::Yes,
            Val::Bool(false) => Taken::No,
            Val::Plain(tokens, PlainType::Bool) => match self.decide(tokens) {
                true => Taken::Yes,
                false => Taken::No,
            },
            Val::Tensor(id) if self.elementwise && self.builder.dtype(id) == DType::Bool => Taken::Elementwise(id),
            _ => Taken::Unknown,
        }
    }

    /// `if let Some(extra) = &self.extra { .. }`, alone or among other conditions.
    pub(super) fn let_branch(&mut self, branch: &'a ExprIf, wanted: bool) -> Val<'a> {
        let expected = self.expected.take();
        self.frame_mut().scopes.push(Vec::new());
        let taken = self.let_chain(&branch.cond);
        self.expected = expected;
        let value = match taken {
            Some(true) => self.taken(branch, true, wanted),
            Some(false) => {
                self.unreached(&branch.then_branch, |this| {
                    this.bind_all_if_there(&branch.cond);
                    this.block(&branch.then_branch);
                });
                Val::Unit
            }
            None => Val::Unknown,
        };
        self.frame_mut().scopes.pop();
        if taken == Some(true) {
            self.not_taken(branch, false);
        }
        self.expected = expected;
        match taken {
            Some(true) => value,
            Some(false) => self.taken(branch, false, wanted),
            None => self.undecided(branch, wanted),
        }
    }

    /// Whether all of the conditions hold; names are bound in the present scope. `None` where nobody knows.
    pub(super) fn let_chain(&mut self, condition: &'a Expr) -> Option<bool> {
        let taken = match condition {
            Expr::Let(inner) => {
                let value = self.expr(&inner.expr);
                let value = self.as_certain(value, &inner.expr);
                if value.is_unknown() {
                    self.bind_unknown(&inner.pat, false);
                    return None;
                }
                if matches!(value, Val::Tensor(_))
                    && !self.elementwise
                    && matches!(*inner.pat, Pat::Lit(_) | Pat::Range(_))
                {
                    let value = format!("let {} = {}", text(&inner.pat), text(&inner.expr));
                    self.report(inner.expr.span(), &m::CONDITION_TENSOR, &[&format!("`{value}`"), &CHOICE, &""]);
                    return None;
                }
                self.takes(&inner.pat, &value)
            }
            Expr::Binary(chain) if matches!(chain.op, syn::BinOp::And(_)) && has_let(condition) => {
                return match self.let_chain(&chain.left)? {
                    true => self.let_chain(&chain.right),
                    false => Some(false),
                };
            }
            other => {
                let value = self.expr(other);
                let value = self.as_condition(value, other, None);
                self.holds(value)
            }
        };
        match taken {
            Taken::Yes => Some(true),
            Taken::No => Some(false),
            Taken::Unknown => None,
            Taken::Elementwise(_) => {
                let instead = "write the conditions one in the other: `if a { if b { .. } .. }`";
                self.report(condition.span(), &m::UNSUPPORTED, &[&"`let` beside a condition on an element", &instead]);
                None
            }
        }
    }
}

/// Whether names are bound in a condition.
pub(super) fn has_let(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(chain) => has_let(&chain.left) || has_let(&chain.right),
        _ => false,
    }
}
