//! `pad(..)` around a read: zeros outside.

use super::{Lowering, Val};
use crate::messages as m;
use crate::parse::{self, text};
use syn::spanned::Spanned;
use syn::{Expr, ExprCall, ExprIndex};

impl<'a> Lowering<'a> {
    /// `pad(x[n, c - 1])`: zero outside.
    pub(super) fn pad(&mut self, call: &'a ExprCall) -> Val<'a> {
        match call.args.first() {
            Some(Expr::Index(index)) if call.args.len() == 1 => self.read(index, true),
            // `pad(pad(x[n - 1]))`.
            Some(inner @ Expr::Call(twice)) if call.args.len() == 1 && text(&twice.func) == crate::words::PAD => {
                self.report(call.span(), &m::PAD_TWICE, &[&text(&call.args), &parse::index::text_of(inner)])
            }
            first => {
                let instead = match first {
                    Some(Expr::Index(read)) => format!("pad({})", parse::index::text(read)),
                    other => other.and_then(parse::index::padded).unwrap_or_else(|| self.some_padded()),
                };
                let found = match call.args.len() {
                    1 => format!("`{}`", text(&call.args)),
                    count => format!("{count} arguments"),
                };
                let chosen = match (first, call.args.iter().nth(1)) {
                    (Some(Expr::Index(read)), Some(other)) if call.args.len() == 2 => self.padded_with(read, other),
                    _ => None,
                };
                let other = chosen.unwrap_or_else(|| "another value there is chosen by an `if` around it".to_string());
                self.report(call.span(), &m::PAD_ARGUMENT, &[&found, &instead, &other])
            }
        }
    }

    /// The choice for `pad(x[n - 1], 1.0)`: the element where the index is inside, and the other value elsewhere.
    fn padded_with(&self, read: &ExprIndex, other: &Expr) -> Option<String> {
        let Expr::Path(path) = &*read.expr else { return None };
        let source = self.whole_tensor(&parse::name(path.path.get_ident()?))?;
        let [size] = self.builder.shape(source).0.as_slice() else { return None };
        let (at, whole, other) = (text(&read.index), parse::index::text(read), text(other));
        Some(format!("another value by `if {at} >= 0 && {at} < {size} {{ pad({whole}) }} else {{ {other} }}`"))
    }
}
