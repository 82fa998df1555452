//! The helper attributes of fields. Nothing here stops at an error: all of them are reported.

use super::constant::{self, Constants};
use super::{text, types};
use crate::ast::{Constant, LayerField};
use crate::diag::Diag;
use crate::messages as m;
use crate::words;
use netcl_kernels::dim::Dim;
use netcl_kernels::dtype::DType;
use netcl_kernels::layers::{Config, ConfigValue, Init, Layer};
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
    let mut pairs: Vec<(Ident, Expr)> = Vec::new();
    if matches!(attr.meta, syn::Meta::Path(_)) {
        return Pairs { given: pairs, broken: false };
    }
    match attr.parse_args_with(Punctuated::<MetaNameValue, Token![,]>::parse_terminated) {
        Err(error) => {
            diag.in_attribute(&error, attr, "key = value, ..");
            return Pairs { given: pairs, broken: true };
        }
        Ok(metas) => {
            for meta in metas {
                let Some(key) = meta.path.get_ident().cloned() else {
                    diag.in_attribute(&syn::Error::new(meta.path.span(), "expected a key"), attr, "key = value, ..");
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

/// Rule: what is compiled is known to be there. Wrong: `#[cfg(test)] hidden: Linear` in a model, whose size in memory
/// follows before anybody looks at the condition.
pub(crate) fn decided(diag: &Diag, attrs: &[Attribute]) {
    for attr in attrs {
        if let Some(name) = ["cfg", "cfg_attr"].into_iter().find(|name| attr.path().is_ident(name)) {
            diag.report(attr.span(), &m::CFG, &[&name]);
        }
    }
}

/// Whether Rust has an attribute of that name that a function can have.
pub(crate) fn is_of_rust(name: &Ident) -> bool {
    const KNOWN: [&str; 12] =
        ["allow", "warn", "deny", "forbid", "expect", "doc", "deprecated", "inline", "must_use", "cold", "cfg", "test"];
    KNOWN.iter().any(|known| name == known)
}

/// The attribute under another name, at its place.
pub(crate) fn rename(attr: &mut Attribute, name: &str) {
    let name = Ident::new(name, attr.path().span());
    match &mut attr.meta {
        syn::Meta::Path(path) => *path = name.into(),
        syn::Meta::List(list) => list.path = name.into(),
        syn::Meta::NameValue(pair) => pair.path = name.into(),
    }
}

/// Whether it is one of Rust's own, which means on a field what it means elsewhere, or a tool's.
pub(crate) fn is_rusts(attr: &Attribute) -> bool {
    const NAMES: [&str; 9] = ["doc", "allow", "warn", "deny", "forbid", "expect", "deprecated", "cfg", "cfg_attr"];
    const TOOLS: [&str; 3] = ["rustfmt", "clippy", "diagnostic"];
    let tool = attr.path().segments.first().is_some_and(|first| TOOLS.iter().any(|name| first.ident == name));
    tool || NAMES.iter().any(|name| attr.path().is_ident(name))
}

/// Those that belong on a function, and those that belong on the value that stands for it.
pub(crate) fn of_functions(attrs: &[Attribute]) -> (Vec<&Attribute>, Vec<&Attribute>) {
    const FUNCTIONS: [&str; 5] = ["inline", "must_use", "cold", "track_caller", "target_feature"];
    attrs.iter().partition(|attr| FUNCTIONS.iter().any(|name| attr.path().is_ident(name)))
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
    pairs: Pairs,
    place: Span,
    constants: &Constants,
) -> Option<LayerField> {
    let mut places = vec![None; layer.config.len()];
    let mut given = Vec::new();
    for (key, value) in &pairs.given {
        let name = key.to_string();
        let known = layer.config.iter().position(|known| known.name == name);
        let at = known.map_or(key.span(), |_| value.span());
        if let Some(position) = known {
            places[position] = Some(at);
        }
        given.push((name, config_value(value, constants), diag.id(at)));
    }
    let given: Vec<_> = given.iter().map(|(name, value, at)| (name.as_str(), value.clone(), *at)).collect();
    match Config::from_pairs(layer, &given) {
        Ok(config) => Some(LayerField { layer, config, places }),
        Err(errors) => {
            for error in errors {
                // What several keys say together is wrong at the one that the message names first.
                let named = error.message.strip_prefix('`').and_then(|rest| rest.split_once("` of "));
                let key = named.and_then(|(name, _)| layer.config.iter().position(|key| key.name == name));
                let at = key.and_then(|position| places[position]).unwrap_or(place);
                diag.diagnostic(&error, at);
            }
            None
        }
    }
}

/// What is written as a key's value; the layer's declaration judges it.
fn config_value(value: &Expr, constants: &Constants) -> ConfigValue {
    let other = || ConfigValue::Other(text(value));
    let whole = |value: i64| u64::try_from(value).ok();
    if let Expr::Tuple(tuple) = value {
        let sizes = tuple.elems.iter().map(|elem| match constant::evaluate(elem, constants) {
            Some(Constant::Integer(value)) => whole(value),
            _ => None,
        });
        return match sizes.collect::<Option<Vec<_>>>().as_deref() {
            Some([height, width]) => ConfigValue::Pair([*height, *width]),
            _ => other(),
        };
    }
    match constant::evaluate(value, constants) {
        Some(Constant::Integer(value)) => whole(value).map_or_else(other, ConfigValue::Size),
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

/// A float, or an integer taken as one.
pub(crate) fn number(expr: &Expr, constants: &Constants) -> Option<f64> {
    match constant::evaluate(expr, constants)? {
        Constant::Integer(value) => Some(value as f64),
        Constant::Float(number) => Some(number.value),
        Constant::Bool(_) => None,
    }
}

/// `0.0`, `uniform(0.1)` or `normal(0.02)`, as a tensor of type `dtype` (`None`: not known) has it.
pub(crate) fn init(diag: &Diag, expr: &Expr, dtype: Option<DType>, constants: &Constants) -> Option<Init<Dim>> {
    let number = |expr: &Expr| number(expr, constants).filter(|value| dtype.unwrap_or(DType::F64).reaches(*value));
    let init = match expr {
        Expr::Call(call) if call.args.len() == 1 => {
            let value = number(&call.args[0]).filter(|value| *value >= 0.0 && value.is_finite());
            match (text(&call.func).as_str(), value) {
                ("uniform", Some(bound)) => Some(Init::Uniform { bound }),
                ("normal", Some(std)) => Some(Init::Normal { std }),
                _ => None,
            }
        }
        _ => number(expr).map(Init::Constant),
    };
    if init.is_none() {
        diag.report(expr.span(), &m::PARAMETER_INIT, &[&text(expr)]);
    }
    init
}

/// The length of an array or `Vec` field; `example` is how one is written.
pub(crate) fn count(diag: &Diag, expr: &Expr, example: &str, constants: &Constants) -> Option<usize> {
    match constant::evaluate(expr, constants) {
        Some(Constant::Integer(value)) if (1..=words::MAX_ROUNDS).contains(&value) => Some(value as usize),
        _ => {
            diag.report(expr.span(), &m::ARRAY_LENGTH, &[&words::MAX_ROUNDS, &text(expr), &example]);
            None
        }
    }
}
