//! What is emitted where something is wrong: the user's item without our attributes, and stubs of what would have been
//! generated, so that nothing else in the file turns red.

mod kernel;
mod unless;

pub(crate) use kernel::kernel;
pub(crate) use unless::{block as unless_block, kernel as unless_kernel, structure as unless_structure};

use crate::ast::{About, ModelImpl};
use crate::parse::condition::is_condition;
use crate::parse::model::{block_name, computed_size, is_parameter};
use crate::parse::{function, gradients, mode};
use crate::{only, paths, recover, unused};
use netcl_kernels::dtype::DType;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::{
    Attribute, FnArg, GenericArgument, GenericParam, ImplItem, ItemImpl, Pat, PathArguments, ReturnType, Signature,
    Type, Visibility,
};

/// The block with stubs for the functions that would have been compiled.
pub(crate) fn implementation(item: &ItemImpl) -> TokenStream {
    block(item, Some(TokenStream::new()))
}

/// The same with what other models are told of it; `None` without what only the first of several blocks has.
pub(crate) fn block(item: &ItemImpl, export: Option<TokenStream>) -> TokenStream {
    let item = &without_parameters(item);
    let (attrs, generics, ty) = (&item.attrs, &item.generics, &item.self_ty);
    let bounds = &generics.where_clause;
    // By the struct, which alone a further block has to have imported.
    let private = paths::private();
    let gradients = matches!(&**ty, Type::Path(_)).then(|| quote!(<Self as #private::Part>::Gradients));
    // A function that is there twice, or is generated as well, is reported; rustc need not say so again.
    let mut names = generated(item);
    let first = |item: &&ImplItem| !matches!(item, ImplItem::Fn(f) if !names.insert(f.sig.ident.to_string()));
    // The arguments of stubs may be called as kernels are, which are statics.
    let (mut stubs, mut covered) = (TokenStream::new(), Vec::new());
    let items: Vec<TokenStream> = item
        .items
        .iter()
        .filter(first)
        .map(|item| match item {
            ImplItem::Fn(f) if !function::is_ordinary(&f.attrs, &f.sig) => {
                let typed = f.sig.inputs.iter().filter_map(|input| match input {
                    FnArg::Typed(typed) => Some(function::names(&typed.pat)),
                    FnArg::Receiver(_) => None,
                });
                covered.extend(typed.flatten());
                stubs.extend(stub(&f.vis, &f.sig, &f.sig.ident, None));
                if let Some(gradients) = gradients.as_ref().filter(|_| may_be_loss(&f.sig)) {
                    let name = format_ident!("{}_with_gradients", f.sig.ident);
                    let also = (0..gradients::count(&f.attrs)).map(|_| quote!(, ::netcl::Tensor));
                    stubs.extend(stub(&f.vis, &f.sig, &name, Some(&quote!(#gradients #(#also)*))));
                }
                TokenStream::new()
            }
            ImplItem::Fn(f) if f.attrs.iter().any(recover::is_half_typed) => ordinary(&f.attrs, &f.vis, &f.sig),
            ImplItem::Fn(f) => {
                let mut f = f.clone();
                f.attrs.retain(|attr| !mode::is_dynamic(attr) && !function::is_helper(attr));
                quote!(#f)
            }
            other => quote!(#other),
        })
        .collect();
    let trait_ = item.trait_.as_ref().map(|(path, token)| quote!(#path #token));
    // A block that implements a trait has no functions of its own.
    let about = export.filter(|_| item.trait_.is_none()).map(|export| {
        let about = ModelImpl::about(block_name(item).as_ref()).into_iter().filter(|about| !written(item, &about.name));
        let about = about.map(|About { name, signature }| quote!(pub fn #name #signature { ::core::unreachable!() }));
        let about = quote! {
            #[allow(dead_code, unused_variables)]
            impl #generics #ty #bounds { #(#about)* }
            #export
        };
        only::once(block_name(item).as_ref(), ty, &about)
    });
    let attrs = attrs.iter().filter(|attr| !attr.path().is_ident(crate::words::NAMED_BLOCK));
    let covers = unused::covers(&covered);
    let (own, apart) = match trait_ {
        Some(_) => (Some(stubs), None),
        None => (
            None,
            (!stubs.is_empty()).then(|| {
                quote! {
                    const _: () = {
                        #covers
                        #[allow(dead_code, unused_variables)]
                        impl #generics #ty #bounds { #stubs }
                    };
                }
            }),
        ),
    };
    quote! {
        #(#attrs)*
        #[allow(dead_code, unused_variables)]
        impl #generics #trait_ #ty #bounds { #(#items)* #own }
        #apart
        #about
    }
}

/// The names of functions that a model has beside those that are written in the block: `new`, `loss_with_gradients`.
fn generated(item: &ItemImpl) -> std::collections::BTreeSet<String> {
    let losses = item.items.iter().filter_map(|item| match item {
        ImplItem::Fn(f) if !function::is_ordinary(&f.attrs, &f.sig) && may_be_loss(&f.sig) => {
            Some(format!("{}_with_gradients", f.sig.ident))
        }
        _ => None,
    });
    losses.chain(item.trait_.is_none().then(|| "new".to_string())).collect()
}

/// The block without parameters that no model can have, as its struct is left without them.
fn without_parameters(item: &ItemImpl) -> ItemImpl {
    let mut item = item.clone();
    let (sizes, wrong): (Vec<_>, Vec<_>) = item.generics.params.into_iter().partition(is_parameter);
    item.generics.params = sizes.into_iter().collect();
    let is_wrong = |name: &Ident| {
        wrong.iter().any(|parameter| match parameter {
            GenericParam::Lifetime(given) => given.lifetime.ident == *name,
            GenericParam::Type(given) => given.ident == *name,
            GenericParam::Const(given) => given.ident == *name,
        })
    };
    if let Some((size, name)) = computed_size(&item).map(|(size, name)| (size.clone(), name.clone()))
        && let Type::Path(path) = &mut *item.self_ty
        && let Some(PathArguments::AngleBracketed(given)) =
            path.path.segments.last_mut().map(|last| &mut last.arguments)
    {
        let named: GenericArgument = syn::parse_quote!(#name);
        given.args.iter_mut().filter(|argument| **argument == size).for_each(|argument| *argument = named.clone());
    }
    if wrong.is_empty() {
        return item;
    }
    item.generics.where_clause = None;
    if let Type::Path(path) = &mut *item.self_ty
        && let Some(PathArguments::AngleBracketed(given)) =
            path.path.segments.last_mut().map(|last| &mut last.arguments)
    {
        let kept = std::mem::take(&mut given.args).into_iter();
        given.args = kept.filter(|argument| !function::mentions(argument.to_token_stream(), &is_wrong)).collect();
    }
    item
}

/// A struct or another item without what netcl means by its attributes, where the macro itself has failed.
pub(crate) fn plain_item(item: &TokenStream) -> TokenStream {
    match syn::parse2::<syn::Item>(item.clone()) {
        Ok(syn::Item::Struct(mut parsed)) => {
            for field in &mut parsed.fields {
                field.attrs.retain(crate::parse::attr::is_rust_attribute);
            }
            quote!(#parsed)
        }
        Ok(syn::Item::Impl(parsed)) => implementation(&parsed),
        _ => item.clone(),
    }
}

/// Whether it is a model's function whose result, or the first of several, is a scalar, as far as it can be read.
fn may_be_loss(sig: &Signature) -> bool {
    if !matches!(sig.inputs.first(), Some(FnArg::Receiver(_))) {
        return false;
    }
    let ReturnType::Type(_, ty) = &sig.output else { return true };
    let first = match &**ty {
        // What comes behind the loss is beside it.
        Type::Tuple(tuple) => tuple.elems.first(),
        ty => Some(ty),
    };
    let Some(Type::Path(path)) = first else { return false };
    match path.path.segments.last().map(|last| &last.arguments) {
        Some(PathArguments::AngleBracketed(arguments)) => match arguments.args.first() {
            Some(syn::GenericArgument::Type(Type::Path(element))) if arguments.args.len() == 1 => {
                let dtype = element.path.get_ident().and_then(|name| DType::from_name(&name.to_string()));
                dtype.is_none_or(DType::is_float)
            }
            _ => arguments.args.len() < 2,
        },
        _ => true,
    }
}

/// Whether the user has written a function of that name, which has been reported.
fn written(item: &ItemImpl, name: &Ident) -> bool {
    item.items.iter().any(|item| matches!(item, ImplItem::Fn(f) if f.sig.ident == *name))
}

/// A half-typed function of plain Rust: what is known of its signature, and no body.
pub(crate) fn ordinary(attrs: &[Attribute], vis: &Visibility, sig: &Signature) -> TokenStream {
    let ours = |attr: &Attribute| {
        let types = attr.path().is_ident(crate::words::TYPES);
        let of_rust = attr.path().is_ident(crate::words::OF_RUST);
        types || of_rust || recover::is_half_typed(attr) || mode::is_dynamic(attr) || function::is_helper(attr)
    };
    let attrs = attrs.iter().filter(|attr| !ours(attr));
    let mut sig = sig.clone();
    for input in &mut sig.inputs {
        if let FnArg::Typed(typed) = input {
            *typed.ty = of_tensors(&typed.ty);
            // A name that a kernel has as well would be the kernel.
            *typed.pat = Pat::Verbatim(quote!(_));
        }
    }
    if let ReturnType::Type(_, ty) = &mut sig.output {
        **ty = of_tensors(ty);
    }
    quote! { #(#attrs)* #[allow(dead_code, unused_variables)] #vis #sig { ::core::unreachable!() } }
}

/// What answers the block of what is no model, of which nothing more is said.
pub(crate) fn no_table(vis: &syn::Visibility, name: &syn::Ident) -> TokenStream {
    let payload =
        crate::payload::table(&crate::chain::Gathered::default(), &syn::parse_quote!(#vis struct #name {}), true);
    crate::chain::table(&paths::table_macro(name), vis, &payload)
}

/// The type as it is, unless it is of tensors, which have no parameters in Rust, or not understood.
fn of_tensors(ty: &Type) -> Type {
    let wrong = |name: &Ident| name == crate::words::TENSOR || name == crate::words::UNKNOWN_TYPE;
    if function::mentions(ty.to_token_stream(), &wrong) { Type::Verbatim(plain(ty)) } else { ty.clone() }
}

/// `name` with the signature's arguments and no body to speak of.
fn stub(vis: &Visibility, sig: &Signature, name: &Ident, gradients: Option<&TokenStream>) -> TokenStream {
    stub_where(vis, sig, name, gradients, &TokenStream::new())
}

/// The same with bounds.
fn stub_where(
    vis: &Visibility,
    sig: &Signature,
    name: &Ident,
    gradients: Option<&TokenStream>,
    bounds: &TokenStream,
) -> TokenStream {
    let mut names = std::collections::BTreeSet::new();
    let parameter = |name: &Ident| sig.generics.type_params().any(|own| own.ident == *name);
    // Of tensors the stub knows no element types.
    let generic = |ty: &Type| function::mentions(plain(ty), &parameter);
    let args = sig.inputs.iter().map(|input| match input {
        FnArg::Receiver(_) => quote!(&self),
        FnArg::Typed(typed) => {
            let pattern = match &*typed.pat {
                Pat::Ident(ident) if names.insert(ident.ident.to_string()) => ident.ident.to_token_stream(),
                _ => quote!(_),
            };
            // The parameters of a generic function are not those of the stub.
            let ty = if generic(&typed.ty) { quote!(impl ::core::marker::Sized) } else { plain(&typed.ty) };
            // Whether it is there rustc decides.
            let conditions = typed.attrs.iter().filter(|attr| is_condition(attr));
            quote!(#(#conditions)* #pattern: #ty)
        }
    });
    let result = match &sig.output {
        ReturnType::Type(_, ty) if generic(ty) => quote!(::netcl::Tensor),
        output => result(output),
    };
    let result = match gradients {
        Some(gradients) => quote!((#result, #gradients)),
        None => result,
    };
    quote! { #vis fn #name(#(#args),*) -> ::netcl::Result<#result> #bounds { ::core::unreachable!() } }
}

/// What a function gives whose result is written so.
fn result(output: &ReturnType) -> TokenStream {
    match output {
        ReturnType::Default => quote!(::netcl::Tensor),
        ReturnType::Type(_, ty) => plain(ty),
    }
}

/// The type with every `Tensor<..>` as netcl's own, also within `Result<..>` and its like. Where it could not be parsed, an argument takes anything.
fn plain(ty: &Type) -> TokenStream {
    match ty {
        Type::Reference(reference) => {
            let inner = plain(&reference.elem);
            quote!(&#inner)
        }
        Type::Tuple(tuple) => {
            let each = tuple.elems.iter().map(plain);
            quote!((#(#each,)*))
        }
        Type::Array(array) => {
            let (each, count) = (plain(&array.elem), &array.len);
            quote!([#each; #count])
        }
        Type::Slice(slice) => {
            let each = plain(&slice.elem);
            quote!([#each])
        }
        Type::Paren(inner) => plain(&inner.elem),
        Type::Group(inner) => plain(&inner.elem),
        Type::Path(path) => match path.path.segments.last() {
            Some(last) if last.ident == crate::words::TENSOR => quote!(::netcl::Tensor),
            _ if recover::fills_unknown(ty) => quote!(impl ::core::marker::Sized),
            _ => {
                let mut path = path.clone();
                let arguments = path.path.segments.iter_mut().filter_map(|segment| match &mut segment.arguments {
                    PathArguments::AngleBracketed(arguments) => Some(arguments.args.iter_mut()),
                    _ => None,
                });
                for argument in arguments.flatten() {
                    if let GenericArgument::Type(ty) = argument {
                        *ty = Type::Verbatim(plain(ty));
                    }
                }
                quote!(#path)
            }
        },
        other => quote!(#other),
    }
}
