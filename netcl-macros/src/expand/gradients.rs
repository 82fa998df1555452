//! The gradients of a model, of its own shape.

use super::rust::{TensorPath, length, mark_of_types, part, place, position, presence, size};
use super::stand_in;
use crate::ast::{Field, FieldKind, Form, ModelItem, Nested};
use crate::paths;
use crate::presence::Presence;
use netcl_kernels::dim::{Dim, Shape};
use netcl_kernels::layers::TensorSpec;
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::collections::BTreeSet;

/// The gradient structs of layers, each made once.
#[derive(Default)]
struct Structs {
    names: BTreeSet<String>,
    tokens: TokenStream,
}

/// `MlpGradients`: a method for each field that has parameters.
pub(super) fn gradients(model: &ModelItem) -> TokenStream {
    let (vis, name) = (&model.vis, paths::gradients(&model.name));
    let private = paths::private();
    let doc = format!("Gradients in the parameters of [`{}`].", model.name);
    let mut structs = Structs::default();
    let methods: Vec<TokenStream> =
        model.fields.iter().filter_map(|field| gradient_method(model, field, &mut structs)).collect();
    let tokens = structs.tokens;
    let generics = &model.generics;
    let (params, given, bounds) = generics.split_for_impl();
    let mark = mark_of_types(model);
    // What is derived would ask types for what only their names are needed for.
    let (derived, copied) = match &mark {
        None => (Some(quote!(#[derive(::core::clone::Clone, ::core::fmt::Debug)])), None),
        Some((_, marked)) => {
            let copied = quote! {
                #[automatically_derived]
                impl #params ::core::clone::Clone for #name #given #bounds {
                    fn clone(&self) -> Self {
                        let (__netcl_own, __netcl_prefix) =
                            (::core::clone::Clone::clone(&self.own), ::core::clone::Clone::clone(&self.prefix));
                        Self { own: __netcl_own, prefix: __netcl_prefix, #marked }
                    }
                }
                #[automatically_derived]
                impl #params ::core::fmt::Debug for #name #given #bounds {
                    fn fmt(&self, __netcl_f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                        ::core::fmt::Debug::fmt(&self.own, __netcl_f)
                    }
                }
            };
            (None, Some(copied))
        }
    };
    let mark = mark.map(|(mark, _)| mark);
    quote! {
        #[doc = #doc]
        #derived
        #vis struct #name #generics #bounds {
            /// By the paths of this part.
            own: #private::Gradients,
            /// Of this part in the whole model.
            prefix: ::std::string::String,
            #mark
        }
        #copied
        #[automatically_derived]
        impl #params ::core::ops::Deref for #name #given #bounds {
            type Target = #private::Gradients;
            fn deref(&self) -> &#private::Gradients {
                &self.own
            }
        }
        #[automatically_derived]
        impl #params ::core::convert::From<#name #given> for #private::Gradients #bounds {
            fn from(__netcl_given: #name #given) -> Self {
                __netcl_given.own
            }
        }
        #[automatically_derived]
        #[allow(dead_code, clippy::needless_question_mark, clippy::type_complexity)]
        impl #params #name #given #bounds {
            #(#methods)*
        }
        #tokens
    }
}

fn gradient_method(model: &ModelItem, field: &Field, structs: &mut Structs) -> Option<TokenStream> {
    if field.frozen {
        return None;
    }
    let (vis, name) = (&model.vis, &field.name);
    let own = crate::parse::name(name);
    let doc = format!("Gradients in `{own}`.");
    // A mistake in the field is one mistake: its gradients can be asked for.
    let stand_in = matches!(field.kind, FieldKind::Unknown).then(|| stand_in::of(&field.ty)).flatten();
    let kind = stand_in.as_ref().unwrap_or(&field.kind);
    let (ty, value) = gradient_value(model, kind, &own, &TensorPath::Known(own.clone()), structs)?;
    // Where that is no model, rustc says so at the place of its type.
    let place = field.kind.models().first().map_or_else(Span::call_site, |nested| place(&nested.ty));
    Some(quote_spanned! {place=>
        #[doc = #doc]
        #vis fn #name(&self) -> ::netcl::Result<#ty> {
            ::core::result::Result::Ok(#value)
        }
    })
}

/// The type of a field's gradients and the expression that gives them.
fn gradient_value(
    model: &ModelItem,
    kind: &FieldKind,
    field: &str,
    path: &TensorPath,
    structs: &mut Structs,
) -> Option<(TokenStream, TokenStream)> {
    let tensor = |path: &TensorPath| {
        let path = path.borrowed();
        quote!(self.own.tensor(#path)?)
    };
    match kind {
        FieldKind::Tensor(tensor_field) => tensor_field.trainable.then(|| (quote!(::netcl::Tensor), tensor(path))),
        FieldKind::Model(Nested { ty, .. }) => {
            let (gradients, place) = (part(ty, "gradients"), place(ty));
            let prefix = quote_spanned!(place=> &::std::format!("{}{}.", self.prefix, #path));
            Some((part(ty, "Gradients"), quote_spanned!(place=> #gradients(&self.own, #prefix))))
        }
        FieldKind::Slot(slot) => {
            let (parameter, private) = (&slot.name, paths::private());
            let module = quote!(<#parameter as #private::Module>);
            let value = quote!(#module::gradients_of(&self.own, &::std::format!("{}{}.", self.prefix, #path)));
            Some((quote!(#module::Gradients), value))
        }
        FieldKind::Layer(layer) => {
            let specs = layer.own_tensors(&layer.config.closed());
            let trained: Vec<&TensorSpec<Dim>> = specs.iter().filter(|spec| spec.trainable).collect();
            if trained.is_empty() {
                return None;
            }
            let ty = layer_struct(model, field);
            let names: Vec<Ident> = trained.iter().map(|spec| format_ident!("{}", spec.name)).collect();
            // One struct serves all elements of an array.
            if structs.names.insert(ty.to_string()) {
                let vis = &model.vis;
                let doc = format!("Gradients in `{field}` of [`{}`].", model.name);
                let docs = trained.iter().map(|spec| match layer.config.is_open() {
                    true => "Of the shape that the model's numbers make.".to_string(),
                    false => format!("Of shape {}.", Shape(spec.shape.clone())),
                });
                structs.tokens.extend(quote! {
                    #[doc = #doc]
                    #[allow(dead_code, non_camel_case_types)]
                    #[derive(::core::clone::Clone, ::core::fmt::Debug)]
                    #vis struct #ty { #(#[doc = #docs] #vis #names: ::netcl::Tensor),* }
                });
            }
            let values = trained.iter().map(|spec| tensor(&path.join(spec.name)));
            Some((quote!(#ty), quote!(#ty { #(#names: #values),* })))
        }
        FieldKind::Many { each, count, .. } => match length(count) {
            Some(count) => {
                let mut ty = None;
                let mut values = Vec::new();
                for position in 0..count {
                    let path = path.join(&position.to_string());
                    let (one, value) = gradient_value(model, each, field, &path, structs)?;
                    ty = Some(one);
                    values.push(value);
                }
                let ty = ty?;
                Some((quote!(::std::vec::Vec<#ty>), quote!(::std::vec![#(#values),*])))
            }
            None => {
                let (position, count) = (position(), size(count, &model.sizes()));
                let (ty, value) = gradient_value(model, each, field, &path.at(&position), structs)?;
                let all = quote!((0..#count).map(|#position| ::core::result::Result::Ok(#value)));
                let list = quote!(::std::vec::Vec<#ty>);
                Some((list.clone(), quote!(#all.collect::<::netcl::Result<#list>>()?)))
            }
        },
        FieldKind::Several { kinds, form } => {
            let each = kinds
                .iter()
                .enumerate()
                .map(|(position, kind)| gradient_value(model, kind, field, &path.join(&position.to_string()), structs));
            let (types, values): (Vec<_>, Vec<_>) = each.collect::<Option<Vec<_>>>()?.into_iter().unzip();
            match form {
                Form::Tuple => Some((quote!((#(#types,)*)), quote!((#(#values,)*)))),
                Form::Array | Form::Vec => {
                    let ty = types.first()?;
                    Some((quote!(::std::vec::Vec<#ty>), quote!(::std::vec![#(#values),*])))
                }
            }
        }
        FieldKind::Optional { each, present } => {
            let present = match present {
                Presence::Variant(_) => {
                    let path = path.borrowed();
                    quote!(self.own.has(#path))
                }
                present => self::presence(present, &model.sizes()),
            };
            let (ty, value) = gradient_value(model, each, field, path, structs)?;
            let value = quote! {
                if #present { ::core::option::Option::Some(#value) } else { ::core::option::Option::None }
            };
            Some((quote!(::core::option::Option<#ty>), value))
        }
        FieldKind::Constant { .. } | FieldKind::Unknown => None,
    }
}

/// `MlpGradientsOfHidden`: no model's gradients are called so, as `UnetDownGradients` are both those of a model `UnetDown`
/// and what one would call those of `down` in `Unet`.
fn layer_struct(model: &ModelItem, field: &str) -> Ident {
    let fields = || model.fields.iter().map(|field| crate::parse::name(&field.name));
    let alike: Vec<String> = fields().filter(|other| camel(other) == camel(field)).collect();
    let name = format!("{}GradientsOf{}", crate::parse::name(&model.name), camel(field));
    // `fc1` and `fc_1` are two fields.
    match alike.iter().position(|other| other == field) {
        Some(position) if alike.len() > 1 => format_ident!("{name}_{position}"),
        _ => format_ident!("{name}"),
    }
}

fn camel(name: &str) -> String {
    let mut camel = String::new();
    for word in name.split('_') {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.extend(letters);
    }
    camel
}
