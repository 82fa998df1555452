//! Indices of reads as they are written, for messages.

use super::affine::Atom;
use super::{Affine, Lowering, Val};
use crate::parse::{self, text};
use netcl_kernels::dim::Dim;
use syn::{Expr, ExprIndex};

impl<'a> Lowering<'a> {
    /// The index in backticks, and what it is in terms of the closure's indices where a variable stands for that.
    pub(super) fn as_indices(&self, written: &Expr, index: &Affine) -> String {
        let given = text(written);
        let name = |axis: usize| {
            let mut variables = self.frame().scopes.iter().flatten();
            let own =
                |value: &Val<'a>| matches!(value, Val::Index(own) if *own == Affine::axis(axis, Dim::constant(0)));
            variables.find(|variable| own(&variable.value)).map(|variable| variable.name.clone())
        };
        let terms = index.terms.iter().map(|(atom, factor)| match (atom, factor) {
            (Atom::Axis(axis), 1) => name(*axis),
            (Atom::Axis(axis), factor) => name(*axis).map(|name| format!("{factor} * {name}")),
            _ => None,
        });
        let terms: Option<Vec<String>> = terms.collect();
        let is_name = matches!(parse::unparenthesized(written), Expr::Path(_));
        match terms.filter(|terms| is_name && !terms.is_empty()) {
            Some(mut terms) => {
                if !index.offset.is(0) {
                    terms.push(index.offset.to_string());
                }
                let whole = terms.join(" + ").replace("+ -", "- ");
                if whole == given { format!("`{given}`") } else { format!("`{given}`, which is `{whole}`,") }
            }
            None => format!("`{given}`"),
        }
    }
}

/// The index as an operand of `as`.
pub(super) fn operand_text(index: &Expr) -> String {
    match parse::unparenthesized(index) {
        Expr::Index(read) => parse::index::text(read),
        Expr::Binary(_) | Expr::Unary(_) => format!("({})", text(index)),
        other => text(other),
    }
}

/// `x[min(n + 1, N - 1)]`, and what to write for it: a choice between two reads.
pub(super) fn clamped(read: &ExprIndex, index: &Expr) -> Option<(String, String)> {
    let (name, one, other) = match parse::unparenthesized(index) {
        Expr::Call(call) => match (text(&call.func), call.args.iter().collect::<Vec<_>>().as_slice()) {
            (name, [one, other]) => (name, (*one).clone(), (*other).clone()),
            _ => return None,
        },
        Expr::MethodCall(call) if call.args.len() == 1 => {
            (call.method.to_string(), (*call.receiver).clone(), call.args[0].clone())
        }
        _ => return None,
    };
    let sign = match name.as_str() {
        "min" | "minimum" => '<',
        "max" | "maximum" => '>',
        _ => return None,
    };
    let (one, other) = (text(parse::unparenthesized(&one)), text(parse::unparenthesized(&other)));
    let (tensor, given) = (text(&read.expr), text(index));
    let whole = parse::index::text(read);
    let at = |index: &str| format!("pad({tensor}{})", whole[tensor.len()..].replacen(&given, index, 1));
    Some((name, format!("if {one} {sign} {other} {{ {} }} else {{ {} }}", at(&one), at(&other))))
}
