//! The helper attributes of fields. Nothing here stops at an error: all of them are reported.

use super::constant::{self, Constants};
use super::{init, list, nearest, shared, starts, suggestion, text, training_keys, types};
use crate::ast::{Constant, LayerField, Starts, key_named};
use crate::diag::Diag;
use crate::messages::{self as m, Message};
use crate::{quotient, words};
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::layers::{Config, ConfigKind, ConfigValue, Layer};
use proc_macro2::{Ident, Span};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, MetaNameValue, Token};

/// The `key = value` pairs of one attribute.
#[derive(Default)]
pub(crate) struct Pairs {
    pub(crate) given: Vec<(Ident, Expr)>,
    /// Not understood; reported.
    pub(crate) broken: bool,
}

/// Parses `#[name(key = value, ..)]`; `#[name]` has no pairs. Repeated keys are reported and dropped.
pub(crate) fn pairs(diag: &Diag, attr: &Attribute) -> Pairs {
    // `#[parameter(1.0)]`: the one key that it has.
    let alone = attr.parse_args::<Expr>().ok().filter(|value| !matches!(value, Expr::Assign(_)));
    let of_tensor = attr.path().is_ident(words::PARAMETER) || attr.path().is_ident(words::STATE);
    match alone.filter(|_| of_tensor) {
        Some(value) => pairs_like(diag, attr, &format!("{} = {}", words::INIT, text(&value))),
        None => pairs_like(diag, attr, "key = value, .."),
    }
}

/// The same for a layer, whose keys a message names.
pub(crate) fn pairs_of(diag: &Diag, attr: &Attribute, layer: &Layer) -> Pairs {
    let values = attr.parse_args_with(Punctuated::<Expr, Token![,]>::parse_terminated).unwrap_or_default();
    // `#[layer(Linear(8, 4))]`, as PyTorch makes one.
    let values: Vec<Expr> = match values.first() {
        Some(Expr::Call(call)) if values.len() == 1 && text(&call.func) == layer.name => {
            call.args.iter().cloned().collect()
        }
        _ => values.into_iter().collect(),
    };
    let (keyed, alone): (Vec<&Expr>, Vec<&Expr>) = values.iter().partition(|value| matches!(value, Expr::Assign(_)));
    let keyed: Vec<String> = keyed.into_iter().map(text).collect();
    let is_given = |name: &str| keyed.iter().any(|given| given.split(' ').next() == Some(name));
    let open = layer.config.iter().filter(|key| !is_given(key.name));
    let keys: Vec<String> = open.zip(&alone).map(|(key, value)| format!("{} = {}", key.name, text(*value))).collect();
    let form = match keys.len() {
        0 => "key = value, ..".to_string(),
        given if given < alone.len() => "key = value, ..".to_string(),
        _ => keys.into_iter().chain(keyed).collect::<Vec<_>>().join(", "),
    };
    pairs_like(diag, attr, &form)
}

fn pairs_like(diag: &Diag, attr: &Attribute, form: &str) -> Pairs {
    let mut pairs: Vec<(Ident, Expr)> = Vec::new();
    if matches!(attr.meta, syn::Meta::Path(_)) {
        return Pairs { given: pairs, broken: false };
    }
    match attr.parse_args_with(Punctuated::<MetaNameValue, Token![,]>::parse_terminated) {
        Err(error) => {
            diag.in_attribute(&error, attr, form);
            return Pairs { given: pairs, broken: true };
        }
        Ok(metas) => {
            for meta in metas {
                let Some(key) = meta.path.get_ident().cloned() else {
                    diag.in_attribute(&syn::Error::new(meta.path.span(), "expected a key"), attr, form);
                    continue;
                };
                if pairs.iter().any(|(known, _)| *known == key) {
                    diag.report(key.span(), &m::DUPLICATE_KEY, &[&key]);
                    continue;
                }
                pairs.push((key, meta.value));
            }
        }
    }
    Pairs { given: pairs, broken: false }
}

/// Whether it changes nothing, wherever it stands: the level of a lint, documentation, a tool's.
pub(super) fn is_note(attr: &Attribute) -> bool {
    is_note_path(attr.path())
}

pub(super) fn is_note_path(path: &syn::Path) -> bool {
    is_of_tool(path) || NOTES.iter().any(|name| path.is_ident(name))
}

/// Rule: one attribute, called `name`, makes an item. Wrong: `#[netcl::model] #[netcl::model] struct Net { .. }`.
pub(crate) fn once(diag: &Diag, attrs: &mut Vec<Attribute>, name: &str) {
    without(attrs, &[name], |attr| diag.report(attr.path().span(), &m::MODEL_TWICE, &[&text(attr.path())]));
}

/// Rule: what makes items stands on none of a block's functions. Wrong: `#[netcl::function] pub fn forward(&self, ..)`.
pub(crate) fn of_items(diag: &Diag, block: &mut syn::ItemImpl) {
    for item in &mut block.items {
        if let syn::ImplItem::Fn(f) = item {
            without(&mut f.attrs, &["function", "model", "tensors", "constant"], |attr| {
                diag.report(attr.path().span(), &m::ITEM_ATTRIBUTE, &[&text(attr.path())]);
            });
        }
    }
}

/// The same on a kernel, which `kernel!` makes: `#[netcl::function] fn f(..)` in it.
pub(crate) fn of_kernel(diag: &Diag, attrs: &mut Vec<Attribute>) {
    without(attrs, &["function", "model", "tensors"], |attr| {
        diag.report(attr.path().span(), &m::KERNEL_COMPILED, &[&text(attr.path())]);
    });
    attrs.retain(|attr| {
        let of_tests = is_of(&["test", "bench", "ignore", "should_panic"], attr);
        if of_tests {
            diag.report(attr.path().span(), &m::KERNEL_TEST, &[&text(attr.path())]);
        }
        !of_tests
    });
}

/// Leaves out those of netcl's attributes of items that are called as `names` say.
fn without(attrs: &mut Vec<Attribute>, names: &[&str], left: impl Fn(&Attribute)) {
    attrs.retain(|attr| {
        let mut path = attr.path().segments.iter().rev().map(|segment| &segment.ident);
        let is_one = path.next().is_some_and(|last| names.iter().any(|name| last == name));
        // A `#[model]` of another crate's is not known here, a `#[constant]` of a bare name is a field's.
        let ours = is_one && path.next().is_none_or(|first| first == "netcl");
        if ours {
            left(attr);
        }
        !ours
    });
}

/// An attribute that is nearly one of `ours`, or means the same, and none of Rust's, is reported and then taken for ours.
pub(crate) fn meant(diag: &Diag, attr: &mut Attribute, ours: &[&'static str], message: &Message) {
    let Some(given) = attr.path().get_ident().cloned().filter(|_| !is_of(ours, attr) && !is_known(attr)) else {
        return;
    };
    let elsewhere = training_keys::says_frozen(attr).then_some(words::FROZEN).filter(|frozen| ours.contains(frozen));
    let Some(near) = elsewhere.or_else(|| nearest(&given.to_string(), ours.iter().copied())) else { return };
    let name = Ident::new(near, given.span());
    match &mut attr.meta {
        // What takes no arguments is not said to have some.
        meta if near == words::FROZEN => *meta = syn::Meta::Path(name.into()),
        syn::Meta::Path(path) => *path = name.into(),
        syn::Meta::List(list) => list.path = name.into(),
        syn::Meta::NameValue(pair) => pair.path = name.into(),
    }
    diag.report(given.span(), message, &[&given, &near, &text(&attr.meta), &list(ours.iter().copied())]);
}

/// Rust's attributes of any item, which mean on a field what they mean elsewhere.
const ANYWHERE: [&str; 9] = ["doc", "allow", "warn", "deny", "forbid", "expect", "deprecated", "cfg", "cfg_attr"];

/// Those of them that change nothing.
const NOTES: [&str; 6] = ["doc", "allow", "warn", "deny", "forbid", "expect"];

/// Rust's attributes of functions.
const FUNCTIONS: [&str; 5] = ["inline", "must_use", "cold", "track_caller", "target_feature"];

/// Whether it is one of Rust's own for any item, or a tool's.
pub(crate) fn is_rust_attribute(attr: &Attribute) -> bool {
    is_of_tool(attr.path()) || is_of(&ANYWHERE, attr)
}

fn is_of_tool(path: &syn::Path) -> bool {
    const TOOLS: [&str; 3] = ["rustfmt", "clippy", "diagnostic"];
    path.segments.first().is_some_and(|first| TOOLS.iter().any(|name| first.ident == name))
}

/// Whether it is one of Rust's own, wherever it may stand, or a tool's.
fn is_known(attr: &Attribute) -> bool {
    is_rust_attribute(attr) || attr.path().is_ident("test") || is_of(&FUNCTIONS, attr)
}

/// Those that belong on a function, and those that belong on the value that stands for it.
pub(crate) fn of_functions(attrs: &[Attribute]) -> (Vec<&Attribute>, Vec<&Attribute>) {
    attrs.iter().partition(|attr| is_of(&FUNCTIONS, attr))
}

fn is_of(names: &[&str], attr: &Attribute) -> bool {
    names.iter().any(|name| attr.path().is_ident(name))
}

impl Pairs {
    /// Takes the value of `key` out.
    pub(crate) fn take(&mut self, key: &str) -> Option<Expr> {
        let position = self.given.iter().position(|(known, _)| known == key)?;
        Some(self.given.remove(position).1)
    }
}

/// The configuration of `layer` from the pairs that are left; `place` is where a missing key is reported.
pub(crate) fn layer(
    diag: &Diag,
    layer: &'static Layer,
    mut pairs: Pairs,
    (field, place): (&str, Span),
    constants: &Constants,
) -> Option<LayerField> {
    let before = diag.count();
    let starting = |key: &Ident| *key == words::INIT || *key == words::BIAS_INIT;
    let starting: Vec<Ident> = pairs.given.iter().map(|(key, _)| key).filter(|key| starting(key)).cloned().collect();
    // Layers' tensors are of `f32`.
    let mut start =
        |key: &str| pairs.take(key).and_then(|given| init::start(diag, (key, &given), DType::F32, constants));
    let starts = Starts { weights: start(words::INIT), biases: start(words::BIAS_INIT) };
    let shared_with = pairs.take(words::SHARED).and_then(|given| shared::with(diag, field, &given));
    let mut places = vec![None; layer.config.len()];
    let mut given = Vec::new();
    let kernel = pairs.given.iter().find(|(key, _)| key == "kernel").map(|(_, value)| config_value(value, constants));
    for (key, value) in &pairs.given {
        let name = key.to_string();
        let word = init::word(value).unwrap_or_else(|| text(value));
        if foreign_word(diag, (layer, field), (key, &name), (&word, value.span()), kernel.as_ref()) {
            continue;
        }
        let of_path = match value {
            Expr::Path(path) if path.path.segments.len() > 1 => constant::known(&path.path, constants).is_none(),
            _ => false,
        };
        if of_path {
            let path = text(value);
            let own = path.starts_with("Self::");
            let last = path.trim_start_matches("Self::").to_string();
            diag.report(value.span(), if own { &m::OWN_SIZE } else { &m::PATH_SIZE }, &[&path, &last]);
            continue;
        }
        let position = layer.config.iter().position(|known| known.name == name);
        let at = position.map_or(key.span(), |_| value.span());
        let own = || layer.config.iter().map(|known| known.name);
        let of_all = suggestion(&name, words::OF_ALL_LAYERS.into_iter());
        if position.is_none() && suggestion(&name, own()).is_empty() && !of_all.is_empty() {
            let all = list(own().chain(words::OF_ALL_LAYERS));
            diag.report(key.span(), &m::UNKNOWN_KEY, &[&layer.name, &name, &of_all, &all]);
            continue;
        }
        let written = value.span();
        let mut value = config_value(value, constants);
        if matches!(&value, ConfigValue::Named(size) if !divides_known(diag, size, written, constants)) {
            continue;
        }
        if let Some(position) = position {
            places[position] = Some(at);
            value = opened(value, layer.config[position].kind == ConfigKind::Size, constants);
        }
        given.push((name, value, diag.id(at)));
    }
    if diag.count() > before {
        return None;
    }
    let given: Vec<_> = given.iter().map(|(name, value, at)| (name.as_str(), value.clone(), *at)).collect();
    let configured = Config::from_pairs(layer, &given).or_else(|errors| {
        // What does not hold for every number may hold for those that the model is used with.
        let open: Vec<_> =
            given.iter().map(|(name, value, at)| (*name, opened(value.clone(), false, constants), *at)).collect();
        if open == given { Err(errors) } else { Config::from_pairs(layer, &open) }
    });
    match configured {
        Ok(config) => {
            starts::judge(diag, layer, &config, &starting, &given);
            Some(LayerField { layer, config, places, starts, starting, shared_with, shared: None })
        }
        Err(errors) => {
            for error in errors {
                // What several keys say together is wrong at the one that the message names first.
                let at = key_named(layer, &error.message).and_then(|position| places[position]).unwrap_or(place);
                diag.diagnostic(&error, at);
            }
            None
        }
    }
}

/// Whether what a size divides is known once the model's parameters are; other names are reported. Of a sum or a product Rust
/// computes the value itself.
pub(super) fn divides_known(diag: &Diag, size: &Dim, place: Span, constants: &Constants) -> bool {
    let unknown = quotient::is_in(size).then(|| constants.first_unknown(size)).flatten();
    if let Some(name) = &unknown {
        let parameters = || constants.parameters.iter().map(String::as_str);
        diag.report(place, &m::DIVIDED_UNKNOWN, &[name, size, &suggestion(name, parameters()), &list(parameters())]);
    }
    unknown.is_none()
}

/// The value of a key, open where the compiler must know it and parameters say it; `named` keys need not be known.
pub(super) fn opened(value: ConfigValue, named: bool, constants: &Constants) -> ConfigValue {
    match value {
        ConfigValue::Named(size) if (!named || quotient::is_in(&size)) && constants.are_behind(&size) => {
            ConfigValue::Open(vec![size])
        }
        ConfigValue::Open(sizes)
            if !sizes.iter().all(|size| size.as_constant().is_some() || constants.are_behind(size)) =>
        {
            ConfigValue::Other(ConfigValue::Open(sizes).to_string())
        }
        value => value,
    }
}

/// Says what is written here for such a word; `false` where nobody else knows it.
fn foreign_word(
    diag: &Diag,
    (layer, field): (&Layer, &str),
    (key, name): (&Ident, &str),
    (word, place): (&str, Span),
    kernel: Option<&ConfigValue>,
) -> bool {
    let known = layer.config.iter().any(|known| known.name == name);
    if !known && matches!(name, "activation" | "nonlinearity" | "act") {
        diag.report(key.span(), &m::ACTIVATION_KEY, &[&layer.name, &name, &field, &word]);
        return true;
    }
    if !known && let Some(instead) = foreign_key(name, word) {
        diag.report(key.span(), &m::NO_KEY, &[&layer.name, &name, &instead]);
        return true;
    }
    if !known || name != "padding" || !matches!(word, "same" | "valid") {
        return false;
    }
    let half = |size: u64| (size % 2 == 1).then_some(size / 2);
    let padding = match (word, kernel) {
        ("valid", _) => Some("0".to_string()),
        (_, Some(ConfigValue::Size(size))) => half(*size).map(|half| half.to_string()),
        (_, Some(ConfigValue::Pair([height, width]))) => {
            half(*height).zip(half(*width)).map(|(height, width)| format!("({height}, {width})"))
        }
        _ => None,
    };
    let instead = match (word, padding) {
        ("valid", Some(padding)) => format!("write `padding = {padding}`"),
        (_, Some(padding)) => format!("write `padding = {padding}`, which keeps the size where `stride` is 1"),
        (_, None) => {
            "a window of odd size keeps the size with a padding of half of it: write `padding = 1` for `kernel = 3`"
                .into()
        }
    };
    diag.report(place, &m::KEY_WORD, &[&name, &word, &instead]);
    true
}

/// The number that an initialiser's name elsewhere says, or what is written.
fn constant(value: &str) -> &str {
    match value {
        "zeros" | "zero" => "0.0",
        "ones" | "one" => "1.0",
        other => other,
    }
}

/// What there is in place of a key that no layer has, under its names elsewhere.
fn foreign_key(name: &str, value: &str) -> Option<String> {
    Some(match name {
        "weight_init" | "kernel_initializer" | "initializer" | "weight_initializer" => format!(
            "how the weights start is `init`: write `init = {}`, with a number, `uniform(bound)`, `normal(deviation)`, `xavier_uniform` or `kaiming_normal`",
            constant(value)
        ),
        "bias_initializer" => format!("write `bias_init = {}`", constant(value)),
        "share" | "tied" | "tie" | "tie_weights" | "shared_with" => format!("write `shared = {value}`"),
        "sizes" | "layers" | "hidden" | "hidden_sizes" | "dims" | "units" => {
            let sizes: Vec<&str> = value.trim_matches(['[', ']']).split(", ").collect();
            let (inputs, outputs) = match sizes.as_slice() {
                [first @ .., _] if first.len() > 1 => (first.join(", "), sizes[1..].join(", ")),
                _ => ("8, 16".to_string(), "16, 4".to_string()),
            };
            format!(
                "each layer has its own: write `#[layer(inputs = [{inputs}], outputs = [{outputs}])]` above an array or a `Vec` \
                 of layers"
            )
        }
        _ => return training_keys::key(name, value),
    })
}

/// What is written as a key's value; the layer's declaration judges it.
pub(super) fn config_value(value: &Expr, constants: &Constants) -> ConfigValue {
    let other = || match value {
        Expr::Lit(lit) if matches!(&lit.lit, syn::Lit::Int(int) if int.base10_parse::<i64>().is_err()) => {
            ConfigValue::Other(format!("`{}`, which is more than {}", text(value), i32::MAX))
        }
        _ => ConfigValue::Other(text(value)),
    };
    let whole = |value: i64| u64::try_from(value).ok();
    if let Expr::Tuple(tuple) = value {
        let sizes = tuple.elems.iter().map(|elem| match constant::evaluate(elem, constants) {
            Some(Constant::Integer(value)) => whole(value),
            _ => None,
        });
        if let Some([height, width]) = sizes.collect::<Option<Vec<_>>>().as_deref() {
            return ConfigValue::Pair([*height, *width]);
        }
        let sizes = tuple.elems.iter().map(|elem| types::expr_dim(elem, constants)).collect::<Option<Vec<_>>>();
        return match sizes {
            Some(sizes) if sizes.len() == 2 => ConfigValue::Open(sizes),
            _ => other(),
        };
    }
    match constant::evaluate(value, constants) {
        Some(Constant::Integer(known)) => match whole(known) {
            Some(size) => ConfigValue::Size(size),
            None if known.to_string() == text(value).replace(' ', "") => other(),
            None => ConfigValue::Other(format!("`{}`, which is {known}", text(value))),
        },
        Some(Constant::Float(number)) => ConfigValue::Number(number.value),
        Some(Constant::Bool(value)) => ConfigValue::Bool(value),
        None => match types::expr_dim(value, constants) {
            Some(size) => match size.as_constant() {
                Some(size) => whole(size).map_or_else(other, ConfigValue::Size),
                None => ConfigValue::Named(size),
            },
            None => other(),
        },
    }
}

/// The length of an array or `Vec` field; `example` is how one is written.
pub(crate) fn count(diag: &Diag, expr: &Expr, example: &str, constants: &Constants) -> Option<Dim> {
    match constant::evaluate(expr, constants) {
        Some(Constant::Integer(value)) if (1..=words::MAX_ROUNDS).contains(&value) => Some(Dim::constant(value)),
        None => {
            let open = types::expr_dim(expr, constants).filter(|size| constants.are_behind(size));
            if open.is_none() {
                diag.report(expr.span(), &m::COUNT_UNKNOWN, &[&text(expr)]);
            }
            open
        }
        _ => {
            diag.report(expr.span(), &m::ARRAY_LENGTH, &[&words::MAX_ROUNDS, &text(expr), &example]);
            None
        }
    }
}
