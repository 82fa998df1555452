//! `grad(value, x)` in a body: derivatives that the function goes on with.

use super::earlier_rounds::{Answer, FinishedLoop};
use super::identity::Query;
use super::misuse::{bare, written};
use super::round::AskedInRound;
use super::{FieldRef, Lowering, Val};
use crate::messages as m;
use crate::parse::{self, text};
use netcl_kernels::autodiff;
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall};

/// A tensor that a derivative is asked in.
struct Asked<'a> {
    id: NodeId,
    /// Where it is named.
    place: &'a Expr,
}

impl<'a> Lowering<'a> {
    /// Rule: `grad` takes a number and names of what it has been computed from. Wrong: `grad(&x, x)` of `x: &Tensor<f32, N>`,
    /// `grad(&loss, x.relu())`, `grad(&self.line.forward(y).sum_all(), x)`.
    pub(super) fn grad(&mut self, call: &'a ExprCall) -> Val<'a> {
        let span = call.func.span();
        let mut args = call.args.iter();
        let (Some(of), Some(wrt), None) = (args.next(), args.next(), args.next()) else {
            let (count, s) = (call.args.len(), if call.args.len() == 1 { "" } else { "s" });
            return self.report(span, &m::GRAD_ARGUMENTS, &[&count, &s]);
        };
        if let Some(closure) = closure(of) {
            return self.grad_of_closure(closure, wrt);
        }
        let (value, given) = (self.expr(of), self.expr(wrt));
        let mut asked = Vec::new();
        let exchanged =
            matches!(&value, Val::Tensor(id) if self.builder.shape(*id).rank() > 0) && self.is_single(&given);
        let named = exchanged || self.wanted(wrt, &given, &mut asked);
        let id = match value {
            Val::Unknown => return Val::Unknown,
            Val::Tensor(id) if self.builder.shape(id).rank() == 0 => id,
            // The value comes first.
            Val::Tensor(_) if exchanged => {
                let exchanged = format!("grad({}, {})", text(wrt), text(of));
                return self.report(of.span(), &m::GRAD_EXCHANGED, &[&exchanged]);
            }
            Val::Tensor(id) => {
                let found = format!("{} {}", self.builder.dtype(id), self.builder.shape(id));
                let instead =
                    format!("write `{}.sum_all()`, whose derivative is the sum of those of all elements", written(of));
                return self.report(of.span(), &m::GRAD_VALUE, &[&found, &instead]);
            }
            // What the compiler knows depends on nothing.
            Val::Number(_) | Val::Dim(_) => match asked.first().filter(|_| named) {
                Some(first) => return self.report(of.span(), &m::GRAD_INDEPENDENT, &[&text(first.place)]),
                None => return Val::Unknown,
            },
            other => {
                let instead = "the value is a tensor of one number: `grad(&y.square().sum_all(), x)`";
                return self.report(of.span(), &m::GRAD_VALUE, &[&other.kind(), &instead]);
            }
        };
        if !named {
            return Val::Unknown;
        }
        self.at(span);
        // What a loop's body has of it would be left out.
        if let Some(number) = asked.iter().find(|asked| self.is_number_of_loop(asked.id)) {
            return self.report(number.place.span(), &m::GRAD_NUMBER, &[&text(number.place), &text(number.place)]);
        }
        if !self.is_of_floats((id, of), &asked) {
            return Val::Unknown;
        }
        if !self.is_behind_rounds((id, of), &asked) {
            return Val::Unknown;
        }
        self.note_asked_in_round((id, of), &asked);
        let first = self.builder.graph().nodes.len();
        let ids: Vec<NodeId> = asked.iter().map(|asked| asked.id).collect();
        ids.iter().for_each(|id| self.new_tensors.ask(*id));
        let found = match autodiff::grad(&mut self.builder, id, &ids) {
            Ok(found) => found,
            Err(diagnostic) => {
                self.diagnostic(diagnostic, span);
                return Val::Unknown;
            }
        };
        for (asked, _) in asked.iter().zip(&found).filter(|(_, gradient)| gradient.is_none()) {
            let name = text(asked.place);
            match self.argument_instead_of(asked.id, id) {
                _ if self.followed_before_round(id, asked.id) => {
                    self.report(asked.place.span(), &m::GRAD_BEFORE_ROUND, &[&name, &name])
                }
                Some(argument) => self.report(asked.place.span(), &m::GRAD_OF_ARGUMENT, &[&name, &argument]),
                None if self.reads_carried(id) => self.report(asked.place.span(), &m::GRAD_NOT_IN_ROUND, &[&name]),
                None => self.report(asked.place.span(), &m::GRAD_INDEPENDENT, &[&name]),
            };
        }
        let Some(found) = found.into_iter().collect::<Option<Vec<NodeId>>>() else { return Val::Unknown };
        let mut gradients: Vec<NodeId> = Vec::with_capacity(found.len());
        for (position, gradient) in found.into_iter().enumerate() {
            gradients.push(match ids[..position].iter().position(|id| *id == ids[position]) {
                Some(same) => gradients[same],
                None => self.new_gradient(gradient, first),
            });
        }
        shaped(given, &mut gradients.into_iter())
    }

    /// Rule: `grad` is of a value that has been computed. Wrong: `grad(|x| self.loss(x), x)`, as JAX differentiates functions.
    fn grad_of_closure(&mut self, closure: &syn::ExprClosure, wrt: &Expr) -> Val<'a> {
        let (body, of) = (parse::index::text_of(&closure.body), text(bare(wrt)));
        let inputs: Vec<String> = closure.inputs.iter().map(text).collect();
        let instead = match inputs.as_slice() {
            [one] if *one == of || one.split(':').next().is_some_and(|name| name.trim() == of) => {
                format!("write `grad(&{body}, {of})`")
            }
            [one] => format!("name what it is computed from, `let {one} = {of};`, and write `grad(&{body}, {one})`"),
            _ => format!("write `grad(&{body}, {of})`, of a value that has been computed from `{of}`"),
        };
        self.report(closure.span(), &m::GRAD_VALUE, &[&"a closure", &instead])
    }

    /// Whether it is a tensor of one number.
    fn is_single(&self, value: &Val<'a>) -> bool {
        matches!(value, Val::Tensor(id) if self.builder.shape(*id).rank() == 0 && self.builder.dtype(*id).is_float())
    }

    /// Rule: the derivative in a number goes through no loop. Wrong: `grad(&y.sum_all(), a)` of `a: f32`, by which each round
    /// multiplies.
    fn is_number_of_loop(&self, id: NodeId) -> bool {
        fn reads(graph: &Graph, number: &Op) -> bool {
            graph.nodes.iter().any(|node| match &node.op {
                Op::Scan { scan, .. } => {
                    scan.body.nodes.iter().any(|own| own.op == *number) || reads(&scan.body, number)
                }
                _ => false,
            })
        }
        let op = &self.builder.node(id).op;
        matches!(op, Op::Input(InputKind::Scalar(_))) && reads(self.builder.graph(), op)
    }

    /// Rule: derivatives are of floats in floats. Wrong: `grad(&loss, labels)` of `labels: &Tensor<u32, N>`.
    fn is_of_floats(&mut self, (value, of): (NodeId, &Expr), asked: &[Asked<'a>]) -> bool {
        let before = self.diag.count();
        let dtype = self.builder.dtype(value);
        if !dtype.is_float() {
            let instead = "only floats have derivatives: compute the value of floats";
            self.report(of.span(), &m::GRAD_VALUE, &[&format!("one of {dtype}"), &instead]);
        }
        for Asked { id, place } in asked {
            let dtype = self.builder.dtype(*id);
            if !dtype.is_float() {
                let found = format!("`{}`, which is of {dtype}", written(place));
                let instead = "leave it out: only floats have derivatives";
                self.report(place.span(), &m::GRAD_IN, &[&found, &instead]);
            }
        }
        self.diag.count() == before
    }

    /// Rule: behind a loop derivatives are of what follows from its result. Wrong: `grad(&sum, h)` of a sum that the loop has added up of
    /// each round's `h`.
    fn is_behind_rounds(&self, (value, of): (NodeId, &Expr), asked: &[Asked<'a>]) -> bool {
        for Asked { id, place } in asked {
            if self.new_tensors.behind_loops(self.builder.graph(), Query::new(*id, vec![value])).is_none() {
                self.report(place.span(), &m::GRAD_LAST_ROUND, &[&text(bare(of)), &text(place), &text(place)]);
                return false;
            }
        }
        true
    }

    /// Rule: a derivative in a loop's body is of what the round computes. Wrong: `let mut w = self.w;`, and in the loop
    /// `grad(&(w * self.w).sum_all(), w)`, which in the first round is of one tensor; `grad(&loss(h), self.w)` of what the loop carries
    /// as `h` and has computed of `self.w`. What the next round finds is known at the loop's end.
    fn note_asked_in_round(&mut self, (value, of): (NodeId, &Expr), asked: &[Asked<'a>]) {
        if !self.new_tensors.are_all_distinct() {
            return;
        }
        let leads = autodiff::leading_to(self.builder.graph(), value);
        // Of a value that does not depend on it another error says so.
        for Asked { id, place } in asked.iter().filter(|asked| leads.get(asked.id.index()) == Some(&true)) {
            let is_carried = self.loops.iter().flat_map(|own| &own.carried).any(|(now, _)| now == id);
            let message = if is_carried { &m::GRAD_CARRIED } else { &m::GRAD_AROUND };
            let words = [text(bare(of)), text(place)];
            if let Some(innermost) = self.loops.last_mut() {
                let query = Query::new(*id, vec![value]);
                innermost.asked.push(AskedInRound { query, message, place: place.span(), words });
            }
        }
    }

    /// The same at the loop's end; what it cannot tell the loop around it will.
    pub(super) fn judge_asked(&mut self, asked: Vec<AskedInRound>, rounds: &FinishedLoop<'_>) {
        for asked in asked {
            match self.asked_around(asked.query.clone(), rounds) {
                None => {
                    let [of, name] = &asked.words;
                    self.report(asked.place, asked.message, &[of, name, name]);
                }
                Some(before) => {
                    let Some(around) = self.loops.last_mut() else { continue };
                    around.asked.extend(before.into_iter().map(|query| AskedInRound { query, ..asked.clone() }));
                }
            }
        }
    }

    /// What is to be asked of the loop around this one; `None` where the query is answered.
    fn asked_around(&self, query: Query, rounds: &FinishedLoop<'_>) -> Option<Vec<Query>> {
        let graph = self.builder.graph();
        let mut around = Vec::new();
        for query in self.new_tensors.behind_loops(graph, query)? {
            match rounds.rounds(graph, &self.new_tensors).dependence(&query) {
                Answer::Depends => return None,
                Answer::Around(before) => around.extend(before),
            }
        }
        around.iter().all(|query| self.new_tensors.behind_loops(graph, query.clone()).is_some()).then_some(around)
    }

    /// Whether the value is computed of what a loop carries.
    fn reads_carried(&self, value: NodeId) -> bool {
        let leads = autodiff::leading_to(self.builder.graph(), value);
        let mut carried = self.loops.iter().flat_map(|own| &own.carried);
        carried.any(|(now, _)| leads.get(now.index()) == Some(&true))
    }

    /// The argument of which the value is computed alone, where derivatives are asked in another one.
    fn argument_instead_of(&self, asked: NodeId, value: NodeId) -> Option<String> {
        let graph = self.builder.graph();
        let is_argument = |id: NodeId| matches!(graph[id].op, Op::Input(InputKind::Argument(_)));
        let inputs = graph.iter().filter(|(_, node)| matches!(node.op, Op::Input(_))).map(|(id, _)| id);
        let read: Vec<NodeId> = inputs.filter(|id| self.is_made_of(value, *id)).collect();
        let apart = is_argument(asked) && !read.contains(&asked) && read.iter().all(|id| is_argument(*id));
        read.first().filter(|_| apart).map(|id| graph[*id].name.clone())
    }

    /// Whether the tensor is what a round of a loop finds, and the value has been computed before that round from what it was then.
    fn followed_before_round(&self, value: NodeId, asked: NodeId) -> bool {
        let carried = || self.loops.iter().flat_map(|own| &own.carried);
        let before = |id: NodeId| carried().find(|(now, _)| *now == id).map(|(_, before)| *before);
        // Of loops in loops the inner one has begun with what a round of the outer one finds.
        let all: Vec<NodeId> = std::iter::successors(before(asked), |id| before(*id)).collect();
        let (mut pending, mut seen) = (vec![value], Vec::new());
        while let Some(value) = pending.pop() {
            if seen.contains(&value) {
                continue;
            }
            seen.push(value);
            let leads = autodiff::leading_to(self.builder.graph(), value);
            let is_behind = |id: &NodeId| leads.get(id.index()).copied().unwrap_or(false);
            if all.iter().any(is_behind) {
                return true;
            }
            pending.extend(carried().filter(|(now, _)| is_behind(now)).map(|(_, before)| *before));
        }
        false
    }

    /// Lists the tensors in `value`, which `expr` names; `false` where there is anything else, which is reported.
    fn wanted(&mut self, expr: &'a Expr, value: &Val<'a>, found: &mut Vec<Asked<'a>>) -> bool {
        match (expr, value) {
            (_, Val::Unknown) => false,
            (Expr::Reference(inner), _) => self.wanted(&inner.expr, value, found),
            (Expr::Paren(inner), _) => self.wanted(&inner.expr, value, found),
            (Expr::Group(inner), _) => self.wanted(&inner.expr, value, found),
            (Expr::Tuple(syn::ExprTuple { elems, .. }), Val::Tuple(values))
            | (Expr::Array(syn::ExprArray { elems, .. }), Val::List(values)) => {
                // Each is judged for itself.
                elems.iter().zip(values).fold(true, |fits, (expr, value)| self.wanted(expr, value, found) && fits)
            }
            (Expr::Path(_) | Expr::Field(_) | Expr::Index(_), Val::Tensor(id)) => {
                found.push(Asked { id: *id, place: expr });
                true
            }
            // A variable that holds several.
            (Expr::Path(_), Val::Tuple(values) | Val::List(values)) => {
                values.iter().all(|value| self.wanted(expr, value, found))
            }
            (_, Val::Tensor(_)) => {
                self.report(expr.span(), &m::GRAD_UNNAMED, &[&text(expr), &text(expr)]);
                false
            }
            (_, other) => {
                let instead = match other {
                    Val::Place(FieldRef::Layer(layer, ..)) => {
                        let tensors = (layer.layer.tensors)(&layer.config);
                        let all: Vec<String> =
                            tensors.iter().map(|spec| format!("{}.{}", text(expr), spec.name)).collect();
                        match all.as_slice() {
                            [] => "a layer without tensors has none".to_string(),
                            [one] => format!("name its tensor: `{one}`"),
                            many => format!("name its tensors: `({})`", many.join(", ")),
                        }
                    }
                    Val::Number(_) | Val::Dim(_) => {
                        "what the compiler knows does not vary: make it an argument, `scale: f32`".to_string()
                    }
                    _ => "name tensors: an argument, a `let`, `self.scale`, `self.line.weight`, or a tuple of such"
                        .to_string(),
                };
                self.report(expr.span(), &m::GRAD_IN, &[&other.kind(), &instead]);
                false
            }
        }
    }
}

/// The closure that it is.
fn closure(expr: &Expr) -> Option<&syn::ExprClosure> {
    match bare(expr) {
        Expr::Closure(closure) => Some(closure),
        _ => None,
    }
}

/// The gradients as `given`, a tensor or several, is put together.
fn shaped<'a>(given: Val<'a>, found: &mut impl Iterator<Item = NodeId>) -> Val<'a> {
    match given {
        Val::Tuple(values) => Val::Tuple(values.into_iter().map(|value| shaped(value, found)).collect()),
        Val::List(values) => Val::List(values.into_iter().map(|value| shaped(value, found)).collect()),
        _ => found.next().map_or(Val::Unknown, Val::Tensor),
    }
}
