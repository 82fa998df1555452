//! The same tokens as a Rust function that nobody calls: rustc's type rules hold for them.

use super::signature::Signature;
use super::state::Lowered;
use super::types::value_type;
use crate::ast::ArgType;
use netcl_kernels::dtype::DType;
use netcl_kernels::kir::ValueType;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{format_ident, quote};
use std::collections::{BTreeMap, BTreeSet};
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, Local, Pat, PatIdent};

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
            ArgType::Plain(_) | ArgType::Enum(_) => quote!(#name: u32),
        }
    });
    let sizes = signature.symbols().into_iter().map(|symbol| {
        // Names of sizes are the user's: seen by the body, whatever it is hygienic for.
        let size = Ident::new(symbol.name(), Span::call_site());
        quote!(let #size: u32 = ::netcl::simt::size();)
    });
    let covers = covers(signature);
    let statements = &signature.body.stmts;
    let body = annotated(quote!(#(#statements)*), &lowered.types, &mut 0);
    quote! {
        // Outside the function: inside it, these names would hide arguments of the same name.
        #[allow(unused_imports)]
        use ::netcl::simt::*;
        #(#[allow(dead_code, non_snake_case)] fn #covers() {})*
        #[allow(dead_code, unused_variables, unused_mut, unused_assignments, non_snake_case, unstable_name_collisions, clippy::all)]
        fn #name(#(#args),*) {
            #(#sizes)*
            { #body }
        }
    }
}

/// The names that the kernel binds, but for those of functions that it calls. Another kernel may have such a name, or a
/// `const` the name of a size, and Rust lets no variable hide a static or a constant; it lets them hide a function, which
/// in turn hides what is outside.
fn covers(signature: &Signature) -> Vec<Ident> {
    struct Names {
        bound: BTreeMap<String, Ident>,
        called: BTreeSet<String>,
    }
    impl<'a> Visit<'a> for Names {
        fn visit_pat_ident(&mut self, name: &'a PatIdent) {
            self.bound.insert(name.ident.to_string(), name.ident.clone());
            visit::visit_pat_ident(self, name);
        }

        fn visit_expr_call(&mut self, call: &'a ExprCall) {
            if let Expr::Path(path) = &*call.func
                && let Some(name) = path.path.get_ident()
            {
                self.called.insert(name.to_string());
            }
            visit::visit_expr_call(self, call);
        }
    }
    let args = signature.args.iter().map(|arg| (arg.name.to_string(), arg.name.clone()));
    let sizes = signature.symbols().into_iter().map(|size| Ident::new(size.name(), Span::call_site()));
    let bound = args.chain(sizes.map(|size| (size.to_string(), size))).collect();
    let mut names = Names { bound, called: BTreeSet::from([signature.name.to_string()]) };
    names.visit_block(&signature.body);
    names.bound.into_iter().filter(|(name, _)| !names.called.contains(name)).map(|(_, name)| name).collect()
}

fn element(dtype: DType) -> TokenStream {
    let name = format_ident!("{}", dtype.name());
    match dtype {
        DType::F16 | DType::BF16 => quote!(::netcl::simt::#name),
        _ => quote!(#name),
    }
}

/// The `let`s of one name that state no type, in the order of the text: the one in which `annotated` meets them.
pub(super) fn untyped(body: &Block) -> Vec<&Local> {
    struct Lets<'a>(Vec<&'a Local>);
    impl<'a> Visit<'a> for Lets<'a> {
        fn visit_local(&mut self, local: &'a Local) {
            if local.init.is_some()
                && matches!(&local.pat, Pat::Ident(name) if name.by_ref.is_none() && name.subpat.is_none())
            {
                self.0.push(local);
            }
            visit::visit_local(self, local);
        }
    }
    let mut lets = Lets(Vec::new());
    lets.visit_block(body);
    lets.0
}

/// The tokens with the types that were found for `let`s that name none; `position` counts these. Arrays are declared by netcl's
/// macros, whatever else of their names there is: a kernel called `local` has a macro of that name.
///
/// Half-precision types only store: values are `f32`, also where the text says `let v: f16 = ..` and `v as f16`.
fn annotated(tokens: TokenStream, types: &BTreeMap<usize, ValueType>, position: &mut usize) -> TokenStream {
    let mut result = TokenStream::new();
    let mut context = Context::Elsewhere;
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let next = match (&token, &context) {
            (TokenTree::Ident(word), _) if word == "let" => Context::Let,
            (TokenTree::Ident(word), Context::Let) if word == "mut" => Context::Let,
            // `let _ = ..;` binds no name: it is none of `untyped`.
            (TokenTree::Ident(word), Context::Let) if word != "_" => Context::Name,
            (TokenTree::Ident(word), _) if word == "as" => Context::Type,
            (TokenTree::Punct(colon), _) if colon.as_char() == ':' => Context::Type,
            _ => Context::Elsewhere,
        };
        let token = match token {
            TokenTree::Punct(equals) if equals.as_char() == '=' && matches!(context, Context::Name) => {
                if let Some(ty) = types.get(position) {
                    let ty = format_ident!("{}", ty.to_string());
                    result.extend(quote!(: #ty));
                }
                *position += 1;
                TokenTree::Punct(equals)
            }
            TokenTree::Ident(name) if matches!(context, Context::Type) => computed(name).into(),
            TokenTree::Ident(name)
                if (name == "local" || name == "private")
                    && matches!(tokens.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '!') =>
            {
                result.extend(quote!(::netcl::simt::));
                name.into()
            }
            TokenTree::Group(group) => {
                let mut same = Group::new(group.delimiter(), annotated(group.stream(), types, position));
                same.set_span(group.span());
                same.into()
            }
            other => other,
        };
        result.extend([token]);
        context = next;
    }
    result
}

/// Where a token stands.
enum Context {
    /// After `let`.
    Let,
    /// After the name that a `let` binds.
    Name,
    /// Where a type is named: after `:` or `as`.
    Type,
    Elsewhere,
}

/// The type that values of the named type have.
fn computed(name: Ident) -> Ident {
    let text = name.to_string();
    let half = [DType::F16, DType::BF16].iter().any(|dtype| text.starts_with(dtype.name()));
    match value_type(&text).filter(|_| half) {
        Some(ty) => Ident::new(&ty.to_string(), name.span()),
        None => name,
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
