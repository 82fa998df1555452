//! The helper attributes of fields. Nothing here stops at an error: all of them are reported.

use super::constant::{self, Constants};
use super::{list, suggestion, text, types};
use crate::ast::{Constant, LayerField};
use crate::diag::Diag;
use crate::messages as m;
use crate::words;
use netcl_kernels::dim::Dim;
use netcl_kernels::layers::{Config, ConfigKind, ConfigValue, Init, Layer};
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
    let before = diag.count();
    let keys = || layer.config.iter().map(|key| key.name);
    let mut values = vec![None; layer.config.len()];
    let mut places = vec![None; layer.config.len()];
    for (key, value) in pairs.given {
        let name = key.to_string();
        let Some(position) = layer.config.iter().position(|known| known.name == name) else {
            diag.report(key.span(), &m::UNKNOWN_KEY, &[&layer.name, &name, &suggestion(&name, keys()), &list(keys())]);
            continue;
        };
        places[position] = Some(value.span());
        let kind = layer.config[position].kind;
        values[position] = config_value(kind, &value, constants);
        if values[position].is_none() {
            diag.report(value.span(), &m::KEY_TYPE, &[&name, &kind_name(kind), &text(&value), &example(kind, &name)]);
        }
    }
    for (position, key) in layer.config.iter().enumerate() {
        if values[position].is_none() {
            values[position] = key.default.clone();
            if key.default.is_none() && places[position].is_none() {
                diag.report(place, &m::MISSING_KEY, &[&layer.name, &key.name, &key.doc, &key.name]);
            }
        }
    }
    let values: Option<Vec<ConfigValue>> = values.into_iter().collect();
    if diag.count() > before {
        return None;
    }
    let config = Config { keys: layer.config, values: values? };
    if let Err(error) = (layer.check)(&config) {
        diag.diagnostic(&error, place);
        return None;
    }
    Some(LayerField { layer, config, places })
}

fn kind_name(kind: ConfigKind) -> &'static str {
    match kind {
        ConfigKind::Size => "a number of at least 1, or the name of one",
        ConfigKind::Fixed => "a number of at least 1",
        ConfigKind::Count => "a whole number",
        ConfigKind::Pair => "a number or a pair `(height, width)`",
        ConfigKind::Number => "a number",
        ConfigKind::Bool => "`true` or `false`",
    }
}

/// What to write for `key`.
fn example(kind: ConfigKind, key: &str) -> String {
    match kind {
        ConfigKind::Size => format!("`{key} = 64`, or the name of a `const`: `{key} = WIDTH`"),
        ConfigKind::Fixed | ConfigKind::Count => format!("`{key} = 4`, or the name of a `#[netcl::constant]`"),
        ConfigKind::Pair => format!("`{key} = 3` or `{key} = (3, 5)`"),
        ConfigKind::Number => format!("`{key} = 0.5`"),
        ConfigKind::Bool => format!("`{key} = true`"),
    }
}

fn config_value(kind: ConfigKind, value: &Expr, constants: &Constants) -> Option<ConfigValue> {
    let whole = |expr: &Expr| match constant::evaluate(expr, constants)? {
        Constant::Integer(value) => u64::try_from(value).ok().filter(|&value| value <= u64::from(u32::MAX)),
        _ => None,
    };
    match (kind, value) {
        (ConfigKind::Pair, Expr::Tuple(tuple)) if tuple.elems.len() == 2 => {
            Some(ConfigValue::Pair([whole(&tuple.elems[0])?, whole(&tuple.elems[1])?]))
        }
        (ConfigKind::Pair, _) => whole(value).map(|value| ConfigValue::Pair([value, value])),
        (ConfigKind::Size, _) => {
            let size = types::expr_dim(value, constants)?;
            let fits = |value: i64| (1..=i64::from(u32::MAX)).contains(&value);
            size.as_constant().is_none_or(fits).then(|| ConfigValue::of(size))
        }
        (ConfigKind::Fixed, _) => whole(value).filter(|&value| value > 0).map(ConfigValue::Size),
        (ConfigKind::Count, _) => whole(value).map(ConfigValue::Size),
        (ConfigKind::Number, _) => number(value, constants).map(ConfigValue::Number),
        (ConfigKind::Bool, _) => match constant::evaluate(value, constants)? {
            Constant::Bool(value) => Some(ConfigValue::Bool(value)),
            _ => None,
        },
    }
}

/// A float, or an integer taken as one.
pub(crate) fn number(expr: &Expr, constants: &Constants) -> Option<f64> {
    match constant::evaluate(expr, constants)? {
        Constant::Integer(value) => Some(value as f64),
        Constant::Float(value) => Some(value),
        Constant::Bool(_) => None,
    }
}

/// `0.0`, `uniform(0.1)` or `normal(0.02)`.
pub(crate) fn init(diag: &Diag, expr: &Expr, constants: &Constants) -> Option<Init<Dim>> {
    let init = match expr {
        Expr::Call(call) if call.args.len() == 1 => {
            let value = number(&call.args[0], constants).filter(|value| *value >= 0.0 && value.is_finite());
            match (text(&call.func).as_str(), value) {
                ("uniform", Some(bound)) => Some(Init::Uniform { bound }),
                ("normal", Some(std)) => Some(Init::Normal { std }),
                _ => None,
            }
        }
        _ => number(expr, constants).map(Init::Constant),
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
