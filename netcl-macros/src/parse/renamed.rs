//! Tensors under another name, as after `use netcl::Tensor as T`: which types those are, only rustc knows.

use crate::diag::Diag;
use crate::messages as m;
use crate::words;
use netcl_kernels::dtype::DType;
use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{GenericArgument, ImplItem, ItemImpl, PathArguments, PathSegment, Type};

/// Rule: tensors are called `Tensor`. Wrong: `fn forward(&self, x: &T<f32, N, 8>) -> T<f32, N, 8>`. Each such name is reported
/// once, and taken for what it is meant to be.
pub(crate) fn meant(diag: &Diag, item: &mut ItemImpl) {
    let mut declared: Vec<Ident> = parameters(&item.generics);
    let mut renamed: Vec<Ident> = Vec::new();
    for part in &mut item.items {
        let ImplItem::Fn(f) = part else { continue };
        if f.attrs.iter().any(super::mode::is_dynamic) {
            continue;
        }
        let outer = declared.len();
        declared.extend(parameters(&f.sig.generics));
        let mut found = Found { declared: &declared, names: Vec::new() };
        found.visit_signature(&f.sig);
        let names = found.names;
        declared.truncate(outer);
        for name in &names {
            if !renamed.contains(name) {
                diag.report(name.span(), &m::RENAMED_TENSOR, &[name]);
                renamed.push(name.clone());
            }
        }
        if !names.is_empty()
            && let Ok(sig) = syn::parse2(replaced(f.sig.to_token_stream(), &names))
        {
            f.sig = sig;
        }
    }
}

fn parameters(generics: &syn::Generics) -> Vec<Ident> {
    let types = generics.type_params().map(|given| given.ident.clone());
    types.chain(generics.const_params().map(|given| given.ident.clone())).collect()
}

struct Found<'a> {
    declared: &'a [Ident],
    names: Vec<Ident>,
}

impl<'ast> Visit<'ast> for Found<'_> {
    /// No type of plain Rust has an element type first and then a single capital letter that nobody declares.
    fn visit_path_segment(&mut self, segment: &'ast PathSegment) {
        if let PathArguments::AngleBracketed(given) = &segment.arguments
            && segment.ident != words::TENSOR
        {
            let mut names = given.args.iter().map(|argument| match argument {
                GenericArgument::Type(Type::Path(path)) => path.path.get_ident(),
                _ => None,
            });
            let element = names.next().flatten().is_some_and(|name| DType::from_name(&name.to_string()).is_some());
            let is_size = |name: &Ident| {
                let text = name.to_string();
                text.len() == 1 && text.starts_with(char::is_uppercase) && !self.declared.contains(name)
            };
            if element && names.flatten().any(is_size) && !self.names.contains(&segment.ident) {
                self.names.push(segment.ident.clone());
            }
        }
        visit::visit_path_segment(self, segment);
    }
}

/// The tokens with those names of tensors as `Tensor`.
fn replaced(tokens: TokenStream, names: &[Ident]) -> TokenStream {
    let each = tokens.into_iter().map(|token| match token {
        TokenTree::Ident(name) if names.contains(&name) => TokenTree::Ident(Ident::new(words::TENSOR, name.span())),
        TokenTree::Group(group) => {
            let mut inner = Group::new(group.delimiter(), replaced(group.stream(), names));
            inner.set_span(group.span());
            TokenTree::Group(inner)
        }
        other => other,
    });
    each.collect()
}
