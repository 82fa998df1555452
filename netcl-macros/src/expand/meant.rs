//! Checks that a name without a path is nobody else's: in a body `relu(x)` is the operation, while Rust's own rules may find a
//! function of that name.
//!
//! No macro is told what a name stands for; rustc is asked. In the block of the check the module's names come first, and the
//! operation behind them, as a constant that alone meets a bound: another thing of that name does not, and the bound says so.

use crate::paths;
use netcl_kernels::graph::{BinaryOp, UnaryOp};
use netcl_kernels::{layers, ops};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::visit::{self, Visit};
use syn::{Path, Type};

/// What may call more than functions of scalars.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallingBody {
    /// Of whole tensors: kernels and functions of tensors are called too.
    Tensors,
    /// Of one element, where a kernel's name can only be meant for the operation.
    Element,
}

/// The check of operations that a body calls by their names alone.
pub(crate) fn operations(names: &[Ident], body: CallingBody) -> Option<TokenStream> {
    let private = paths::private();
    let (declared, asked): (Vec<_>, Vec<_>) = names
        .iter()
        .map(|ident| {
            let name = crate::parse::name(ident);
            let message = format!(
                "`{name}` is called, which is the name of an operation, and there is a function of that name here"
            );
            let method = match is_method(&name) {
                true => format!("for the operation write `x.{name}(..)`"),
                false => "for what netcl has by that name, give the function another".to_string(),
            };
            let note = format!("for the function write `self::{name}(..)`; {method}");
            let bound = format_ident!("__Netcl_{}_is_the_operation", name, span = ident.span());
            let declared = quote! {
                #[allow(non_upper_case_globals)]
                const #ident: #private::CalledOperation = #private::CalledOperation;
                #[diagnostic::on_unimplemented(message = #message, label = "netcl's operation, or the function?", note = #note)]
                trait #bound {}
                impl #bound for #private::CalledOperation {}
            };
            let of_elements = (body == CallingBody::Element).then(|| quote_spanned!(ident.span()=> .of_elements()));
            let asked = quote_spanned! {ident.span()=>
                fn is<T: #bound>(_: &T) {}
                is(::netcl::__private::Called(&#ident).not_generic()#of_elements.0);
            };
            (declared, quote!({ #asked }))
        })
        .unzip();
    (!names.is_empty()).then(|| {
        quote! {
            #[allow(dead_code, non_camel_case_types, clippy::wildcard_imports)]
            const _: fn() = || {
                #(#declared)*
                {
                    #[allow(unused_imports)]
                    use self::*;
                    #[allow(unused_imports)]
                    use #private::CalledOtherwise as _;
                    #(#asked)*
                }
            };
        }
    })
}

/// The check of layers that a field's type or a type argument names.
pub(crate) fn layers<'t>(types: impl Iterator<Item = &'t Type>) -> Option<TokenStream> {
    let mut named = Named(Vec::new());
    types.for_each(|ty| named.visit_type(ty));
    let asked: Vec<_> = named.0.iter().filter_map(|path| Some((path, &path.segments.last()?.ident))).collect();
    let asked = asked.into_iter().enumerate().map(|(position, (path, ident))| {
        let name = crate::parse::name(ident);
        let message = format!("`{name}` is a layer of netcl's, and another type has that name here");
        let note = format!("give that type another name where it is imported: `use parts::Gate as My{name};`");
        let bound = format_ident!("__Netcl_{position}_is_the_layer", span = ident.span());
        quote_spanned! {ident.span()=>
            #[diagnostic::on_unimplemented(message = #message, label = "not netcl's layer", note = #note)]
            trait #bound {}
            impl #bound for ::netcl::layers::#ident {}
            const _: fn() = || {
                #[allow(unused_imports)]
                use self::*;
                fn is<T: #bound>() {}
                is::<#path>();
            };
        }
    });
    let asked: Vec<_> = asked.collect();
    (!asked.is_empty()).then(|| {
        quote! {
            #[allow(dead_code, non_camel_case_types, clippy::wildcard_imports)]
            const _: () = {
                #[allow(unused_imports)]
                use ::netcl::layers::*;
                #(#asked)*
            };
        }
    })
}

/// Paths of layers, each once.
struct Named(Vec<Path>);

impl<'ast> Visit<'ast> for Named {
    fn visit_type_path(&mut self, ty: &'ast syn::TypePath) {
        let layer = ty.path.segments.last().and_then(|last| layers::find(&crate::parse::name(&last.ident)));
        // What has sizes behind its name, or a path of another framework's, has been spoken of.
        let plain = ty.path.segments.last().is_some_and(|last| last.arguments.is_none())
            && !crate::parse::instead::is_elsewhere(&ty.path);
        if layer.is_some() && plain && ty.qself.is_none() && !self.0.contains(&ty.path) {
            self.0.push(ty.path.clone());
        }
        visit::visit_type_path(self, ty);
    }
}

fn is_method(name: &str) -> bool {
    let of_elements = UnaryOp::ALL.into_iter().map(UnaryOp::name).chain(BinaryOp::ALL.into_iter().map(BinaryOp::name));
    ops::names().chain(of_elements).any(|known| known == name)
}

/// The check of functions that are left to Rust though structs are all that they take and give: none of tensors.
pub(crate) fn rusts_own<'f>(functions: impl Iterator<Item = (&'f syn::ImplItemFn, Path)>) -> Option<TokenStream> {
    let private = paths::private();
    let asked = functions.enumerate().map(|(position, (f, path))| {
        let name = crate::parse::name(&f.sig.ident);
        let message = format!(
            "`{name}` reads no field of the model, and structs are all that it takes and gives: it is left to Rust, and `{}` is a \
             struct of tensors",
            crate::parse::text(&path)
        );
        let note = format!(
            "to be compiled, it is a `#[netcl::function] fn {name}(..)` beside the block, without `self`; as an ordinary \
             function of Rust it has `#[netcl::dynamic]`"
        );
        let span = f.sig.ident.span();
        let bound = format_ident!("__Netcl_{position}_is_no_struct_of_tensors", span = span);
        quote_spanned! {span=>
            #[diagnostic::on_unimplemented(message = #message, label = "compiled, or Rust's own?", note = #note)]
            trait #bound {}
            impl #bound for ::netcl::__private::OfRust {}
            const _: fn() = || {
                fn is<T: #bound>(_: T) {}
                is(::netcl::__private::AskedStruct::<#path>::NEW.of());
            };
        }
    });
    let asked: Vec<_> = asked.collect();
    (!asked.is_empty()).then(|| {
        quote! {
            #[allow(dead_code, non_camel_case_types, unused_imports)]
            const _: () = {
                use #private::AskedOtherwise as _;
                #(#asked)*
            };
        }
    })
}
