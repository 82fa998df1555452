//! The struct of a model: its memory, its nested models, and the gradients of the same shape.

use super::stand_in;
use crate::ast::{Field, FieldKind, ModelItem, Nested};
use crate::parse::model::visit_sizes;
use crate::{paths, unused};
use netcl_kernels::dim::{Dim, Factor, Shape};
use netcl_kernels::layers::{Init, TensorSpec};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use std::collections::BTreeSet;

/// What `#[netcl::model]` makes of a struct.
pub(crate) fn structure(model: &ModelItem) -> TokenStream {
    let (attrs, vis, name) = (&model.attrs, &model.vis, &model.name);
    let private = paths::private();
    let (prelude, fields_read) = (paths::prelude(), fields_read(model));
    let fields_name = format_ident!("{}FieldsThatAreRead", name);
    let scope = paths::scope_field();
    let fields = model.fields.iter().filter_map(field);
    let names = model.sizes();
    let schema = model.fields.iter().map(|field| schema(&field.kind, &crate::parse::name(&field.name), &names));
    let attached = model.fields.iter().filter_map(attach);
    let gradients = gradients(model);
    let gradients_name = paths::gradients(name);
    let generics = &model.generics;
    let (params, given, bounds) = generics.split_for_impl();
    let checks = checks(model);
    let (checked, own_checks) = match (checks.is_empty(), generics.params.is_empty()) {
        (true, _) => (None, None),
        (false, true) => (Some(quote!(const _: () = { #checks };)), None),
        // What a parameter is, is known where the model is used.
        (false, false) => (None, Some(quote!(const { #checks }))),
    };
    let marks = model.fields.iter().filter(|field| !matches!(field.vis, syn::Visibility::Public(_))).map(|field| {
        let (vis, name) = (&field.vis, crate::parse::name(&field.name));
        let mark = paths::field_mark(&name, field.name.span());
        quote!(#[doc(hidden)] #[inline(always)] #[allow(non_snake_case)] #vis fn #mark(&self) {})
    });
    quote! {
        #(#attrs)*
        #vis struct #name #generics #bounds {
            #(#fields)*
            #[doc(hidden)]
            #scope: #private::ModelCore,
            #[doc(hidden)]
            __netcl_prefix: ::std::string::String,
        }
        #[automatically_derived]
        #checked
        impl #params ::netcl::Model for #name #given #bounds {
            fn schema() -> #private::Schema {
                #own_checks
                let mut schema = #private::Schema::new();
                #(#schema)*
                schema
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
        }
        #[automatically_derived]
        #[allow(dead_code)]
        impl #params #name #given #bounds {
            /// A model on `device`, its parameters drawn from `seed`: the same on every device.
            #vis fn new(device: &::netcl::Device, seed: ::netcl::Seed) -> ::netcl::Result<Self> {
                let core = #private::ModelCore::new(device, seed, &<Self as ::netcl::Model>::schema())?;
                ::core::result::Result::Ok(<Self as #private::Part>::attach(&core, ""))
            }
            #(#marks)*
        }
        #[automatically_derived]
        impl #params #private::Part for #name #given #bounds {
            type Gradients = #gradients_name #given;
            type Fields = #fields_name;
            fn part_schema() -> #private::Schema {
                <Self as ::netcl::Model>::schema()
            }
            fn attach(core: &#private::ModelCore, prefix: &str) -> Self {
                Self {
                    #(#attached)*
                    #scope: ::core::clone::Clone::clone(core),
                    __netcl_prefix: ::std::string::String::from(prefix),
                }
            }
            fn gradients(all: &#private::Gradients, prefix: &str) -> #gradients_name #given {
                #gradients_name { own: all.part(prefix), prefix: ::std::string::String::from(prefix) }
            }
        }
        #gradients
        #fields_read
        #prelude
    }
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
fn field(field: &Field) -> Option<TokenStream> {
    let (attrs, vis, name, ty) = (&field.attrs, &field.vis, &field.name, &field.ty);
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
        FieldKind::Model(_) | FieldKind::Constant { .. } => FieldExpansion::Field,
        FieldKind::Many { each, .. } => layout(each),
        FieldKind::Layer(_) | FieldKind::Tensor(_) => FieldExpansion::InMemory,
        FieldKind::Unknown => FieldExpansion::Nothing,
    }
}

/// The fields that a block's functions read and [`fields_read`] has.
pub(crate) fn read<'m>(model: &'m ModelItem, words: &BTreeSet<String>) -> Vec<&'m Ident> {
    let of_netcl = model.fields.iter().filter(|field| matches!(layout(&field.kind), FieldExpansion::InMemory));
    of_netcl.map(|field| &field.name).filter(|name| words.contains(&crate::parse::name(name))).collect()
}

fn attach(field: &Field) -> Option<TokenStream> {
    let name = &field.name;
    let value = value(&field.kind, &crate::parse::name(name))?;
    Some(quote!(#name: #value,))
}

fn value(kind: &FieldKind, path: &str) -> Option<TokenStream> {
    match kind {
        FieldKind::Model(Nested { ty, .. }) => {
            let attach = part(ty, "attach");
            Some(quote!(#attach(core, &::std::format!("{}{}.", prefix, #path))))
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
        FieldKind::Many { each, count, vec } if stays(each) => {
            let values = (0..*count).filter_map(|position| value(each, &format!("{path}.{position}")));
            Some(if *vec { quote!(::std::vec![#(#values),*]) } else { quote!([#(#values),*]) })
        }
        _ => None,
    }
}

/// An item of a nested model, at the place of its type: where that is no model, rustc says so there, and once.
fn part(ty: &syn::Path, item: &str) -> TokenStream {
    let place = place(ty);
    let item = Ident::new(item, place);
    quote_spanned!(place=> <#ty as ::netcl::__private::Part>::#item)
}

/// Where a nested model's type stands.
fn place(ty: &syn::Path) -> Span {
    ty.segments.last().map_or_else(Span::call_site, |last| last.ident.span())
}

/// Statements that add the field's tensors to `schema`.
fn schema(kind: &FieldKind, path: &str, names: &[Ident]) -> TokenStream {
    match kind {
        FieldKind::Layer(layer) => (layer.layer.tensors)(&layer.config)
            .iter()
            .map(|spec| add(&format!("{path}.{}", spec.name), spec, names))
            .collect(),
        FieldKind::Tensor(tensor) => add(
            path,
            &TensorSpec {
                name: "",
                shape: tensor.shape.clone(),
                dtype: tensor.dtype,
                init: tensor.init.clone(),
                trainable: tensor.trainable,
            },
            names,
        ),
        FieldKind::Model(Nested { ty, .. }) => {
            let schema = part(ty, "part_schema");
            quote!(schema.add_model(#path, #schema());)
        }
        FieldKind::Many { each, count, .. } => {
            (0..*count).map(|position| schema(each, &format!("{path}.{position}"), names)).collect()
        }
        FieldKind::Constant { .. } | FieldKind::Unknown => TokenStream::new(),
    }
}

fn add(path: &str, spec: &TensorSpec<Dim>, names: &[Ident]) -> TokenStream {
    let kernels = quote!(::netcl::__private::kernels);
    let name = path.rsplit('.').next().unwrap_or(path);
    let shape = spec.shape.iter().map(|dim| size(dim, names));
    let dtype = dtype(spec.dtype);
    let trainable = spec.trainable;
    let init = match &spec.init {
        Init::Constant(value) => {
            let value = float(*value);
            quote!(Constant(#value))
        }
        Init::FanIn { inputs } => {
            let inputs = size(inputs, names);
            quote!(FanIn { inputs: #inputs })
        }
        Init::Uniform { bound } => quote!(Uniform { bound: #bound }),
        Init::Normal { std } => quote!(Normal { std: #std }),
    };
    quote! {
        schema.add(#path, #kernels::layers::TensorSpec {
            name: #name,
            shape: ::std::vec![#(#shape),*],
            dtype: #dtype,
            init: #kernels::layers::Init::#init,
            trainable: #trainable,
        });
    }
}

/// The number as Rust, which has no literal of infinity or NaN.
fn float(value: f64) -> TokenStream {
    let f64 = quote!(<::core::primitive::f64>);
    match value {
        _ if value.is_nan() => quote!(#f64::NAN),
        f64::INFINITY => quote!(#f64::INFINITY),
        f64::NEG_INFINITY => quote!(#f64::NEG_INFINITY),
        _ => Literal::f64_suffixed(value).into_token_stream(),
    }
}

/// A size as Rust: what is added before what is subtracted, so that nothing in between is negative.
fn size(dim: &Dim, names: &[Ident]) -> TokenStream {
    let term = |(factors, coefficient): (&[Factor], i64)| {
        let mut factors: Vec<TokenStream> = factors
            .iter()
            .map(|factor| match factor {
                Factor::Symbol(symbol) => {
                    // With its own place, where rustc reports a name that it does not know.
                    names.iter().find(|name| *name == symbol.name()).map(ToTokens::to_token_stream).unwrap_or_default()
                }
                Factor::FloorDiv(dividend, divisor) => {
                    let (dividend, divisor) = (size(dividend, names), Literal::u64_unsuffixed(*divisor));
                    quote!(((#dividend) / #divisor))
                }
            })
            .collect();
        let number = Literal::u64_unsuffixed(coefficient.unsigned_abs());
        if factors.is_empty() || coefficient.unsigned_abs() != 1 {
            factors.push(quote!(#number));
        }
        factors.into_iter().reduce(|product, factor| quote!(#product * #factor)).unwrap_or_default()
    };
    let (added, taken): (Vec<_>, Vec<_>) = dim.terms().partition(|(_, coefficient)| *coefficient > 0);
    let added = added.into_iter().rev().map(term).reduce(|sum, term| quote!(#sum + #term)).unwrap_or(quote!(0));
    taken.into_iter().rev().map(term).fold(added, |sum, term| quote!(#sum - #term))
}

/// Assertions that every size with a name is at least 1.
fn checks(model: &ModelItem) -> TokenStream {
    let mut sizes = Vec::new();
    for field in &model.fields {
        visit_sizes(&field.kind, &mut |size| {
            if size.as_constant().is_none() && !sizes.contains(size) {
                sizes.push(size.clone());
            }
        });
    }
    let names = model.sizes();
    let checks = sizes.iter().map(|dim| {
        let value = size(dim, &names);
        let message = format!("`{dim}` is a size of `{}` and must be at least 1", model.name);
        let place = value.clone().into_iter().next().map_or_else(Span::call_site, |first| first.span());
        quote_spanned!(place=> ::core::assert!(#value >= 1, #message);)
    });
    quote!(#(#checks)*)
}

/// The element type as a path.
pub(crate) fn dtype(dtype: netcl_kernels::dtype::DType) -> TokenStream {
    let variant = format_ident!("{}", format!("{dtype:?}"));
    quote!(::netcl::DType::#variant)
}

/// The gradient structs of layers, each made once.
#[derive(Default)]
struct Structs {
    names: BTreeSet<String>,
    tokens: TokenStream,
}

/// `MlpGradients`: a method for each field that has parameters.
fn gradients(model: &ModelItem) -> TokenStream {
    let (vis, name) = (&model.vis, paths::gradients(&model.name));
    let private = paths::private();
    let doc = format!("Gradients in the parameters of [`{}`].", model.name);
    let mut structs = Structs::default();
    let methods: Vec<TokenStream> =
        model.fields.iter().filter_map(|field| gradient_method(model, field, &mut structs)).collect();
    let tokens = structs.tokens;
    let generics = &model.generics;
    let (params, given, bounds) = generics.split_for_impl();
    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #name #generics #bounds {
            /// By the paths of this part.
            own: #private::Gradients,
            /// Of this part in the whole model.
            prefix: ::std::string::String,
        }
        #[automatically_derived]
        impl #params ::core::ops::Deref for #name #given #bounds {
            type Target = #private::Gradients;
            fn deref(&self) -> &#private::Gradients {
                &self.own
            }
        }
        #[automatically_derived]
        #[allow(dead_code, clippy::needless_question_mark)]
        impl #params #name #given #bounds {
            #(#methods)*
        }
        #tokens
    }
}

fn gradient_method(model: &ModelItem, field: &Field, structs: &mut Structs) -> Option<TokenStream> {
    let (vis, name) = (&model.vis, &field.name);
    let own = crate::parse::name(name);
    let doc = format!("Gradients in `{own}`.");
    // A mistake in the field is one mistake: its gradients can be asked for.
    let stand_in = matches!(field.kind, FieldKind::Unknown).then(|| stand_in::of(&field.ty)).flatten();
    let kind = stand_in.as_ref().unwrap_or(&field.kind);
    let (ty, value) = gradient_value(model, kind, &own, &own, structs)?;
    // Where that is no model, rustc says so at the place of its type.
    let place = nested(&field.kind).map_or_else(Span::call_site, place);
    Some(quote_spanned! {place=>
        #[doc = #doc]
        #vis fn #name(&self) -> ::netcl::Result<#ty> {
            ::core::result::Result::Ok(#value)
        }
    })
}

/// The type of the model that a field is of, if it is of one.
fn nested(kind: &FieldKind) -> Option<&syn::Path> {
    match kind {
        FieldKind::Model(Nested { ty, .. }) => Some(ty),
        FieldKind::Many { each, .. } => nested(each),
        _ => None,
    }
}

/// The type of a field's gradients and the expression that gives them.
fn gradient_value(
    model: &ModelItem,
    kind: &FieldKind,
    field: &str,
    path: &str,
    structs: &mut Structs,
) -> Option<(TokenStream, TokenStream)> {
    let tensor = |path: &str| quote!(self.own.tensor(#path)?);
    match kind {
        FieldKind::Tensor(tensor_field) => tensor_field.trainable.then(|| (quote!(::netcl::Tensor), tensor(path))),
        FieldKind::Model(Nested { ty, .. }) => {
            let (gradients, place) = (part(ty, "gradients"), place(ty));
            let prefix = quote_spanned!(place=> &::std::format!("{}{}.", self.prefix, #path));
            Some((part(ty, "Gradients"), quote_spanned!(place=> #gradients(&self.own, #prefix))))
        }
        FieldKind::Layer(layer) => {
            let specs = (layer.layer.tensors)(&layer.config);
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
                let docs = trained.iter().map(|spec| format!("Of shape {}.", Shape(spec.shape.clone())));
                structs.tokens.extend(quote! {
                    #[doc = #doc]
                    #[allow(dead_code, non_camel_case_types)]
                    #[derive(::core::clone::Clone, ::core::fmt::Debug)]
                    #vis struct #ty { #(#[doc = #docs] #vis #names: ::netcl::Tensor),* }
                });
            }
            let values = trained.iter().map(|spec| tensor(&format!("{path}.{}", spec.name)));
            Some((quote!(#ty), quote!(#ty { #(#names: #values),* })))
        }
        FieldKind::Many { each, count, .. } => {
            let mut ty = None;
            let mut values = Vec::new();
            for position in 0..*count {
                let (one, value) = gradient_value(model, each, field, &format!("{path}.{position}"), structs)?;
                ty = Some(one);
                values.push(value);
            }
            let ty = ty?;
            Some((quote!(::std::vec::Vec<#ty>), quote!(::std::vec![#(#values),*])))
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
