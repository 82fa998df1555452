//! One field of a model's struct.

use super::constant::{self, Constants};
use super::instead::foreign_type;
use super::own::{ATTRIBUTES_ARE, OwnKey, find, helper, own_keys};
use super::{attr, condition, given, init, list, presence, suggestion, text, training, training_keys, types};
use crate::ast::{Constant, Field, FieldKind, Form, Nested, TensorField};
use crate::diag::Diag;
use crate::foreign;
use crate::messages as m;
use crate::number::ConstFloat;
use crate::presence::Presence;
use crate::quotient;
use crate::words;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::layers::{self, ConfigKind, Init};
use proc_macro2::Ident;
use quote::ToTokens;
use std::collections::BTreeSet;
use syn::parse::Parse;
use syn::spanned::Spanned;
use syn::{Attribute, GenericArgument, PathArguments, Type};

/// The field; what is wrong with it is reported and gives [`FieldKind::Unknown`], as does what is of a parameter of the struct
/// that has been `refused`.
pub(crate) fn field(
    diag: &Diag,
    field: &syn::Field,
    refused: &BTreeSet<String>,
    constants: &Constants,
) -> Option<Field> {
    let name = field.ident.clone()?;
    let given = field.attrs.iter().map(|attr| meant(diag, attr));
    let (mut own, mut attrs): (Vec<_>, Vec<_>) = given.partition(|attr| helper(attr).is_some());
    super::reserved::own_name(diag, &name);
    condition::decided(diag, &attrs, &m::CFG);
    let misnamed = std::cell::Cell::new(false);
    attrs.iter().filter(|attr| !attr::is_rust_attribute(attr)).for_each(|attr| {
        let (given, known) = (text(attr.path()), words::FIELD_ATTRIBUTES.map(|name| format!("#[{name}]")));
        if matches!(given.as_str(), "init" | "initializer") {
            let (owner, helper, keys) = given::start(attr, &field.ty, &own);
            return diag.report(attr.path().span(), &m::INIT_ATTRIBUTE, &[&given, &owner, &helper, &keys, &name]);
        }
        if let (Some(keys), None) = (layer_keys(attr, &field.ty), find(&own, words::LAYER)) {
            diag.report(attr.span(), &m::FIELD_ATTRIBUTE_LAYER, &[&given, &keys]);
            return misnamed.set(true);
        }
        if let Some(keys) = given::of_layer(attr, &field.ty) {
            let keys = given::with_keys(find(&own, words::LAYER), &keys);
            return diag.report(attr.path().span(), &m::FIELD_ATTRIBUTE_LAYER, &[&given, &format!("({keys})")]);
        }
        diag.report(attr.path().span(), &m::FIELD_ATTRIBUTE, &[&given, &list(known.iter().map(String::as_str))]);
    });
    // Of what has been spoken of rustc would say that there is no such attribute.
    attrs.retain(attr::is_rust_attribute);
    let mut twice = false;
    for (position, attr) in own.iter().enumerate() {
        if own[..position].iter().any(|other| helper(other) == helper(attr)) {
            // What has no keys has none to join.
            let is_one = matches!(attr.meta, syn::Meta::Path(_)) || helper(attr) == Some(words::GROUP);
            let instead = if is_one { m::ONE_OF_THEM } else { m::JOINED };
            diag.report(attr.span(), &m::DUPLICATE_ATTRIBUTE, &[&helper(attr).unwrap_or_default(), &instead]);
            twice = true;
        }
    }
    let variant = super::variant::take(&mut own, vec_of(&field.ty).is_some());
    // What an undecided attribute would have brought is not missing.
    let undecided = attrs.iter().any(|attr| attr.path().is_ident("cfg_attr"));
    let of_refused = || {
        let given = own.iter().map(|attr| attr.meta.to_token_stream()).chain([field.ty.to_token_stream()]);
        !refused.is_empty() && !refused.is_disjoint(&super::names_in(given.collect()))
    };
    // What stands in the second of two attributes is not missing either. What the field is without them, it is.
    let (named, silent) = (super::name(&name), Diag::new());
    let judge = if undecided || twice || misnamed.get() { &silent } else { diag };
    let kind = if of_refused() { None } else { kind((judge, &named), &field.ty, &own, constants) };
    let kind = match (kind, variant) {
        (Some(kind), Some(variant)) => {
            Some(super::variant::fixed((judge, &named), kind.clone(), &variant).unwrap_or(kind))
        }
        (kind, _) => kind,
    };
    silent.dismiss();
    let kind = kind.unwrap_or(FieldKind::Unknown);
    let (frozen, group) = (training::is_frozen(diag, &own), training::group((diag, &named), &own));
    Some(Field { attrs, vis: field.vis.clone(), name, kind, ty: field.ty.clone(), frozen, group })
}

/// The keys of a layer in an attribute that is called as that layer, `#[linear(inputs = 4, outputs = 4)] l: Linear`, with what is around
/// them.
fn layer_keys(attr: &Attribute, ty: &Type) -> Option<String> {
    let (syn::Meta::List(keys), named) = (&attr.meta, text(attr.path())) else { return None };
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    let is_layer = |token: &str| layers::find(token).is_some() && plain(token) == plain(&named);
    let called = super::names_in(ty.to_token_stream()).iter().any(|name| is_layer(name));
    called.then(|| format!("({})", text(&keys.tokens)))
}

/// The attribute; one that is nearly ours, as `#[layers(..)]`, is reported and then taken for ours.
fn meant(diag: &Diag, attr: &Attribute) -> Attribute {
    let mut attr = attr.clone();
    attr::meant(diag, &mut attr, &words::FIELD_ATTRIBUTES, &m::UNKNOWN_ATTRIBUTE);
    attr
}

fn kind((diag, field): (&Diag, &str), ty: &Type, attrs: &[Attribute], constants: &Constants) -> Option<FieldKind> {
    match ty {
        Type::Paren(inner) => return kind((diag, field), &inner.elem, attrs, constants),
        Type::Group(inner) => return kind((diag, field), &inner.elem, attrs, constants),
        Type::Tuple(tuple) if !tuple.elems.is_empty() => {
            return super::listed::tuple((diag, field), tuple, attrs, &|place, ty| kind(place, ty, &[], constants));
        }
        Type::Array(array) if argument_of("Option", &array.elem).is_some() => {
            let instead = super::instead::options(field, argument_of("Option", &array.elem), attrs);
            diag.report(ty.span(), &m::FIELD_TYPE, &[&text(ty), &instead]);
            return None;
        }
        Type::Array(array) => {
            let example = format!("[{}; 4]", text(&array.elem));
            let count = attr::count(diag, &array.len, &example, constants);
            if let Some(lists) = super::listed::Lists::of(attrs) {
                let each =
                    |attrs: &[Attribute], place: &str| single((diag, place), &array.elem, attrs, None, constants);
                return lists.layers((diag, field), attrs, Some(count?), Form::Array, &each);
            }
            let each = single((diag, &format!("{field}[0]")), &array.elem, attrs, None, constants)?;
            return Some(FieldKind::Many { each: Box::new(each), count: count?, vec: false });
        }
        _ => {}
    }
    if let Some(inner) = argument_of("Option", ty) {
        if let Some(instead) = super::instead::optional(field, inner, attrs) {
            diag.report(ty.span(), &m::FIELD_TYPE, &[&text(ty), &instead]);
            return None;
        }
        let (mut present, before) = (None, diag.count());
        let each = single((diag, field), inner, attrs, Some((words::PRESENT, &mut present)), constants)?;
        let known = present.as_ref().and_then(|given| presence::presence(given, constants));
        match (&present, &known) {
            (Some(given), None) => diag.report(given.span(), &m::PRESENCE, &[&text(given)]),
            (None, _) if diag.count() == before => {
                diag.report(ty.span(), &m::MISSING_PRESENT, &[&field, &text(inner)]);
            }
            _ => {}
        }
        // Where it is not known when the field is there, ordinary Rust has it all the same.
        let present = known.unwrap_or(Presence::Known(true));
        return Some(FieldKind::Optional { each: Box::new(each), present });
    }
    if let Some(option) = vec_of(ty).and_then(|inner| argument_of("Option", inner)) {
        let instead = super::instead::options(field, Some(option), attrs);
        diag.report(ty.span(), &m::FIELD_TYPE, &[&text(ty), &instead]);
        return None;
    }
    if let (Some(inner), Some(lists)) = (vec_of(ty), super::listed::Lists::of(attrs)) {
        let each = |attrs: &[Attribute], place: &str| single((diag, place), inner, attrs, None, constants);
        let count = match lists.count() {
            Some(given) => Some(attr::count(diag, given, "count = 4", constants)?),
            None => None,
        };
        return lists.layers((diag, field), attrs, count, Form::Vec, &each);
    }
    if let Some(inner) = vec_of(ty) {
        let mut count = None;
        let before = diag.count();
        let each = single((diag, &format!("{field}[0]")), inner, attrs, Some((words::COUNT, &mut count)), constants)?;
        let count = match count {
            _ if diag.count() > before => None,
            Some(count) => attr::count(diag, &count, "count = 4", constants),
            None => {
                let [what, keys] = given::counted(&each, find(attrs, words::LAYER));
                diag.report(ty.span(), &m::MISSING_COUNT, &[&what, &keys]);
                None
            }
        };
        // The same of how many there are.
        let count = count.unwrap_or(Dim::constant(1));
        return Some(FieldKind::Many { each: Box::new(each), count, vec: true });
    }
    single((diag, field), ty, attrs, None, constants)
}

/// Rule: a type of Rust's own library is no model, nor is what is written as a type of numbers. Wrong: `name: String`, `rate: f23`.
fn is_plain_rust(path: &syn::Path) -> bool {
    const TYPES: [&str; 6] = ["String", "OsString", "PathBuf", "char", "str", "isize"];
    let first = path.segments.first().map(|first| first.ident.to_string()).unwrap_or_default();
    let single = path.segments.len() == 1;
    let of_numbers = types::looks_like_number(&first);
    matches!(first.as_str(), "std" | "core" | "alloc") || single && (of_numbers || TYPES.contains(&first.as_str()))
}

/// `T` of `Vec<T>`.
fn vec_of(ty: &Type) -> Option<&Type> {
    argument_of("Vec", ty)
}

/// `T` of a type of that name, `Vec<T>`.
fn argument_of<'t>(name: &str, ty: &'t Type) -> Option<&'t Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last()?;
    match &last.arguments {
        PathArguments::AngleBracketed(arguments) if last.ident == name => match arguments.args.first()? {
            GenericArgument::Type(inner) => Some(inner),
            _ => None,
        },
        _ => None,
    }
}

/// Whether the configuration key of a field of that type takes names of sizes.
pub(crate) fn takes_names(ty: &Type, key: &Ident) -> bool {
    let ty = match ty {
        Type::Paren(inner) => return takes_names(&inner.elem, key),
        Type::Group(inner) => return takes_names(&inner.elem, key),
        Type::Array(array) => &array.elem,
        ty => vec_of(ty).or_else(|| argument_of("Option", ty)).unwrap_or(ty),
    };
    let Type::Path(path) = ty else { return false };
    let takes =
        |layer: &layers::Layer| layer.config.iter().any(|known| key == known.name && known.kind == ConfigKind::Size);
    match path.path.segments.last().and_then(|last| layers::find(&last.ident.to_string())) {
        Some(layer) => takes(layer),
        // Whatever layer stands for a parameter.
        None => layers::all().iter().any(|layer| takes(layer)),
    }
}

/// The value in the type named `ty`, if it is one of that: `usize` or what tensors have.
fn converted(value: Constant, ty: &str) -> Option<Constant> {
    let dtype = DType::from_name(ty);
    let fits = match (value, dtype) {
        (Constant::Bool(_), dtype) => dtype == Some(DType::Bool),
        (Constant::Integer(value), Some(dtype)) => dtype.holds(value),
        (Constant::Integer(value), None) => value >= 0,
        (Constant::Float(number), dtype) => dtype.is_some_and(|dtype| dtype.is_float() && dtype.reaches(number.value)),
    };
    fits.then_some(match (value, dtype.filter(|dtype| dtype.is_float())) {
        (Constant::Integer(value), Some(dtype)) => Constant::Float(ConstFloat::of_whole(value, dtype)),
        (Constant::Float(number), dtype) => Constant::Float(ConstFloat::of(number.value, dtype)),
        (value, _) => value,
    })
}

/// One layer, model, tensor or constant.
fn single(
    (diag, field): (&Diag, &str),
    ty: &Type,
    attrs: &[Attribute],
    own: OwnKey<'_>,
    constants: &Constants,
) -> Option<FieldKind> {
    let Type::Path(path) = ty else {
        diag.report(ty.span(), &m::FIELD_TYPE, &[&text(ty), &foreign_type(field, ty)]);
        return None;
    };
    let last = path.path.segments.last()?;
    let name = last.ident.to_string();
    let unfit = |allowed: &[&str]| {
        let before = diag.count();
        for attr in attrs {
            let helper = helper(attr).unwrap_or_default();
            if !allowed.contains(&helper) {
                let place = attr.path().span();
                match (helper, is_number(ty)) {
                    (words::PARAMETER | words::STATE, true) if find(attrs, words::CONSTANT).is_some() => {
                        diag.report(place, &m::NUMBER_AND_TENSOR, &[&field, &helper, &helper, &text(ty)]);
                    }
                    (words::PARAMETER | words::STATE, true) => {
                        diag.report(ty.span(), &m::NUMBER_TRAINED, &[&helper, &text(ty)]);
                    }
                    _ => {
                        let keys = layers::find(&name).filter(|_| find(attrs, words::LAYER).is_none());
                        let right = allowed.iter().find(|right| find(attrs, right).is_some());
                        let instead = match (keys.and_then(|layer| given::keys_of(attr, layer)), right) {
                            (Some(keys), _) => format!("a layer has another attribute: write `#[layer({keys})]`"),
                            (None, Some(right)) => format!("remove this: `#[{right}]` is for such a field"),
                            (None, None) => ATTRIBUTES_ARE.to_string(),
                        };
                        diag.report(place, &m::UNKNOWN_FIELD_ATTRIBUTE_USE, &[&helper, &text(ty), &instead]);
                    }
                }
            }
        }
        diag.count() > before
    };
    if name == words::TENSOR {
        if training::of_state(diag, attrs) || unfit(&[words::PARAMETER, words::STATE, words::FROZEN, words::GROUP]) {
            return None;
        }
        return tensor((diag, field), ty, attrs, constants);
    }
    if is_number(ty) {
        if unfit(&[words::CONSTANT]) {
            return None;
        }
        return number(diag, ty, attrs, constants);
    }
    if name == words::UNKNOWN_TYPE {
        return None;
    }
    if let Some(parameter) = path.path.get_ident().filter(|name| constants.types.contains(&super::name(name))) {
        let wrong = unfit(&[words::LAYER, words::FROZEN, words::GROUP]);
        return super::slot::slot((diag, field), parameter, attrs, own, constants).filter(|_| !wrong);
    }
    if is_plain_rust(&path.path) || super::instead::is_of_program(&path.path) {
        diag.report(ty.span(), &m::FIELD_TYPE, &[&text(ty), &foreign_type(field, ty)]);
        return None;
    }
    if super::instead::is_elsewhere(&path.path) && layers::find(&name).is_some() {
        diag.report(ty.span(), &m::FIELD_TYPE, &[&text(ty), &foreign_type(field, ty)]);
        return None;
    }
    // Of keys in an attribute of another name none is missing.
    if unfit(&[words::LAYER, words::FROZEN, words::GROUP]) && find(attrs, words::LAYER).is_none() {
        return None;
    }
    layer_or_model((diag, field), path, attrs, own, constants)
}

/// Whether it is the type of a constant.
fn is_number(ty: &Type) -> bool {
    let Type::Path(path) = ty else { return false };
    let number = |name: &Ident| ["f32", "f64", "usize", "i64", "i32", "u32", "bool"].iter().any(|known| name == known);
    path.path.get_ident().is_some_and(number)
}

/// Types of Rust and modules of other frameworks that hold others and are no models.
const CONTAINERS: [&str; 15] = [
    "Box",
    "Arc",
    "Rc",
    "Mutex",
    "RefCell",
    "HashMap",
    "BTreeMap",
    "IndexMap",
    "VecDeque",
    "HashSet",
    "BTreeSet",
    "LinkedList",
    "PhantomData",
    "Vec",
    "Option",
];

/// Modules of PyTorch that hold others, and of which each has its own ways here.
const SEQUENCES: [&str; 3] = ["Sequential", "ModuleList", "ModuleDict"];

/// A layer with its configuration, or a model, whose sizes stand in angle brackets.
fn layer_or_model(
    (diag, field): (&Diag, &str),
    ty: &syn::TypePath,
    attrs: &[Attribute],
    own: OwnKey<'_>,
    constants: &Constants,
) -> Option<FieldKind> {
    let name = ty.path.segments.last()?.ident.to_string();
    let sizes = types::sizes(&ty.path, constants);
    let given = !types::type_arguments(&ty.path, &constants.named_types).is_empty();
    let fits = |sizes: &Vec<_>| match layers::find(&name) {
        Some(_) => sizes.is_empty() && !given,
        // By a path, `self::Rc<Relu>`, it is a model of the user's.
        None if SEQUENCES.contains(&name.as_str()) => ty.path.segments.len() > 1,
        None if !CONTAINERS.contains(&name.as_str()) || ty.path.segments.len() > 1 => true,
        // `Box<M>`: what is no size of the model's is a type.
        None => !given && given::names_sizes(&ty.path, constants),
    };
    let Some(sizes) = sizes.filter(fits) else {
        let whole = Type::Path(ty.clone());
        let instead = match layers::find(&name).and_then(|_| find(attrs, words::LAYER)) {
            Some(_) => format!("its sizes stand in the attribute above it: write `{name}`"),
            None => foreign_type(field, &whole),
        };
        diag.report(
            super::instead::wrong_argument(ty).unwrap_or_else(|| ty.span()),
            &m::FIELD_TYPE,
            &[&text(ty), &instead],
        );
        return None;
    };
    if let Some(negative) = given::negative(&ty.path, constants) {
        diag.report(negative.span(), &m::NEGATIVE_SIZE, &[&text(negative)]);
        return None;
    }
    let mut pairs = match find(attrs, words::LAYER) {
        Some(given) => match layers::find(&name) {
            Some(layer) => attr::pairs_of(diag, given, layer),
            None => attr::pairs(diag, given),
        },
        None => attr::Pairs::default(),
    };
    if pairs.broken {
        return None;
    }
    own_keys(diag, &mut pairs, own, &name);
    match layers::find(&name) {
        Some(layer) => attr::layer(diag, layer, pairs, (field, ty.span()), constants).map(FieldKind::Layer),
        None if foreign::layer(&name).is_some() && own_layer(&name).is_some() => {
            let (own, here) = (own_layer(&name).unwrap_or_default(), foreign::layer(&name).unwrap_or_default());
            let instead = format!("write `{own}`; or leave the field out, and call it on a tensor: `x.{here}`");
            diag.report(ty.span(), &m::LAYER_ELSEWHERE, &[&name, &instead]);
            None
        }
        None if foreign::layer(&name).is_some() => {
            let here = foreign::layer(&name).unwrap_or_default();
            diag.report(ty.span(), &m::LAYER_IS_OPERATION, &[&name, &here]);
            None
        }
        None if pairs.given.is_empty() && !(ty.path.get_ident().is_some() && foreign::is_torch_layer(&name)) => {
            let path = super::without_arguments(&ty.path);
            Some(FieldKind::Model(Nested { ty: ty.path.clone(), path, sizes, variant: None }))
        }
        None if foreign::layer_as(&name).is_some() => {
            let instead = with_own_keys(foreign::layer_as(&name).unwrap_or_default(), &pairs);
            diag.report(ty.span(), &m::LAYER_ELSEWHERE, &[&name, &instead]);
            None
        }
        None => {
            let known = || layers::all().iter().map(|layer| layer.name);
            if !sizes.is_empty() || suggestion(&name, known()).is_empty() {
                let (place, instead) = given::unconfigured(find(attrs, words::LAYER), ty, !sizes.is_empty());
                diag.report(place, &m::MODEL_CONFIGURED, &[&name, &instead]);
                return None;
            }
            diag.report(ty.span(), &m::UNKNOWN_LAYER, &[&name, &suggestion(&name, known()), &list(known())]);
            None
        }
    }
}

/// The layer of netcl's whose name differs in its capitals alone.
fn own_layer(name: &str) -> Option<&'static str> {
    layers::all().iter().map(|layer| layer.name).find(|own| own.eq_ignore_ascii_case(name))
}

/// What is written for a layer, with the values that the program gives to keys of these names; of a layer of features all are as many.
fn with_own_keys(instead: &str, pairs: &attr::Pairs) -> String {
    let mut instead = instead.to_string();
    for (key, value) in &pairs.given {
        let value = text(value);
        if key == "features" {
            instead = instead.replace("= 64", &format!("= {value}"));
        } else if let Some((before, rest)) = instead.split_once(&format!("{key} = "))
            && rest.starts_with(|c: char| c.is_ascii_digit())
        {
            let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
            instead = format!("{before}{key} = {value}{rest}");
        }
    }
    instead
}

fn tensor((diag, field): (&Diag, &str), ty: &Type, attrs: &[Attribute], constants: &Constants) -> Option<FieldKind> {
    let parsed = types::tensor(diag, ty, "", constants);
    let (given, trainable) = match (find(attrs, words::PARAMETER), find(attrs, words::STATE)) {
        (Some(given), None) => (given, true),
        (None, Some(given)) => (given, false),
        (Some(_), Some(second)) => {
            diag.report(second.path().span(), &m::PARAMETER_STATE, &[&field]);
            return None;
        }
        (None, None) => {
            diag.report(ty.span(), &m::MISSING_FIELD_ATTRIBUTE, &[&text(ty)]);
            return None;
        }
    };
    if let Some(parsed) = parsed.as_ref().filter(|parsed| trainable && parsed.dtype != DType::F32) {
        match parsed.dtype {
            dtype if dtype == DType::Bool || dtype.is_integer() => {
                let (floats, start) = (parsed.of(DType::F32), if dtype == DType::Bool { "true" } else { "0" });
                diag.report(ty.span(), &m::PARAMETER_WHOLE, &[&dtype, &floats, &start]);
            }
            dtype => diag.report(parsed.span, &m::PARAMETER_TYPE, &[&dtype, &dtype]),
        }
        return None;
    }
    let mut pairs = attr::pairs(diag, given);
    let init = match pairs.take(words::INIT) {
        // Without one, of what type it is to be is not known.
        Some(expr) => parsed.as_ref().and_then(|of| init::start(diag, (words::INIT, &expr), of.dtype, constants)),
        None => Some(Init::Constant(0.0)),
    };
    for (key, value) in &pairs.given {
        let (place, key) = (key.span(), key.to_string());
        let known = || [words::INIT].into_iter();
        let attribute = format!("#[{}]", helper(given).unwrap_or(words::PARAMETER));
        let near = suggestion(&key, known());
        if let Some(instead) = training_keys::key(&key, &text(value)).filter(|_| trainable) {
            diag.report(place, &m::NO_KEY, &[&attribute, &key, &instead]);
            continue;
        }
        diag.report(place, &m::UNKNOWN_KEY, &[&attribute, &key, &near, &list(known())]);
    }
    let parsed = parsed?;
    // In arguments such a name is a size that each call binds.
    for token in &parsed.dims {
        let mut open = None;
        quotient::visit_names(&token.dim, &mut |name| {
            let known = name.len() > 1 || constants.parameters.contains(name);
            open = open.take().or((!known).then(|| name.to_string()));
        });
        if let Some(open) = open {
            diag.report(token.span, &m::FIELD_SIZE, &[&open, &open]);
            return None;
        }
        if !attr::divides_known(diag, &token.dim, token.span, constants) {
            return None;
        }
    }
    let shape = parsed.dims.into_iter().map(|dim| dim.dim).collect();
    Some(FieldKind::Tensor(TensorField { dtype: parsed.dtype, shape, init: init?, trainable }))
}

fn number(diag: &Diag, ty: &Type, attrs: &[Attribute], constants: &Constants) -> Option<FieldKind> {
    let name = text(ty);
    // Where the value is wrong, the field is there all the same.
    let (any, example) = match name.as_str() {
        "bool" => (Constant::Bool(true), "true"),
        "f32" | "f64" => (Constant::Float(1.0.into()), "0.5"),
        _ => (Constant::Integer(1), "4"),
    };
    let wrong = |found: String, span| diag.report(span, &m::CONSTANT_VALUE, &[&name, &found, &example]);
    let value = match find(attrs, words::CONSTANT) {
        None => {
            diag.report(ty.span(), &m::MISSING_FIELD_ATTRIBUTE, &[&name]);
            None
        }
        Some(given) => match given.parse_args_with(syn::Expr::parse) {
            Err(_) => {
                // `#[constant]` and `#[constant()]` have none.
                let found = match &given.meta {
                    syn::Meta::List(list) if !list.tokens.is_empty() => format!("`{}`", list.tokens),
                    syn::Meta::NameValue(pair) => format!("`= {}`", text(&pair.value)),
                    _ => "none".to_string(),
                };
                wrong(found, given.path().span());
                None
            }
            Ok(expr) => {
                let value = constant::evaluate(&expr, constants).and_then(|value| converted(value, &name));
                if value.is_none() {
                    wrong(format!("`{}`", text(&expr)), expr.span());
                }
                value
            }
        },
    };
    Some(FieldKind::Constant { value: value.unwrap_or(any), ty: ty.clone() })
}
