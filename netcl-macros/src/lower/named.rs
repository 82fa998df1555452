//! Arguments with names, as Python has them, and calls of its modules: what to write instead is tried before it is said.

use super::{Lowering, Val};
use crate::messages as m;
use crate::parse::{passed, text};
use netcl_kernels::ops;
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Expr, Token};

type ArgList = Punctuated<Expr, Token![,]>;

/// What is said of an expression that is tried.
struct Tried {
    mistakes: Vec<(Span, String)>,
    /// Nothing is wrong with it.
    works: bool,
}

impl<'a> Lowering<'a> {
    /// Rule: arguments stand in their order. Wrong: `x.softmax(dim = 1)`, as Python writes it. What is wrong with the call without
    /// names, too, is what the hint says. `receiver`: what a method is called on, which is not evaluated again.
    pub(super) fn named_argument(&mut self, call: &Expr, called: &str, receiver: Option<&Val<'a>>) -> bool {
        let Some(first) = args_of(call).into_iter().flatten().find(|arg| is_named(arg)) else { return false };
        let known = !self.diag.is_deaf() && !receiver.is_some_and(Val::is_unknown);
        let instead = match known {
            true => self.in_order(call, receiver).unwrap_or_else(|| order_of(called)),
            false => format!("write `{called}({})`", passed(&unnamed(call))),
        };
        self.report(first.span(), &m::NAMED_ARGUMENT, &[&text(first), &instead]);
        true
    }

    /// The same of a method. One mistake of a chain is enough: something has been `said` of what it is called on.
    pub(super) fn named_in_method(
        &mut self,
        call: &syn::ExprMethodCall,
        called: &str,
        receiver: &Val<'a>,
        said: bool,
    ) -> bool {
        let follows = said && receiver.is_unknown();
        follows || self.named_argument(&Expr::MethodCall(call.clone()), called, Some(receiver))
    }

    /// What to write for the call with its arguments in their order. Those that say how, `inplace = True`, are of other libraries: without
    /// them where it does not work with them.
    pub(super) fn in_order(&mut self, call: &Expr, receiver: Option<&Val<'a>>) -> Option<String> {
        let with = |args: Vec<Expr>| {
            let mut call = call.clone();
            *args_mut(&mut call)? = args.into_iter().collect();
            Some(call)
        };
        let all = unnamed(call);
        let said_how = |(given, arg): (&Expr, &Expr)| is_named(given) && is_truth(arg);
        let fewer = args_of(call)?.iter().zip(&all).filter(|pair| !said_how(*pair));
        let fewer: Vec<Expr> = fewer.map(|(_, arg)| arg.clone()).collect();
        let less = fewer.len() < all.len();
        let hint = with(all).and_then(|call| self.hint_about(call, receiver));
        hint.or_else(|| with(fewer).filter(|_| less).and_then(|call| self.hint_about(call, receiver)))
    }

    /// What to write for the call: itself where nothing is wrong with it, or what its one mistake's hint says, where that is of the call and
    /// works. `None` where no such hint is known.
    fn hint_about(&mut self, call: Expr, receiver: Option<&Val<'a>>) -> Option<String> {
        let (own, written) = (places(&call), text(&call));
        let tried = self.tried(call, receiver);
        if tried.works {
            return Some(format!("write `{written}`"));
        }
        let [(place, text)] = tried.mistakes.as_slice() else { return None };
        let (_, hint) = text.split_once("\nhint: ")?;
        let place = format!("{place:?}");
        if !own.iter().any(|own| format!("{own:?}") == place) {
            return None;
        }
        let works = written_in(hint).is_none_or(|instead| self.tried(instead, None).works);
        works.then(|| hint.to_string())
    }

    /// What would be said of the call if it stood here; nothing of it is left.
    fn tried(&mut self, call: Expr, receiver: Option<&Val<'a>>) -> Tried {
        // What is evaluated lives as long as the evaluator: this one as long as rustc, and a mistake is what makes it end.
        let call: &'static Expr = Box::leak(Box::new(call));
        let (before, said, count) = (self.clone(), self.diag.said(), self.diag.count());
        self.known = match (call, receiver) {
            (Expr::MethodCall(call), Some(receiver)) => Some((std::ptr::from_ref(&*call.receiver), receiver.clone())),
            _ => None,
        };
        self.expr(call);
        let works = self.diag.count() == count;
        *self = before;
        Tried { mistakes: self.diag.take_back(said), works }
    }

    /// What is known of the expression already, because it has been evaluated in another place.
    pub(super) fn known_value(&self, expr: &Expr) -> Option<Val<'a>> {
        self.known.as_ref().filter(|(known, _)| std::ptr::eq(*known, expr)).map(|(_, value)| value.clone())
    }
}

/// The code that a hint says to write.
pub(super) fn written_in(hint: &str) -> Option<Expr> {
    let (_, code) = hint.split_once("write `")?;
    syn::parse_str(code.split_once('`')?.0).ok()
}

/// Whether an argument has a name.
fn is_named(arg: &Expr) -> bool {
    matches!(arg, Expr::Assign(pair) if matches!(&*pair.left, Expr::Path(name) if name.path.get_ident().is_some()))
}

/// Whether one of them has.
pub(super) fn is_in(args: &ArgList) -> bool {
    args.iter().any(is_named)
}

/// The arguments of a call without their names.
fn unnamed(call: &Expr) -> Vec<Expr> {
    let without = |arg: &Expr| match arg {
        Expr::Assign(pair) if is_named(arg) => in_rust((*pair.right).clone()),
        arg => in_rust(arg.clone()),
    };
    args_of(call).into_iter().flatten().map(without).collect()
}

/// `True` and `False` as Rust writes them.
fn in_rust(arg: Expr) -> Expr {
    match &arg {
        Expr::Path(path) if path.path.is_ident("True") => syn::parse_quote!(true),
        Expr::Path(path) if path.path.is_ident("False") => syn::parse_quote!(false),
        _ => arg,
    }
}

fn is_truth(arg: &Expr) -> bool {
    matches!(arg, Expr::Lit(syn::ExprLit { lit: syn::Lit::Bool(_), .. }))
}

/// What is said where no call is known that works.
fn order_of(called: &str) -> String {
    let name = called.rsplit(['.', ':']).next().unwrap_or(called);
    match ops::find(name) {
        Some(operation) if operation.args.len() > 1 => {
            let args = super::table::names(&operation.args[1..]);
            format!("`{name}` takes {args}, in this order")
        }
        Some(_) => format!("`{name}` takes none"),
        None => "they stand in the order in which they are declared".to_string(),
    }
}

fn args_of(call: &Expr) -> Option<&ArgList> {
    match call {
        Expr::Call(call) => Some(&call.args),
        Expr::MethodCall(call) => Some(&call.args),
        _ => None,
    }
}

fn args_mut(call: &mut Expr) -> Option<&mut ArgList> {
    match call {
        Expr::Call(call) => Some(&mut call.args),
        Expr::MethodCall(call) => Some(&mut call.args),
        _ => None,
    }
}

/// Where a mistake of the call itself is told.
fn places(call: &Expr) -> Vec<Span> {
    let own = match call {
        Expr::MethodCall(call) => call.method.span(),
        Expr::Call(call) => call.func.span(),
        other => other.span(),
    };
    vec![own, call.span()]
}
