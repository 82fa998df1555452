//! `if`: on what is known while compiling, on plain arguments, and element by element; and what is left of the
//! assignments in its branches.
//!
//! An elementwise `if` computes both branches. Each starts from the variables as they were before it, and a variable
//! that either assigns is afterwards the one branch's value or the other's, chosen as the value of the `if` is.

use super::expected::Expected;
use super::facts::Facts;
use super::leave::BranchSide;
use super::value::ChosenWhole;
use super::{Lowering, Val};
use crate::ast::PlainType;
use crate::messages as m;
use crate::parse::text;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{InputKind, NodeId, Op};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprIf, Pat};

/// What the variables of a call are at one moment, scope by scope, and how often each has been assigned.
struct Moment<'a>(Vec<Vec<(Val<'a>, usize)>>);

/// Two values of which one cannot be chosen: what each is.
struct Unlike(String, String);

/// How elements are chosen, of an `if` that has two values and no more.
fn chosen(branch: &ExprIf) -> Option<String> {
    let value = |block: &syn::Block| match block.stmts.as_slice() {
        [syn::Stmt::Expr(value, None)] => Some(text(value)),
        _ => None,
    };
    let (_, otherwise) = branch.else_branch.as_ref()?;
    let Expr::Block(otherwise) = &**otherwise else { return None };
    let (then, otherwise) = (value(&branch.then_branch)?, value(&otherwise.block)?);
    Some(format!("({}).select({then}, {otherwise})", text(&branch.cond)))
}

impl<'a> Lowering<'a> {
    /// How the whole number that a condition compares would choose between branches: an argument whose value plans are chosen by.
    pub(super) fn as_plain(&self, condition: &syn::Expr) -> String {
        let syn::Expr::Binary(compared) = crate::parse::unparenthesized(condition) else { return String::new() };
        let number = |side: &syn::Expr| {
            let syn::Expr::Path(path) = side else { return None };
            let name = crate::parse::name(path.path.get_ident()?);
            let (Val::Tensor(id), _) = self.lookup(&name)? else { return None };
            let scalar = matches!(self.builder.node(id).op, Op::Input(InputKind::Scalar(_)));
            (scalar && self.builder.dtype(id).is_integer()).then(|| (name, self.builder.dtype(id)))
        };
        match [&*compared.left, &*compared.right].into_iter().find_map(number) {
            Some((name, dtype)) => {
                format!("; the argument `{name}: usize`, in place of {dtype}, chooses between branches")
            }
            None => String::new(),
        }
    }

    /// `if`: on a constant, on a plain argument (a path of its own), or, among scalars, element by element.
    pub(super) fn branch(&mut self, branch: &'a ExprIf) -> Val<'a> {
        let span = branch.cond.span();
        let (expected, wanted) = (self.expected.take(), std::mem::take(&mut self.wanted));
        if super::choice::has_let(&branch.cond) {
            self.expected = expected;
            return self.let_branch(branch, wanted);
        }
        if let Expr::Assign(assign) = crate::parse::unparenthesized(&branch.cond) {
            self.report(branch.cond.span(), &m::CONDITION_ASSIGN, &[&crate::parse::compared(assign)]);
            return self.undecided(branch, wanted);
        }
        let condition = self.expr(&branch.cond);
        self.expected = expected;
        let before = self.diag.count();
        match self.as_condition(condition, &branch.cond, Some(branch)) {
            Val::Bool(true) => {
                let value = self.taken(branch, true, wanted);
                self.not_taken(branch, false);
                value
            }
            Val::Bool(false) => {
                self.not_taken(branch, true);
                self.taken(branch, false, wanted)
            }
            Val::Plain(tokens, PlainType::Bool) => {
                let value = self.decide(tokens);
                self.taken(branch, value, wanted)
            }
            Val::Tensor(condition) => self.elementwise_branch(branch, condition, wanted),
            _ if self.partial && self.diag.count() == before => {
                self.perhaps(span, |this| {
                    this.taken(branch, true, wanted);
                    this.taken(branch, false, wanted);
                });
                Val::Unknown
            }
            _ => self.undecided(branch, wanted),
        }
    }

    /// The value of a condition: a truth that is known, that a plain argument tells, or, among scalars, of each element. What is
    /// none of these is reported, with the choice between elements that the `branch` means.
    pub(super) fn as_condition(&mut self, value: Val<'a>, written: &'a Expr, branch: Option<&ExprIf>) -> Val<'a> {
        let (span, float) = (written.span(), self.is_float(&value));
        let found = match value {
            Val::Unknown | Val::Bool(_) | Val::Plain(_, PlainType::Bool) => return value,
            Val::Tensor(id) if !self.elementwise && self.is_of_round(id) => {
                let condition = text(written);
                return self.report(span, &m::CONDITION_ROUND, &[&condition, &condition]);
            }
            Val::Tensor(_) if !self.elementwise => {
                let on = format!("`{}`", text(written));
                let choice = branch.and_then(chosen).unwrap_or_else(|| super::choice::CHOICE.to_string());
                return self.report(span, &m::CONDITION_TENSOR, &[&on, &choice, &self.as_plain(written)]);
            }
            Val::Tensor(id) if self.builder.dtype(id) == DType::Bool => return value,
            Val::Tensor(id) => self.builder.dtype(id).to_string(),
            other => other.kind(),
        };
        self.report(span, &m::CONDITION_TYPE, &[&found, &crate::literal::compared_with_zero(written, float)])
    }

    /// Whether it is computed from the round of a loop alone.
    fn is_of_round(&self, id: NodeId) -> bool {
        let of = |wanted: &dyn Fn(&Op) -> bool| {
            self.any_below(id, |below| wanted(&self.builder.node(below).op).then_some(true))
        };
        of(&|op| matches!(op, Op::Size(size) if self.builder.is_in_loop(size))) && !of(&|op| matches!(op, Op::Input(_)))
    }

    /// Looks into both branches for mistakes of their own.
    pub(super) fn undecided(&mut self, branch: &'a ExprIf, wanted: bool) -> Val<'a> {
        let before = self.moment();
        self.frame_mut().scopes.push(Vec::new());
        for pattern in patterns(&branch.cond) {
            self.bind_unknown(pattern, false);
        }
        self.staying(|this| drop(this.taken(branch, true, wanted)));
        self.frame_mut().scopes.pop();
        let then = self.moment();
        self.go_back(&before);
        self.staying(|this| drop(this.taken(branch, false, wanted)));
        self.join(None, &before, then, branch.cond.span());
        Val::Unknown
    }

    fn elementwise_branch(&mut self, branch: &'a ExprIf, condition: NodeId, wanted: bool) -> Val<'a> {
        let then = |this: &mut Self| {
            this.wanted = wanted;
            this.block(&branch.then_branch)
        };
        let otherwise = |this: &mut Self| {
            this.wanted = wanted;
            branch.else_branch.as_ref().map_or(Val::Unit, |(_, otherwise)| this.expr(otherwise))
        };
        let whole = branch.else_branch.is_some();
        let suffix = self.whole_of_branches(branch);
        self.expected = suffix.map(Expected::One).or(self.expected);
        let value = self.elementwise_choice((condition, (branch.cond.span(), branch.span()), whole), then, otherwise);
        self.as_branches_say(suffix, value, branch.span())
    }

    /// `then` where the condition holds and `otherwise` elsewhere: both are evaluated. `whole`: there is an `otherwise`.
    pub(super) fn elementwise_choice(
        &mut self,
        (condition, (span, all), whole): (NodeId, (Span, Span), bool),
        then: impl FnOnce(&mut Self) -> Val<'a>,
        otherwise: impl FnOnce(&mut Self) -> Val<'a>,
    ) -> Val<'a> {
        let expected = self.expected;
        let before = self.moment();
        let value = self.side((condition, true), then);
        let then = self.moment();
        self.go_back(&before);
        self.expected = expected;
        let other = self.side((condition, false), otherwise);
        (self.expected, self.wanted) = (None, false);
        let (value, other) = match (value, other) {
            (BranchSide::Value(value), BranchSide::Value(other)) => {
                self.join(Some(condition), &before, then, span);
                (value, other)
            }
            // What follows is for the elements of the other side.
            (BranchSide::Returned, BranchSide::Value(other)) => return other,
            (BranchSide::Value(value), BranchSide::Returned) => {
                self.go_back(&then);
                return value;
            }
            (BranchSide::Returned, BranchSide::Returned) => {
                self.both_returned();
                return Val::Unknown;
            }
        };
        self.expected = expected;
        match (value, other) {
            (Val::Unit, Val::Unit) => Val::Unit,
            (Val::Unknown, _) | (_, Val::Unknown) => Val::Unknown,
            (_, Val::Unit) if !whole => self.report(all, &m::IF_WITHOUT_ELSE, &[]),
            (value, other) => match self.choose(condition, value, other, span) {
                Ok(chosen) => chosen,
                Err(Unlike(value, other)) => self.report(all, &m::BRANCHES, &[&value, &other]),
            },
        }
    }

    /// Of what has been returned under `condition`, and `rest` elsewhere.
    pub(super) fn returned_or(&mut self, condition: NodeId, value: Val<'a>, rest: Val<'a>, span: Span) -> Val<'a> {
        match self.choose(condition, value, rest, span) {
            Ok(chosen) => chosen,
            Err(Unlike(value, rest)) => self.report(span, &m::RETURNED, &[&value, &rest]),
        }
    }

    /// Looks at the branch that is not taken.
    pub(super) fn not_taken(&mut self, branch: &'a ExprIf, value: bool) {
        match &branch.else_branch {
            _ if value => self.unreached(&branch.then_branch, |this| drop(this.block(&branch.then_branch))),
            Some((_, otherwise)) => self.unreached(&**otherwise, |this| drop(this.expr(otherwise))),
            None => {}
        }
    }

    pub(super) fn taken(&mut self, branch: &'a ExprIf, value: bool, wanted: bool) -> Val<'a> {
        self.wanted = wanted;
        if value {
            self.reached(&branch.then_branch);
            let value = self.block(&branch.then_branch);
            let lacks = wanted && branch.else_branch.is_none() && !matches!(value, Val::Unit | Val::Unknown);
            return if lacks { self.report(branch.span(), &m::IF_WITHOUT_ELSE, &[]) } else { value };
        }
        match &branch.else_branch {
            Some((_, otherwise)) => {
                self.reached(&**otherwise);
                self.expr(otherwise)
            }
            None if wanted && self.gives_value(branch) => self.report(branch.span(), &m::IF_WITHOUT_ELSE, &[]),
            None => {
                self.wanted = false;
                Val::Unit
            }
        }
    }

    /// Which way this path goes at a condition over plain arguments; what follows of earlier decisions is none.
    pub(super) fn decide(&mut self, condition: proc_macro2::TokenStream) -> bool {
        if let Some(known) = Facts::of(&self.decisions).know(&condition) {
            return known;
        }
        let value = self.given.get(self.decisions.len()).copied().unwrap_or(true);
        self.decisions.push((condition, value));
        value
    }

    /// A plain `bool` where `true` or `false` is taken: each is a way of its own through the function.
    pub(super) fn decided(&mut self, value: Val<'a>) -> Val<'a> {
        match value {
            Val::Plain(tokens, PlainType::Bool) => Val::Bool(self.decide(tokens)),
            value => value,
        }
    }

    /// Evaluates what nobody knows whether it is evaluated, or how often, for what it assigns: that is unknown from then on.
    /// Nothing is said in it but of names that there are not, because it may never be reached.
    pub(super) fn perhaps(&mut self, span: Span, evaluate: impl FnOnce(&mut Self)) {
        let decided = self.decisions.len();
        let said = self.diag.only(self.whatever_numbers());
        let doubtful = std::mem::replace(&mut self.doubtful, true);
        self.somehow(span, evaluate);
        self.doubtful = doubtful;
        self.decisions.truncate(decided);
        self.diag.go_back(said);
    }

    /// Evaluates what is evaluated nobody knows how often: what it assigns is unknown from then on.
    pub(super) fn somehow(&mut self, span: Span, evaluate: impl FnOnce(&mut Self)) {
        let before = self.moment();
        self.staying(evaluate);
        let after = self.moment();
        self.join(None, &before, after, span);
    }

    /// Evaluates what may leave the body or not: what follows is looked at all the same.
    fn staying(&mut self, evaluate: impl FnOnce(&mut Self)) {
        let leaves = self.stay();
        evaluate(self);
        self.leave_as(leaves);
    }

    /// How many assignments there have been to the variables that are known now.
    pub(super) fn assignments(&self) -> usize {
        self.frame().scopes.iter().flatten().map(|variable| variable.assigned).sum()
    }

    fn moment(&self) -> Moment<'a> {
        let scope =
            |scope: &Vec<super::LocalVar<'a>>| scope.iter().map(|var| (var.value.clone(), var.assigned)).collect();
        Moment(self.frame().scopes.iter().map(scope).collect())
    }

    /// Gives the variables the values of that moment; how often they have been assigned stays.
    fn go_back(&mut self, moment: &Moment<'a>) {
        let variables = self.frame_mut().scopes.iter_mut().flatten();
        for (variable, (value, _)) in variables.zip(moment.0.iter().flatten()) {
            variable.value = value.clone();
        }
    }

    /// Makes each variable that was assigned since `before` its value at `then` where `condition` holds, and its
    /// present one elsewhere. Without a condition that is known, nobody knows the value.
    fn join(&mut self, condition: Option<NodeId>, before: &Moment<'a>, then: Moment<'a>, span: Span) {
        for (scope, (values, starts)) in then.0.into_iter().zip(&before.0).enumerate() {
            for (position, ((then, _), (_, assigned))) in values.into_iter().zip(starts).enumerate() {
                let variable = &self.frame().scopes[scope][position];
                if variable.assigned == *assigned {
                    continue;
                }
                let (name, otherwise) = (variable.name.clone(), variable.value.clone());
                self.expected = variable.whole.or(otherwise.whole_dtype()).map(Expected::One);
                let joined = match condition.map(|condition| self.choose(condition, then, otherwise, span)) {
                    None => Val::Unknown,
                    Some(Ok(joined)) => joined,
                    Some(Err(Unlike(then, otherwise))) => self.report(span, &m::JOIN, &[&name, &then, &otherwise]),
                };
                self.expected = None;
                if let Val::Tensor(id) = joined {
                    self.builder.name(id, &name);
                }
                self.frame_mut().scopes[scope][position].value = joined;
            }
        }
    }

    /// `condition ? then : otherwise` for values of any kind that can be tensors, and for tuples and lists of these.
    fn choose(&mut self, condition: NodeId, then: Val<'a>, otherwise: Val<'a>, span: Span) -> Result<Val<'a>, Unlike> {
        let same = match (&then, &otherwise) {
            (Val::Unknown, _) | (_, Val::Unknown) => return Ok(Val::Unknown),
            (Val::Dim(a), Val::Dim(b)) => a.size == b.size,
            (Val::Bool(a), Val::Bool(b)) => a == b,
            (Val::Number(a), Val::Number(b)) => a.is(*b),
            (Val::Index(a), Val::Index(b)) => a == b,
            _ => false,
        };
        if same {
            return Ok(then);
        }
        match (then, otherwise) {
            (Val::Tuple(a), Val::Tuple(b)) if a.len() == b.len() => self.each(condition, a, b, span).map(Val::Tuple),
            (Val::List(a), Val::List(b)) if a.len() == b.len() => self.each(condition, a, b, span).map(Val::List),
            (Val::Option(None), Val::Option(None)) => Ok(Val::Option(None)),
            (Val::Option(Some(a)), Val::Option(Some(b))) => {
                let part = self.choose(condition, *a, *b, span)?;
                Ok(Val::Option(Some(Box::new(part))))
            }
            (then @ Val::Option(_), otherwise @ Val::Option(_)) => {
                let is = |value| if matches!(value, Val::Option(None)) { "`None`" } else { "`Some`" }.to_string();
                Err(Unlike(is(then), is(otherwise)))
            }
            (then, otherwise) => self.choose_one(condition, then, otherwise, span),
        }
    }

    /// One of two elements of a list; what cannot be chosen is reported.
    pub(super) fn chosen(&mut self, condition: NodeId, then: Val<'a>, otherwise: Val<'a>, span: Span) -> Val<'a> {
        match self.choose(condition, then, otherwise, span) {
            Ok(chosen) => chosen,
            Err(Unlike(then, otherwise)) => self.report(span, &m::BRANCHES, &[&then, &otherwise]),
        }
    }

    fn each(
        &mut self,
        condition: NodeId,
        then: Vec<Val<'a>>,
        otherwise: Vec<Val<'a>>,
        span: Span,
    ) -> Result<Vec<Val<'a>>, Unlike> {
        let expected = self.expected;
        let both = then.into_iter().zip(otherwise).enumerate();
        let chosen = both.map(|(position, (then, otherwise))| {
            self.expected = expected.and_then(|expected| expected.part(position));
            self.choose(condition, then, otherwise, span)
        });
        chosen.collect()
    }

    fn choose_one(
        &mut self,
        condition: NodeId,
        then: Val<'a>,
        otherwise: Val<'a>,
        span: Span,
    ) -> Result<Val<'a>, Unlike> {
        let types = [&then, &otherwise].map(|value| self.own_whole_type(value));
        let differ = matches!(types, [Some(one), Some(other)] if one != other);
        let name = |this: &Self, value: &Val<'a>| match value {
            Val::Tensor(id) => this.builder.dtype(*id).to_string(),
            value => value.whole_dtype().filter(|_| differ).map_or_else(|| value.kind(), |own| own.to_string()),
        };
        let number = |value: &Val<'a>| {
            matches!(value, Val::Tensor(_) | Val::Number(_) | Val::Dim(_) | Val::Bool(_) | Val::Index(_))
        };
        let unlike = Unlike(name(self, &then), name(self, &otherwise));
        if !number(&then) || !number(&otherwise) || differ {
            return Err(unlike);
        }
        let dtype = match (&then, &otherwise) {
            (Val::Dim(one), Val::Dim(other)) => match types[0].or(types[1]) {
                Some(own) => own,
                None => self.choice_of_wholes([one, other]),
            },
            (Val::Number(one), Val::Number(other)) if self.axes.is_some() && self.expected.is_none() => {
                let float = self.element_types().0.unwrap_or(DType::F32);
                if one.ty.or(other.ty).is_none() { float } else { self.common_dtype(&then, &otherwise) }
            }
            _ => self.common_dtype(&then, &otherwise),
        };
        // What is computed of sizes and indices stays the whole number that it is.
        let exact = [&then, &otherwise].iter().any(|value| self.exact(value).is_some())
            && self.are_whole(&then, std::slice::from_ref(&otherwise));
        let dtype = if exact { DType::I64 } else { dtype };
        let [then, otherwise] = [then, otherwise].map(|value| match self.exact(&value).filter(|_| exact) {
            Some(id) => Val::Tensor(id),
            None => value,
        });
        let chosen = match (&then, &otherwise) {
            // A declared type is one.
            (Val::Dim(_), Val::Dim(_)) => {
                let said = self.expected.is_some() || types != [None, None];
                Some(ChosenWhole::Held).filter(|_| dtype.is_float() || !said)
            }
            (then, otherwise) => self.chosen_of([then, otherwise]),
        };
        let chosen = chosen.filter(|_| self.differ_in(dtype));
        let (then, otherwise) = (self.tensor(then, Some(dtype), span), self.tensor(otherwise, Some(dtype), span));
        let (Some(then), Some(otherwise)) = (then, otherwise) else { return Ok(Val::Unknown) };
        if self.builder.dtype(then) != self.builder.dtype(otherwise) {
            return Err(unlike);
        }
        self.at(span);
        let result = self.builder.select(condition, then, otherwise);
        let value = self.check(result, span);
        let value = if exact { self.as_exact(value) } else { value };
        self.note_chosen_whole(&value, chosen);
        Ok(value)
    }

    /// The type of whole numbers without one that are chosen between.
    fn choice_of_wholes(&self, numbers: [&Dim; 2]) -> DType {
        if let Some(dtype) = self.expected.and_then(Expected::number) {
            return dtype;
        }
        // What Rust takes them for.
        if self.in_function() {
            return DType::I32;
        }
        let holds = |dtype: DType| {
            numbers.iter().all(|dim| dim.as_constant().map_or_else(|| self.never_negative(dim), |own| dtype.holds(own)))
        };
        let exact = |float: DType| {
            numbers.iter().all(|dim| dim.as_constant().is_some_and(|own| super::indexed::is_exact(own, float)))
        };
        match self.element_types() {
            (None, Some(whole)) if self.axes.is_some() => {
                if holds(whole) {
                    whole
                } else {
                    DType::I32
                }
            }
            (Some(float), _) if self.axes.is_some() && exact(float) => float,
            _ => DType::F32,
        }
    }

    /// Whether this is the body of a function of scalars, which is Rust as well.
    pub(super) fn in_function(&self) -> bool {
        self.frame().unit.in_rust
    }
}

/// The patterns of `if let`, whose names are there in its branch.
fn patterns(condition: &Expr) -> Vec<&Pat> {
    match condition {
        Expr::Let(inner) => vec![&inner.pat],
        Expr::Binary(chain) => patterns(&chain.left).into_iter().chain(patterns(&chain.right)).collect(),
        _ => Vec::new(),
    }
}
