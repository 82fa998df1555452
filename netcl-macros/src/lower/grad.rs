//! `grad(value, x)` in a body: derivatives that the function goes on with.

use super::misuse::{bare, written};
use super::{FieldRef, Lowering, Val};
use crate::ast::FunctionItem;
use crate::messages as m;
use crate::parse::{self, text};
use netcl_kernels::autodiff;
use netcl_kernels::graph::{Graph, InputKind, NodeId, Op};
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, Member, Pat};

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
        let ids: Vec<NodeId> = asked.iter().map(|asked| asked.id).collect();
        let found = match autodiff::grad(&mut self.builder, id, &ids) {
            Ok(found) => found,
            Err(diagnostic) => {
                self.diagnostic(diagnostic, span);
                return Val::Unknown;
            }
        };
        for (asked, _) in asked.iter().zip(&found).filter(|(_, gradient)| gradient.is_none()) {
            let name = text(asked.place);
            match self.followed_before_round(id, asked.id) {
                true => self.report(asked.place.span(), &m::GRAD_BEFORE_ROUND, &[&name, &name]),
                false => self.report(asked.place.span(), &m::GRAD_INDEPENDENT, &[&name]),
            };
        }
        let Some(found) = found.into_iter().collect::<Option<Vec<NodeId>>>() else { return Val::Unknown };
        shaped(given, &mut found.into_iter())
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

    /// Goes into `function`, in which those names are asked for. In kernels `grad` is a function of the user's.
    pub(super) fn differentiates(&mut self, function: &FunctionItem) {
        if !function.indexed {
            self.frame_mut().differentiated = function.differentiated.clone();
        }
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

    /// The value of a `let`, whose tensors are nodes of their own where `pattern` gives it a name that derivatives are asked in:
    /// what is equal to one, and written elsewhere, is not it.
    pub(super) fn own_value(&mut self, pattern: &Pat, expr: &Expr, value: Val<'a>) -> Val<'a> {
        if self.frame().differentiated.is_empty() {
            return value;
        }
        match (pattern, value) {
            (Pat::Type(typed), value) => self.own_value(&typed.pat, expr, value),
            (Pat::Paren(inner), value) => self.own_value(&inner.pat, expr, value),
            (Pat::Tuple(tuple), Val::Tuple(values)) if tuple.elems.len() == values.len() => {
                let parts = tuple.elems.iter().zip(values).enumerate();
                Val::Tuple(parts.map(|(at, (pat, value))| self.own_value(pat, part(expr, at), value)).collect())
            }
            (Pat::Slice(slice), Val::List(values)) if slice.elems.len() == values.len() => {
                let parts = slice.elems.iter().zip(values).enumerate();
                Val::List(parts.map(|(at, (pat, value))| self.own_value(pat, part(expr, at), value)).collect())
            }
            (Pat::Struct(fields), Val::Struct(of, values)) => {
                let own = |(name, value): (String, Val<'a>)| {
                    let pattern = fields.fields.iter().find(|field| is_named(&field.member, &name));
                    let value = match pattern {
                        Some(field) => self.own_value(&field.pat, field_of(expr, &name).unwrap_or(expr), value),
                        None => value,
                    };
                    (name, value)
                };
                Val::Struct(of, values.into_iter().map(own).collect())
            }
            (Pat::Ident(name), value) => self.own_of(&parse::name(&name.ident), Some(expr), value),
            (_, value) => value,
        }
    }

    /// The same of an assignment.
    pub(super) fn own_assigned(&mut self, left: &Expr, expr: &Expr, value: Val<'a>) -> Val<'a> {
        if self.frame().differentiated.is_empty() {
            return value;
        }
        match (left, value) {
            (Expr::Paren(inner), value) => self.own_assigned(&inner.expr, expr, value),
            (Expr::Tuple(tuple), Val::Tuple(values)) if tuple.elems.len() == values.len() => {
                let parts = tuple.elems.iter().zip(values).enumerate();
                Val::Tuple(parts.map(|(at, (left, value))| self.own_assigned(left, part(expr, at), value)).collect())
            }
            (Expr::Path(path), value) => match path.path.get_ident() {
                Some(name) => self.own_of(&parse::name(name), Some(expr), value),
                None => value,
            },
            // Part of a variable.
            (Expr::Field(syn::ExprField { base, .. }) | Expr::Index(syn::ExprIndex { expr: base, .. }), value) => {
                match root(base) {
                    Some(name) => self.own_of(&name, Some(expr), value),
                    None => value,
                }
            }
            (_, value) => value,
        }
    }

    /// The same for one name of the function that is compiled; `expr` is what the value was written as.
    pub(super) fn own_of(&mut self, name: &str, expr: Option<&Expr>, value: Val<'a>) -> Val<'a> {
        if self.frame().differentiated.contains(name) { self.own_parts(expr, value) } else { value }
    }

    /// The same of a value of several tensors. What names one that is there already is that one.
    fn own_parts(&mut self, expr: Option<&Expr>, value: Val<'a>) -> Val<'a> {
        let expr = expr.map(bare);
        match value {
            value if expr.is_some_and(is_place) => value,
            Val::Tensor(id) => Val::Tensor(self.own_node(id)),
            Val::Tuple(values) => {
                let parts = values.into_iter().enumerate();
                Val::Tuple(parts.map(|(at, value)| self.own_parts(expr.map(|expr| part(expr, at)), value)).collect())
            }
            Val::List(values) => {
                let parts = values.into_iter().enumerate();
                Val::List(parts.map(|(at, value)| self.own_parts(expr.map(|expr| part(expr, at)), value)).collect())
            }
            Val::Option(Some(value)) => Val::Option(Some(Box::new(self.own_parts(None, *value)))),
            Val::Struct(of, fields) => {
                let own = |(name, value): (String, Val<'a>)| {
                    let value = self.own_parts(expr.and_then(|expr| field_of(expr, &name)), value);
                    (name, value)
                };
                Val::Struct(of, fields.into_iter().map(own).collect())
            }
            value => value,
        }
    }

    fn own_node(&mut self, id: NodeId) -> NodeId {
        if self.builder.dtype(id).is_float() { self.builder.distinct(id) } else { id }
    }

    /// The value that a name is given otherwise than by a `let` (an argument's, an element's that a loop goes over), in which tensors are
    /// nodes of their own but for those that variables have: what there is a name for is that, and not only equal to it.
    pub(super) fn own_given(&mut self, name: &str, held: &BTreeSet<NodeId>, value: Val<'a>) -> Val<'a> {
        if !self.frame().differentiated.contains(name) {
            return value;
        }
        value.map_tensors(&mut |id| {
            let given = matches!(self.builder.node(id).op, Op::Input(_));
            if given || held.contains(&id) || self.builder.is_distinct(id) { id } else { self.own_node(id) }
        })
    }

    /// The same of a name in a pattern.
    pub(super) fn own_bound(&mut self, name: &str, value: Val<'a>) -> Val<'a> {
        if !self.frame().differentiated.contains(name) {
            return value;
        }
        let held = self.held();
        self.own_given(name, &held, value)
    }

    /// The tensors that variables of the function have which is compiled.
    pub(super) fn held(&self) -> BTreeSet<NodeId> {
        let mut held = BTreeSet::new();
        for variable in self.frame().scopes.iter().flatten() {
            variable.value.visit_tensors(&mut |id| _ = held.insert(id));
        }
        held
    }
}

/// What the part at that position of a tuple or a list is written as; all of it where that is not written.
fn part(expr: &Expr, position: usize) -> &Expr {
    let elems = match bare(expr) {
        Expr::Tuple(tuple) => &tuple.elems,
        Expr::Array(array) => &array.elems,
        _ => return expr,
    };
    elems.get(position).unwrap_or(expr)
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

/// What the field of that name of a struct is written as.
fn field_of<'e>(expr: &'e Expr, name: &str) -> Option<&'e Expr> {
    let Expr::Struct(given) = bare(expr) else { return None };
    given.fields.iter().find(|field| is_named(&field.member, name)).map(|field| &field.expr)
}

fn is_named(member: &Member, name: &str) -> bool {
    matches!(member, Member::Named(own) if parse::name(own) == name)
}

/// The variable that it is a part of.
fn root(expr: &Expr) -> Option<String> {
    match bare(expr) {
        Expr::Path(path) => path.path.get_ident().map(parse::name),
        Expr::Field(field) => root(&field.base),
        Expr::Index(index) => root(&index.expr),
        _ => None,
    }
}

/// Whether it names what is there already.
fn is_place(expr: &Expr) -> bool {
    matches!(expr, Expr::Path(_) | Expr::Field(_) | Expr::Index(_))
}
