//! What a model's memory holds, as statements that list it.

use super::rust::{TensorPath, dim, dtype, float, length, part, position, presence, size};
use crate::ast::{Field, FieldKind, LayerField, ModelItem, Nested, Slot, Starts};
use crate::presence::Presence;
use crate::variants::Variants;
use netcl_kernels::dim::Dim;
use netcl_kernels::layers::{ConfigValue, Init, TensorSpec};
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

/// Statements that add the field's tensors to the schema, and say how they are trained.
pub(super) fn field(model: &ModelItem, field: &Field, names: &[Ident]) -> TokenStream {
    let name = crate::parse::name(&field.name);
    let group = field.group.as_ref().map(|group| {
        let group = crate::parse::name(group);
        quote!(__netcl_schema.add_group(#name, #group);)
    });
    let tensors = of(model, &field.kind, &TensorPath::Known(name.clone()), names);
    let shared = match &field.kind {
        FieldKind::Layer(LayerField { shared: Some(shared), .. }) => shared
            .tensors
            .iter()
            .map(|(tensor, _)| {
                let (path, other) = (format!("{name}.{tensor}"), format!("{}.{tensor}", shared.field));
                quote!(__netcl_schema.add_shared(#path, #other);)
            })
            .collect(),
        _ => TokenStream::new(),
    };
    let frozen = field.frozen.then(|| quote!(__netcl_schema.add_frozen(#name);));
    quote!(#tensors #group #shared #frozen)
}

/// Statements that add what is at a path to the schema.
fn of(model: &ModelItem, kind: &FieldKind, path: &TensorPath, names: &[Ident]) -> TokenStream {
    match kind {
        FieldKind::Layer(layer) if layer.config.is_open() => given(model, layer, path, names),
        FieldKind::Layer(layer) => layer
            .own_tensors(&layer.config)
            .iter()
            .map(|spec| add(&path.join(spec.name), spec.name, spec, names))
            .collect(),
        FieldKind::Tensor(tensor) => add(
            path,
            match path {
                TensorPath::Known(path) => path,
                TensorPath::Expression(_) => "",
            },
            &TensorSpec {
                name: "",
                shape: tensor.shape.clone(),
                dtype: tensor.dtype,
                init: tensor.init.clone(),
                trainable: tensor.trainable,
            },
            names,
        ),
        FieldKind::Model(Nested { ty, variant, .. }) => {
            let (schema, path) = (part(ty, "part_schema"), path.borrowed());
            let fixed = variant.as_ref().map(|variant| {
                let variant = crate::parse::name(variant);
                quote!(__netcl_schema.fix(#path, #variant);)
            });
            quote!(__netcl_schema.add_model(#path, #schema()); #fixed)
        }
        FieldKind::Many { each, count, .. } => match length(count) {
            Some(count) => {
                (0..count).map(|position| of(model, each, &path.join(&position.to_string()), names)).collect()
            }
            None => {
                let (position, count) = (position(), size(count, names));
                let each = of(model, each, &path.at(&position), names);
                quote!(for #position in 0..#count { #each })
            }
        },
        FieldKind::Several { kinds, .. } => {
            let each = kinds.iter().enumerate();
            each.map(|(position, kind)| of(model, kind, &path.join(&position.to_string()), names)).collect()
        }
        // The schema has those of all variants, and says whose they are.
        FieldKind::Optional { each, present: Presence::Variant(_) } => of(model, each, path, names),
        FieldKind::Optional { each, present } => {
            let (present, each) = (presence(present, names), of(model, each, path, names));
            quote!(if #present { #each })
        }
        FieldKind::Slot(slot) => module(model, slot, path, names),
        FieldKind::Constant { .. } | FieldKind::Unknown => TokenStream::new(),
    }
}

/// A statement that says which fields are whose, of a model that is an enum.
pub(super) fn variants(Variants { all, first }: &Variants) -> TokenStream {
    let all = all.iter().map(|variant| {
        let name = crate::parse::name(&variant.name);
        let fields = variant.parts.iter().map(|(field, _)| crate::parse::name(field));
        quote!((#name, &[#(#fields),*]))
    });
    quote!(__netcl_schema.add_variants(&[#(#all),*], #first);)
}

/// What stands for a parameter of the model.
fn module(model: &ModelItem, slot: &Slot, path: &TensorPath, names: &[Ident]) -> TokenStream {
    let settings = settings(slot.settings.iter().map(|(key, value)| (key.as_str(), value)), names);
    let (parameter, model, path) = (&slot.name, crate::parse::name(&model.name), path.borrowed());
    let [weights, biases] = starts(&slot.starts, names);
    quote! {
        <#parameter as ::netcl::Module>::add_to(&mut __netcl_schema, &::netcl::__private::ModuleField {
            model: #model,
            path: #path,
            settings: &[#(#settings),*],
            starts: [#weights, #biases],
        });
    }
}

/// A layer whose tensors are known once the model's numbers are.
fn given(model: &ModelItem, field: &LayerField, path: &TensorPath, names: &[Ident]) -> TokenStream {
    let settings = settings(field.config.keys.iter().map(|key| key.name).zip(&field.config.values), names);
    let (name, layer) = (crate::parse::name(&model.name), field.layer.name);
    let path = path.borrowed();
    let (given, shared) = (&field.starts, &field.shared);
    if given.weights.is_none() && given.biases.is_none() && shared.is_none() {
        return quote!(__netcl_schema.add_given(#name, #path, #layer, &[#(#settings),*]););
    }
    let [weights, biases] = starts(given, names);
    let shared = shared.iter().flat_map(|shared| &shared.tensors).map(|(name, _)| name);
    quote!(__netcl_schema.add_given_as(#name, #path, #layer, &[#(#settings),*], [#weights, #biases], &[#(#shared),*]);)
}

/// Keys and their values, once the model's numbers are known.
fn settings<'a>(all: impl Iterator<Item = (&'a str, &'a ConfigValue)>, names: &[Ident]) -> Vec<TokenStream> {
    let value = quote!(::netcl::__private::kernels::layers::ConfigValue);
    let each = all.map(|(key, given)| {
        let given = match given {
            ConfigValue::Size(size) => quote!(Size(#size)),
            ConfigValue::Pair([height, width]) => quote!(Pair([#height, #width])),
            ConfigValue::Number(number) => {
                let number = float(*number);
                quote!(Number(#number))
            }
            ConfigValue::Bool(truth) => quote!(Bool(#truth)),
            ConfigValue::Named(size) => {
                let size = dim(size, names);
                quote!(given(::std::vec![#size]))
            }
            ConfigValue::Open(sizes) => {
                let sizes = sizes.iter().map(|size| dim(size, names));
                quote!(given(::std::vec![#(#sizes),*]))
            }
            ConfigValue::Other(text) => quote!(Other(::std::string::String::from(#text))),
        };
        quote!((#key, #value::#given))
    });
    each.collect()
}

/// How weights and biases start, where that is said.
fn starts(given: &Starts, names: &[Ident]) -> [TokenStream; 2] {
    [&given.weights, &given.biases].map(|start| match start {
        Some(start) => {
            let start = self::start(start, names);
            quote!(::core::option::Option::Some(#start))
        }
        None => quote!(::core::option::Option::None),
    })
}

fn add(path: &TensorPath, name: &str, spec: &TensorSpec<Dim>, names: &[Ident]) -> TokenStream {
    let kernels = quote!(::netcl::__private::kernels);
    let shape = spec.shape.iter().map(|dim| size(dim, names));
    let dtype = dtype(spec.dtype);
    let trainable = spec.trainable;
    let init = start(&spec.init, names);
    quote! {
        __netcl_schema.add(#path, #kernels::layers::TensorSpec {
            name: #name,
            shape: ::std::vec![#(#shape),*],
            dtype: #dtype,
            init: #init,
            trainable: #trainable,
        });
    }
}

/// How a tensor starts.
fn start(init: &Init<Dim>, names: &[Ident]) -> TokenStream {
    let init = match init {
        Init::Constant(value) => {
            let value = float(*value);
            quote!(Constant(#value))
        }
        Init::Whole(value) => {
            let value = proc_macro2::Literal::i64_suffixed(*value);
            quote!(Whole(#value))
        }
        Init::FanIn { inputs } => {
            let inputs = size(inputs, names);
            quote!(FanIn { inputs: #inputs })
        }
        Init::Uniform { bound } => quote!(Uniform { bound: #bound }),
        Init::Normal { std } => quote!(Normal { std: #std }),
        Init::ByFans { rule, normal, gain } => {
            let name = format_ident!("{rule:?}");
            let path = quote!(::netcl::__private::kernels::layers::FanRule::#name);
            // Clippy would take the number for a constant of Rust's library.
            let gain = if *gain == rule.default_gain() { quote!(#path.default_gain()) } else { quote!(#gain) };
            quote!(ByFans { rule: #path, normal: #normal, gain: #gain })
        }
    };
    quote!(::netcl::__private::kernels::layers::Init::#init)
}
