//! What to write for the body of a kernel in index form that is no closure.

use crate::ast::FunctionItem;
use crate::parse::{index, text};
use netcl_kernels::graph::{BinaryOp, UnaryOp};
use proc_macro2::{Group, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Expr, Stmt};

/// `|n| x[n] * 2.0` for `x * 2.0`: what computes with tensors of the result's axes alone is written for one element.
pub(super) fn closure(function: &FunctionItem, names: &str) -> Option<String> {
    let [Stmt::Expr(body, None)] = function.body.stmts.as_slice() else { return None };
    if !is_of_elements(function, body) {
        return None;
    }
    let indices: TokenStream = names.parse().ok()?;
    let read = |name: &proc_macro2::Ident| is_read(function, &name.to_string()).then(|| quote!(#name[#indices]));
    Some(format!("|{names}| {}", index::text_of(&replaced(body.to_token_stream(), &read))))
}

/// How an element of the first such tensor is read.
pub(super) fn read(function: &FunctionItem, names: &str) -> Option<String> {
    let mut tensors = function.tensors().map(|(name, _)| crate::parse::name(name));
    tensors.find(|name| is_read(function, name)).map(|name| format!("{name}[{names}]"))
}

/// Whether it is a tensor of as many axes as the result.
fn is_read(function: &FunctionItem, name: &str) -> bool {
    let axes = function.results.first().map_or(0, |result| result.dims.len());
    function.tensors().any(|(own, ty)| crate::parse::name(own) == name && ty.dims.len() == axes)
}

/// Whether it means the same of elements.
fn is_of_elements(function: &FunctionItem, expr: &Expr) -> bool {
    let known = |name: &str| {
        BinaryOp::ALL.into_iter().any(|op| op.name() == name) || UnaryOp::ALL.into_iter().any(|op| op.name() == name)
    };
    match expr {
        Expr::Lit(_) => true,
        Expr::Path(path) => path.path.get_ident().is_some_and(|name| {
            let name = crate::parse::name(name);
            is_read(function, &name) || function.scalars().any(|(own, _)| crate::parse::name(own) == name)
        }),
        Expr::Paren(inner) => is_of_elements(function, &inner.expr),
        Expr::Unary(unary) => is_of_elements(function, &unary.expr),
        Expr::Binary(binary) => is_of_elements(function, &binary.left) && is_of_elements(function, &binary.right),
        Expr::Call(call) => known(&text(&call.func)) && call.args.iter().all(|arg| is_of_elements(function, arg)),
        _ => false,
    }
}

fn replaced(tokens: TokenStream, read: &impl Fn(&proc_macro2::Ident) -> Option<TokenStream>) -> TokenStream {
    let one = |token| match token {
        TokenTree::Ident(name) => read(&name).unwrap_or_else(|| TokenTree::Ident(name).into()),
        TokenTree::Group(group) => {
            TokenTree::Group(Group::new(group.delimiter(), replaced(group.stream(), read))).into()
        }
        other => TokenStream::from(other),
    };
    tokens.into_iter().map(one).collect()
}
