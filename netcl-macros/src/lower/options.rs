//! Methods of `Option`s, and those of lists that take closures: what is in them is known while compiling.

use super::{FieldRef, Lowering, Val};
use crate::ast::FieldKind;
use crate::messages as m;
use crate::parse;
use proc_macro2::Span;
use syn::{Expr, ExprMethodCall, Member};

/// The methods of an `Option`.
const METHODS: [&str; 12] = [
    "as_ref",
    "clone",
    "cloned",
    "copied",
    "expect",
    "is_none",
    "is_some",
    "map",
    "map_or",
    "unwrap",
    "unwrap_or",
    "unwrap_or_else",
];

impl<'a> Lowering<'a> {
    /// `receiver.name(args)` of an `Option`, or of a list with a closure; `None` where it is none of these.
    pub(super) fn of_known(&mut self, name: &str, receiver: &Val<'a>, args: &[Val<'a>], span: Span) -> Option<Val<'a>> {
        if let Val::Option(given) = receiver {
            return Some(self.of_option(name, given.as_deref(), args, span));
        }
        if !matches!(receiver, Val::List(_) | Val::Range(..) | Val::Place(FieldRef::Many(..))) {
            return None;
        }
        match (name, args) {
            ("map", [Val::Closure(closure)]) => {
                let items = self.items(receiver)?;
                let each = items.into_iter().map(|item| self.call_closure(closure, vec![item], ("the closure", span)));
                Some(Val::List(each.collect()))
            }
            ("fold", [first, Val::Closure(closure)]) => {
                let items = self.items(receiver)?;
                let next =
                    |this: &mut Self, all, item| this.call_closure(closure, vec![all, item], ("the closure", span));
                Some(items.into_iter().fold(first.clone(), |all, item| next(self, all, item)))
            }
            ("collect", []) => self.items(receiver).map(Val::List),
            _ => None,
        }
    }

    /// Whether the expression is a field of the model's of which only its uses say whether it is there.
    pub(super) fn may_be_none(&self, expr: &Expr) -> bool {
        let field = match parse::unparenthesized(expr) {
            Expr::Reference(inner) => return self.may_be_none(&inner.expr),
            Expr::MethodCall(call) if call.method == "as_ref" => return self.may_be_none(&call.receiver),
            Expr::Field(field) => field,
            _ => return false,
        };
        let Some(FieldRef::Model(unit, _, sizes)) = &self.frame().this else { return false };
        let of_self = matches!(parse::unparenthesized(&field.base), Expr::Path(base) if base.path.is_ident("self"));
        let (Member::Named(name), Some(model), true) = (&field.member, &unit.model, of_self) else { return false };
        model.fields.iter().any(|own| match &own.kind {
            FieldKind::Optional { present, .. } => {
                own.name == *name && present.holds(&|size| sizes.field(size)).is_err()
            }
            _ => false,
        })
    }

    /// Rule: an `Option` is taken apart before its layer is called, also where only uses of the model say whether it is there. Wrong:
    /// `self.extra.forward(x)`.
    pub(super) fn judge_option_method(&self, call: &ExprMethodCall, name: &str) -> Option<Val<'a>> {
        let wrong = !METHODS.contains(&name) && self.may_be_none(&call.receiver);
        wrong.then(|| self.report(call.method.span(), &m::OPTION_METHOD, &[&name]))
    }

    fn of_option(&mut self, name: &str, given: Option<&Val<'a>>, args: &[Val<'a>], span: Span) -> Val<'a> {
        let boxed = |value: Val<'a>| Val::Option(Some(Box::new(value)));
        match (name, args, given) {
            ("is_some", [], _) => Val::Bool(given.is_some()),
            ("is_none", [], _) => Val::Bool(given.is_none()),
            ("as_ref" | "clone" | "cloned" | "copied", [], _) => Val::Option(given.cloned().map(Box::new)),
            ("unwrap" | "expect" | "unwrap_or" | "unwrap_or_else", _, Some(value)) => value.clone(),
            ("unwrap_or", [other], None) => other.clone(),
            ("unwrap_or_else", [Val::Closure(closure)], None) => {
                self.call_closure(closure, Vec::new(), ("the closure", span))
            }
            ("map", [Val::Closure(closure)], Some(value)) => {
                boxed(self.call_closure(closure, vec![value.clone()], ("the closure", span)))
            }
            ("map", [Val::Closure(_)], None) => Val::Option(None),
            ("map_or", [_, Val::Closure(closure)], Some(value)) => {
                self.call_closure(closure, vec![value.clone()], ("the closure", span))
            }
            ("map_or", [other, Val::Closure(_)], None) => other.clone(),
            ("unwrap" | "expect", _, None) => self.report(span, &m::OPTION_NONE, &[&name]),
            _ => self.report(span, &m::OPTION_METHOD, &[&name]),
        }
    }
}
