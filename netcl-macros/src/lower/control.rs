//! Blocks, `let`, assignment and `for`.

use super::assign::NEW_TENSORS;
use super::expected::Expected;
use super::tail::{given_by, names_value, without_else};
use super::{FieldRef, Lowering, Val, declared};
use crate::literal;
use crate::messages as m;
use crate::parse::{self, items, text};
use crate::words;
use netcl_kernels::dim::Dim;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprForLoop, Pat, Stmt};

/// What stands in brackets or parentheses, between commas.
type PatternParts = syn::punctuated::Punctuated<Pat, syn::Token![,]>;

impl<'a> Lowering<'a> {
    /// The block's value, in a scope of its own.
    pub(super) fn block(&mut self, block: &'a Block) -> Val<'a> {
        let expected = self.expected.take();
        let wanted = std::mem::take(&mut self.wanted);
        self.frame_mut().scopes.push(Vec::new());
        self.bind_items(block);
        let mut value = Val::Unit;
        let named = names_value(block);
        for (position, statement) in block.stmts.iter().enumerate() {
            let last = position + 1 == block.stmts.len();
            self.expected = match named == Some(position) {
                true => expected.and_then(Expected::whole),
                false => expected.filter(|_| last),
            };
            value = self.statement(statement, last, wanted && last);
            if self.leaves() {
                value = Val::Unknown;
                self.rest_of(&block.stmts[position..]);
                break;
            }
        }
        self.frame_mut().scopes.pop();
        value
    }

    /// Items in a body are refused where they stand: of what they bring nothing is known, and nothing more is said.
    fn bind_items(&mut self, block: &Block) {
        for name in items::declared(block) {
            self.bind(&name, Val::Unknown, false, false);
        }
    }

    /// `wanted`: its value is that of the function or the branch.
    pub(super) fn statement(&mut self, statement: &'a Stmt, last: bool, wanted: bool) -> Val<'a> {
        if let Some(said) = self.for_effect(statement) {
            return said;
        }
        match statement {
            Stmt::Local(local) => {
                let expected = self.expected.take();
                let Some(init) = &local.init else {
                    self.report(local.span(), &m::LET_WITHOUT_VALUE, &[&text(&local.pat)]);
                    // What is assigned to it later has been meant to be its value.
                    self.bind_unknown(&local.pat, true);
                    return Val::Unit;
                };
                if let Some((_, otherwise)) = &init.diverge {
                    return self.let_else(local, &init.expr, otherwise);
                }
                self.expected = Expected::declared(&local.pat).or(expected);
                self.wanted = true;
                let value = match self.expr(&init.expr) {
                    Val::Unit if without_else(&init.expr) => self.report(init.expr.span(), &m::IF_WITHOUT_ELSE, &[]),
                    value => value,
                };
                let value = self.one_value(&local.pat, &init.expr, value);
                let value = self.own_value(&local.pat, &init.expr, value);
                let value = self.as_certain(value, &init.expr);
                self.bind_given(&local.pat, value, &init.expr);
                self.note_whole(&local.pat, declared::scalar(&local.pat), &init.expr);
                Val::Unit
            }
            Stmt::Expr(expr, None) if last => {
                self.wanted = wanted;
                self.expr(expr)
            }
            Stmt::Expr(Expr::MethodCall(call), Some(_)) if self.in_place(call).is_some() => {
                let (name, instead) = self.in_place(call).unwrap_or_default();
                self.report(call.method.span(), &m::CHANGED_IN_PLACE, &[&name, &instead])
            }
            Stmt::Expr(Expr::MethodCall(call), Some(_)) if self.pushes(call).is_some() => {
                let name = self.pushes(call).unwrap_or_default();
                self.push(call, &name)
            }
            Stmt::Expr(expr, semicolon) => {
                let value = self.expr(expr);
                if !matches!(value, Val::Unit) && !value.is_unknown() {
                    if let Some(semicolon) = semicolon.filter(|_| wanted) {
                        return self.report(semicolon.span, &m::VALUE_DROPPED, &[]);
                    }
                    let given = given_by(expr);
                    return self.report(given.span(), &m::UNUSED_VALUE, &[&self.kept_as(given)]);
                }
                if last && (semicolon.is_none() || value.is_unknown()) { value } else { Val::Unit }
            }
            Stmt::Item(item) => self.inner_item(item),
            Stmt::Macro(mac) => self.macro_in_body(&mac.mac, mac.span()),
        }
    }

    /// Rule: operations give new tensors. Wrong: `h.relu_();`, as PyTorch changes one. Its name, and what to write instead.
    fn in_place(&self, call: &syn::ExprMethodCall) -> Option<(String, String)> {
        let name = parse::name(&call.method);
        let operation = name.strip_suffix('_').filter(|name| super::is_builtin(name))?;
        let Expr::Path(path) = parse::unparenthesized(&call.receiver) else { return None };
        let own = parse::name(path.path.get_ident()?);
        let variables = self.frame().scopes.iter().flatten().rev();
        let variable = variables.into_iter().find(|variable| variable.name == own)?;
        let binds = if variable.mutable { "" } else { "let " };
        let instead = format!("{binds}{own} = {own}.{operation}({});", text(&call.args));
        Some((name, instead))
    }

    /// Rule: items stand outside. Wrong: `const SCALE: f32 = 0.5;` in a body.
    fn inner_item(&mut self, item: &'a syn::Item) -> Val<'a> {
        let (what, instead) = super::misuse::item(item);
        self.report(item.span(), &m::UNSUPPORTED, &[&what, &instead])
    }

    /// Whether it is the model, or a part of it, whose fields a function reads.
    fn is_of_model(&self, base: &Expr) -> bool {
        match base {
            Expr::Path(path) => path.path.is_ident("self"),
            Expr::Field(inner) => self.is_of_model(&inner.base),
            Expr::Index(inner) => self.is_of_model(&inner.expr),
            _ => false,
        }
    }

    pub(super) fn bind_pattern(&mut self, pattern: &'a Pat, value: Val<'a>) {
        match pattern {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                let value = match value {
                    Val::Unit => self.report(pattern.span(), &m::LET_WITHOUT_VALUE, &[&ident.ident]),
                    value => value,
                };
                self.bind(&crate::parse::name(&ident.ident), value, ident.mutability.is_some(), false);
            }
            Pat::Wild(_) => {}
            Pat::Type(typed) => {
                let value = self.declared_as(&text(&typed.pat), &typed.ty, value);
                self.bind_pattern(&typed.pat, value);
            }
            Pat::Paren(inner) => self.bind_pattern(&inner.pat, value),
            Pat::Reference(inner) if inner.mutability.is_none() => self.bind_pattern(&inner.pat, value),
            Pat::Struct(parts)
                if matches!(value, Val::Struct(..) | Val::Place(FieldRef::Model(..)) | Val::Unknown)
                    && super::variant::Enum::of(&value).is_none() =>
            {
                let fields = self.fields_of(parts, value);
                for (pattern, value) in fields {
                    self.bind_pattern(pattern, value);
                }
            }
            Pat::Tuple(syn::PatTuple { elems, .. }) | Pat::Slice(syn::PatSlice { elems, .. }) => {
                for (pattern, value) in self.listed_parts(elems, value, pattern.span()) {
                    if !self.bind_rest(pattern, &value) {
                        self.bind_pattern(pattern, value);
                    }
                }
            }
            Pat::Struct(parts) if matches!(value, Val::Place(FieldRef::Layer(..))) => {
                let field = |field: &syn::FieldPat| text(&field.member);
                let first = parts.fields.first().map_or_else(|| "weight".to_string(), field);
                self.report(pattern.span(), &m::LAYER_TAKEN, &[&first]);
                self.bind_unknown(pattern, false);
            }
            _ => {
                self.report(pattern.span(), &m::PATTERN, &[]);
                // Its names are meant to be bound: speak of the pattern alone.
                self.bind_unknown(pattern, false);
            }
        }
    }

    /// Binds the names of a pattern where something is wrong with it or with its value, which has been said.
    pub(super) fn bind_unknown(&mut self, pattern: &Pat, mutable: bool) {
        let pattern = match pattern {
            Pat::Type(typed) => &typed.pat,
            pattern => pattern,
        };
        for name in crate::parse::names_in(quote::ToTokens::to_token_stream(pattern)) {
            self.bind(&name, Val::Unknown, mutable, false);
        }
    }

    /// Whether the place is a part of a variable of which nothing is known, because something is wrong with it.
    fn is_of_unknown(&self, place: &Expr) -> bool {
        match place {
            Expr::Unary(inner) => self.is_of_unknown(&inner.expr),
            Expr::Paren(inner) => self.is_of_unknown(&inner.expr),
            Expr::Field(inner) => self.is_of_unknown(&inner.base),
            Expr::Index(inner) => self.is_of_unknown(&inner.expr),
            Expr::Path(path) => path
                .path
                .get_ident()
                .and_then(|name| self.lookup(&crate::parse::name(name)))
                .is_some_and(|(value, _)| value.is_unknown()),
            _ => false,
        }
    }

    /// The parts of a tuple or list that is taken apart into `count` names.
    fn parts_of(&mut self, value: Val<'a>, count: usize, span: Span) -> Vec<Val<'a>> {
        match self.as_list(value) {
            Val::Tuple(values) | Val::List(values) if values.len() == count => return values,
            Val::Tuple(values) => drop(self.report(span, &m::TUPLE_LENGTH, &[&values.len(), &count])),
            Val::List(values) => drop(self.report(span, &m::LIST_TAKEN, &[&values.len(), &count])),
            Val::Unknown => {}
            other => drop(self.report(span, &m::NOT_A_TUPLE, &[&other.kind(), &"write one name"])),
        }
        vec![Val::Unknown; count]
    }

    /// An array of layers, models or states as the list of these; others as they are.
    fn as_list(&mut self, value: Val<'a>) -> Val<'a> {
        match value {
            Val::Place(place @ FieldRef::Many(..)) => Val::List(self.elements(&place)),
            value => value,
        }
    }

    /// The patterns in `[first, rest @ ..]` but for a mere `..`, each with its part of the value.
    pub(super) fn listed_parts(
        &mut self,
        elems: &'a PatternParts,
        value: Val<'a>,
        span: Span,
    ) -> Vec<(&'a Pat, Val<'a>)> {
        let names = elems.iter().filter(|part| !is_rest(part)).count();
        // What the other names leave is a list.
        let values = match elems.iter().position(is_rest) {
            Some(position) => self.parts_around(value, position, names, span),
            None => self.parts_of(value, names, span),
        };
        elems.iter().zip(values).filter(|(part, _)| !matches!(part, Pat::Rest(_))).collect()
    }

    /// Binds the name of `rest @ ..`; `false` of other patterns.
    pub(super) fn bind_rest(&mut self, pattern: &Pat, value: &Val<'a>) -> bool {
        match pattern {
            Pat::Ident(name) if is_rest(pattern) => {
                self.bind(&parse::name(&name.ident), value.clone(), name.mutability.is_some(), false);
                true
            }
            _ => false,
        }
    }

    /// The same of a pattern that has `..` at a position among so many names: what it stands for is one list.
    fn parts_around(&mut self, value: Val<'a>, position: usize, names: usize, span: Span) -> Vec<Val<'a>> {
        match self.as_list(value) {
            Val::Tuple(mut values) | Val::List(mut values) if values.len() >= names => {
                let rest = values.len() - names;
                let rest: Vec<Val<'a>> = values.splice(position..position + rest, [Val::Unit]).collect();
                values[position] = Val::List(rest);
                values
            }
            other => self.parts_of(other, names, span).into_iter().chain([Val::Unknown]).collect(),
        }
    }

    /// `[x; 4]`: one value, as often as a number says.
    pub(super) fn repeated(&mut self, list: &'a syn::ExprRepeat) -> Val<'a> {
        let value = self.expr(&list.expr);
        // A parameter of the model, or what is computed of it.
        let symbols = &self.frame().symbols;
        let is_size = |name: &syn::Ident| symbols.contains_key(&parse::name(name));
        if parse::function::mentions(quote::ToTokens::to_token_stream(&list.len), &is_size)
            && let Val::Dim(length) = self.expr(&list.len)
        {
            if self.is_open(&length) {
                return self.open();
            }
            let length = length.as_constant().and_then(|length| usize::try_from(length).ok());
            if let Some(length) = length.filter(|length| *length <= words::MAX_ROUNDS as usize) {
                let fits = literal::list_fits(self.diag, value.elements() * length, list.span());
                return if fits { Val::List(vec![value; length]) } else { Val::Unknown };
            }
        }
        let length = literal::list_length(self.diag, &list.len, &self.frame().unit.constants);
        match length.filter(|length| literal::list_fits(self.diag, value.elements() * length, list.span())) {
            Some(length) => Val::List(vec![value; length]),
            None => Val::Unknown,
        }
    }

    /// The list or tuple of what is written one by one, if it is not too large.
    pub(super) fn written(&mut self, list: Val<'a>, span: Span) -> Val<'a> {
        if literal::list_fits(self.diag, list.elements(), span) { list } else { Val::Unknown }
    }

    /// `left = right`, or `left op= right`.
    pub(super) fn assign(&mut self, left: &'a Expr, op: Option<&syn::BinOp>, right: Val<'a>, span: Span) -> Val<'a> {
        if !matches!(left, Expr::Path(_)) && self.is_of_unknown(left) {
            return Val::Unknown;
        }
        let parts: Option<Vec<&'a Expr>> = match left {
            Expr::Paren(inner) => return self.assign(&inner.expr, op, right, span),
            Expr::Infer(_) if op.is_none() => return Val::Unit,
            Expr::Tuple(tuple) if op.is_none() => Some(tuple.elems.iter().collect()),
            Expr::Array(list) if op.is_none() => Some(list.elems.iter().collect()),
            _ => None,
        };
        if let Some(parts) = parts {
            let values = self.parts_of(right, parts.len(), left.span());
            parts.into_iter().zip(values).for_each(|(part, value)| drop(self.assign(part, None, value, span)));
            return Val::Unit;
        }
        if let Some(value) = self.assign_part(left, op, &right, span) {
            return value;
        }
        let target = match left {
            Expr::Path(path) => path.path.get_ident().map(parse::name),
            Expr::Index(index) => {
                // `x[n, c] = ..` in a kernel: elements of inputs are not assigned.
                if let Expr::Path(path) = &*index.expr {
                    return self.element_assigned(&text(&path.path), span);
                }
                None
            }
            _ => None,
        };
        let Some(name) = target else {
            if let Expr::Unary(place) = left
                && matches!(place.op, syn::UnOp::Deref(_))
            {
                let said = self.expr(&place.expr).is_unknown();
                return if said { Val::Unknown } else { self.report(left.span(), &m::ASSIGN_BEHIND, &[]) };
            }
            if let Expr::Field(field) = left
                && self.is_of_model(&field.base)
                && matches!(self.expr(left), Val::Tensor(_))
            {
                let path = text(left);
                let name = path.trim_start_matches("self.").replace('[', ".").replace(']', "");
                return self.report(left.span(), &m::ASSIGN_FIELD, &[&path, &path, &name]);
            }
            return self.report(left.span(), &m::ASSIGN_TARGET, &[]);
        };
        let value = match op {
            Some(op) => {
                let current = self.expr(left);
                let value = match self.of_their_type(op, (left, None), (&current, &right), span) {
                    Some(value) => value,
                    None => self.binary(op, current, right, super::arith::Places::all(span)),
                };
                self.own_of(&name, value)
            }
            None => right,
        };
        self.store((&name, &[]), value, (left, NEW_TENSORS), span)
    }

    /// What a loop runs over; what it cannot run over is reported.
    fn rounds_of(&mut self, each: &'a ExprForLoop) -> Option<Rounds<'a>> {
        if let Expr::MethodCall(call) = parse::unparenthesized(&each.expr)
            && call.method == "rev"
            && let range @ Expr::Range(_) = parse::unparenthesized(&call.receiver)
            && let Val::Range(start, end) = self.expr(range)
            && self.is_symbolic(&start, &end)
        {
            return Some(Rounds::Symbolic { length: end - start.clone(), start, reversed: true });
        }
        let (wrong, found) = match self.expr(&each.expr) {
            Val::Unknown => return None,
            Val::Range(start, end) => match (start.as_constant(), end.as_constant()) {
                (Some(start), Some(end)) => {
                    let rounds = end.saturating_sub(start).max(0);
                    if rounds <= words::MAX_ROUNDS {
                        return Some(Rounds::Each((start..end).map(|value| Val::Dim(value_dim(value))).collect()));
                    }
                    self.report(each.expr.span(), &m::LOOP_TOO_LONG, &[&rounds, &words::MAX_ROUNDS]);
                    return None;
                }
                _ if self.is_open(&(end.clone() - start.clone())) => {
                    self.open();
                    return None;
                }
                _ if self.is_symbolic(&start, &end) => {
                    return Some(Rounds::Symbolic { length: end - start.clone(), start, reversed: false });
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
    Symbolic { start: Dim, length: Dim, reversed: bool },
}

impl Rounds<'_> {
    /// Whether all are of one kind: numbers or tensors, and not the parts of a tuple.
    fn are_alike(&self) -> bool {
        match self {
            Rounds::Each(items) => {
                items.iter().all(|item| !matches!(item, Val::Place(_) | Val::Tuple(_) | Val::Struct(..)))
            }
            Rounds::Symbolic { .. } => true,
        }
    }
}

fn value_dim(value: i64) -> Dim {
    Dim::constant(value)
}

/// Whether the pattern stands for what others leave: `..`, or `rest @ ..`.
fn is_rest(pattern: &Pat) -> bool {
    match pattern {
        Pat::Rest(_) => true,
        Pat::Ident(name) => matches!(&name.subpat, Some((_, inner)) if matches!(**inner, Pat::Rest(_))),
        _ => false,
    }
}
