//! Whether the fields of a model are still what it was made with: the inverse of `attach`.

use super::rust::{float, length, part, place, presence, size};
use crate::ast::{Constant, Field, FieldKind, Form, ModelItem, Nested};
use crate::paths;
use crate::presence::Presence;
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{quote, quote_spanned};

/// The function of `Model` that says so; none where nothing of the memory stands in a field.
pub(super) fn check(model: &ModelItem, stays: impl Fn(&Field) -> bool) -> Option<TokenStream> {
    let names = model.sizes();
    let fields = model.fields.iter().filter(|field| stays(field)).filter_map(|field| {
        let name = &field.name;
        let check = of(&field.kind, &crate::parse::name(name), &names)?;
        Some(quote!({ let __netcl_field = &self.#name; #check }))
    });
    let fields: Vec<TokenStream> = fields.collect();
    let (private, scope, own) = (paths::private(), paths::scope_field(), crate::parse::name(&model.name));
    (!fields.is_empty()).then(|| {
        quote! {
            fn check_fields(&self) -> ::netcl::Result<()> {
                let (__netcl_core, __netcl_prefix) = (&self.#scope, self.__netcl_prefix.as_str());
                let __netcl_whole = #private::Whole::new(#own, __netcl_core, __netcl_prefix);
                #(#fields)*
                ::core::result::Result::Ok(())
            }
        }
    })
}

/// The function of `Part` that looks at all of it as a part of another model.
pub(super) fn check_in() -> TokenStream {
    let private = paths::private();
    quote! {
        fn check_in(
            &self,
            __netcl_whole: &#private::Whole<'_>,
            __netcl_field: &::core::primitive::str,
            __netcl_position: ::core::option::Option<::core::primitive::usize>,
        ) -> ::netcl::Result<()> {
            let (__netcl_core, __netcl_prefix) = (::netcl::Model::core(self), ::netcl::Model::prefix(self));
            __netcl_whole.part(__netcl_core, __netcl_prefix, __netcl_field, __netcl_position)?;
            ::netcl::Model::check_fields(self)
        }
    }
}

/// Statements that look at what `__netcl_field` refers to.
fn of(kind: &FieldKind, path: &str, names: &[Ident]) -> Option<TokenStream> {
    let none = quote!(::core::option::Option::None);
    match kind {
        FieldKind::Model(_) | FieldKind::Slot(_) => one(kind, path, &none),
        FieldKind::Constant { value, ty } => {
            let (is_same, shown) = match value {
                Constant::Integer(value) => {
                    let value = Literal::i64_unsuffixed(*value);
                    (quote!(*__netcl_field == (#value as #ty)), quote!(#value))
                }
                Constant::Float(number) => {
                    let value = float(number.value);
                    (quote!(__netcl_field.to_bits() == (#value as #ty).to_bits()), quote!(#value as #ty))
                }
                Constant::Bool(value) => (quote!(*__netcl_field == #value), quote!(#value)),
            };
            Some(quote!(__netcl_whole.constant(#path, #is_same, #shown)?;))
        }
        FieldKind::Optional { each, present } => {
            let of_variant = matches!(present, Presence::Variant(_));
            let (present, each) = (presence(present, names), of(each, path, names)?);
            Some(quote! {
                match (#present, __netcl_field) {
                    (true, ::core::option::Option::Some(__netcl_field)) => { #each }
                    (false, #none) => {}
                    (_, __netcl_field) => {
                        return ::core::result::Result::Err(__netcl_whole.presence(#path, __netcl_field.is_some(), #of_variant));
                    }
                }
            })
        }
        FieldKind::Several { kinds, form } => {
            let count = kinds.len();
            let length =
                (*form == Form::Vec).then(|| quote!(__netcl_whole.length(#path, __netcl_field.len(), #count)?;));
            let each = kinds.iter().enumerate().map(|(position, kind)| {
                let (check, at) =
                    (of(kind, &format!("{path}.{position}"), names)?, Literal::usize_unsuffixed(position));
                let field = if *form == Form::Tuple { quote!(__netcl_field.#at) } else { quote!(__netcl_field[#at]) };
                Some(quote!({ let __netcl_field = &#field; #check }))
            });
            let each = each.collect::<Option<Vec<_>>>()?;
            Some(quote!(#length #(#each)*))
        }
        FieldKind::Many { each, count, vec } => {
            let long = size(count, names);
            let length_of = vec.then(|| quote!(__netcl_whole.length(#path, __netcl_field.len(), #long)?;));
            let check = match (one(each, path, &quote!(::core::option::Option::Some(__netcl_position))), length(count))
            {
                (Some(check), _) => quote! {
                    for (__netcl_position, __netcl_field) in __netcl_field.iter().enumerate() {
                        #check
                    }
                },
                (None, Some(count)) => {
                    let each = (0..count).map(|position| {
                        let check = of(each, &format!("{path}.{position}"), names)?;
                        Some(quote!({ let __netcl_field = &__netcl_field[#position]; #check }))
                    });
                    let each = each.collect::<Option<Vec<_>>>()?;
                    quote!(#(#each)*)
                }
                (None, None) => return None,
            };
            Some(quote!(#length_of #check))
        }
        FieldKind::Layer(_) | FieldKind::Tensor(_) | FieldKind::Unknown => None,
    }
}

/// The same of a model, or of what stands for a parameter.
fn one(kind: &FieldKind, path: &str, position: &TokenStream) -> Option<TokenStream> {
    match kind {
        FieldKind::Model(Nested { ty, .. }) => {
            let check = part(ty, "check_in");
            Some(quote_spanned!(place(ty)=> #check(__netcl_field, &__netcl_whole, #path, #position)?;))
        }
        FieldKind::Slot(slot) => {
            let parameter = &slot.name;
            Some(quote!(<#parameter as ::netcl::Module>::check_in(__netcl_field, &__netcl_whole, #path, #position)?;))
        }
        _ => None,
    }
}
