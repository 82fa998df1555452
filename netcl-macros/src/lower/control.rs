//! Blocks, `let` and assignment.

use super::assign::NEW_TENSORS;
use super::expected::Expected;
use super::tail::{given_by, names_value, without_else};
use super::{FieldRef, Lowering, Val, declared};
use crate::literal;
use crate::messages as m;
use crate::parse::{self, items, text};
use crate::words;
use proc_macro2::Span;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, Pat, Stmt};

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
                let value = self.as_certain(value, &init.expr);
                let value = declared::scalar(&local.pat)
                    .and_then(|dtype| self.declared_bits(&init.expr, &value, dtype))
                    .unwrap_or(value);
                self.bind_given(&local.pat, value, &init.expr);
                self.note_whole(&local.pat, declared::of_numbers(&local.pat), &init.expr);
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
            Stmt::Expr(expr, semicolon) => {
                let value = match (self.expr(expr), expr) {
                    // It is called for what it does to the list.
                    (Val::Option(_), Expr::MethodCall(call)) if semicolon.is_some() && call.method == "pop" => {
                        Val::Unit
                    }
                    (value, _) => value,
                };
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
                let name = crate::parse::name(&ident.ident);
                self.bind(&name, value, ident.mutability.is_some(), false);
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
            Pat::Ident(ident) if ident.by_ref.is_some() && ident.subpat.is_none() => {
                let (what, instead) = (format!("`{}`", text(pattern)), parse::name(&ident.ident));
                self.report(
                    pattern.span(),
                    &m::UNSUPPORTED,
                    &[&what, &format!("nothing is borrowed: write `{instead}`")],
                );
                self.bind_unknown(pattern, false);
            }
            Pat::Tuple(_) | Pat::Slice(_) if self.other_brackets(pattern, &value) => self.bind_unknown(pattern, false),
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

    /// Rule: brackets take lists apart and parentheses tuples. Wrong: `let [a, b] = (x, y);`, `let (a, b) = &self.layers;`.
    fn other_brackets(&self, pattern: &Pat, value: &Val<'a>) -> bool {
        let written = text(pattern);
        let inner = written.get(1..written.len() - 1).unwrap_or_default();
        let (what, instead) = match (pattern, value) {
            (Pat::Slice(_), Val::Tuple(_)) => ("a tuple", format!("({inner})")),
            (Pat::Tuple(_), Val::Place(FieldRef::Many(..))) => ("a list", format!("[{inner}]")),
            _ => return false,
        };
        self.report(pattern.span(), &m::OTHER_BRACKETS, &[&what, &written, &instead]);
        true
    }

    /// Binds the names of a pattern where something is wrong with it or with its value, which has been said.
    pub(super) fn bind_unknown(&mut self, pattern: &Pat, mutable: bool) {
        let pattern = match pattern {
            Pat::Type(typed) => &typed.pat,
            pattern => pattern,
        };
        let marked = mutable_names(pattern);
        for name in crate::parse::names_in(quote::ToTokens::to_token_stream(pattern)) {
            let mutable = mutable || marked.contains(&name);
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
        if let Some(second) = elems.iter().filter(|part| is_rest(part)).nth(1) {
            self.report(second.span(), &m::REST_TWICE, &[]);
            return elems
                .iter()
                .filter(|part| !matches!(part, Pat::Rest(_)))
                .map(|part| (part, Val::Unknown))
                .collect();
        }
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
            let of = match left {
                Expr::Field(field) if self.is_of_model(&field.base) && matches!(self.expr(left), Val::Tensor(_)) => {
                    Some(&field.base)
                }
                Expr::Index(part) if self.is_kept(left) => Some(&part.expr),
                _ => None,
            };
            if let Some(of) = of {
                let instead = self.instead_of_assigned(left, of);
                return self.report(left.span(), &m::ASSIGN_FIELD, &[&text(left), &instead]);
            }
            return self.report(left.span(), &m::ASSIGN_TARGET, &[]);
        };
        let value = match op {
            Some(op) => {
                let current = self.expr(left);
                match self.of_their_type(op, (left, None), (&current, &right), span) {
                    Some(value) => value,
                    None => {
                        let current = self.dividend(op, current, left.span());
                        self.binary(op, current, right, super::arith::Places::all(span))
                    }
                }
            }
            None => right,
        };
        self.store((&name, &[]), value, (left, NEW_TENSORS), span)
    }
}

/// Whether the pattern stands for what others leave: `..`, or `rest @ ..`.
fn is_rest(pattern: &Pat) -> bool {
    match pattern {
        Pat::Rest(_) => true,
        Pat::Ident(name) => matches!(&name.subpat, Some((_, inner)) if matches!(**inner, Pat::Rest(_))),
        _ => false,
    }
}

/// The names that a pattern declares as `mut`.
fn mutable_names(pattern: &Pat) -> BTreeSet<String> {
    struct Mutable(BTreeSet<String>);
    impl<'ast> Visit<'ast> for Mutable {
        fn visit_pat_ident(&mut self, name: &'ast syn::PatIdent) {
            if name.mutability.is_some() {
                self.0.insert(parse::name(&name.ident));
            }
            visit::visit_pat_ident(self, name);
        }
    }
    let mut found = Mutable(BTreeSet::new());
    found.visit_pat(pattern);
    found.0
}
