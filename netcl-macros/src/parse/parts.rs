//! Arguments and results that are put together from several tensors: `(a, b): (&Tensor<..>, &Tensor<..>)`, `xs: &[Tensor<..>; 3]`,
//! `batch: &Batch`.

use super::constant::{self, Constants};
use super::{text, types};
use crate::ast::{ArgDecl, ArgType, Constant, TensorType};
use crate::diag::Diag;
use crate::messages as m;
use crate::parts::{Composite, Declared, Param};
use crate::words;
use proc_macro2::{Ident, TokenStream};
use quote::{ToTokens, format_ident, quote};
use syn::spanned::Spanned;
use syn::{Pat, Type};

/// The type without parentheses that say nothing.
fn bare(ty: &Type) -> &Type {
    match ty {
        Type::Paren(inner) => bare(&inner.elem),
        Type::Group(inner) => bare(&inner.elem),
        ty => ty,
    }
}

/// Whether the type puts several values together.
pub(crate) fn is_compound(ty: &Type) -> bool {
    match bare(ty) {
        Type::Tuple(tuple) => !tuple.elems.is_empty(),
        Type::Array(_) => true,
        Type::Reference(inner) if inner.mutability.is_none() => {
            is_compound(&inner.elem) || struct_path(&inner.elem).is_some()
        }
        _ => false,
    }
}

/// The path of a struct of the user's, which the type may be.
pub(crate) fn struct_path(ty: &Type) -> Option<&syn::Path> {
    let Type::Path(path) = bare(ty) else { return None };
    types::user_enum(ty).map(|_| &path.path)
}

/// The structs of the user's that a function's signature names.
pub(crate) fn structs(sig: &syn::Signature) -> Vec<syn::Path> {
    let mut found = taken_structs(sig);
    found.extend(result_structs(sig));
    found.retain(|path| !sig.generics.type_params().any(|own| path.is_ident(&own.ident)));
    found
}

/// The structs of the user's in its result.
pub(crate) fn result_structs(sig: &syn::Signature) -> Vec<syn::Path> {
    let mut found = Vec::new();
    if let syn::ReturnType::Type(_, ty) = &sig.output {
        structs_in(ty, true, &mut found);
    }
    found
}

/// Whether the type is a struct of the user's, or a tuple or an array of such.
pub(crate) fn is_of_structs(ty: &Type) -> bool {
    match bare(ty) {
        Type::Tuple(tuple) => !tuple.elems.is_empty() && tuple.elems.iter().all(is_of_structs),
        Type::Array(array) => is_of_structs(&array.elem),
        ty => struct_path(ty).is_some(),
    }
}

/// The structs of the user's in a field of one.
pub(crate) fn structs_of_field(ty: &Type) -> Vec<syn::Path> {
    let mut found = Vec::new();
    structs_in(ty, true, &mut found);
    found
}

/// Judges a field of a struct of tensors where that stands.
pub(crate) fn field(diag: &Diag, field: &syn::Field, constants: &Constants) {
    let name = field.ident.as_ref().map(super::name).unwrap_or_default();
    let of_model = |attr: &&syn::Attribute| words::FIELD_ATTRIBUTES.iter().any(|own| attr.path().is_ident(own));
    if let Some(attr) = field.attrs.iter().find(of_model) {
        return diag.report(attr.path().span(), &m::TENSORS_ATTRIBUTE, &[&text(attr.path())]);
    }
    if let Some(inner) = borrowed(&field.ty) {
        return diag.report(inner.span(), &m::TENSORS_FIELD, &[&text(inner), &owned(&inner.elem)]);
    }
    match bare(&field.ty) {
        Type::Path(path)
            if path.path.segments.last().is_some_and(|last| last.ident == "Vec" || last.ident == "Option") =>
        {
            diag.report(field.ty.span(), &m::TENSORS_FIELD, &[&text(&field.ty), &listed(&path.path)]);
        }
        ty if is_layer(ty) => diag.report(field.ty.span(), &m::TENSORS_FIELD, &[&text(ty), &OF_MODELS]),
        _ => drop(parts(diag, &name, &field.ty, (true, constants), &mut Vec::new())),
    }
}

/// What stands in a model.
const OF_MODELS: &str = "layers and what is trained stand in a model: `#[netcl::model] struct Net { .. }`";

/// Whether it is the name of a layer.
fn is_layer(ty: &Type) -> bool {
    matches!(ty, Type::Path(path) if path.path.segments.last().is_some_and(|last| {
        netcl_kernels::layers::find(&last.ident.to_string()).is_some()
    }))
}

/// What is borrowed in a type.
fn borrowed(ty: &Type) -> Option<&syn::TypeReference> {
    match bare(ty) {
        Type::Reference(inner) => Some(inner),
        Type::Tuple(tuple) => tuple.elems.iter().find_map(borrowed),
        Type::Array(array) => borrowed(&array.elem),
        _ => None,
    }
}

/// What to write for a field that borrows.
fn owned(inner: &Type) -> String {
    format!("the struct owns its tensors: write `{}`", text(inner))
}

/// What to write for a field of several tensors, or of one that may not be there.
fn listed(path: &syn::Path) -> String {
    let last = path.segments.last();
    let inner = last.and_then(|last| match &last.arguments {
        syn::PathArguments::AngleBracketed(given) => given.args.first().map(text),
        _ => None,
    });
    let inner = inner.unwrap_or_else(|| "Tensor<f32, N, 8>".to_string());
    match last.is_some_and(|last| last.ident == "Vec") {
        true => format!("how many there are is part of the type: write `[{inner}; 3]`"),
        false => format!("it is always there: write `{inner}`"),
    }
}

/// The item with tensors as Rust has them, without what only netcl knows: what is wrong with it has been said.
pub(crate) fn without_sizes(item: &mut syn::Item) {
    let fields: Vec<&mut syn::Field> = match item {
        syn::Item::Struct(item) => item.fields.iter_mut().collect(),
        syn::Item::Enum(item) => item.variants.iter_mut().flat_map(|variant| variant.fields.iter_mut()).collect(),
        _ => Vec::new(),
    };
    for field in fields {
        field.attrs.retain(|attr| !words::FIELD_ATTRIBUTES.iter().any(|own| attr.path().is_ident(own)));
        owned_type(&mut field.ty);
    }
}

/// Leaves out the sizes of tensors in the type, and what is borrowed.
fn owned_type(ty: &mut Type) {
    if types::is_called_tensor(ty) {
        *ty = syn::parse_quote!(::netcl::Tensor);
        return;
    }
    if let Type::Reference(inner) = ty {
        *ty = (*inner.elem).clone();
        return owned_type(ty);
    }
    match ty {
        Type::Paren(inner) => owned_type(&mut inner.elem),
        Type::Group(inner) => owned_type(&mut inner.elem),
        Type::Tuple(tuple) => tuple.elems.iter_mut().for_each(owned_type),
        Type::Array(array) => owned_type(&mut array.elem),
        Type::Path(path) => {
            if let Some(last) = path.path.segments.last_mut()
                && let syn::PathArguments::AngleBracketed(given) = &mut last.arguments
            {
                given.args.iter_mut().for_each(|argument| {
                    if let syn::GenericArgument::Type(ty) = argument {
                        owned_type(ty);
                    }
                });
            }
        }
        _ => {}
    }
}

/// The same in its arguments.
pub(crate) fn taken_structs(sig: &syn::Signature) -> Vec<syn::Path> {
    let mut found = Vec::new();
    for input in &sig.inputs {
        if let syn::FnArg::Typed(typed) = input {
            structs_in(&typed.ty, false, &mut found);
        }
    }
    found
}

fn structs_in(ty: &Type, borrowed: bool, found: &mut Vec<syn::Path>) {
    match bare(ty) {
        Type::Tuple(tuple) => tuple.elems.iter().for_each(|ty| structs_in(ty, borrowed, found)),
        Type::Array(array) => structs_in(&array.elem, borrowed, found),
        Type::Reference(inner) if inner.mutability.is_none() => structs_in(&inner.elem, true, found),
        ty => found.extend(struct_path(ty).filter(|_| borrowed).cloned()),
    }
}

/// A parameter of such a type, whose values become arguments of their own.
pub(crate) fn parameter(
    diag: &Diag,
    pattern: &Pat,
    ty: &Type,
    constants: &Constants,
    known: &[ArgDecl],
) -> Option<(Param, Vec<ArgDecl>)> {
    let before = diag.count();
    let mut found = Vec::new();
    let base = match pattern {
        Pat::Ident(name) => super::name(&name.ident),
        _ => "argument".to_string(),
    };
    let parts = parts(diag, &base, ty, (false, constants), &mut found)?;
    if diag.count() > before {
        return None;
    }
    let mut names = Vec::new();
    let pattern = named(diag, pattern, &parts, &mut names)?;
    let mut args: Vec<ArgDecl> = Vec::new();
    for (name, ty) in names.into_iter().zip(found) {
        // A name that the user has not written gives way.
        let taken = |name: &Ident, args: &[ArgDecl]| known.iter().chain(args).any(|arg| arg.name == *name);
        let mut own = name.clone();
        while name.is_made() && taken(&own.ident(), &args) {
            own = own.longer();
        }
        if taken(&own.ident(), &args) {
            diag.report(own.ident().span(), &m::DUPLICATE_ARGUMENT, &[&own.ident()]);
            return None;
        }
        args.push(ArgDecl { name: own.ident(), ty });
    }
    let ty = rust(ty);
    Some((Param { pattern, ty, parts }, args))
}

/// The name of a value: of the user's, or made from a whole's name.
#[derive(Clone)]
enum ValueName {
    Written(Ident),
    Made(Ident),
}

impl ValueName {
    fn ident(&self) -> Ident {
        match self {
            ValueName::Written(name) | ValueName::Made(name) => name.clone(),
        }
    }

    fn is_made(&self) -> bool {
        matches!(self, ValueName::Made(_))
    }

    fn longer(&self) -> ValueName {
        ValueName::Made(format_ident!("{}_", self.ident()))
    }
}

/// The pattern with a name for each `_`, and the names of the values.
fn named(diag: &Diag, pattern: &Pat, parts: &Composite, names: &mut Vec<ValueName>) -> Option<Pat> {
    match (pattern, parts) {
        (Pat::Paren(inner), _) => named(diag, &inner.pat, parts, names),
        (Pat::Ident(name), parts) if name.by_ref.is_none() && name.subpat.is_none() && name.mutability.is_none() => {
            super::reserved::own_name(diag, &name.ident);
            match parts {
                Composite::One => names.push(ValueName::Written(name.ident.clone())),
                parts => made(&name.ident, parts, names),
            }
            Some(pattern.clone())
        }
        (Pat::Wild(wild), parts) => {
            let name = Ident::new(&format!("_{}", names.len()), wild.span());
            match parts {
                Composite::One => names.push(ValueName::Made(name.clone())),
                parts => made(&name, parts, names),
            }
            Some(syn::parse_quote!(#name))
        }
        (Pat::Tuple(tuple), Composite::Tuple(parts)) if tuple.elems.len() == parts.len() => {
            let each: Option<Vec<Pat>> =
                tuple.elems.iter().zip(parts).map(|(pattern, part)| named(diag, pattern, part, names)).collect();
            let each = each?;
            Some(syn::parse_quote!((#(#each,)*)))
        }
        (Pat::Tuple(tuple), Composite::Tuple(parts)) => {
            diag.report(pattern.span(), &m::TUPLE_LENGTH, &[&parts.len(), &tuple.elems.len()]);
            None
        }
        _ => {
            diag.report(pattern.span(), &m::ARGUMENT_PATTERN, &[]);
            None
        }
    }
}

/// `xs_0`, `xs_1`: names of values that have none of their own.
fn made(whole: &Ident, parts: &Composite, names: &mut Vec<ValueName>) {
    match parts {
        Composite::One => names.push(ValueName::Made(whole.clone())),
        Composite::Tuple(parts) | Composite::Array(parts) => parts
            .iter()
            .enumerate()
            .for_each(|(position, part)| made(&format_ident!("{}_{position}", whole), part, names)),
        Composite::Struct(_, fields) => {
            // An identifier between braces would keep the `r#` of `r#type`.
            fields.iter().for_each(|(field, part)| made(&format_ident!("{}_{}", whole, field), part, names));
        }
    }
}

/// How the values of an argument's type are put together; what they are goes into `found`.
fn parts(
    diag: &Diag,
    name: &str,
    ty: &Type,
    (borrowed, constants): (bool, &Constants),
    found: &mut Vec<ArgType>,
) -> Option<Composite> {
    match bare(ty) {
        Type::Reference(inner) if inner.mutability.is_none() => {
            parts(diag, name, &inner.elem, (true, constants), found)
        }
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let each: Option<Vec<Composite>> =
                tuple.elems.iter().map(|ty| parts(diag, name, ty, (borrowed, constants), found)).collect();
            each.map(Composite::Tuple)
        }
        Type::Array(array) => {
            let length = length(diag, array, constants)?;
            let each: Option<Vec<Composite>> =
                (0..length).map(|_| parts(diag, name, &array.elem, (borrowed, constants), found)).collect();
            each.map(Composite::Array)
        }
        ty if borrowed && struct_path(ty).is_some() => {
            let path = struct_path(ty)?;
            let (of, fields, constants) = fields(diag, path, constants)?;
            let mut all = Vec::new();
            for (field, ty) in fields {
                all.push((field, parts(diag, name, &ty, (true, &constants), found)?));
            }
            Some(Composite::Struct(of, all))
        }
        ty => {
            let reference: Type = match types::is_called_tensor(ty) && borrowed {
                true => syn::parse_quote!(&#ty),
                false => ty.clone(),
            };
            found.push(match types::user_enum(ty) {
                Some(ty) => ty,
                None => types::argument(diag, name, &reference, constants)?,
            });
            Some(Composite::One)
        }
    }
}

/// The names of fields and their types.
type Fields = Vec<(Ident, Type)>;

/// The fields of a struct with `#[netcl::tensors]`, and what names mean in their types; where there is none of the name, rustc says so.
fn fields(diag: &Diag, path: &syn::Path, constants: &Constants) -> Option<(Declared, Fields, Constants)> {
    let Some(own) = constants.structs.get(&text(path)) else {
        diag.report(path.span(), &m::NO_STRUCT, &[&text(path)]);
        return None;
    };
    let fields = own.item.fields.iter().filter_map(|field| Some((field.ident.clone()?, field.ty.clone())));
    let of = Declared { path: path.clone(), identity: own.identity };
    Some((of, fields.collect(), constants.with_structs(&own.inner)))
}

/// How many elements an array has.
fn length(diag: &Diag, array: &syn::TypeArray, constants: &Constants) -> Option<usize> {
    let known = match constant::evaluate(&array.len, constants) {
        Some(Constant::Integer(length)) => usize::try_from(length).ok(),
        _ => None,
    };
    let fits = known.filter(|length| (1..=words::MAX_PARTS).contains(length));
    let parameter = |name: String| constants.parameters.contains(&name);
    if fits.is_none() && super::names_in(array.len.to_token_stream()).into_iter().any(parameter) {
        let length = text(&array.len);
        diag.report(array.len.span(), &m::PARTS_OF_PARAMETER, &[&length, &length]);
    } else if fits.is_none() {
        diag.report(array.len.span(), &m::PARTS_LENGTH, &[&words::MAX_PARTS, &text(&array.len)]);
    }
    fits
}

/// The field of a struct that a type stands in: the struct as it is written, and the field's name.
pub(crate) type Within<'a> = Option<(&'a syn::Path, &'a Ident)>;

/// How the tensors of a result's type are put together; what they are goes into `found`.
pub(crate) fn result(
    diag: &Diag,
    ty: &Type,
    one: &dyn Fn(&Type, Within<'_>) -> Option<TensorType>,
    constants: &Constants,
    found: &mut Vec<TensorType>,
) -> Option<Composite> {
    result_within(diag, (ty, None), one, constants, found)
}

fn result_within(
    diag: &Diag,
    (ty, within): (&Type, Within<'_>),
    one: &dyn Fn(&Type, Within<'_>) -> Option<TensorType>,
    constants: &Constants,
    found: &mut Vec<TensorType>,
) -> Option<Composite> {
    match bare(ty) {
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            let each: Vec<Option<Composite>> =
                tuple.elems.iter().map(|ty| result_within(diag, (ty, within), one, constants, found)).collect();
            each.into_iter().collect::<Option<Vec<_>>>().map(Composite::Tuple)
        }
        Type::Array(array) => {
            let length = length(diag, array, constants)?;
            let each: Option<Vec<Composite>> =
                (0..length).map(|_| result_within(diag, (&array.elem, within), one, constants, found)).collect();
            each.map(Composite::Array)
        }
        ty if struct_path(ty).is_some_and(|path| constants.structs.contains_key(&text(path))) => {
            let path = struct_path(ty)?;
            let mut all = Vec::new();
            let (of, fields, constants) = fields(diag, path, constants)?;
            for (field, ty) in fields {
                let part = result_within(diag, (&ty, Some((path, &field))), one, &constants, found)?;
                all.push((field, part));
            }
            Some(Composite::Struct(of, all))
        }
        ty => {
            found.push(one(ty, within)?);
            Some(Composite::One)
        }
    }
}

/// The type as Rust has it: tensors have no sizes there.
pub(crate) fn rust(ty: &Type) -> TokenStream {
    match bare(ty) {
        Type::Reference(inner) => {
            let inner = rust(&inner.elem);
            quote!(&#inner)
        }
        Type::Tuple(tuple) => {
            let each = tuple.elems.iter().map(rust);
            quote!((#(#each,)*))
        }
        Type::Array(array) => {
            let (each, length) = (rust(&array.elem), &array.len);
            quote!([#each; #length])
        }
        ty if types::is_tensor(ty) => quote!(::netcl::Tensor),
        ty => ty.to_token_stream(),
    }
}
