//! Recurrences of index-form kernels: `fold(0..t + 1, 0.0, |h, k| a * h + x[n, k])`.
//!
//! A fold is a loop of the graph whose rounds carry a value for each index that the closure depends on. Where the range ends at an
//! index of the result, `0..t + 1`, of which the closure knows nothing else, the folds of all `t` begin alike: they are one loop,
//! which leaves behind what it carries in each round. In other ranges that vary, rounds before the start and behind the end change
//! nothing: all have the rounds from the first start to the last end, so that none reads what is outside.

use super::affine::TooLarge;
use super::carried::replace_tensors;
use super::expected::Expected;
use super::reduction::Limits;
use super::round::Round;
use super::space::Space;
use super::{Affine, Lowering, Val};
use crate::messages as m;
use crate::number::ConstFloat;
use crate::parse::{self, text};
use crate::words;
use netcl_kernels::dim::{Dim, Shape};
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
    /// After so many rounds, of which the first ones may be before the start.
    Varying { from: Option<Affine>, to: Affine },
}

impl End {
    /// How many rounds at the start change nothing, and which is the last that does, where indices say that.
    fn bounds(&self) -> (Option<Affine>, Option<Affine>) {
        match self {
            End::Fixed => (None, None),
            End::Prefix(_, length) => (None, Some(length.clone())),
            End::Varying { from, to } => (from.clone(), Some(to.clone())),
        }
    }
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
        if self.axes.is_none() || !super::reduction::folds_range(call) {
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
        let expected = self.expected.take().and_then(Expected::whole);
        let limits = self.limits(range);
        self.expected = expected;
        let value = self.expr(first);
        let Some(limits) = limits.filter(|_| !value.is_unknown()) else { return Val::Unknown };
        let whole = match &value {
            Val::Number(_) => false,
            Val::Tensor(id) => self.builder.dtype(*id).is_integer(),
            _ => true,
        };
        if let Some((first, second)) = super::closure::exchanged(closure).filter(|_| !whole) {
            return self.report(closure.inputs.span(), &m::FOLD_EXCHANGED, &[&second, &first]);
        }
        let value = match (limits.size.as_constant(), &limits.length) {
            (Some(rounds), None) if rounds <= FEW => match self.typed_start(value, first) {
                Some(value) => self.unrolled(value, (&limits.start, rounds), closure, (expected, span)),
                None => Val::Unknown,
            },
            _ => self.looped(value, &limits, (closure, expected), (range, first, span)),
        };
        if let Some(position) = closure.inputs.last().filter(|_| !value.is_unknown()) {
            self.unused_in(std::iter::once(position), &closure.body);
        }
        value
    }

    /// The rounds one by one.
    fn unrolled(
        &mut self,
        first: Val<'a>,
        (start, rounds): (&Affine, i64),
        closure: &'a ExprClosure,
        (expected, span): (Option<Expected<'a>>, Span),
    ) -> Val<'a> {
        let mut value = first;
        for round in 0..rounds {
            self.folded += 1;
            if self.folded > words::MAX_FOLDED {
                return self.report(span, &m::FOLDS_TOO_LONG, &[&words::MAX_FOLDED, &FEW]);
            }
            let Ok(index) = start.plus(&Affine::fixed(Dim::constant(round))) else { return Val::Unknown };
            self.expected = expected;
            value = self.fold_round(value, index, closure);
            if value.is_unknown() {
                return Val::Unknown;
            }
        }
        value
    }

    /// The closure's value of what is carried and an index.
    fn fold_round(&mut self, carried: Val<'a>, index: Affine, closure: &'a ExprClosure) -> Val<'a> {
        let expected = self.expected.take();
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
        (self.expected, self.wanted) = (expected, true);
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
        (closure, expected): (&'a ExprClosure, Option<Expected<'a>>),
        (range, start, span): (&'a Expr, &'a Expr, Span),
    ) -> Val<'a> {
        if limits.length.is_none() && !limits.size.never_negative() {
            return self.report(range.span(), &m::FOLD_RANGE, &[&text(range), &limits.size]);
        }
        let Some(mut carried) = self.begins(first, start, expected) else { return Val::Unknown };
        let aligned = self.aligned(limits);
        let (limits, mut end) = match &aligned {
            Some((limits, end)) => (limits, end.clone()),
            None => (limits, ending(limits)),
        };
        let name = match &closure.inputs[1] {
            Pat::Ident(ident) => parse::name(&ident.ident),
            _ => "round".to_string(),
        };
        // Which indices a value depends on, and of which type it is, a round says: one that says something new is none.
        loop {
            let before = self.snapshot();
            self.at(span);
            let (rounds, last) = self.rounds_of_fold(limits);
            let draft = self.builder.begin_scan(&name, rounds, &carried.tensors);
            let mut value = carried.value.clone();
            replace_tensors(&mut value, &mut draft.carried().iter());
            let mut step = None;
            draft.round().visit_symbols(&mut |symbol| step = Some(symbol.clone()));
            let (from, to) = end.bounds();
            self.folds.extend(step.map(|step| Round { step, last, from, to }));
            let index = limits.start.plus(&Affine::fixed(draft.round()));
            let after = match index {
                Ok(index) => {
                    self.expected = expected;
                    self.fold_round(value, index, closure)
                }
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
                self.restore(before);
                end = End::Varying { from: None, to: length };
                continue;
            }
            let same = |(id, (shape, dtype)): (&NodeId, &(Shape, DType))| {
                self.builder.shape(*id) == shape && self.builder.dtype(*id) == *dtype
            };
            if !carried.tensors.iter().zip(&wider).all(same) {
                self.restore(before);
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
            let left = if matches!(end, End::Prefix(..)) { after.clone() } else { Vec::new() };
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
                for (stack, first) in results[after.len()..].iter().zip(&carried.tensors) {
                    match self.of_each((*stack, *first), *axis, length, span) {
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

    /// The same with the types that suffixes say, as in `0i32`.
    fn typed_start(&mut self, first: Val<'a>, start: &'a Expr) -> Option<Val<'a>> {
        let mut suffixes = Vec::new();
        self.whole_types(start, &first, &mut suffixes);
        let mut leaves = Vec::new();
        parts_of(&first, &mut leaves);
        let elements = self.element_types().0;
        let of_another =
            |leaf: &Val<'_>| matches!(leaf, Val::Number(number) if number.ty.is_some() && number.ty != elements);
        let typed = suffixes.iter().any(Option::is_some) || leaves.iter().any(of_another);
        if typed { Some(self.begins(first, start, None)?.value) } else { Some(first) }
    }

    /// What the first round finds, over the index space.
    fn begins(&mut self, first: Val<'a>, start: &'a Expr, expected: Option<Expected<'a>>) -> Option<Carried<'a>> {
        let mut leaves = Vec::new();
        if !parts_of(&first, &mut leaves) {
            self.report(start.span(), &m::FOLD_START, &[&first.kind()]);
            return None;
        }
        let mut suffixes = Vec::new();
        self.whole_types(start, &first, &mut suffixes);
        for (position, (suffix, leaf)) in suffixes.iter_mut().zip(&leaves).enumerate() {
            let own = match &first {
                Val::Tuple(parts) if parts.len() == leaves.len() => expected.and_then(|all| all.part(position)),
                _ => expected,
            };
            let own = own.and_then(Expected::number).filter(|own| own.is_integer() && matches!(leaf, Val::Dim(_)));
            *suffix = suffix.or(own);
        }
        let untyped = leaves.iter().zip(&suffixes).map(|(leaf, suffix)| suffix.is_none() && is_untyped(leaf));
        let untyped: Vec<bool> = untyped.collect();
        let typed = self.of_element_type(&leaves);
        let mut tensors = Vec::with_capacity(typed.len());
        for ((value, leaf), suffix) in typed.into_iter().zip(leaves).zip(suffixes) {
            let id = match (suffix, &leaf) {
                (Some(dtype), _) => self.tensor(leaf, Some(dtype), start.span())?,
                // Beside half precision as well: an `f32` carries what its elements cannot.
                (None, Val::Number(ConstFloat { ty: Some(dtype), value, .. })) => self.builder.constant(*value, *dtype),
                (None, _) => self.tensor(value, Some(DType::I32), start.span())?,
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
            let [from, to] = [&carried.value, &after].map(Val::kind);
            self.report(span, &m::FOLD_CARRIED, &[&from, &to]);
            return None;
        }
        let mut tensors = Vec::with_capacity(leaves.len());
        for (value, before) in leaves.into_iter().zip(before) {
            let id = self.tensor(value, Some(self.builder.dtype(*before)), span)?;
            let mut id = self.over_axes(id, span)?;
            if let End::Varying { from, to } = end
                && self.builder.dtype(id) == self.builder.dtype(*before)
            {
                let position = self.index_tensor(&Affine::fixed(round.clone()), DType::I32, span)?;
                for (bound, op) in [(from.as_ref(), CompareOp::Ge), (Some(to), CompareOp::Lt)] {
                    let Some(bound) = bound else { continue };
                    let bound = self.index_tensor(bound, DType::I32, span)?;
                    let inside = self.builder.compare(op, position, bound);
                    let kept = inside.and_then(|inside| self.builder.select(inside, id, *before));
                    let Val::Tensor(kept) = self.check(kept, span) else { return None };
                    id = self.over_axes(kept, span)?;
                }
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

    /// How many rounds the loop has, and the last one that counts.
    fn rounds_of_fold(&self, limits: &Limits) -> (Dim, Dim) {
        let axes = self.axes.as_deref().unwrap_or_default();
        let last = limits.length.as_ref().map_or(limits.size.clone(), |length| length.range_within(axes, &self.ends).1);
        (if last.never_negative() { last.clone() } else { limits.size.clone() }, last)
    }

    /// The same of a range whose start varies and whose length does: from the first start to the last end.
    fn aligned(&self, limits: &Limits) -> Option<(Limits, End)> {
        let length = limits.length.as_ref().filter(|_| !limits.start.terms.is_empty())?;
        let axes = self.axes.as_deref().unwrap_or_default();
        let first = limits.start.range_within(axes, &self.ends).0;
        let back = Affine::fixed(Dim::default() - first.clone());
        let (from, to) =
            (limits.start.plus(&back).ok()?, limits.start.plus(length).and_then(|end| end.plus(&back)).ok()?);
        let size = to.range_within(axes, &self.ends).1;
        let limits = Limits { start: Affine::fixed(first), size: size.clone(), length: Some(to.clone()) };
        size.never_negative().then_some((limits, End::Varying { from: Some(from), to }))
    }

    fn is_positive(&self, length: &Affine) -> bool {
        let axes = self.axes.as_deref().unwrap_or_default();
        (length.range_within(axes, &self.ends).0 - Dim::constant(1)).never_negative()
    }

    /// Of what the rounds have left behind, what is the value at each position along the axis: the first one where there is no round.
    fn of_each(&mut self, (stack, first): (NodeId, NodeId), axis: usize, length: &Affine, span: Span) -> Val<'a> {
        let axes = self.axes.clone().unwrap_or_default();
        let last = length.plus(&Affine::fixed(Dim::constant(-1))).ok();
        let at = match self.is_positive(length) {
            true => last,
            false => last.and_then(|last| last.bounded(Some(&Dim::default()), None, &axes)),
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
        let value = self.check(result, span);
        let Val::Tensor(after) = value else { return value };
        if self.is_positive(length) {
            return value;
        }
        let Some(length) = self.index_tensor(length, DType::I32, span) else { return Val::Unknown };
        let none = self.builder.integer(0, DType::I32);
        let any = none.and_then(|none| self.builder.compare(CompareOp::Gt, length, none));
        let chosen = any.and_then(|any| self.builder.select(any, after, first));
        self.check(chosen, span)
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
        _ => End::Varying { from: None, to: length.clone() },
    }
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
