//! `match`, `if let` and the patterns in them: which arm is taken is known while compiling, chosen by a plain argument, or, among
//! scalars, chosen element by element.

use super::arith::{Operator, Places};
use super::{Lowering, Val};
use crate::ast::PlainType;
use crate::messages as m;
use crate::parse::{self, constant, text};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{CompareOp, NodeId};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::spanned::Spanned;
use syn::{Arm, Expr, ExprIf, ExprMatch, Pat, RangeLimits};

/// What of a value is known that a pattern is compared with.
enum Taken {
    Yes,
    No,
    /// Nobody knows, which has been said, or numbers say that this is compiled for.
    Unknown,
    /// Element by element.
    Elementwise(NodeId),
}

impl<'a> Lowering<'a> {
    /// `let Some(l) = &self.l else { return x; };`: a `match` whose first arm is the rest of the block.
    pub(super) fn let_else(&mut self, local: &'a syn::Local, given: &'a Expr, otherwise: &'a Expr) -> Val<'a> {
        let value = self.expr(given);
        let taken = match &value {
            Val::Unknown => Taken::Unknown,
            value => self.takes(&local.pat, value),
        };
        match taken {
            Taken::Yes => Val::Unit,
            Taken::No => {
                let before = self.diag.count();
                self.expr(otherwise);
                let said = self.leaves() || self.diag.count() > before;
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
        let value = self.expr(&given.expr);
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
        self.arms(given, &given.arms, value, (wanted, decided))
    }

    /// The first of the arms that the value fits.
    fn arms(
        &mut self,
        given: &'a ExprMatch,
        arms: &'a [Arm],
        value: Val<'a>,
        (wanted, decided): (bool, usize),
    ) -> Val<'a> {
        let Some((arm, rest)) = arms.split_first() else {
            let found = match &value {
                Val::Dim(dim) => format!("`{dim}`"),
                Val::Bool(truth) => format!("`{truth}`"),
                Val::Number(number) => format!("`{:?}`", number.value),
                Val::Variant(ty, name) => format!("`{ty}::{name}`"),
                other => self.without_arm(other).unwrap_or_else(|| other.kind()),
            };
            return self.report(given.match_token.span, &m::MATCH_WITHOUT_ARM, &[&found]);
        };
        self.frame_mut().scopes.push(Vec::new());
        // Rustc is asked whether the arms are all that there are: then the last one needs no question.
        let last = rest.is_empty() && !matches!(arm.pat, Pat::Guard(_));
        let asked = Self::asked(&value, given.expr.span()).filter(|(_, called)| last && *called);
        let taken = match asked {
            Some((on, _)) => {
                self.note_match(given, &on);
                // Of a pattern that fits no such value it is said.
                match self.fits(&arm.pat, &value) {
                    Val::Unknown => Taken::Unknown,
                    _ => {
                        self.bind_matched(&arm.pat, &value);
                        Taken::Yes
                    }
                }
            }
            None => self.takes(&arm.pat, &value),
        };
        let result = match taken {
            Taken::Yes => self.arm_value(arm, wanted),
            Taken::No => {
                self.frame_mut().scopes.pop();
                return self.arms(given, rest, value, (wanted, decided));
            }
            Taken::Unknown => {
                self.somehow(arm.pat.span(), |this| drop(this.arm_value(arm, wanted)));
                self.frame_mut().scopes.pop();
                for arm in rest {
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
                let suffix = arms.iter().find_map(|arm| self.whole_type(&arm.body));
                self.expected = suffix.or(self.expected);
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
        result
    }

    fn arm_value(&mut self, arm: &'a Arm, wanted: bool) -> Val<'a> {
        self.wanted = wanted;
        self.expr(&arm.body)
    }

    /// Whether the value fits the pattern, whose names are bound then. What plain arguments say is decided on this path.
    fn takes(&mut self, pattern: &'a Pat, value: &Val<'a>) -> Taken {
        let (pattern, guard) = match pattern {
            Pat::Guard(guarded) => (&*guarded.pat, Some(&*guarded.guard)),
            pattern => (pattern, None),
        };
        let fits = self.fits(pattern, value);
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

    /// Whether the value fits the pattern, as a truth that is known, chosen when the function is called, or computed.
    fn fits(&mut self, pattern: &'a Pat, value: &Val<'a>) -> Val<'a> {
        let span = pattern.span();
        if let Some(fits) = self.fits_variant(pattern, value) {
            return fits;
        }
        match (pattern, value) {
            (_, Val::Unknown) => Val::Unknown,
            (Pat::Wild(_) | Pat::Rest(_), _) => Val::Bool(true),
            (Pat::Paren(inner), _) => self.fits(&inner.pat, value),
            (Pat::Reference(inner), _) => self.fits(&inner.pat, value),
            (Pat::Or(either), _) => {
                self.all_fit(either.cases.iter().map(|case| (case, value)), syn::BinOp::Or(Default::default()))
            }
            (Pat::Lit(literal), _) => self.equals(literal_of(&literal.lit), &literal.lit, value, span),
            (Pat::Range(range), _) => {
                let ends = [(range.start.as_deref(), true), (range.end.as_deref(), false)];
                let mut all = Val::Bool(true);
                for (end, starts) in ends {
                    let Some(end) = end else { continue };
                    let op = match (starts, &range.limits) {
                        (true, _) => syn::BinOp::Ge(Default::default()),
                        (false, RangeLimits::HalfOpen(_)) => syn::BinOp::Lt(Default::default()),
                        (false, RangeLimits::Closed(_)) => syn::BinOp::Le(Default::default()),
                    };
                    let end = self.expr(end);
                    let one = self.binary(&op, value.clone(), end, Places::all(span));
                    all = self.both(all, one, span);
                }
                all
            }
            (Pat::Ident(name), Val::Option(given)) if name.ident == "None" => Val::Bool(given.is_none()),
            (Pat::Ident(name), _) if self.names_a_value(&name.ident) => match self.constant_of(&name.ident) {
                Some(known) => {
                    self.binary(&syn::BinOp::Eq(Default::default()), value.clone(), known, Places::all(span))
                }
                None => self.is_variant(&parse::name(&name.ident), value, span),
            },
            (Pat::Ident(name), _) => match &name.subpat {
                Some((_, inner)) => self.fits(inner, value),
                None => Val::Bool(true),
            },
            (Pat::Path(path), _) => match constant::known(&path.path, &self.frame().unit.constants) {
                Some(known) => {
                    let eq = syn::BinOp::Eq(Default::default());
                    self.binary(&eq, value.clone(), known.into(), Places::all(span))
                }
                None => self.is_variant(&last(&path.path), value, span),
            },
            (Pat::Struct(parts), Val::Struct(..)) => {
                let mut all = Val::Bool(true);
                for (pattern, value) in self.fields_of(parts, value.clone()) {
                    let one = self.fits(pattern, &value);
                    all = self.both(all, one, span);
                }
                all
            }
            (Pat::Struct(variant), Val::Plain(_, PlainType::Enum) | Val::Variant(..))
                if variant.fields.is_empty() && variant.rest.is_some() =>
            {
                self.is_variant(&last(&variant.path), value, span)
            }
            (Pat::TupleStruct(variant), Val::Plain(_, PlainType::Enum) | Val::Variant(..))
                if variant.elems.iter().all(|part| matches!(part, Pat::Rest(_) | Pat::Wild(_))) =>
            {
                self.is_variant(&last(&variant.path), value, span)
            }
            (Pat::TupleStruct(some), Val::Option(given)) if some.path.is_ident("Some") && some.elems.len() == 1 => {
                match given.as_deref() {
                    Some(inner) => self.fits(&some.elems[0], inner),
                    None => Val::Bool(false),
                }
            }
            (Pat::Tuple(parts), Val::Tuple(values)) if parts.elems.len() == values.len() => {
                self.all_fit(parts.elems.iter().zip(values), syn::BinOp::And(Default::default()))
            }
            (Pat::Slice(parts), Val::List(values)) if parts.elems.len() == values.len() => {
                self.all_fit(parts.elems.iter().zip(values), syn::BinOp::And(Default::default()))
            }
            (Pat::Tuple(tuple), Val::Tuple(values)) => {
                self.report(span, &m::TUPLE_LENGTH, &[&values.len(), &tuple.elems.len()])
            }
            (Pat::TupleStruct(_) | Pat::Struct(_), Val::Plain(_, PlainType::Enum) | Val::Variant(..)) => {
                self.bind_unknown(pattern, false);
                let name = text(pattern).split(['(', '{']).next().unwrap_or_default().trim().to_string();
                self.report(span, &m::MATCH_VALUES, &[&name])
            }
            _ => self.report(span, &m::MATCH_PATTERN, &[&text(pattern), &value.kind()]),
        }
    }

    fn all_fit<'v>(&mut self, parts: impl Iterator<Item = (&'a Pat, &'v Val<'a>)>, op: syn::BinOp) -> Val<'a>
    where
        'a: 'v,
    {
        let mut all: Option<Val<'a>> = None;
        for (pattern, value) in parts {
            let one = self.fits(pattern, value);
            all = Some(match (all, &op) {
                (None, _) => one,
                (Some(all), syn::BinOp::And(_)) => self.both(all, one, pattern.span()),
                (Some(Val::Bool(true)), _) => Val::Bool(true),
                (Some(Val::Bool(false)), _) => one,
                (Some(_), _) if matches!(one, Val::Bool(true)) => Val::Bool(true),
                (Some(all), _) if matches!(one, Val::Bool(false)) => all,
                (Some(all), op) => self.binary(op, all, one, Places::all(pattern.span())),
            });
        }
        all.unwrap_or(Val::Bool(true))
    }

    fn both(&mut self, a: Val<'a>, b: Val<'a>, span: Span) -> Val<'a> {
        match (a, b) {
            (Val::Bool(false), _) | (_, Val::Bool(false)) => Val::Bool(false),
            (Val::Bool(true), other) | (other, Val::Bool(true)) => other,
            (a, b) => self.binary(&syn::BinOp::And(Default::default()), a, b, Places::all(span)),
        }
    }

    /// Whether the value is the literal.
    fn equals(&mut self, known: Option<Val<'a>>, literal: &syn::Lit, value: &Val<'a>, span: Span) -> Val<'a> {
        let known = known.unwrap_or(Val::Unknown);
        match (value, &known) {
            (Val::Plain(tokens, PlainType::Bool), Val::Bool(true)) => Val::Plain(tokens.clone(), PlainType::Bool),
            (Val::Plain(tokens, PlainType::Bool), Val::Bool(false)) => Val::Plain(quote!(! #tokens), PlainType::Bool),
            (Val::Bool(a), Val::Bool(b)) => Val::Bool(a == b),
            (Val::Plain(_, PlainType::Usize), Val::Dim(_))
            | (Val::Dim(_) | Val::Number(_) | Val::Tensor(_) | Val::Index(_), Val::Dim(_) | Val::Number(_)) => {
                self.binary(&syn::BinOp::Eq(Default::default()), value.clone(), known, Places::all(span))
            }
            _ => self.report(span, &m::MATCH_PATTERN, &[&text(literal), &value.kind()]),
        }
    }

    /// Whether a name in a pattern is that of a value: a constant, or a variant of an enum.
    fn names_a_value(&self, name: &syn::Ident) -> bool {
        name.to_string().starts_with(char::is_uppercase)
    }

    fn constant_of(&self, name: &syn::Ident) -> Option<Val<'a>> {
        let name = parse::name(name);
        let size = self.frame().symbols.get(&name).map(|dim| Val::Dim(dim.clone()));
        size.or_else(|| self.frame().unit.constants.get(&name).map(|known| (*known).into()))
    }

    /// Whether the value, of an enum, is that variant.
    fn is_variant(&mut self, name: &str, value: &Val<'a>, span: Span) -> Val<'a> {
        match value {
            Val::Variant(_, own) => Val::Bool(own == name),
            Val::Plain(tokens, PlainType::Enum) => self.plain_variant(tokens, name, span),
            other => self.report(span, &m::MATCH_PATTERN, &[&name, &other.kind()]),
        }
    }

    /// Whether a plain argument is that variant of its enum, of which only Rust knows.
    pub(super) fn plain_variant(&self, argument: &TokenStream, name: &str, span: Span) -> Val<'a> {
        let Some(ty) = self.enums.get(&argument.to_string()) else { return Val::Unknown };
        let variant = syn::Ident::new(name, span);
        Val::Plain(quote!(::core::matches!(#argument, #ty::#variant { .. })), PlainType::Bool)
    }

    /// `kind == Kind::Deep`.
    pub(super) fn is_that_variant(&mut self, op: Operator, a: &Val<'a>, b: &Val<'a>, span: Span) -> Option<Val<'a>> {
        let negated = match op {
            Operator::Compare(CompareOp::Eq) => false,
            Operator::Compare(CompareOp::Ne) => true,
            _ => return None,
        };
        let value = match (a, b) {
            (Val::Variant(_, name), other) | (other, Val::Variant(_, name)) => self.is_variant(name, other, span),
            _ => return None,
        };
        Some(match value {
            Val::Bool(same) => Val::Bool(same != negated),
            Val::Plain(tokens, ty) if negated => Val::Plain(quote!((! #tokens)), ty),
            value => value,
        })
    }

    /// Binds the names of a pattern that the value fits.
    pub(super) fn bind_matched(&mut self, pattern: &'a Pat, value: &Val<'a>) {
        if self.bind_variant(pattern, value) {
            return;
        }
        match (pattern, value) {
            (Pat::Paren(inner), _) => self.bind_matched(&inner.pat, value),
            (Pat::Reference(inner), _) => self.bind_matched(&inner.pat, value),
            (Pat::Ident(name), _) if self.names_a_value(&name.ident) => {}
            (Pat::Ident(name), _) => {
                if let Some((_, inner)) = &name.subpat {
                    self.bind_matched(inner, value);
                }
                self.bind(&parse::name(&name.ident), value.clone(), name.mutability.is_some(), false);
            }
            (Pat::TupleStruct(some), Val::Option(Some(inner))) if some.elems.len() == 1 => {
                self.bind_matched(&some.elems[0], inner);
            }
            (Pat::Struct(parts), Val::Struct(..)) => {
                for (pattern, value) in self.fields_of(parts, value.clone()) {
                    self.bind_matched(pattern, &value);
                }
            }
            (Pat::Tuple(parts), Val::Tuple(values)) if parts.elems.len() == values.len() => {
                parts.elems.iter().zip(values).for_each(|(part, value)| self.bind_matched(part, value));
            }
            (Pat::Slice(parts), Val::List(values)) if parts.elems.len() == values.len() => {
                parts.elems.iter().zip(values).for_each(|(part, value)| self.bind_matched(part, value));
            }
            (pattern, _) => {
                if crate::parse::function::names(pattern).iter().any(|name| !self.names_a_value(name)) {
                    self.bind_unknown(pattern, false);
                }
            }
        }
    }

    /// `if let Some(extra) = &self.extra { .. }`, alone or among other conditions.
    pub(super) fn let_branch(&mut self, branch: &'a ExprIf, wanted: bool) -> Val<'a> {
        self.frame_mut().scopes.push(Vec::new());
        let taken = self.let_chain(&branch.cond);
        let value = match taken {
            Some(true) => self.taken(branch, true, wanted),
            Some(false) => Val::Unit,
            None => Val::Unknown,
        };
        self.frame_mut().scopes.pop();
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
                if value.is_unknown() {
                    self.bind_unknown(&inner.pat, false);
                    return None;
                }
                if matches!(value, Val::Tensor(_))
                    && !self.elementwise
                    && matches!(*inner.pat, Pat::Lit(_) | Pat::Range(_))
                {
                    let value = format!("let {} = {}", text(&inner.pat), text(&inner.expr));
                    self.report(inner.expr.span(), &m::CONDITION_TENSOR, &[&format!("`{value}`"), &""]);
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
                match &value {
                    Val::Unknown | Val::Bool(_) | Val::Plain(_, PlainType::Bool) => {}
                    Val::Tensor(_) if !self.elementwise => {
                        self.report(
                            other.span(),
                            &m::CONDITION_TENSOR,
                            &[&format!("`{}`", text(other)), &self.as_plain(other)],
                        );
                    }
                    Val::Tensor(_) => {}
                    wrong => drop(self.report(other.span(), &m::CONDITION_TYPE, &[&wrong.kind()])),
                }
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

fn literal_of<'a>(literal: &syn::Lit) -> Option<Val<'a>> {
    constant::literal(literal).map(|known| match known {
        crate::ast::Constant::Integer(number) => Val::Dim(Dim::constant(number)),
        known => known.into(),
    })
}

fn last(path: &syn::Path) -> String {
    path.segments.last().map(|last| parse::name(&last.ident)).unwrap_or_default()
}
