//! What is compiled for a model's type that is named: the functions that need its numbers.

use super::source::{self, Natives};
use crate::ast::{ArgDecl, ArgType, FunctionItem, PlainType, Unit};
use crate::compile::Planned;
use crate::diag::Diag;
use crate::functions::{self, CompiledForm};
use crate::lower::Sizes;
use crate::{dump, parse, paths};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// The forms of a function by their names, with the names that reports have for them.
pub(crate) struct Forms(Vec<(Ident, String, Vec<Planned>)>);

/// Compiles a function of `unit` for these sizes; `ty` is the type's text.
pub(crate) fn of(diag: &Diag, (unit, ty): (&Unit, &str), function: &FunctionItem, sizes: &Sizes) -> Option<Forms> {
    let expanded = functions::one(diag, unit, function, Some(sizes))?;
    let name = &function.name;
    let forms = [(name.clone(), Some(expanded.plain)), (format_ident!("{}_with_gradients", name), expanded.gradients)];
    let forms = forms.into_iter().filter_map(|(name, form)| match form? {
        CompiledForm::Plans(planned) => Some((name.clone(), format!("{ty}::{name}"), planned)),
        // Nothing is open any more.
        CompiledForm::Graphs(_) | CompiledForm::Instance => None,
    });
    Some(Forms(forms.collect()))
}

/// The implementation by which the functions of the type `ty` find what was compiled.
pub(crate) fn implementation(ty: &syn::Type, all: &[(&FunctionItem, Forms)]) -> TokenStream {
    let private = paths::private();
    let each = || all.iter().flat_map(|(function, forms)| forms.0.iter().map(move |form| (function, form)));
    let hidden = |name: &Ident| format_ident!("__netcl_{}", name);
    let mut natives = Natives::default();
    let statics: Vec<TokenStream> = each()
        .map(|(_, (name, whole, planned))| source::statics(&hidden(name), whole, planned, &mut natives))
        .collect();
    let natives = natives.items();
    let arms = each().map(|(function, (name, whole, planned))| {
        let (chosen, hidden, name) = (source::chosen(whole, planned), hidden(name), parse::name(name));
        let plain = function.args.iter().filter_map(|ArgDecl { name, ty }| match ty {
            ArgType::Plain(PlainType::Bool) => Some((name, quote!(Bool))),
            ArgType::Plain(PlainType::Usize) => Some((name, quote!(Usize))),
            _ => None,
        });
        let patterns = plain.map(|(name, kind)| quote!(#private::PlainArgument::#kind(#name)));
        quote!((#name, &[#(#patterns),*]) => ::core::result::Result::Ok(&#hidden()[#chosen]),)
    });
    let lists = each().map(|(_, (name, ..))| hidden(name));
    let variants = crate::variants::asked();
    let tokens = quote! {
        #natives
        const _: () = {
            #(#statics)*
            #[automatically_derived]
            impl #private::NamedInstance for #ty {
                #[allow(unused_variables)]
                fn function(
                    __netcl_name: &'static ::core::primitive::str,
                    __netcl_plain: &[#private::PlainArgument],
                    #variants: #private::Variants<'_>,
                ) -> ::netcl::Result<&'static #private::Function> {
                    match (__netcl_name, __netcl_plain) {
                        #(#arms)*
                        _ => ::core::unreachable!("the model's own functions ask for what they are"),
                    }
                }
                fn functions() -> ::std::vec::Vec<&'static [#private::Function]> {
                    ::std::vec![#(#lists()),*]
                }
            }
        };
    };
    dump::tokens(&parse::text(ty), "type", &tokens);
    tokens
}

/// The same where something is wrong, which has been said.
pub(crate) fn stub(ty: &syn::Type) -> TokenStream {
    let private = paths::private();
    quote! {
        #[automatically_derived]
        impl #private::NamedInstance for #ty {
            fn function(
                _: &'static ::core::primitive::str,
                _: &[#private::PlainArgument],
                _: #private::Variants<'_>,
            ) -> ::netcl::Result<&'static #private::Function> {
                ::core::unreachable!()
            }
            fn functions() -> ::std::vec::Vec<&'static [#private::Function]> {
                ::core::unreachable!()
            }
        }
    }
}
