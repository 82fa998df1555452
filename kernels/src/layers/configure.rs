//! A layer's configuration from what a user wrote.

use super::config::{Config, ConfigKey, ConfigKind, ConfigValue};
use super::layer::Layer;
use super::nearest::nearest;
use crate::dim::{Dim, Symbol};
use crate::span::{Diagnostic, Result, Span};

/// The largest integer a key takes: sizes and coordinates are `i32` on devices.
const LARGEST: u64 = i32::MAX as u64;

impl Config {
    /// Some configuration of `layer`: what the names of its tensors can be asked of where the user's is wrong.
    pub fn any(layer: &Layer) -> Config {
        let value = |key: &ConfigKey| match (&key.default, key.kind) {
            (Some(value), _) => value.clone(),
            (None, ConfigKind::Size | ConfigKind::Fixed | ConfigKind::Count) => ConfigValue::Size(1),
            (None, ConfigKind::Pair) => ConfigValue::Pair([1; 2]),
            (None, ConfigKind::Number) => ConfigValue::Number(0.5),
            (None, ConfigKind::Bool) => ConfigValue::Bool(true),
        };
        Config { keys: layer.config, values: layer.config.iter().map(value).collect() }
    }

    /// The configuration of `layer` from what the user wrote, in any order; keys left out take their defaults.
    ///
    /// # Errors
    ///
    /// All mistakes: unknown keys (with the known ones and the nearest), keys given twice, values of the
    /// wrong kind, missing keys, and what [`Layer::check`] finds. Errors about a pair carry its span, others
    /// [`Span::NONE`].
    pub fn from_pairs(layer: &Layer, pairs: &[(&str, ConfigValue, Span)]) -> Result<Config, Vec<Diagnostic>> {
        let mut errors = Vec::new();
        let mut values: Vec<Option<ConfigValue>> = vec![None; layer.config.len()];
        let mut given = vec![false; layer.config.len()];
        let mut unknown = false;
        let mut missing: Vec<&ConfigKey> = layer.config.iter().filter(|key| key.default.is_none()).collect();
        for (name, value, span) in pairs {
            let (name, span) = (*name, *span);
            let Some(position) = layer.config.iter().position(|key| key.name == name) else {
                errors.push(unknown_key(layer, name).at(span));
                // One slip is one mistake: what is meant by the key is not missing as well.
                unknown = true;
                continue;
            };
            missing.retain(|key| key.name != name);
            if std::mem::replace(&mut given[position], true) {
                errors.push(Diagnostic::new(format!("`{name}` of `{}` is given twice", layer.name)).at(span));
                continue;
            }
            values[position] = accept(layer.config[position].kind, value);
            if values[position].is_none() {
                errors.push(wrong_kind(layer, &layer.config[position], value).at(span));
            }
        }
        for (position, key) in layer.config.iter().enumerate() {
            if !given[position] {
                values[position] = key.default.clone();
            }
        }
        if !missing.is_empty() && !unknown {
            let each: Vec<String> = missing.iter().map(|key| format!("`{}`: {}", key.name, key.doc)).collect();
            let hint: Vec<String> =
                missing.iter().map(|key| format!("{} = {}", key.name, some_value(key.kind))).collect();
            let hint = match pairs.is_empty() {
                true => format!("write `#[layer({})]` above the field, with sizes of your own", hint.join(", ")),
                false => format!("write `{}`", hint.join(", ")),
            };
            errors.push(Diagnostic::new(format!("`{}` needs {}", layer.name, each.join("; "))).hint(hint));
        }
        match (values.into_iter().collect::<Option<Vec<_>>>(), errors.is_empty()) {
            (Some(values), true) => {
                let config = Config { keys: layer.config, values };
                if !config.is_open() {
                    (layer.check)(&config).map_err(|error| vec![error])?;
                }
                Ok(config)
            }
            _ => Err(errors),
        }
    }

    /// This configuration of `layer` with every name of a size replaced by what `with` gives for it.
    ///
    /// # Errors
    ///
    /// Numbers that the keys do not take, and, once nothing is open, what [`Layer::check`] finds.
    pub fn substitute(&self, layer: &Layer, with: &dyn Fn(&Symbol) -> Option<Dim>) -> Result<Config, Vec<Diagnostic>> {
        let values = self.substituted(with);
        if values == self.values {
            return Ok(self.clone());
        }
        let mut errors = Vec::new();
        let mut accepted = Vec::with_capacity(values.len());
        for (key, value) in layer.config.iter().zip(&values) {
            match accept(key.kind, value) {
                Some(value) => accepted.push(value),
                None => errors.push(wrong_kind(layer, key, value)),
            }
        }
        let config = Config { keys: self.keys, values: accepted };
        if errors.is_empty() && !config.is_open() {
            errors.extend((layer.check)(&config).err());
        }
        if errors.is_empty() { Ok(config) } else { Err(errors) }
    }
}

/// `value` as `kind` stores it: an integer serves as a pair and as a number.
fn accept(kind: ConfigKind, value: &ConfigValue) -> Option<ConfigValue> {
    let whole = || value.clone();
    match (kind, value) {
        (ConfigKind::Size | ConfigKind::Fixed, ConfigValue::Size(size)) => (1..=LARGEST).contains(size).then(whole),
        (ConfigKind::Size, ConfigValue::Named(_)) => Some(whole()),
        (ConfigKind::Pair, ConfigValue::Open(sizes)) => matches!(sizes.len(), 1 | 2).then(whole),
        (ConfigKind::Size | ConfigKind::Fixed | ConfigKind::Count, ConfigValue::Open(sizes)) => {
            (sizes.len() == 1).then(whole)
        }
        (ConfigKind::Count, ConfigValue::Size(size)) => (*size <= LARGEST).then(whole),
        (ConfigKind::Pair, ConfigValue::Size(size)) => (*size <= LARGEST).then_some(ConfigValue::Pair([*size; 2])),
        (ConfigKind::Pair, ConfigValue::Pair([height, width])) => (*height.max(width) <= LARGEST).then(whole),
        (ConfigKind::Number, ConfigValue::Size(size)) => Some(ConfigValue::Number(*size as f64)),
        (ConfigKind::Number, ConfigValue::Number(number)) => (*number as f32).is_finite().then(whole),
        (ConfigKind::Bool, ConfigValue::Bool(_)) => Some(whole()),
        _ => None,
    }
}

fn wrong_kind(layer: &Layer, key: &ConfigKey, value: &ConfigValue) -> Diagnostic {
    let size = match (key.kind, value) {
        (ConfigKind::Number | ConfigKind::Bool, _) => 0,
        (_, ConfigValue::Size(size)) => *size,
        (_, ConfigValue::Pair([height, width])) => *height.max(width),
        _ => 0,
    };
    let limit = if size > LARGEST { format!(" up to {LARGEST}") } else { String::new() };
    let named = matches!((key.kind, value), (ConfigKind::Fixed | ConfigKind::Count, ConfigValue::Named(_)));
    let limit = if named { " whose value the compiler sees".to_string() } else { limit };
    let expected = key.kind.describe();
    Diagnostic::new(format!("`{}` of `{}` expects {expected}{limit}, found {value}", key.name, layer.name))
        .hint(meant(key, value).unwrap_or_else(|| format!("write {}", example(key))))
}

/// What is there instead of a key that a model's parameter would choose by this condition.
fn either(name: &str, condition: &str) -> String {
    format!(
        "write `{name} = true` or `{name} = false`; where a parameter of the model chooses, write a field for each, of type \
         `Option<..>`: one with `{name} = true, present = {condition}`, one with `{name} = false` and the opposite condition"
    )
}

/// What is meant by a value of a kind that is nearly that of the key.
fn meant(key: &ConfigKey, value: &ConfigValue) -> Option<String> {
    let name = key.name;
    match (key.kind, value) {
        (ConfigKind::Bool, ConfigValue::Size(0)) => Some(format!("write `{name} = false`")),
        (ConfigKind::Bool, ConfigValue::Size(1)) => Some(format!("write `{name} = true`")),
        // A pair as lists are written.
        (ConfigKind::Pair, ConfigValue::Other(text)) if text.starts_with('[') && text.matches(',').count() == 1 => {
            Some(format!("a pair stands in parentheses: write `{name} = ({})`", text.trim_matches(['[', ']', ' '])))
        }
        // As Python writes them.
        (ConfigKind::Bool, word) if ["True", "False"].contains(&word.to_string().as_str()) => {
            Some(format!("write `{name} = {}`", word.to_string().to_lowercase()))
        }
        (ConfigKind::Bool, number @ (ConfigValue::Named(_) | ConfigValue::Open(_))) => {
            Some(either(name, &format!("{number} != 0")))
        }
        (ConfigKind::Bool, ConfigValue::Other(text)) if text.contains(['<', '>', '!', '=']) => Some(either(name, text)),
        (ConfigKind::Size | ConfigKind::Fixed | ConfigKind::Count | ConfigKind::Pair, ConfigValue::Number(number))
            if number.fract() == 0.0 && (1.0..1e9).contains(number) =>
        {
            Some(format!("write `{name} = {number:.0}`; a constant of sizes is declared as a `usize`"))
        }
        (ConfigKind::Size | ConfigKind::Fixed | ConfigKind::Count | ConfigKind::Pair, ConfigValue::Other(text)) => {
            let number: u64 = text.strip_prefix('"')?.strip_suffix('"')?.parse().ok()?;
            (number > 0).then(|| format!("numbers stand without quotes: write `{name} = {number}`"))
        }
        _ => None,
    }
}

/// A value that a key of that kind takes.
fn some_value(kind: ConfigKind) -> &'static str {
    match kind {
        ConfigKind::Size => "64",
        ConfigKind::Fixed | ConfigKind::Count => "4",
        ConfigKind::Pair => "3",
        ConfigKind::Number => "0.5",
        ConfigKind::Bool => "true",
    }
}

/// How `key` is given a value.
fn example(key: &ConfigKey) -> String {
    let (name, value) = (key.name, some_value(key.kind));
    match key.kind {
        ConfigKind::Size => format!("`{name} = {value}`; in a model also the name of a `const`"),
        ConfigKind::Fixed | ConfigKind::Count => {
            format!(
                "`{name} = {value}`; in a model also the name of a `#[netcl::constant]`, or of a parameter of the model"
            )
        }
        ConfigKind::Pair => format!("`{name} = {value}` or `{name} = (3, 5)`"),
        ConfigKind::Number | ConfigKind::Bool => format!("`{name} = {value}`"),
    }
}

fn unknown_key(layer: &Layer, name: &str) -> Diagnostic {
    let error = Diagnostic::new(format!("`{}` has no key `{name}`", layer.name));
    if layer.config.is_empty() {
        return error.hint(format!("`{}` takes no keys", layer.name));
    }
    let known: Vec<String> = layer.config.iter().map(|key| format!("`{}`", key.name)).collect();
    let known = known.join(", ");
    match nearest(name, layer.config.iter().map(|key| key.name)) {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`? The keys are {known}")),
        None => error.hint(format!("the keys are {known}")),
    }
}
