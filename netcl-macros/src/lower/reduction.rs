//! Reductions of index-form kernels: a value for each index of a range, brought down to one.

use super::advice_kinds::Advice;
use super::affine::Ends;
use super::{Affine, Lowering, Val};
use crate::messages as m;
use crate::parse::text;
use netcl_kernels::dim::{Dim, INDEX_LIMIT, Shape};
use netcl_kernels::dtype::DType;
use netcl_kernels::graph::{BinaryOp, CompareOp, NodeId, ReduceOp};
use netcl_kernels::plan::requirement::uncountable;
use netcl_kernels::span::Diagnostic;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, Pat};

/// A range of a reduction.
pub(super) struct Limits {
    pub(super) start: Affine,
    /// How many positions there are, for the longest where that is not always the same.
    pub(super) size: Dim,
    /// How many there are where indices further out decide it, as in `0..n + 1`.
    pub(super) length: Option<Affine>,
}

impl Limits {
    /// `None` where there is nothing in it.
    fn fixed(start: Dim, end: Dim) -> Option<Limits> {
        let size = end - start.clone();
        let empty = (Dim::default() - size.clone()).never_negative();
        (!empty).then_some(Limits { start: Affine::fixed(start), size, length: None })
    }

    /// `None` where it is not known how long it is at most.
    fn varying(start: Affine, length: Affine, axes: &[Dim], ends: &Ends) -> Option<Limits> {
        /// How much longer than the longest an axis may be that has at least one position, as all axes have.
        const FEW: i64 = 16;
        // `c..0` goes down, whatever the sizes are.
        let down = |(_, by): &(super::affine::Atom, i64)| *by < 0;
        if length.terms.iter().all(down) && length.offset.as_constant().is_some_and(|most| most <= 0) {
            return None;
        }
        let longest = length.range_within(axes, ends).1;
        if length.terms.is_empty() {
            return longest.as_constant().is_none_or(|size| size > 0).then_some(Limits {
                start,
                size: longest,
                length: None,
            });
        }
        let some = |by: i64| Some(longest.clone() + Dim::constant(by));
        let positive = |size: &Dim| (size.clone() - Dim::constant(1)).never_negative();
        let size = (0..=FEW).filter_map(some).find(positive)?;
        Some(Limits { start, size, length: Some(length) })
    }
}

impl<'a> Lowering<'a> {
    /// `sum(0..C, |c| ..)` and its like; `sum((0..H, 0..W), |h, w| ..)` over several indices. `argmax` and `argmin` give
    /// the index where the value is; over several, which start at 0, the row-major position.
    pub(super) fn reduction(&mut self, name: &str, call: &'a ExprCall) -> Val<'a> {
        let (Some(range), Some(Expr::Closure(closure)), 2) = (call.args.first(), call.args.last(), call.args.len())
        else {
            return self.report(call.span(), &m::KERNEL_REDUCTION, &[&name, &name]);
        };
        let expected = self.expected.take();
        if let Some(masked) = self.masked(name, range, closure) {
            return masked;
        }
        let Some(ranges) = self.ranges(range) else { return Val::Unknown };
        let fixed = |range: &Limits| range.start.offset.is(0) && range.start.terms.is_empty() && range.length.is_none();
        if is_position(name) && ranges.len() > 1 && !ranges.iter().all(fixed) {
            return self.report(range.span(), &m::KERNEL_POSITION, &[&name]);
        }
        if closure.inputs.len() != ranges.len() {
            return self.other_indices(name, (range, closure), ranges.len());
        }
        let outer = self.axes.clone().unwrap_or_default();
        let first = outer.len();
        self.axes = Some(outer.iter().chain(ranges.iter().map(|range| &range.size)).cloned().collect());
        let ends = self.ends.clone();
        for (axis, range) in (first..).zip(&ranges) {
            self.ends.extend(range.length.as_ref().and_then(|length| Some((axis, before(length)?))));
        }
        let starts: Vec<Affine> = ranges.iter().map(|range| range.start.clone()).collect();
        self.frame_mut().scopes.push(Vec::new());
        self.indices(closure.inputs.iter(), first, &starts);
        (self.expected, self.wanted) = (expected, true);
        let value = self.expr(&closure.body);
        if !value.is_unknown() {
            self.unused(closure);
        }
        self.frame_mut().scopes.pop();
        self.advice = match &value {
            Val::Tensor(id) if name == "mean" && self.builder.dtype(*id).is_integer() => {
                let [range, body] = [text(range), crate::parse::index::text_of(&closure.body)];
                let indices = text(&closure.inputs);
                let whole = !matches!(&*closure.body, Expr::Index(_) | Expr::Path(_) | Expr::Paren(_) | Expr::Call(_));
                let body = if whole { format!("({body})") } else { body };
                Some(Advice::Instead(format!(
                    "write `mean({range}, |{indices}| {body} as f32)`, which is an `f32`: the result has elements of that type, or is converted back, `as {}`",
                    self.builder.dtype(*id)
                )))
            }
            _ => None,
        };
        let reduced = match value.is_unknown() {
            true => Val::Unknown,
            false => self.reduce(name, value, (first, &ranges), call.span()),
        };
        self.advice = None;
        (self.axes, self.ends) = (Some(outer), ends);
        match (reduced, starts.as_slice()) {
            (Val::Tensor(id), [start]) if is_position(name) => self.counted_from(id, start, call.span()),
            (reduced, _) => reduced,
        }
    }

    /// The ranges of a reduction, one or several in a tuple.
    fn ranges(&mut self, range: &'a Expr) -> Option<Vec<Limits>> {
        let each: Vec<&'a Expr> = match crate::parse::unparenthesized(range) {
            Expr::Tuple(tuple) => tuple.elems.iter().collect(),
            one => vec![one],
        };
        each.into_iter().map(|one| self.limits(one).filter(|limits| self.countable(limits, one))).collect()
    }

    /// Rule: kernels count in 32 bits. Wrong: `sum(0..99999999999, |k| ..)`.
    fn countable(&self, limits: &Limits, range: &Expr) -> bool {
        let size = limits.size.as_constant().filter(|size| *size > INDEX_LIMIT as i64);
        size.map(|size| self.diag.diagnostic(&Diagnostic::new(uncountable(&size)), range.span())).is_none()
    }

    /// One range.
    pub(super) fn limits(&mut self, range: &'a Expr) -> Option<Limits> {
        let refuse = |this: &Self| {
            this.no_range(range);
            None
        };
        let written = match crate::parse::unparenthesized(range) {
            Expr::Range(written) if written.end.is_some() => written,
            other => {
                let value = self.expr(other);
                if value.is_unknown() {
                    return None;
                }
                let Val::Range(start, end, _) = value else { return refuse(self) };
                return Limits::fixed(start, end).or_else(|| refuse(self));
            }
        };
        let (start, end) = (written.start.as_deref(), written.end.as_deref()?);
        let start = start.map_or(Val::from(Dim::default()), |start| self.expr(start));
        let end = self.expr(end);
        let past = if matches!(written.limits, syn::RangeLimits::Closed(_)) { 1 } else { 0 };
        match (start, end) {
            (Val::Unknown, _) | (_, Val::Unknown) => None,
            (Val::Dim(start), Val::Dim(end)) => {
                Limits::fixed(start.size, end.size + Dim::constant(past)).or_else(|| refuse(self))
            }
            (start @ (Val::Dim(_) | Val::Index(_)), end @ (Val::Dim(_) | Val::Index(_))) => {
                let index = |value| match value {
                    Val::Index(index) => index,
                    Val::Dim(dim) => Affine::fixed(dim.size),
                    _ => Affine::fixed(Dim::default()),
                };
                let (start, end) = (index(start), index(end));
                let axes = self.axes.clone().unwrap_or_default();
                let length = end.plus(&Affine::fixed(Dim::constant(past)));
                let length = length.and_then(|end| start.times(-1).and_then(|start| end.plus(&start)));
                length
                    .ok()
                    .and_then(|length| Limits::varying(start, length, &axes, &self.ends))
                    .or_else(|| refuse(self))
            }
            _ => {
                self.no_range(range);
                None
            }
        }
    }

    /// Rule: a closure has an index for each range. Wrong: `sum((0..C, 0..2), |c| x[n, c])`.
    fn other_indices(&self, name: &str, (range, closure): (&Expr, &syn::ExprClosure), ranges: usize) -> Val<'a> {
        let mut indices: Vec<String> = closure.inputs.iter().map(text).collect();
        let given = indices.len();
        let instead = if given < ranges {
            indices.resize(ranges, "_".to_string());
            format!("name one for each range, `_` where it is not used: write `|{}|`", indices.join(", "))
        } else {
            let own = text(range);
            let own = own.trim_start_matches('(').trim_end_matches([')', ',']);
            let more = indices[ranges..].iter().map(|index| {
                self.axis_read_by(index, &closure.body).map_or("0..1".to_string(), |size| format!("0..{size}"))
            });
            let all = std::iter::once(own.to_string()).chain(more).collect::<Vec<_>>().join(", ");
            format!("give each of them a range: write `({all})`")
        };
        let (s, ices) = (if ranges == 1 { "" } else { "s" }, if given == 1 { "ex" } else { "ices" });
        self.report(closure.inputs.span(), &m::KERNEL_CLOSURE_INDICES, &[&name, &ranges, &s, &given, &ices, &instead])
    }

    /// Rule: a range runs from a number to a size. Wrong: `sum(0.0..2.0, ..)`, `fold(t, ..)`, `sum(5..2, ..)`.
    pub(super) fn no_range(&self, range: &Expr) -> Val<'a> {
        let whole = |end: &Expr| match crate::parse::unparenthesized(end) {
            Expr::Lit(syn::ExprLit { lit: syn::Lit::Float(number), .. }) => {
                number.base10_parse::<f64>().ok().filter(|value| value.fract() == 0.0).map(|value| value.to_string())
            }
            Expr::Lit(_) | Expr::Unary(_) => None,
            other => Some(text(other)),
        };
        let instead = match crate::parse::unparenthesized(range) {
            Expr::Range(limits) => match (limits.start.as_deref(), limits.end.as_deref()) {
                (None, Some(end)) => whole(end).map(|end| format!("0..{end}")),
                (Some(start), Some(end)) => {
                    let number = |end: &Expr| match end {
                        Expr::Lit(syn::ExprLit { lit: syn::Lit::Int(number), .. }) => Some(number.to_string()),
                        end => whole(end),
                    };
                    number(start).zip(number(end)).map(|(start, end)| format!("{start}..{end}"))
                }
                _ => None,
            },
            one @ (Expr::Path(_) | Expr::Lit(_)) => Some(format!("0..{}", text(one))),
            _ => None,
        };
        let written = text(range);
        // What would be the same, or would go down, is none; some size of an argument is.
        let fits = |instead: &String| *instead != written && self.is_range(instead);
        let instead = instead.filter(fits).unwrap_or_else(|| self.some_range());
        self.report(range.span(), &m::KERNEL_RANGE, &[&written, &instead])
    }

    /// Whether what stands there are sizes, indices and whole numbers.
    fn is_range(&self, written: &str) -> bool {
        written.split("..").all(|end| {
            let known = matches!(self.lookup(end), Some((Val::Index(_) | Val::Dim(_), _)));
            known || end.parse::<i64>().is_ok() || self.frame().symbols.contains_key(end)
        })
    }

    /// Rule: a range is as long as shapes and indices say. Wrong: `sum(0..len[n], |k| x[n, k])`, whose end is known only at run
    /// time; all of the axis is summed then, and what is outside is left out.
    fn masked(&mut self, name: &str, range: &'a Expr, closure: &'a syn::ExprClosure) -> Option<Val<'a>> {
        let Expr::Range(limits) = crate::parse::unparenthesized(range) else { return None };
        let [Pat::Ident(index)] = closure.inputs.iter().collect::<Vec<_>>()[..] else { return None };
        let varies = |value: &Val<'a>| matches!(value, Val::Tensor(_));
        let (start, end) = (limits.start.as_deref(), limits.end.as_deref());
        let said = self.diag.said();
        let before = self.diag.count();
        let bounds = [start, end].map(|bound| bound.map(|bound| (bound, self.expr(bound))));
        if self.diag.count() > before || !bounds.iter().flatten().any(|(_, value)| varies(value)) {
            drop(self.diag.take_back(said));
            return None;
        }
        let rest = match name {
            "sum" => "0.0",
            "prod" => "1.0",
            "max" => "f32::NEG_INFINITY",
            "min" => "f32::INFINITY",
            _ => "",
        };
        let index = crate::parse::name(&index.ident);
        let Some(size) = self.axis_read_by(&index, &closure.body).filter(|_| !rest.is_empty()) else {
            return Some(self.no_range(range));
        };
        let less = if matches!(limits.limits, syn::RangeLimits::Closed(_)) { "<=" } else { "<" };
        let after = start.filter(|start| text(*start) != "0").map(|start| format!("{index} >= {}", text(start)));
        let before = end.map(|end| format!("{index} {less} {}", text(end)));
        let condition = [after, before].into_iter().flatten().collect::<Vec<_>>().join(" && ");
        let body = crate::parse::index::text_of(&closure.body);
        let instead = format!("{name}(0..{size}, |{index}| if {condition} {{ {body} }} else {{ {rest} }})");
        Some(self.report(range.span(), &m::KERNEL_RANGE_VARIES, &[&text(range), &instead]))
    }

    /// The size of the axis that `index` reads by itself in `body`.
    fn axis_read_by(&self, index: &str, body: &Expr) -> Option<Dim> {
        struct Reads<'v>(&'v str, Vec<(String, usize)>);
        impl<'ast> syn::visit::Visit<'ast> for Reads<'_> {
            fn visit_expr_index(&mut self, read: &'ast syn::ExprIndex) {
                let indices: Vec<&Expr> = match &*read.index {
                    Expr::Tuple(tuple) => tuple.elems.iter().collect(),
                    one => vec![one],
                };
                let at = indices.iter().position(|expr| matches!(expr, Expr::Path(path) if path.path.is_ident(self.0)));
                self.1.extend(at.map(|at| (text(&read.expr), at)));
                syn::visit::visit_expr_index(self, read);
            }
        }
        let mut reads = Reads(index, Vec::new());
        syn::visit::Visit::visit_expr(&mut reads, body);
        reads.1.iter().find_map(|(name, axis)| match self.lookup(name) {
            Some((Val::Tensor(id), 0)) => self.builder.shape(id).0.get(*axis).cloned(),
            _ => None,
        })
    }

    /// The position in a range as the value that the closure's index has there.
    fn counted_from(&mut self, position: NodeId, start: &Affine, span: Span) -> Val<'a> {
        let dtype = self.builder.dtype(position);
        let Some(start) = self.index_tensor(start, dtype, span) else { return Val::Unknown };
        let result = self.builder.binary(BinaryOp::Add, position, start);
        self.check(result, span)
    }

    fn reduce(&mut self, name: &str, value: Val<'a>, (first, ranges): (usize, &[Limits]), span: Span) -> Val<'a> {
        // A number alone is of the elements' type, as those of a list are.
        let value = match (&value, name) {
            (Val::Dim(number), "sum" | "prod" | "max" | "min") if number.as_constant().is_some() => {
                let typed = match value.whole_dtype() {
                    Some(dtype) => self.builder.dim(number, dtype).map(Val::Tensor),
                    None => Ok(self.of_element_type(std::slice::from_ref(&value)).swap_remove(0)),
                };
                typed.unwrap_or(value)
            }
            _ => value,
        };
        let Some(id) = self.tensor(value, None, span) else { return Val::Unknown };
        let chosen = match self.chosen_by_reduction(name, id, span) {
            Ok(chosen) => chosen,
            Err(refused) => return refused,
        };
        let axes = self.axes.clone().unwrap_or_default();
        self.at(span);
        let varies = ranges.iter().any(|range| range.length.is_some());
        let kept = if varies { self.within(name, id, (first, ranges), span) } else { Some(id) };
        let Some(id) = kept else { return Val::Unknown };
        // What does not depend on the reduced indices still counts once for each.
        let own = self.builder.shape(id).clone();
        let mut shape: Vec<Dim> = vec![Dim::constant(1); axes.len()];
        if own.rank() == axes.len() {
            shape[..first].clone_from_slice(&own.0[..first]);
        }
        shape[first..].clone_from_slice(&axes[first..]);
        self.at(span);
        let reduced: Vec<usize> = (first..axes.len()).collect();
        let result = self.builder.broadcast_to(id, &Shape(shape)).and_then(|id| match name {
            "mean" if !varies => self.builder.mean(id, &reduced, false),
            _ => {
                let op = operation(name).unwrap_or(ReduceOp::Sum);
                self.builder.reduce(op, id, &reduced, false)
            }
        });
        let reduced = self.check(result, span);
        self.note_chosen_whole(&reduced, chosen);
        match reduced {
            Val::Tensor(sum) if name == "mean" && varies => self.divided(sum, (first, ranges), span),
            reduced => reduced,
        }
    }

    /// The elements in the ranges, and elsewhere what changes nothing.
    fn within(&mut self, name: &str, id: NodeId, (first, ranges): (usize, &[Limits]), span: Span) -> Option<NodeId> {
        let dtype = self.builder.dtype(id);
        let op = operation(name).unwrap_or(ReduceOp::Sum);
        let (low, high) = dtype.whole_range().unwrap_or((0, 1));
        let rest = match op {
            ReduceOp::Sum => Ok(self.builder.constant(0.0, dtype)),
            ReduceOp::Prod => Ok(self.builder.constant(1.0, dtype)),
            ReduceOp::Max | ReduceOp::ArgMax if dtype.is_float() => Ok(self.builder.constant(f64::NEG_INFINITY, dtype)),
            ReduceOp::Min | ReduceOp::ArgMin if dtype.is_float() => Ok(self.builder.constant(f64::INFINITY, dtype)),
            // Which elements are none is judged where they are reduced.
            _ if dtype == DType::Bool => Ok(self.builder.constant(0.0, dtype)),
            ReduceOp::Max | ReduceOp::ArgMax => self.builder.integer(low, dtype),
            ReduceOp::Min | ReduceOp::ArgMin => self.builder.integer(high, dtype),
        };
        let Val::Tensor(rest) = self.check(rest, span) else { return None };
        let mut kept = id;
        for (axis, range) in (first..).zip(ranges) {
            let Some(length) = &range.length else { continue };
            let position = self.index_tensor(&Affine::axis(axis, Dim::default()), DType::I32, span)?;
            let length = self.index_tensor(length, DType::I32, span)?;
            let result = self.builder.compare(CompareOp::Lt, position, length);
            let result = result.and_then(|inside| self.builder.select(inside, kept, rest));
            let Val::Tensor(id) = self.check(result, span) else { return None };
            kept = id;
        }
        Some(kept)
    }

    /// The sum by how many elements there are.
    fn divided(&mut self, sum: NodeId, (first, ranges): (usize, &[Limits]), span: Span) -> Val<'a> {
        // The lengths are of the axes before: over those alone.
        let axes = self.axes.clone();
        self.axes = axes.as_ref().map(|axes| axes[..first].to_vec());
        let dtype = self.builder.dtype(sum);
        let mut mean = Val::Tensor(sum);
        for range in ranges {
            let whole = Affine::fixed(range.size.clone());
            let length = range.length.as_ref().unwrap_or(&whole);
            let (Val::Tensor(sum), Some(count)) = (mean, self.index_tensor(length, dtype, span)) else {
                return Val::Unknown;
            };
            // Of a range that ends before it begins there are none.
            let none = self.builder.constant(0.0, dtype);
            let result = self.builder.binary(BinaryOp::Max, count, none);
            let result = result.and_then(|count| self.builder.binary(BinaryOp::Div, sum, count));
            mean = self.check(result, span);
        }
        self.axes = axes;
        mean
    }
}

/// The last position of so many.
fn before(length: &Affine) -> Option<Affine> {
    length.plus(&Affine::fixed(Dim::constant(-1))).ok()
}

/// The reduction of that name; `mean` is none of its own.
fn operation(name: &str) -> Option<ReduceOp> {
    ReduceOp::ALL.into_iter().find(|op| op.name() == name)
}

/// Whether it is a reduction whose value is of the type of what it is brought down of.
pub(super) fn keeps_type(call: &ExprCall) -> bool {
    let is_one = |path: &syn::Path| ["sum", "prod", "max", "min", "fold"].iter().any(|name| path.is_ident(name));
    let reduces = matches!(call.args.last(), Some(Expr::Closure(_)));
    reduces && matches!(&*call.func, Expr::Path(path) if is_one(&path.path))
}

/// Whether it is `(0..4).fold(..)`.
pub(super) fn folds_range(call: &syn::ExprMethodCall) -> bool {
    call.method == "fold" && matches!(crate::parse::unparenthesized(&call.receiver), Expr::Range(_))
}

fn is_position(name: &str) -> bool {
    operation(name).is_some_and(ReduceOp::is_position)
}
