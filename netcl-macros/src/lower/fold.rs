//! Recurrences of index-form kernels: `fold(0..t + 1, 0.0, |h, k| a * h + x[n, k])`.
//!
//! A fold is a loop of the graph whose rounds carry a value for each index that the closure depends on. Where the range ends at an
//! index of the result, `0..t + 1`, of which the closure knows nothing else, the folds of all `t` begin alike: they are one loop,
//! which leaves behind what it carries in each round. In other ranges that vary, rounds behind the end change nothing.

use super::affine::TooLarge;
use super::carried::{replace_tensors, whole_types};
use super::reduction::Limits;
use super::round::Round;
use super::space::Space;
use super::{Affine, Lowering, Val};
use crate::messages as m;
use crate::parse::{self, text};
use netcl_kernels::dim::{Dim, Factor, Shape, Symbol};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{AxisIndex, BinaryOp, CompareOp, NodeId};
use proc_macro2::Span;
use std::collections::BTreeSet;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprClosure, ExprMethodCall, Pat};

/// As many rounds are compiled one by one.
const FEW: i64 = 8;

/// What is carried: how it is composed, its tensors, and which of these are numbers without a type of their own.
struct Carried<'a> {
    value: Val<'a>,
    tensors: Vec<NodeId>,
    untyped: Vec<bool>,
}

/// How a range ends.
#[derive(Clone)]
enum End {
    /// For all alike.
    Fixed,
    /// After so many rounds, which an index along that axis says: each round's value is the result at one of its positions.
    Prefix(usize, Affine),
    /// After so many rounds.
    Varying(Affine),
}

impl<'a> Lowering<'a> {
    /// `fold(0..T, 0.0, |h, t| ..)`.
    pub(super) fn fold_call(&mut self, call: &'a ExprCall) -> Val<'a> {
        let args: Vec<&'a Expr> = call.args.iter().collect();
        match args.as_slice() {
            [range, first, Expr::Closure(closure)] if closure.inputs.len() == 2 => {
                self.fold((range, first, closure), call.func.span())
            }
            _ => self.report(call.span(), &m::FOLD, &[]),
        }
    }

    /// `(0..T).fold(0.0, |h, t| ..)`; `None` of what is no fold over a range.
    pub(super) fn fold_method(&mut self, call: &'a ExprMethodCall) -> Option<Val<'a>> {
        let range = parse::unparenthesized(&call.receiver);
        if self.axes.is_none() || call.method != "fold" || !matches!(range, Expr::Range(_)) {
            return None;
        }
        let args: Vec<&'a Expr> = call.args.iter().collect();
        Some(match args.as_slice() {
            [first, Expr::Closure(closure)] if closure.inputs.len() == 2 => {
                self.fold((range, first, closure), call.method.span())
            }
            _ => self.report(call.span(), &m::FOLD, &[]),
        })
    }

    fn fold(&mut self, (range, first, closure): (&'a Expr, &'a Expr, &'a ExprClosure), span: Span) -> Val<'a> {
        let limits = self.limits(range);
        let value = self.expr(first);
        let Some(limits) = limits.filter(|_| !value.is_unknown()) else { return Val::Unknown };
        let value = match (limits.size.as_constant(), &limits.length) {
            (Some(rounds), None) if rounds <= FEW => self.unrolled(value, (&limits.start, rounds), closure),
            _ => self.looped(value, &limits, closure, (range, first, span)),
        };
        if let Some(position) = closure.inputs.last().filter(|_| !value.is_unknown()) {
            self.unused_in(std::iter::once(position), &closure.body);
        }
        value
    }

    /// The rounds one by one.
    fn unrolled(&mut self, first: Val<'a>, (start, rounds): (&Affine, i64), closure: &'a ExprClosure) -> Val<'a> {
        let mut value = first;
        for round in 0..rounds {
            let Ok(index) = start.plus(&Affine::fixed(Dim::constant(round))) else { return Val::Unknown };
            value = self.fold_round(value, index, closure);
            if value.is_unknown() {
                return Val::Unknown;
            }
        }
        value
    }

    /// The closure's value of what is carried and an index.
    fn fold_round(&mut self, carried: Val<'a>, index: Affine, closure: &'a ExprClosure) -> Val<'a> {
        self.frame_mut().scopes.push(Vec::new());
        self.bind_pattern(&closure.inputs[0], carried);
        match &closure.inputs[1] {
            Pat::Ident(ident) if ident.by_ref.is_none() && ident.subpat.is_none() => {
                self.bind(&parse::name(&ident.ident), Val::Index(index), false, true);
            }
            Pat::Wild(_) => {}
            other => {
                self.report(other.span(), &m::KERNEL_INDEX_PATTERN, &[&text(other)]);
                self.bind_unknown(other, false);
            }
        }
        self.wanted = true;
        let assigned = self.assignments();
        let value = self.expr(&closure.body);
        let assigns = self.assignments() != assigned;
        self.frame_mut().scopes.pop();
        if assigns && !value.is_unknown() {
            let instead = "give the closure's value instead: what a round computes is what the next one begins with";
            let what = "assigning to a variable outside the closure";
            return self.report(closure.body.span(), &m::UNSUPPORTED, &[&what, &instead]);
        }
        value
    }

    /// The rounds as a loop of the graph.
    fn looped(
        &mut self,
        first: Val<'a>,
        limits: &Limits,
        closure: &'a ExprClosure,
        (range, start, span): (&'a Expr, &'a Expr, Span),
    ) -> Val<'a> {
        if limits.length.is_none() && !limits.size.never_negative() {
            return self.report(range.span(), &m::FOLD_RANGE, &[&text(range), &limits.size]);
        }
        let Some(mut carried) = self.begins(first, start) else { return Val::Unknown };
        let mut end = ending(limits);
        let name = match &closure.inputs[1] {
            Pat::Ident(ident) => parse::name(&ident.ident),
            _ => "round".to_string(),
        };
        // Which indices a value depends on, and of which type it is, a round says: one that says something new is none.
        loop {
            let (builder, known) = (self.builder.clone(), self.calls.known.clone());
            self.at(span);
            let (rounds, last) = self.rounds_of_fold(limits, &end);
            let draft = self.builder.begin_scan(&name, rounds, &carried.tensors);
            let mut value = carried.value.clone();
            replace_tensors(&mut value, &mut draft.carried().iter());
            let mut step = None;
            draft.round().visit_symbols(&mut |symbol| step = Some(symbol.clone()));
            self.folds.extend(step.map(|step| Round { step, last }));
            let index = limits.start.plus(&Affine::fixed(draft.round()));
            let after = match index {
                Ok(index) => self.fold_round(value, index, closure),
                Err(_) => self.report(range.span(), &m::KERNEL_FACTOR, &[]),
            };
            let after = self.ends_round(after, &carried, (draft.carried(), &draft.round()), &end, closure);
            self.folds.pop();
            let Some(after) = after else { return Val::Unknown };
            let Some(wider) = self.wider(&carried, &after, closure) else { return Val::Unknown };
            let depends =
                |axis: usize| wider.iter().any(|(shape, _)| shape.0.get(axis).is_some_and(|size| !size.is(1)));
            if let End::Prefix(axis, length) = &end
                && depends(*axis)
            {
                let length = length.clone();
                (self.builder, self.calls.known) = (builder, known);
                end = End::Varying(length);
                continue;
            }
            let same = |(id, (shape, dtype)): (&NodeId, &(Shape, DType))| {
                self.builder.shape(*id) == shape && self.builder.dtype(*id) == *dtype
            };
            if !carried.tensors.iter().zip(&wider).all(same) {
                (self.builder, self.calls.known) = (builder, known);
                let again = carried.tensors.iter().zip(&wider).map(|(id, (shape, dtype))| {
                    let id = self.builder.broadcast_to(*id, shape)?;
                    if self.builder.dtype(id) == *dtype { Ok(id) } else { self.builder.cast(id, *dtype) }
                });
                let again: netcl_kernels::span::Result<Vec<NodeId>> = again.collect();
                match again {
                    Ok(tensors) => carried.tensors = tensors,
                    Err(diagnostic) => {
                        self.diagnostic(diagnostic, span);
                        return Val::Unknown;
                    }
                }
                carried.untyped.iter_mut().for_each(|untyped| *untyped = false);
                continue;
            }
            let left = match &end {
                End::Prefix(_, length) if self.is_positive(length) => after.clone(),
                End::Prefix(..) => draft.carried().to_vec(),
                _ => Vec::new(),
            };
            self.at(span);
            let results = match self.builder.end_scan(&draft, &after, &left) {
                Ok(results) => results,
                Err(diagnostic) => {
                    self.diagnostic(diagnostic, span);
                    return Val::Unknown;
                }
            };
            let mut each = results[..after.len()].to_vec();
            if let End::Prefix(axis, length) = &end {
                each.clear();
                for stack in &results[after.len()..] {
                    match self.of_each(*stack, *axis, length, span) {
                        Val::Tensor(id) => each.push(id),
                        _ => return Val::Unknown,
                    }
                }
            }
            let mut value = carried.value.clone();
            replace_tensors(&mut value, &mut each.iter());
            return value;
        }
    }

    /// What the first round finds, over the index space.
    fn begins(&mut self, first: Val<'a>, start: &'a Expr) -> Option<Carried<'a>> {
        let mut leaves = Vec::new();
        if !parts_of(&first, &mut leaves) {
            self.report(start.span(), &m::FOLD_START, &[&first.kind()]);
            return None;
        }
        let mut suffixes = Vec::new();
        whole_types(start, &first, &mut suffixes);
        let untyped = leaves.iter().zip(&suffixes).map(|(leaf, suffix)| suffix.is_none() && is_untyped(leaf));
        let untyped: Vec<bool> = untyped.collect();
        let typed = self.of_element_type(&leaves);
        let mut tensors = Vec::with_capacity(typed.len());
        for ((value, leaf), suffix) in typed.into_iter().zip(leaves).zip(suffixes) {
            let id = match suffix {
                Some(dtype) => self.tensor(leaf, Some(dtype), start.span())?,
                None => self.tensor(value, Some(DType::I32), start.span())?,
            };
            tensors.push(self.over_axes(id, start.span())?);
        }
        let mut value = first;
        replace_tensors(&mut value, &mut tensors.iter());
        Some(Carried { value, tensors, untyped })
    }

    /// What a round gives, where that is composed as what it found.
    fn ends_round(
        &mut self,
        after: Val<'a>,
        carried: &Carried<'a>,
        (before, round): (&[NodeId], &Dim),
        end: &End,
        closure: &'a ExprClosure,
    ) -> Option<Vec<NodeId>> {
        if after.is_unknown() {
            return None;
        }
        let span = closure.body.span();
        let mut leaves = Vec::new();
        if !parts_of(&after, &mut leaves) || !is_like(&after, &carried.value) {
            self.report(span, &m::FOLD_CARRIED, &[&carried.value.kind(), &after.kind()]);
            return None;
        }
        let mut tensors = Vec::with_capacity(leaves.len());
        for (value, before) in leaves.into_iter().zip(before) {
            let id = self.tensor(value, Some(self.builder.dtype(*before)), span)?;
            let mut id = self.over_axes(id, span)?;
            if let End::Varying(length) = end
                && self.builder.dtype(id) == self.builder.dtype(*before)
            {
                let position = self.index_tensor(&Affine::fixed(round.clone()), DType::I32, span)?;
                let length = self.index_tensor(length, DType::I32, span)?;
                let goes_on = self.builder.compare(CompareOp::Lt, position, length);
                let kept = goes_on.and_then(|goes_on| self.builder.select(goes_on, id, *before));
                let Val::Tensor(kept) = self.check(kept, span) else { return None };
                id = self.over_axes(kept, span)?;
            }
            tensors.push(id);
        }
        Some(tensors)
    }

    /// Shape and type of what is carried before and after a round.
    fn wider(
        &mut self,
        carried: &Carried<'a>,
        after: &[NodeId],
        closure: &'a ExprClosure,
    ) -> Option<Vec<(Shape, DType)>> {
        let mut all = Vec::with_capacity(after.len());
        for ((before, after), untyped) in carried.tensors.iter().zip(after).zip(&carried.untyped) {
            let [from, to] = [before, after].map(|id| (self.builder.shape(*id).clone(), self.builder.dtype(*id)));
            if from.1 != to.1 && (!untyped || to.1 == DType::Bool) {
                let [from, to] = [from.1, to.1].map(|dtype| format!("`{dtype}`"));
                self.report(closure.body.span(), &m::FOLD_CARRIED, &[&from, &to]);
                return None;
            }
            match self.builder.broadcast_shapes("fold", from.0, to.0) {
                Ok(shape) => all.push((shape, to.1)),
                Err(diagnostic) => {
                    self.diagnostic(diagnostic, closure.body.span());
                    return None;
                }
            }
        }
        Some(all)
    }

    /// How many rounds the loop has, and the last one that reads.
    fn rounds_of_fold(&self, limits: &Limits, end: &End) -> (Dim, Dim) {
        let axes = self.axes.as_deref().unwrap_or_default();
        let last = limits.length.as_ref().map_or(limits.size.clone(), |length| length.range_within(axes, &self.ends).1);
        let rounds = match end {
            // What is carried before a round is left behind, of one more than there are.
            End::Prefix(_, length) if !self.is_positive(length) => limits.size.clone() + Dim::constant(1),
            _ => limits.size.clone(),
        };
        (rounds, last)
    }

    fn is_positive(&self, length: &Affine) -> bool {
        let axes = self.axes.as_deref().unwrap_or_default();
        (length.range_within(axes, &self.ends).0 - Dim::constant(1)).never_negative()
    }

    /// Of what the rounds have left behind, what is the value at each position along the axis.
    fn of_each(&mut self, stack: NodeId, axis: usize, length: &Affine, span: Span) -> Val<'a> {
        let axes = self.axes.clone().unwrap_or_default();
        let at = match self.is_positive(length) {
            true => length.plus(&Affine::fixed(Dim::constant(-1))).ok(),
            false => length.bounded(Some(&Dim::default()), None, &axes),
        };
        let Some(at) = at else { return self.report(span, &m::KERNEL_FACTOR, &[]) };
        let mut space = Space::new(&axes);
        let mut index = vec![space.coordinate(&at)];
        let own = self.builder.shape(stack).0[1..].to_vec();
        index.extend((0..axes.len()).map(|other| match other == axis || own[other].is(1) {
            true => AxisIndex::fixed(0),
            false => AxisIndex::axis(other),
        }));
        let mut shape = space.shape(&BTreeSet::from([axis]));
        for other in (0..axes.len()).filter(|other| *other != axis) {
            shape.0[other] = own[other].clone();
        }
        self.at(span);
        let result = self.builder.view(stack, shape, index);
        let result = result.and_then(|elements| space.at_parts(&mut self.builder, elements));
        self.check(result, span)
    }

    /// The node with all axes of the index space.
    fn over_axes(&mut self, id: NodeId, span: Span) -> Option<NodeId> {
        let rank = self.axes.as_ref().map_or(0, Vec::len);
        if self.builder.shape(id).rank() == rank {
            return Some(id);
        }
        let result = self.builder.broadcast_to(id, &Shape(vec![Dim::constant(1); rank]));
        match self.check(result, span) {
            Val::Tensor(id) => Some(id),
            _ => None,
        }
    }

    /// Whether the size is never negative in the rounds of the folds around.
    pub(super) fn never_negative(&self, size: &Dim) -> bool {
        fn within(size: &Dim, folds: &[Round]) -> bool {
            if size.never_negative() {
                return true;
            }
            let Some((Round { step, last }, outer)) = folds.split_last() else { return false };
            if !mentions(size, step) {
                return within(size, outer);
            }
            // It is least in the first round or in the last one.
            let at = |end: &Dim| within(&size.substitute(&|symbol| (symbol == step).then(|| end.clone())), outer);
            goes_one_way(size, step) && at(&Dim::constant(1)) && at(last)
        }
        within(size, &self.folds)
    }

    /// `clamp(k - 1, 0, T - 1)` and its like of the number of a round.
    pub(super) fn kept_in_round(&self, name: &str, index: &Val<'a>, bounds: &[Val<'a>]) -> Option<Val<'a>> {
        let Val::Index(index) = index else { return None };
        let kept = match (name, bounds) {
            ("max", [Val::Dim(low)]) => index.bounded_in_round(Some(low), None),
            ("min", [Val::Dim(high)]) => index.bounded_in_round(None, Some(high)),
            ("clamp", [Val::Dim(low), Val::Dim(high)]) => index.bounded_in_round(Some(low), Some(high)),
            _ => return None,
        };
        self.builder.is_in_loop(&index.offset).then_some(Val::Index(kept))
    }

    /// The same of a function of two, either of which may be the number of a round.
    pub(super) fn one_in_round(
        &self,
        op: BinaryOp,
        left: &Val<'a>,
        right: &Val<'a>,
    ) -> Option<Result<Affine, TooLarge>> {
        let kept = |index, bound| match self.kept_in_round(op.name(), index, std::slice::from_ref(bound)) {
            Some(Val::Index(index)) => Some(Ok(index)),
            _ => None,
        };
        kept(left, right).or_else(|| kept(right, left))
    }

    /// Whether a part of the index is divided or bounded by what is another in each round.
    pub(super) fn depends_on_round(&self, index: &Affine) -> bool {
        index.parts().any(|inner| self.builder.is_in_loop(&inner.offset) || self.depends_on_round(&inner))
    }
}

/// How the range ends, as far as its limits say.
fn ending(limits: &Limits) -> End {
    let Some(length) = &limits.length else { return End::Fixed };
    match length.terms.as_slice() {
        [(super::affine::Atom::Axis(axis), 1 | -1)] if limits.start.terms.is_empty() => {
            End::Prefix(*axis, length.clone())
        }
        _ => End::Varying(length.clone()),
    }
}

fn mentions(size: &Dim, symbol: &Symbol) -> bool {
    let mut found = false;
    size.visit_symbols(&mut |own| found |= own == symbol);
    found
}

/// Whether the size grows with the symbol all the way, or shrinks.
fn goes_one_way(size: &Dim, symbol: &Symbol) -> bool {
    let once = |factors: &[Factor]| {
        let mut own = factors.iter().filter(|factor| match factor {
            Factor::Symbol(factor) => factor == symbol,
            Factor::FloorDiv(dividend, _) => mentions(dividend, symbol),
        });
        let first = own.next();
        own.next().is_none() && !matches!(first, Some(Factor::FloorDiv(dividend, _)) if !goes_one_way(dividend, symbol))
    };
    let linear = |factors: &[Factor]| {
        !factors.iter().any(|factor| matches!(factor, Factor::FloorDiv(inner, _) if mentions(inner, symbol)))
    };
    let own: Vec<&[Factor]> = size
        .terms()
        .map(|(factors, _)| factors)
        .filter(|factors| {
            factors.iter().any(|factor| match factor {
                Factor::Symbol(factor) => factor == symbol,
                Factor::FloorDiv(dividend, _) => mentions(dividend, symbol),
            })
        })
        .collect();
    own.iter().all(|factors| once(factors)) && (own.len() == 1 || own.iter().all(|factors| linear(factors)))
}

/// The values that it is made of; false of what a loop cannot carry.
fn parts_of<'a>(value: &Val<'a>, into: &mut Vec<Val<'a>>) -> bool {
    match value {
        Val::Tuple(parts) | Val::List(parts) => !parts.is_empty() && parts.iter().all(|part| parts_of(part, into)),
        Val::Tensor(_) | Val::Number(_) | Val::Dim(_) | Val::Index(_) | Val::Bool(_) => {
            into.push(value.clone());
            true
        }
        _ => false,
    }
}

/// Whether it is a number that takes the type of what it meets.
fn is_untyped(value: &Val<'_>) -> bool {
    match value {
        Val::Number(number) => number.ty.is_none(),
        Val::Dim(_) => true,
        _ => false,
    }
}

/// Whether both are composed alike.
fn is_like(value: &Val<'_>, other: &Val<'_>) -> bool {
    match (value, other) {
        (Val::Tuple(a), Val::Tuple(b)) | (Val::List(a), Val::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_like(a, b))
        }
        (Val::Tuple(_) | Val::List(_), _) | (_, Val::Tuple(_) | Val::List(_)) => false,
        _ => true,
    }
}
