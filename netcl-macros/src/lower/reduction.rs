//! Reductions of index-form kernels: a value for each index of a range, brought down to one.

use super::{Lowering, Val};
use crate::messages as m;
use crate::parse::text;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::graph::{BinaryOp, NodeId, ReduceOp};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, Pat};

impl<'a> Lowering<'a> {
    /// `sum(0..C, |c| ..)` and its like; `sum((0..H, 0..W), |h, w| ..)` over several indices. `argmax` and `argmin` give
    /// the index where the value is; over several, which start at 0, the row-major position.
    pub(super) fn reduction(&mut self, name: &str, call: &'a ExprCall) -> Val<'a> {
        let (Some(range), Some(Expr::Closure(closure)), 2) = (call.args.first(), call.args.last(), call.args.len())
        else {
            return self.report(call.span(), &m::KERNEL_REDUCTION, &[&name, &name]);
        };
        if let Some(masked) = self.masked(name, range, closure) {
            return masked;
        }
        let ranges = match self.expr(range) {
            range if range.is_unknown() => return Val::Unknown,
            Val::Tuple(ranges) => ranges,
            one => vec![one],
        };
        let (mut starts, mut sizes) = (Vec::new(), Vec::new());
        for value in ranges {
            match value {
                Val::Range(start, end) => {
                    let size = end - start.clone();
                    if size.as_constant().is_some_and(|size| size < 1) {
                        return self.report(range.span(), &m::KERNEL_RANGE, &[&text(range)]);
                    }
                    sizes.push(size);
                    starts.push(start);
                }
                _ => return self.report(range.span(), &m::KERNEL_RANGE, &[&text(range)]),
            }
        }
        if is_position(name) && starts.len() > 1 && starts.iter().any(|start| !start.is(0)) {
            return self.report(range.span(), &m::KERNEL_POSITION, &[&name]);
        }
        if closure.inputs.len() != sizes.len() {
            return self.report(closure.inputs.span(), &m::KERNEL_REDUCTION, &[&name, &name]);
        }
        let outer = self.axes.clone().unwrap_or_default();
        let first = outer.len();
        self.axes = Some(outer.iter().chain(&sizes).cloned().collect());
        self.frame_mut().scopes.push(Vec::new());
        self.indices(closure.inputs.iter(), first, &starts);
        self.wanted = true;
        let value = self.expr(&closure.body);
        if !value.is_unknown() {
            self.unused(closure);
        }
        self.frame_mut().scopes.pop();
        let reduced = if value.is_unknown() { Val::Unknown } else { self.reduce(name, value, first, call.span()) };
        let reduced = match (reduced, starts.as_slice()) {
            (Val::Tensor(id), [start]) if is_position(name) => self.counted_from(id, start, call.span()),
            (reduced, _) => reduced,
        };
        self.axes = Some(outer);
        reduced
    }

    /// Rule: a range is as long as the shapes say. Wrong: `sum(0..n + 1, |k| x[k])`, whose end is another for each element; all of
    /// the axis is summed then, and what is outside is left out.
    fn masked(&mut self, name: &str, range: &'a Expr, closure: &'a syn::ExprClosure) -> Option<Val<'a>> {
        let Expr::Range(limits) = crate::parse::unparenthesized(range) else { return None };
        let [Pat::Ident(index)] = closure.inputs.iter().collect::<Vec<_>>()[..] else { return None };
        let varies = |value: &Val<'a>| matches!(value, Val::Index(_) | Val::Tensor(_));
        let (start, end) = (limits.start.as_deref(), limits.end.as_deref());
        let said = self.diag.count();
        let mut bounds = [start, end].map(|bound| bound.map(|bound| (bound, self.expr(bound))));
        if self.diag.count() > said || !bounds.iter().flatten().any(|(_, value)| varies(value)) {
            self.diag.forget(said);
            return None;
        }
        let found = bounds.iter_mut().map(|bound| bound.as_ref().map_or("nothing".into(), |(_, value)| value.kind()));
        let found = found.collect::<Vec<_>>().join(" .. ");
        let rest = match name {
            "sum" => "0.0",
            "prod" => "1.0",
            "max" => "f32::NEG_INFINITY",
            "min" => "f32::INFINITY",
            _ => "",
        };
        let index = crate::parse::name(&index.ident);
        let Some(size) = self.axis_read_by(&index, &closure.body).filter(|_| !rest.is_empty()) else {
            return Some(self.report(range.span(), &m::KERNEL_RANGE, &[&found]));
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
    fn counted_from(&mut self, position: NodeId, start: &Dim, span: Span) -> Val<'a> {
        let dtype = self.builder.dtype(position);
        let result = self.builder.dim(start, dtype);
        let result = result.and_then(|start| self.builder.binary(BinaryOp::Add, position, start));
        self.check(result, span)
    }

    fn reduce(&mut self, name: &str, value: Val<'a>, first: usize, span: Span) -> Val<'a> {
        let Some(id) = self.tensor(value, None, span) else { return Val::Unknown };
        let axes = self.axes.clone().unwrap_or_default();
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
            "mean" => self.builder.mean(id, &reduced, false),
            _ => {
                let op = operation(name).unwrap_or(ReduceOp::Sum);
                self.builder.reduce(op, id, &reduced, false)
            }
        });
        self.check(result, span)
    }
}

/// The reduction of that name; `mean` is none of its own.
fn operation(name: &str) -> Option<ReduceOp> {
    ReduceOp::ALL.into_iter().find(|op| op.name() == name)
}

fn is_position(name: &str) -> bool {
    operation(name).is_some_and(ReduceOp::is_position)
}
