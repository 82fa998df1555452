//! Loops over a symbolic range: one loop of the graph, whose body is evaluated once.
//!
//! What the body assigns of the variables around it is carried from round to round ([`super::carried`]). What it pushes into a
//! list around it, once in each round, is a tensor with a new first axis afterwards, which `stack` puts in its place.

use super::carried::{CarriedVariable, starts};
use super::earlier_rounds::FinishedLoop;
use super::leave::EnteredLoop;
use super::misuse::bare;
use super::round::SymbolicLoop;
use super::value::WholeNumber;
use super::{Lowering, Val};
use crate::messages as m;
use crate::parse::{self, text};
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::NodeId;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprForLoop, ExprMethodCall, Pat};

impl<'a> Lowering<'a> {
    /// `for t in start..start + length`, or from its end to its start.
    pub(super) fn symbolic_loop(
        &mut self,
        pattern: &'a Pat,
        (start, length, reversed): (WholeNumber, Dim, bool),
        each: &'a ExprForLoop,
    ) -> Val<'a> {
        let said = self.diag.count();
        let span = each.for_token.span;
        let (variables, fixed) = self.assigned_by(&each.body, span);
        let initial: Vec<NodeId> = variables.iter().flat_map(|variable| self.tensors_of(variable)).collect();
        let name = match pattern {
            Pat::Ident(ident) if parse::name(&ident.ident).starts_with(|first: char| first.is_ascii_alphabetic()) => {
                parse::name(&ident.ident)
            }
            _ => "round".to_string(),
        };
        self.at(span);
        let (count, first) = (length.clone(), self.builder.graph().nodes.len());
        let draft = self.builder.begin_scan(&name, length.clone(), &initial);
        let mut carried = draft.carried().iter();
        self.give_variables(&variables, &mut carried);
        self.note_chosen_of(draft.carried(), &initial);
        for (variable, id) in variables.iter().filter(|variable| variable.count == 1).zip(draft.carried()) {
            self.builder.name(*id, &variable.name);
        }
        let (updates, frames) = (self.updates.clone(), self.frames.len());
        let positions = self.marks.positions.clone();
        let around = (frames, self.frame().scopes.len());
        let carried = draft.carried().iter().copied().zip(initial.iter().copied()).collect();
        self.loops.push(SymbolicLoop { around, carried, asked: Vec::new(), pushed: Vec::new(), state: None });
        let label = each.label.as_ref().map(|label| label.name.to_string());
        let chosen = self.frame().control.chosen.len();
        self.frame_mut().control.loops.push(EnteredLoop { label, symbolic: Some(said), chosen });
        let filled = self.pushed_by(&each.body);
        self.set_filling(&filled, true);
        let round = if reversed { length - Dim::constant(1) - draft.round() } else { draft.round() };
        let value =
            self.for_round((pattern, true), Val::Dim(start.of_its_type(start.size.clone() + round)), &each.body);
        self.frame_mut().control.loops.pop();
        self.set_filling(&filled, false);
        // The body's nodes are its own.
        self.marks.positions = positions;
        let (pushed, state, asked) = self.loops.pop().map(|own| (own.pushed, own.state, own.asked)).unwrap_or_default();
        if !matches!(value, Val::Unit | Val::Unknown) {
            self.report(each.body.span(), &m::UNUSED_VALUE, &[&super::slips::KEPT]);
        }
        if self.updates != updates && self.diag.count() == said {
            self.report_state(state, span);
        }
        self.report_changed(&fixed);
        let (mut next, unknown) = self.after_round(&variables, (&initial, draft.carried()), (said, span));
        let mut lists: Vec<(String, NodeId)> = Vec::new();
        for (name, id, span) in pushed {
            if lists.iter().any(|(known, _)| *known == name) {
                self.report(span, &m::LOOP_PUSHED, &[&name]);
            }
            lists.push((name, id));
        }
        let left: Vec<NodeId> = lists.iter().map(|(_, id)| *id).collect();
        let is_known = self.diag.count() == said && !unknown;
        if is_known {
            keep_unchanged(&mut next, draft.carried(), &initial);
        }
        let carried = draft.carried();
        let finished = FinishedLoop { first, initial: &initial, carried, next: &next, pushed: &left, count: &count };
        if is_known {
            self.judge_asked(asked, &finished);
        }
        let results = match self.diag.count() == said && !unknown {
            true => {
                self.at(span);
                self.builder.end_scan(&draft, &next, &left)
            }
            false => return self.forget(variables.iter().chain(&fixed), &lists),
        };
        match results {
            Ok(results) => {
                let results = self.behind_loop(&finished, results);
                self.note_chosen_of(&results, &next);
                for (variable, id) in variables.iter().filter(|variable| variable.count == 1).zip(&results) {
                    self.builder.name(*id, &variable.name);
                }
                for ((name, _), id) in lists.iter().zip(&results[next.len()..]) {
                    self.builder.name(*id, name);
                }
                self.give_variables(&variables, &mut results.iter());
                for ((name, _), id) in lists.iter().zip(&results[next.len()..]) {
                    self.set_list(name, Val::Stack(*id));
                }
                Val::Unit
            }
            Err(diagnostic) => {
                self.diagnostic(diagnostic, span);
                self.forget(&variables, &lists)
            }
        }
    }

    fn set_filling(&mut self, lists: &[(usize, usize)], filling: bool) {
        for (scope, position) in lists {
            self.frame_mut().scopes[*scope][*position].filling = filling;
        }
    }

    /// What the variables are made of behind the body, and whether of some nothing is known; `said` errors had been told before it.
    fn after_round(
        &mut self,
        variables: &[CarriedVariable],
        (initial, carried): (&[NodeId], &[NodeId]),
        (said, span): (usize, Span),
    ) -> (Vec<NodeId>, bool) {
        let (mut next, mut unknown) = (Vec::new(), false);
        let begun = starts(variables, initial).into_iter().zip(starts(variables, carried));
        for (variable, (start, carried)) in variables.iter().zip(begun) {
            let (scope, position) = variable.place;
            let mut after = Vec::new();
            let value = self.frame().scopes[scope][position].value.clone();
            // What is wrong with it has been said, or will be where all functions are known.
            if value.is_unknown() {
                unknown = true;
                continue;
            }
            let known = self.as_tensors(value, start, span, &mut after);
            if !known || after.len() != variable.count {
                if self.diag.count() == said {
                    let kinds = ["one kind of value", "another", "what is carried is of one kind in all rounds"];
                    let place = variable.assigned_at;
                    self.report(place, &m::LOOP_CARRIED, &[&variable.name, &kinds[0], &kinds[1], &kinds[2]]);
                }
                continue;
            }
            for (position, ((before, carried), after)) in start.iter().zip(carried).zip(&mut after).enumerate() {
                // Every round finds the type that the loop began with.
                *after = self.as_declared(*after, self.builder.dtype(*before));
                let same = self.builder.shape(*before).to_string() == self.builder.shape(*after).to_string();
                if !same || self.builder.dtype(*before) != self.builder.dtype(*after) {
                    self.report_carried(variable, (*carried, position), (*before, *after));
                }
            }
            next.extend(after);
        }
        (next, unknown)
    }

    /// Nothing is known of what the loop would have given.
    fn forget<'v>(
        &mut self,
        variables: impl IntoIterator<Item = &'v CarriedVariable>,
        lists: &[(String, NodeId)],
    ) -> Val<'a> {
        for variable in variables {
            let (scope, position) = variable.place;
            self.frame_mut().scopes[scope][position].value = Val::Unknown;
        }
        lists.iter().for_each(|(name, _)| self.set_list(name, Val::Unknown));
        Val::Unknown
    }

    /// `ys.push(y)` of a list: the variable's name.
    pub(super) fn pushes(&self, call: &ExprMethodCall) -> Option<String> {
        let Expr::Path(path) = parse::unparenthesized(&call.receiver) else { return None };
        let name = parse::name(path.path.get_ident()?);
        let is_list = matches!(self.lookup(&name)?.0, Val::List(_) | Val::Stack(_));
        (call.method == "push" && call.args.len() == 1 && is_list).then_some(name)
    }

    /// Puts another value behind those of the list `name`.
    pub(super) fn push(&mut self, call: &'a ExprMethodCall, name: &str) -> Val<'a> {
        let span = call.method.span();
        let value = self.expr(&call.args[0]);
        let Some((scope, position)) = self.place_of(name) else { return Val::Unknown };
        let variable = &self.frame().scopes[scope][position];
        if variable.argument || !variable.mutable {
            // Of a list that stays empty something else would be said.
            self.set_list(name, Val::Unknown);
            return self.report(call.receiver.span(), &m::ASSIGN_IMMUTABLE, &[&name, &name]);
        }
        let list = variable.value.clone();
        let around = self.pushed_around(scope);
        if value.is_unknown() || list.is_unknown() {
            self.set_list(name, Val::Unknown);
            return Val::Unknown;
        }
        if around > 1 {
            self.set_list(name, Val::Unknown);
            return self.report(span, &m::LOOP_INNER_PUSH, &[&name]);
        }
        let Val::List(mut items) = list else { return self.filled_list(name, span) };
        if around == 0 {
            items.push(value);
            let list = self.written(Val::List(items), span);
            let variable = &mut self.frame_mut().scopes[scope][position];
            variable.value = list;
            variable.assigned += 1;
            return Val::Unit;
        }
        if !items.is_empty() {
            return self.filled_list(name, span);
        }
        let Some(id) = self.tensor(value, None, call.args[0].span()) else { return Val::Unknown };
        if let Some(own) = self.loops.last_mut() {
            own.pushed.push((name.to_string(), id, span));
        }
        Val::Unit
    }

    /// How many loops whose rounds nobody knows stand inside of the scope.
    pub(super) fn pushed_around(&self, scope: usize) -> usize {
        let frames = self.frames.len();
        let is_around = |own: &&SymbolicLoop| own.around.0 == frames && scope < own.around.1;
        self.loops.iter().filter(is_around).count()
    }

    /// Rule: a loop pushes into a list of its own. What is in it after that is not known.
    fn filled_list(&mut self, name: &str, span: Span) -> Val<'a> {
        self.set_list(name, Val::Unknown);
        self.report(span, &m::LOOP_LIST, &[&name])
    }

    fn set_list(&mut self, name: &str, value: Val<'a>) {
        if let Some((scope, position)) = self.place_of(name) {
            self.frame_mut().scopes[scope][position].value = value;
        }
    }

    /// `ys.stack(1)` or `ys.concat(1)`, as `name` says, of a list, or of what a loop has pushed into it.
    pub(super) fn joined(&mut self, name: &str, list: Val<'a>, axis: Val<'a>, span: Span) -> Val<'a> {
        match list {
            Val::Stack(id) => {
                let rank = self.builder.shape(id).rank();
                // What is concatenated has no axis for the rounds.
                let axes = if name == "stack" { rank } else { rank - 1 };
                let given = match &axis {
                    Val::Dim(dim) => dim.as_constant(),
                    _ => None,
                };
                let axis = given.map(|axis| if axis < 0 { axis + axes as i64 } else { axis });
                let Some(axis) = axis.and_then(|axis| usize::try_from(axis).ok()).filter(|axis| *axis < axes) else {
                    let last = match axes.checked_sub(1) {
                        Some(last) => format!("a number from 0 to {last}"),
                        None => "none: numbers have no axes".to_string(),
                    };
                    return self.report(span, &m::LOOP_STACK, &[&name, &last]);
                };
                let mut order: Vec<usize> = (1..rank).collect();
                order.insert(axis, 0);
                self.at(span);
                let stacked = self.builder.permute(id, &order);
                let Val::Tensor(stacked) = self.check(stacked, span) else { return Val::Unknown };
                if name == "stack" {
                    return Val::Tensor(stacked);
                }
                let mut shape = self.builder.shape(stacked).clone();
                let rounds = shape.0.remove(axis);
                shape.0[axis] = rounds * shape[axis].clone();
                let result = self.builder.reshape(stacked, shape);
                self.check(result, span)
            }
            Val::List(items) if items.is_empty() => self.report(span, &m::EMPTY_STACK, &[&name]),
            Val::List(mut items) => {
                let first = items.remove(0);
                self.operation(name, first, vec![Val::List(items), axis], span)
            }
            _ => Val::Unknown,
        }
    }

    /// `Vec::new()`, and `Tensor::zeros([N, 16])` and the like, in bodies of whole tensors; `None` for other names.
    pub(super) fn made(&mut self, ty: &str, name: &str, call: &'a syn::ExprCall) -> Option<Val<'a>> {
        if self.axes.is_some() || self.elementwise {
            return None;
        }
        match (ty, name) {
            ("Vec", "new" | "with_capacity") => Some(Val::List(Vec::new())),
            ("Tensor", _) => self.made_tensor(name, call),
            _ => None,
        }
    }

    /// Rule: a body is compiled for every device. Wrong: `Tensor::zeros(x.device(), &[N, 4], DType::F32)`, as outside of it.
    fn made_on_device(&self, call: &syn::ExprCall) -> Option<Val<'a>> {
        let first = call.args.first()?;
        let of_device = match bare(first) {
            Expr::MethodCall(inner) => inner.method == "device",
            Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
                let name = parse::name(name);
                matches!(name.as_str(), "device" | "dev" | "d") && self.lookup(&name).is_none()
            }),
            Expr::Call(inner) => text(&inner.func).starts_with("Device::"),
            Expr::Field(field) => matches!(&field.member, syn::Member::Named(name) if name == "device"),
            _ => false,
        };
        if !of_device {
            return None;
        }
        let others = call.args.iter().skip(1).map(bare).filter(|arg| text(arg) != "DType::F32");
        let others: Vec<String> = others.map(text).collect();
        let instead = format!("{}({})", text(&call.func), others.join(", "));
        Some(self.report(first.span(), &m::MAKER_DEVICE, &[&text(&call.func), &instead]))
    }

    /// `Tensor::zeros([N, 16])` and the like; `None` for other names.
    fn made_tensor(&mut self, name: &str, call: &'a syn::ExprCall) -> Option<Val<'a>> {
        let (span, args) = (call.func.span(), &call.args);
        if !matches!(name, "zeros" | "ones" | "full" | "arange" | "stack" | "concat" | "from") {
            return None;
        }
        if let Some(refused) = self.made_on_device(call) {
            return Some(refused);
        }
        let mut values: Vec<Val<'a>> = args.iter().map(|arg| self.expr(arg)).collect();
        if values.iter().any(Val::is_unknown) {
            return Some(Val::Unknown);
        }
        if let ("stack" | "concat", [list @ (Val::List(_) | Val::Stack(_)), axis]) = (name, values.as_slice()) {
            return Some(self.joined(name, list.clone(), axis.clone(), span));
        }
        if let ("from", [Val::List(list)]) = (name, values.as_slice()) {
            return Some(self.listed_tensor(list, None, args[0].span()));
        }
        let dtype = match values.last() {
            Some(Val::DType(dtype)) => Some(*dtype),
            _ => None,
        };
        if dtype.is_some() {
            values.pop();
        }
        self.at(span);
        let made = match (name, values.as_slice()) {
            ("zeros" | "ones", [Val::List(sizes)]) => {
                let value = if name == "ones" { 1.0 } else { 0.0 };
                let dtype = dtype.unwrap_or(netcl_kernels::dtype::DType::F32);
                let shape = sizes_of(sizes)?;
                Ok(self.builder.full(value, &shape, dtype))
            }
            ("full", [value, Val::List(sizes)]) => {
                let shape = sizes_of(sizes)?;
                let Some(id) = self.tensor(value.clone(), dtype, args[0].span()) else { return Some(Val::Unknown) };
                self.builder.broadcast_to(id, &shape)
            }
            ("arange", [Val::Dim(length)]) => {
                let shape = netcl_kernels::dim::Shape(vec![length.size.clone()]);
                self.builder.iota(&shape, 0, dtype.unwrap_or(netcl_kernels::dtype::DType::U32))
            }
            ("stack" | "concat", [first @ Val::Tensor(_), Val::List(_), _]) if !first.is_unknown() => {
                let written: Vec<String> = call.args.iter().map(text).collect();
                let others = written[1].trim_start_matches('[').trim_end_matches(']').to_string();
                let instead = format!("{}([{}, {others}], {})", text(&call.func), written[0], written[2]);
                return Some(self.report(span, &m::JOINED_FIRST, &[&text(&call.func), &instead]));
            }
            _ => return Some(self.report(span, &m::MAKER, &[&text(&call.func)])),
        };
        Some(self.check(made, span))
    }
}

/// What no round changes is what it starts as, under other names too.
fn keep_unchanged(next: &mut [NodeId], carried: &[NodeId], initial: &[NodeId]) {
    let unchanged: Vec<usize> = (0..next.len()).filter(|position| next[*position] == carried[*position]).collect();
    for (position, id) in next.iter_mut().enumerate() {
        if let Some(same) = unchanged.iter().find(|same| **same != position && carried[**same] == *id) {
            *id = initial[*same];
        }
    }
}

/// The sizes in a list.
fn sizes_of(sizes: &[Val<'_>]) -> Option<netcl_kernels::dim::Shape> {
    let size = |value: &Val<'_>| match value {
        Val::Dim(dim) => Some(dim.size.clone()),
        _ => None,
    };
    sizes.iter().map(size).collect::<Option<Vec<_>>>().map(netcl_kernels::dim::Shape)
}
