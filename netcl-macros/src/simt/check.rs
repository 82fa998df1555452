//! The same tokens as a Rust function that nobody calls: rustc's type rules hold for them.

use super::{Lowered, Signature};
use crate::ast::ArgType;
use netcl_kernels::dtype::DType;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Block, Expr, Pat, Stmt};

/// The function, with the types that were found for `let`s.
pub(crate) fn shim(signature: &Signature, lowered: &Lowered) -> TokenStream {
    let name = &signature.name;
    let args = signature.args.iter().map(|arg| {
        let name = &arg.name;
        match &arg.ty {
            ArgType::Tensor(ty) => {
                let element = element(ty.dtype);
                let mutable = arg.result.map(|_| quote!(mut));
                quote!(#name: &#mutable ::netcl::simt::Buffer<#element>)
            }
            ArgType::Scalar(dtype) => {
                let ty = format_ident!("{}", dtype.name());
                quote!(#name: #ty)
            }
            ArgType::Plain(_) => quote!(#name: u32),
        }
    });
    let sizes = signature.symbols().into_iter().map(|symbol| {
        // Names of sizes are the user's: seen by the body, whatever it is hygienic for.
        let size = Ident::new(symbol.name(), Span::call_site());
        quote!(let #size: u32 = ::netcl::simt::size();)
    });
    let mut body = signature.body.clone();
    let mut position = 0;
    annotate(&mut body, lowered, &mut position);
    let statements = &body.stmts;
    quote! {
        // Outside the function: inside it, these names would hide arguments of the same name.
        #[allow(unused_imports)]
        use ::netcl::simt::*;
        #[allow(dead_code, unused_variables, unused_mut, unused_assignments, non_snake_case, clippy::all)]
        fn #name(#(#args),*) {
            #(#sizes)*
            { #(#statements)* }
        }
    }
}

fn element(dtype: DType) -> TokenStream {
    let name = format_ident!("{}", dtype.name());
    match dtype {
        DType::F16 | DType::BF16 => quote!(::netcl::simt::#name),
        _ => quote!(#name),
    }
}

/// Writes the types of `let`s that name none into the tokens.
fn annotate(block: &mut Block, lowered: &Lowered, position: &mut usize) {
    for statement in &mut block.stmts {
        match statement {
            Stmt::Local(local) => {
                let plain = matches!(&local.pat, Pat::Ident(_));
                let array = matches!(&local.init, Some(init) if matches!(&*init.expr, Expr::Macro(_)));
                if plain && !array && local.init.is_some() {
                    if let Some(ty) = lowered.types.get(position) {
                        let ty = format_ident!("{}", ty.to_string());
                        local.pat = Pat::Type(syn::PatType {
                            attrs: Vec::new(),
                            pat: Box::new(local.pat.clone()),
                            colon_token: Default::default(),
                            ty: Box::new(syn::parse_quote!(#ty)),
                        });
                    }
                    *position += 1;
                }
            }
            Stmt::Expr(expr, _) => inner(expr, lowered, position),
            _ => {}
        }
    }
}

fn inner(expr: &mut Expr, lowered: &Lowered, position: &mut usize) {
    match expr {
        Expr::Block(block) => annotate(&mut block.block, lowered, position),
        Expr::ForLoop(each) => annotate(&mut each.body, lowered, position),
        Expr::While(each) => annotate(&mut each.body, lowered, position),
        Expr::Loop(each) => annotate(&mut each.body, lowered, position),
        Expr::If(branch) => {
            annotate(&mut branch.then_branch, lowered, position);
            if let Some((_, otherwise)) = &mut branch.else_branch {
                inner(otherwise, lowered, position);
            }
        }
        _ => {}
    }
}

/// Whether the expression is a number without a type.
pub(super) fn bare(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(lit) => match &lit.lit {
            syn::Lit::Int(int) => int.suffix().is_empty(),
            syn::Lit::Float(float) => float.suffix().is_empty(),
            _ => false,
        },
        Expr::Paren(inner) => bare(&inner.expr),
        Expr::Unary(unary) => matches!(unary.op, syn::UnOp::Neg(_)) && bare(&unary.expr),
        Expr::Binary(binary) => bare(&binary.left) && bare(&binary.right),
        _ => false,
    }
}
