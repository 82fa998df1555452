//! What to write where the shapes of operands do not meet, in the user's own expressions: the builder, which finds the mistake,
//! knows shapes and no text.

use super::advice_kinds::Advice;
use super::misuse::written;
use super::written::Written;
use super::{Lowering, Sizes, Val};
use crate::ast::{FunctionItem, TensorType, Unit};
use crate::parse::{text, unparenthesized};
use crate::quotient;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::equality::Equality;
use netcl_kernels::graph::NodeId;
use netcl_kernels::ops;
use std::collections::{BTreeMap, BTreeSet};
use syn::{BinOp, Expr, ExprBinary, ExprMethodCall};

impl<'a> Lowering<'a> {
    /// What to write where an operator does not fit.
    pub(super) fn advise_binary(&self, binary: &ExprBinary, left: &Val<'a>, right: &Val<'a>) -> Option<Advice> {
        let advice = self.advise_power(binary, left).or_else(|| self.advise_operator(binary, left, right));
        advice.map(Advice::Instead)
    }

    /// What to write for `left op right` of tensors that do not broadcast; `None` where they do.
    fn advise_operator(&self, binary: &ExprBinary, left: &Val<'a>, right: &Val<'a>) -> Option<String> {
        let (Val::Tensor(a), Val::Tensor(b)) = (left, right) else { return None };
        let (a, b) = (self.builder.shape(*a).clone(), self.builder.shape(*b).clone());
        if self.axes.is_some() || self.builder.broadcast_shapes("", a.clone(), b.clone()).is_ok() {
            return None;
        }
        if matches!(binary.op, BinOp::Mul(_)) && a.rank() >= 2 && b.rank() == 2 {
            let (x, w) = (written(&binary.left), unparenthesized(&binary.right));
            let borrowed = if matches!(w, Expr::Path(_) | Expr::Field(_)) { "&" } else { "" };
            let product = |w: &str| Some(format!("a matrix product is a method: write `{x}.matmul({w})`"));
            if a[a.rank() - 1] == b[0] {
                return product(&format!("{borrowed}{}", text(w)));
            }
            if a[a.rank() - 1] == b[1] {
                return product(&format!("{}.t()", written(w)));
            }
        }
        let (large, small, fewer) = if a.rank() > b.rank() { (a, b, &binary.right) } else { (b, a, &binary.left) };
        let lacks = |axis: &usize| {
            let mut with = small.clone();
            with.0.insert(*axis, Dim::constant(1));
            self.builder.broadcast_shapes("", large.clone(), with).is_ok()
        };
        let Some(axis) = (0..=small.rank()).filter(|_| small.rank() < large.rank()).find(lacks) else {
            return self.advise_sizes((left, &binary.left), (right, &binary.right));
        };
        if let Expr::MethodCall(call) = unparenthesized(fewer)
            && ops::find(&format!("{}_keepdim", call.method)).is_some()
        {
            let (x, name, args) = (written(&call.receiver), &call.method, text(&call.args));
            return Some(format!("keep the axis that is reduced: write `{x}.{name}_keepdim({args})`"));
        }
        Some(format!("axes are compared from the last: write `{}.unsqueeze({axis})`", written(fewer)))
    }

    /// What to write for tensors whose axes are of other sizes, or stand in another order.
    fn advise_sizes(&self, (left, a): (&Val<'a>, &Expr), (right, b): (&Val<'a>, &Expr)) -> Option<String> {
        let (Val::Tensor(left), Val::Tensor(right)) = (left, right) else { return None };
        let (one, other) = (self.builder.shape(*left), self.builder.shape(*right));
        let mut order = one.0.iter().map(|size| other.0.iter().position(|own| own == size));
        if let Some(order) = order.by_ref().collect::<Option<Vec<usize>>>()
            && one.rank() == other.rank()
            && order.iter().collect::<BTreeSet<_>>().len() == one.rank()
        {
            if let Some(inner) = transposed(b).filter(|_| one.rank() == 2) {
                return Some(format!("the axes stand in another order: leave `.t()` out, and write `{}`", text(inner)));
            }
            let b = written(b);
            let instead = if one.rank() == 2 { format!("{b}.t()") } else { format!("{b}.permute({order:?})") };
            return Some(format!("the axes stand in another order: write `{instead}`"));
        }
        let both = (1..=one.rank().min(other.rank())).map(|back| (one.rank() - back, other.rank() - back));
        let differs = |(x, y): &(usize, usize)| {
            !one[*x].is(1) && !other[*y].is(1) && one[*x].equality(&other[*y]) == Equality::No
        };
        let axes: Vec<(usize, usize)> = both.filter(differs).collect();
        self.alike((*left, &written(a)), (*right, &written(b)), &axes)
    }

    /// What to write for `a.concat([b], 1)` where `b` is of other sizes along other axes.
    pub(super) fn advise_concat(&self, call: &ExprMethodCall, receiver: &Val<'a>, args: &[Val<'a>]) -> Option<String> {
        let (Val::Tensor(first), [Val::List(others), Val::Dim(along)]) = (receiver, args) else { return None };
        let Expr::Array(list) = unparenthesized(call.args.first()?) else { return None };
        let along = usize::try_from(along.as_constant()?).ok()?;
        others.iter().zip(&list.elems).find_map(|(other, given)| {
            let Val::Tensor(other) = other else { return None };
            let (a, b) = (self.builder.shape(*first), self.builder.shape(*other));
            let differs = |axis: &usize| *axis != along && a[*axis].equality(&b[*axis]) == Equality::No;
            let alike = a.rank() == b.rank() && self.builder.dtype(*first) == self.builder.dtype(*other);
            let axes: Vec<(usize, usize)> =
                (0..a.rank()).filter(|_| alike).filter(differs).map(|axis| (axis, axis)).collect();
            self.alike((*first, &written(&call.receiver)), (*other, &written(given)), &axes)
        })
    }

    /// What to write for `a.matmul(b)` of matrices that do not fit, one of which would the other way round.
    pub(super) fn advise_product(&self, call: &ExprMethodCall, receiver: &Val<'a>, args: &[Val<'a>]) -> Option<String> {
        let (Val::Tensor(a), [Val::Tensor(b)]) = (receiver, args) else { return None };
        let (a, b) = (self.builder.shape(*a), self.builder.shape(*b));
        let (m, n) = (a.rank().checked_sub(2)?, b.rank().checked_sub(2)?);
        if a[m + 1] == b[n] {
            return None;
        }
        let (x, w) = (&call.receiver, call.args.first()?);
        if a[m + 1] == b[n + 1] {
            let product = |w: String| format!("write `{}.matmul({w})`", written(x));
            return Some(match transposed(w) {
                Some(inner) => format!("leave `.t()` out: {}", product(text(inner))),
                None => format!("swap the last two axes of the right one: {}", product(format!("{}.t()", written(w)))),
            });
        }
        (a[m] == b[n]).then(|| match transposed(x) {
            Some(inner) => format!("leave `.t()` out: write `{}.matmul({})`", written(inner), text(w)),
            None => format!("swap the last two axes of the left one: write `{}.t().matmul({})`", written(x), text(w)),
        })
    }

    /// What to write for `x.linear(w, b)` with a weight as PyTorch has it, `[outputs, inputs]`.
    pub(super) fn advise_linear(&self, call: &ExprMethodCall, receiver: &Val<'a>, args: &[Val<'a>]) -> Option<String> {
        let (Val::Tensor(x), [Val::Tensor(weight), _]) = (receiver, args) else { return None };
        let (x, weight) = (self.builder.shape(*x), self.builder.shape(*weight));
        let inputs = x.0.last()?;
        if weight.rank() != 2 || weight[0] == *inputs || weight[1] != *inputs {
            return None;
        }
        let (w, bias) = (call.args.first()?, text(call.args.last()?));
        let called = |w: &str| format!("write `{}.linear({w}, {bias})`", written(&call.receiver));
        Some(match transposed(w) {
            Some(inner) => format!("leave `.t()` out: {}", called(&text(inner))),
            None => format!("exchange its axes: {}", called(&format!("{}.t()", written(w)))),
        })
    }

    /// What to write for PyTorch's `x.gather(axis, indices)`, one element for each index; `None` where the indices are those of rows.
    pub(super) fn along_axis<'e>(
        &self,
        (x, receiver): (&str, &Val<'a>),
        mut given: impl Iterator<Item = &'e Expr>,
        args: &[Val<'a>],
    ) -> Option<String> {
        let (Val::Tensor(source), [Val::Dim(axis), Val::Tensor(indices)]) = (receiver, args) else { return None };
        let (source, own) = (self.builder.shape(*source), self.builder.shape(*indices));
        let axis = usize::try_from(axis.as_constant()?).ok().filter(|axis| *axis < source.rank())?;
        let indices = given.nth(1)?;
        if own.rank() == source.rank() {
            return Some(format!("{x}.take_along_axis({}, {axis})", text(indices)));
        }
        let mut rest = source.clone();
        rest.0.remove(axis);
        let indices = written(indices);
        (rest == *own).then(|| format!("{x}.take_along_axis({indices}.unsqueeze({axis}), {axis}).squeeze({axis})"))
    }

    /// What to write where a parameter of `function` is not what is passed for it: `given` are the shapes and types of all
    /// arguments, as far as they are tensors. The function is one of the model `unit` of these sizes, at that path.
    pub(super) fn advise_call(
        &self,
        (unit, sizes, path): (&Unit, &Sizes, &str),
        function: &FunctionItem,
        call: &Written,
        given: &[Option<(Shape, netcl_kernels::dtype::DType)>],
        wrong: usize,
    ) -> String {
        if function.is_composed() {
            return "change what is passed, or the declaration".to_string();
        }
        let tensor = |position: usize| function.args.get(position).and_then(|arg| arg.tensor());
        let fits = |parameter: usize, value: usize| match (tensor(parameter), given.get(value)) {
            (Some(ty), Some(Some((shape, dtype)))) => ty.dtype == *dtype && ty.dims.len() == shape.rank(),
            _ => false,
        };
        let other = (0..given.len()).find(|other| *other != wrong && fits(wrong, *other) && fits(*other, wrong));
        if let Some(swapped) = other.filter(|_| !fits(wrong, wrong)).and_then(|other| call.swapped(wrong, other)) {
            return format!("swap them: write `{swapped}`");
        }
        if let (Some(ty), Some(Some((shape, dtype))), Some(passed)) =
            (tensor(wrong), given.get(wrong), call.text(wrong))
        {
            if ty.dtype != *dtype && ty.dims.len() == shape.rank() {
                let passed = passed.trim_start_matches('&');
                return format!("convert what is passed: write `{passed}.cast({})`", ty.dtype);
            }
            if let Some(size) = self.resized(unit, sizes, ty, shape) {
                let which = match path.trim_end_matches('.') {
                    "" => "the model".to_string(),
                    field => format!("`{field}`"),
                };
                return format!(
                    "{which} has another size where it is a field: write `{size}`, or pass what it expects"
                );
            }
        }
        match tensor(wrong) {
            Some(ty) => format!("pass a `{ty}`, or change what `{}` declares", call.called(&function.name)),
            None => "change what is passed, or the declaration".to_string(),
        }
    }

    /// What a parameter expects, and what is passed that has other axes or sizes.
    pub(super) fn other_shape(&self, ty: &TensorType, id: NodeId, symbols: &BTreeMap<String, Dim>) -> (String, String) {
        let (shape, dtype) = (self.builder.shape(id), self.builder.dtype(id));
        let same_rank = shape.rank() == ty.dims.len();
        let differs = |axis: &usize| !same_rank || quotient::substitute(&ty.dims[*axis].dim, symbols) != shape[*axis];
        let axes = (0..shape.rank()).filter(differs);
        let mut notes: Vec<String> = axes.map(|axis| self.builder.origin_note(id, axis)).collect();
        notes.dedup();
        let notes = notes.concat();
        if !same_rank {
            // Sizes that axes of another place would tell say nothing.
            let axes = |rank: usize| format!("of {rank} ax{}", if rank == 1 { "is" } else { "es" });
            let expected = format!("`{ty}`, {},", axes(ty.dims.len()));
            return (expected, format!("{dtype} {shape}, {}{notes}", axes(shape.rank())));
        }
        // What its model's sizes are here, and those that other arguments have told.
        let here = ty.substitute(symbols);
        let names = if here.to_string() == ty.to_string() { String::new() } else { format!(" (`{ty}`)") };
        (format!("`{here}`{names}"), format!("{dtype} {shape}{notes}"))
    }

    /// The model of `unit` with the sizes that make its parameter of type `ty` the `shape` that is passed: `Block<8>`.
    fn resized(&self, unit: &Unit, sizes: &Sizes, ty: &crate::ast::TensorType, shape: &Shape) -> Option<String> {
        let model = unit.model.as_ref().filter(|_| !std::ptr::eq(unit, self.frame().unit))?;
        if ty.dims.len() != shape.rank() || model.parameters.is_empty() {
            return None;
        }
        let mut resized = false;
        let mut all = Vec::new();
        for given in unit.given.iter().take(model.parameters.len()) {
            let own = super::sizes::symbol(given)?;
            let own_size = sizes.functions.get(&own);
            let axis = ty.dims.iter().position(|token| token.dim == Dim::symbol(&own));
            let size = match axis {
                Some(axis) => Some(&shape[axis]),
                None => own_size,
            };
            resized |= axis.is_some() && size != own_size;
            all.push(size?.to_string());
        }
        all.extend(unit.standing.iter().cloned());
        resized.then(|| format!("{}<{}>", unit.name(), all.join(", ")))
    }
}

/// What `.t()` is called on, where that is the whole of the expression.
fn transposed(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::Reference(inner) => transposed(&inner.expr),
        Expr::Paren(inner) => transposed(&inner.expr),
        Expr::MethodCall(call) if call.method == "t" && call.args.is_empty() => Some(&call.receiver),
        _ => None,
    }
}
