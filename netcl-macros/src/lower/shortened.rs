//! Lists as stacks: `ys.pop()`, `ys.reverse()`.

use super::{Lowering, Val};
use crate::messages as m;
use crate::parse;
use netcl_kernels::dim::Dim;
use netcl_kernels::graph::{AxisIndex, NodeId};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Expr, ExprMethodCall};

impl<'a> Lowering<'a> {
    /// The last element of a list, which loses it, or the list the other way round; `None` of any other call.
    pub(super) fn shortened(&mut self, call: &'a ExprMethodCall, method: &str) -> Option<Val<'a>> {
        let Expr::Path(path) = parse::unparenthesized(&call.receiver) else { return None };
        if !matches!(method, "pop" | "reverse") || !call.args.is_empty() {
            return None;
        }
        let name = parse::name(path.path.get_ident()?);
        let (scope, position) = self.place_of(&name)?;
        let variable = &self.frame().scopes[scope][position];
        let list = variable.value.clone();
        if !matches!((&list, method), (Val::List(_), _) | (Val::Stack(_), "reverse")) {
            return None;
        }
        if variable.argument || !variable.mutable {
            return Some(self.report(call.receiver.span(), &m::ASSIGN_IMMUTABLE, &[&name, &name]));
        }
        if self.pushed_around(scope) > 0 {
            self.frame_mut().scopes[scope][position].value = Val::Unknown;
            return Some(self.report(call.method.span(), &m::LOOP_SHORTENED, &[&method, &name]));
        }
        let (list, value) = match list {
            Val::List(mut items) if method == "pop" => {
                let last = items.pop().map(Box::new);
                (Val::List(items), Val::Option(last))
            }
            Val::List(items) => (Val::List(items.into_iter().rev().collect()), Val::Unit),
            Val::Stack(id) => (self.turned_round(id, call.method.span()), Val::Unit),
            other => (other, Val::Unit),
        };
        let variable = &mut self.frame_mut().scopes[scope][position];
        variable.value = list;
        variable.assigned += 1;
        Some(value)
    }

    /// A list of a tensor for each round, from the last to the first.
    fn turned_round(&mut self, id: NodeId, span: Span) -> Val<'a> {
        let shape = self.builder.shape(id).clone();
        let last = shape[0].clone() - Dim::constant(1);
        let mut index: Vec<AxisIndex> = (0..shape.rank()).map(AxisIndex::axis).collect();
        index[0] = AxisIndex { terms: vec![(0, -1)], offset: last, divisor: 1 };
        match self.builder.view(id, shape, index) {
            Ok(id) => Val::Stack(id),
            Err(diagnostic) => {
                self.diagnostic(diagnostic, span);
                Val::Unknown
            }
        }
    }

    /// Rule: what changes a list gives nothing, as in Rust. Wrong: `ys.reverse().stack(0)`.
    pub(super) fn after_a_change(&self, call: &ExprMethodCall, receiver: &Val<'a>) -> Option<Val<'a>> {
        let Expr::MethodCall(change) = parse::unparenthesized(&call.receiver) else { return None };
        let changes = matches!(receiver, Val::Unit) && (change.method == "reverse" || change.method == "push");
        let list = parse::text(&change.receiver);
        let rest = format!("{list}.{}({})", call.method, parse::passed(&call.args));
        let change_text = parse::text(change);
        changes.then(|| self.report(call.method.span(), &m::LIST_CHANGE, &[&change_text, &change_text, &rest]))
    }
}
