//! Lists as stacks: `ys.pop()`, `ys.reverse()`.

use super::{Lowering, Val};
use crate::messages as m;
use crate::parse;
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
        let Val::List(mut items) = variable.value.clone() else { return None };
        if variable.argument || !variable.mutable {
            return Some(self.report(call.receiver.span(), &m::ASSIGN_IMMUTABLE, &[&name, &name]));
        }
        if self.pushed_around(scope) > 0 {
            self.frame_mut().scopes[scope][position].value = Val::Unknown;
            return Some(self.report(call.method.span(), &m::LOOP_SHORTENED, &[&method, &name]));
        }
        let value = match method {
            "pop" => Val::Option(items.pop().map(Box::new)),
            _ => {
                items.reverse();
                Val::Unit
            }
        };
        let variable = &mut self.frame_mut().scopes[scope][position];
        variable.value = Val::List(items);
        variable.assigned += 1;
        Some(value)
    }
}
