//! The struct of a model: its memory, its nested models, and the gradients of the same shape.

use super::rust::{float, held, length, mark_of_types, part, presence, size};
use super::{fields, gradients, least, meant, schema};
use crate::ast::{Field, FieldKind, Form, ModelItem, Nested};
use crate::parse::model::type_names;
use crate::{paths, unused};
use netcl_kernels::layers;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use std::collections::BTreeSet;

/// What `#[netcl::model]` makes of a struct.
pub(crate) fn structure(model: &ModelItem) -> TokenStream {
    let (attrs, vis, name) = (&model.attrs, &model.vis, &model.name);
    let private = paths::private();
    let (prelude, fields_read) = (paths::prelude(), fields_read(model));
    let fields_name = format_ident!("{}FieldsThatAreRead", name);
    let scope = paths::scope_field();
    let types = type_names(&model.generics);
    let fields = model.fields.iter().filter_map(|kept| field(kept, &types));
    let names = model.sizes();
    let schema = model.fields.iter().map(|field| schema::field(model, field, &names));
    let variants = model.variants.as_ref().map(schema::variants);
    let attached = model.fields.iter().filter_map(|field| attach(field, &names));
    let (check_fields, check_in) = (fields::check(model, |field| stays(&field.kind)), fields::check_in());
    let gradients = gradients::gradients(model);
    let gradients_name = paths::gradients(name);
    let (mark, marked) = mark_of_types(model).unzip();
    let generics = &model.generics;
    let (params, given, bounds) = generics.split_for_impl();
    let least::Checks { beside, of_part } = least::checks(model);
    let marks = field_marks(model, &fields_name);
    let defaults = generics.type_params().filter_map(|parameter| parameter.default.as_ref().map(|(_, ty)| ty));
    // Of a model that is called as a layer all has been said.
    let own = crate::parse::name(name);
    let is_own = |ty: &&syn::Type| {
        layers::find(&own).is_some() && crate::parse::names_in(quote::ToTokens::to_token_stream(ty)).contains(&own)
    };
    let types = model.fields.iter().map(|field| &field.ty).chain(defaults);
    let meant = meant::layers(types.filter(|ty| !is_own(ty)));
    quote! {
        #(#attrs)*
        #vis struct #name #generics #bounds {
            #(#fields)*
            #[doc(hidden)]
            #scope: #private::ModelCore,
            #[doc(hidden)]
            __netcl_prefix: ::std::string::String,
            #mark
        }
        #[automatically_derived]
        #beside
        impl #params ::netcl::Model for #name #given #bounds {
            fn schema() -> #private::Schema {
                <Self as #private::Part>::check_sizes();
                <Self as #private::Part>::part_schema()
            }
            fn core(&self) -> &#private::ModelCore {
                &self.#scope
            }
            fn core_mut(&mut self) -> &mut #private::ModelCore {
                &mut self.#scope
            }
            fn prefix(&self) -> &str {
                &self.__netcl_prefix
            }
            fn attached(_: &str, __netcl_memory: #private::ModelCore) -> ::netcl::Result<Self> {
                ::core::result::Result::Ok(<Self as #private::Part>::attach(&__netcl_memory, ""))
            }
            #check_fields
        }
        #[automatically_derived]
        #[allow(dead_code)]
        impl #params #name #given #bounds {
            /// A model on the device, its parameters drawn from the seed: the same on every device.
            #vis fn new(__netcl_device: &::netcl::Device, __netcl_seed: ::netcl::Seed) -> ::netcl::Result<Self> {
                let __netcl_core = #private::ModelCore::new(__netcl_device, __netcl_seed, &<Self as ::netcl::Model>::schema())?;
                ::core::result::Result::Ok(<Self as #private::Part>::attach(&__netcl_core, ""))
            }
        }
        #marks
        #[automatically_derived]
        impl #params #private::Part for #name #given #bounds {
            type Gradients = #gradients_name #given;
            type Fields = #fields_name;
            #of_part
            fn part_schema() -> #private::Schema {
                let mut __netcl_schema = #private::Schema::new();
                #(#schema)*
                #variants
                __netcl_schema
            }
            fn attach(__netcl_core: &#private::ModelCore, __netcl_prefix: &str) -> Self {
                Self {
                    #(#attached)*
                    #scope: ::core::clone::Clone::clone(__netcl_core),
                    __netcl_prefix: ::std::string::String::from(__netcl_prefix),
                    #marked
                }
            }
            #check_in
            fn gradients(__netcl_all: &#private::Gradients, __netcl_prefix: &str) -> #gradients_name #given {
                #gradients_name {
                    own: __netcl_all.part(__netcl_prefix),
                    prefix: ::std::string::String::from(__netcl_prefix),
                    #marked
                }
            }
        }
        #gradients
        #fields_read
        #meant
        #prelude
    }
}

/// The marks of all fields.
fn field_marks(model: &ModelItem, fields_read: &Ident) -> TokenStream {
    let name = &model.name;
    let (params, given, bounds) = model.generics.split_for_impl();
    let marks = model.fields.iter().map(|field| field_mark(field, fields_read));
    quote! {
        #[automatically_derived]
        impl #params #name #given #bounds {
            #(#marks)*
        }
    }
}

/// A function that whoever sees the field may call, and that reads it where rustc is to see that it is read.
fn field_mark(field: &Field, fields_read: &Ident) -> TokenStream {
    let (vis, ident, name) = (&field.vis, &field.name, crate::parse::name(&field.name));
    // At the attribute, where lints are silent: what nobody calls reads nothing.
    let mark = paths::field_mark(&name, proc_macro2::Span::call_site());
    let read = matches!(layout(&field.kind), FieldExpansion::InMemory)
        .then(|| quote!(let _ = |__netcl_fields: &#fields_read| __netcl_fields.#ident;));
    quote!(#[doc(hidden)] #[inline(always)] #[allow(non_snake_case)] #vis fn #mark(&self) { #read })
}

/// A struct with the fields that are none of Rust's, layers and tensors, under their names at their places: rustc says which
/// of them no block reads.
fn fields_read(model: &ModelItem) -> TokenStream {
    let name = format_ident!("{}FieldsThatAreRead", model.name, span = model.name.span());
    let mut known = BTreeSet::new();
    let of_netcl = model.fields.iter().filter(|field| {
        matches!(layout(&field.kind), FieldExpansion::InMemory) && known.insert(crate::parse::name(&field.name))
    });
    let fields = of_netcl.map(|field| {
        let levels = field.attrs.iter().filter(|attr| unused::is_level(attr));
        let name = &field.name;
        let vis = match &field.vis {
            vis @ syn::Visibility::Public(_) => quote!(#vis),
            _ => quote_spanned!(name.span()=> pub(crate)),
        };
        // Lints are silent at places that are the macro's own: all of it stands where the name does.
        quote_spanned!(name.span()=> #(#levels)* #vis #name: ::core::primitive::u8)
    });
    let levels = model.attrs.iter().filter(|attr| unused::is_level(attr));
    quote! {
        #[doc(hidden)]
        #[allow(unreachable_pub, non_camel_case_types)]
        #(#levels)*
        pub struct #name { #(#fields),* }
        const _: fn(&#name) = |_| {};
    }
}

/// The field as Rust keeps it. Layers and tensors live in the model's memory and are no fields.
fn field(field: &Field, types: &BTreeSet<String>) -> Option<TokenStream> {
    let (attrs, vis, name, ty) = (&field.attrs, &field.vis, &field.name, held(&field.ty, types));
    stays(&field.kind).then(|| quote!(#(#attrs)* #[allow(dead_code)] #vis #name: #ty,))
}

fn stays(kind: &FieldKind) -> bool {
    matches!(layout(kind), FieldExpansion::Field)
}

/// What a field becomes.
enum FieldExpansion {
    /// A field of the struct.
    Field,
    /// Tensors in the model's memory.
    InMemory,
    /// Nothing: it is wrong.
    Nothing,
}

fn layout(kind: &FieldKind) -> FieldExpansion {
    match kind {
        FieldKind::Model(_) | FieldKind::Slot(_) | FieldKind::Constant { .. } => FieldExpansion::Field,
        FieldKind::Many { each, .. } | FieldKind::Optional { each, .. } => layout(each),
        FieldKind::Several { kinds, .. } => kinds.first().map_or(FieldExpansion::Nothing, layout),
        FieldKind::Layer(_) | FieldKind::Tensor(_) => FieldExpansion::InMemory,
        FieldKind::Unknown => FieldExpansion::Nothing,
    }
}

/// The fields that a block's functions read and [`fields_read`] has.
pub(crate) fn read<'m>(model: &'m ModelItem, words: &BTreeSet<String>) -> Vec<&'m Ident> {
    let of_netcl = model.fields.iter().filter(|field| matches!(layout(&field.kind), FieldExpansion::InMemory));
    of_netcl.map(|field| &field.name).filter(|name| words.contains(&crate::parse::name(name))).collect()
}

fn attach(field: &Field, names: &[Ident]) -> Option<TokenStream> {
    let name = &field.name;
    let value = value(&field.kind, &crate::parse::name(name), names)?;
    Some(quote!(#name: #value,))
}

fn value(kind: &FieldKind, path: &str, names: &[Ident]) -> Option<TokenStream> {
    match kind {
        FieldKind::Model(_) | FieldKind::Slot(_) => {
            let attach = attach_to(kind)?;
            Some(quote!(#attach(__netcl_core, &::std::format!("{}{}.", __netcl_prefix, #path))))
        }
        FieldKind::Constant { value, ty } => Some(match value {
            crate::ast::Constant::Integer(value) => {
                let value = Literal::i64_unsuffixed(*value);
                quote!(#value as #ty)
            }
            crate::ast::Constant::Float(number) => {
                let value = float(number.value);
                quote!(#value as #ty)
            }
            crate::ast::Constant::Bool(value) => quote!(#value),
        }),
        FieldKind::Optional { each, present } if stays(each) => {
            let (present, each) = (presence(present, names), value(each, path, names)?);
            Some(quote!(if #present { ::core::option::Option::Some(#each) } else { ::core::option::Option::None }))
        }
        FieldKind::Several { kinds, form } if kinds.iter().all(stays) => {
            let values = kinds.iter().enumerate();
            let values = values.filter_map(|(position, kind)| value(kind, &format!("{path}.{position}"), names));
            Some(match form {
                Form::Tuple => quote!((#(#values,)*)),
                Form::Array => quote!([#(#values),*]),
                Form::Vec => quote!(::std::vec![#(#values),*]),
            })
        }
        FieldKind::Many { each, count, vec } if stays(each) => match (attach_to(each), length(count)) {
            (Some(attach), _) => {
                let count = size(count, names);
                let one =
                    quote!(#attach(__netcl_core, &::std::format!("{}{}.{}.", __netcl_prefix, #path, __netcl_position)));
                Some(match vec {
                    true => quote!((0..#count).map(|__netcl_position| #one).collect()),
                    false => quote!(::core::array::from_fn(|__netcl_position| #one)),
                })
            }
            (None, Some(count)) => {
                let values = (0..count).filter_map(|position| value(each, &format!("{path}.{position}"), names));
                Some(if *vec { quote!(::std::vec![#(#values),*]) } else { quote!([#(#values),*]) })
            }
            (None, None) => None,
        },
        _ => None,
    }
}

/// What makes a model in a field of the memory of the whole.
fn attach_to(kind: &FieldKind) -> Option<TokenStream> {
    match kind {
        FieldKind::Model(Nested { ty, .. }) => Some(part(ty, "attach")),
        FieldKind::Slot(slot) => {
            let parameter = &slot.name;
            Some(quote!(<#parameter as ::netcl::Module>::hold))
        }
        _ => None,
    }
}
