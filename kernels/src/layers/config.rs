//! A layer's configuration: its keys, and values for them from what a user wrote.

use super::Layer;
use crate::dim::{Dim, Symbol};
use crate::span::{Diagnostic, Result, Span};

/// What one configuration key takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigKind {
    /// A positive integer, or the name of one that is known when the model is made.
    Size,
    /// A positive integer that the compiler must know.
    Fixed,
    /// An integer, zero allowed.
    Count,
    /// One integer or a pair `(height, width)`; stored as two.
    Pair,
    /// A float constant.
    Number,
    /// `true` or `false`.
    Bool,
}

impl ConfigKind {
    /// What it takes, for messages and documentation.
    pub fn describe(self) -> &'static str {
        match self {
            ConfigKind::Size | ConfigKind::Fixed => "an integer of at least 1",
            ConfigKind::Count => "an integer of at least 0",
            ConfigKind::Pair => "an integer or a pair `(height, width)`",
            ConfigKind::Number => "a number",
            ConfigKind::Bool => "`true` or `false`",
        }
    }
}

/// A value of a configuration key.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfigValue {
    /// For `Size`, `Fixed` and `Count`.
    Size(u64),
    /// For `Size` in a model whose sizes have names: arithmetic on them.
    Named(Dim),
    /// For `Pair`.
    Pair([u64; 2]),
    /// For `Number`.
    Number(f64),
    /// For `Bool`.
    Bool(bool),
    /// For no key: something else, as it was written.
    Other(String),
}

impl ConfigValue {
    /// A size: a number where it is one.
    pub fn of(size: Dim) -> Self {
        match size.as_constant() {
            Some(value) => ConfigValue::Size(value.max(0) as u64),
            None => ConfigValue::Named(size),
        }
    }
}

impl std::fmt::Display for ConfigValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConfigValue::Size(value) => write!(f, "{value}"),
            ConfigValue::Named(dim) => write!(f, "{dim}"),
            ConfigValue::Pair([height, width]) => write!(f, "({height}, {width})"),
            // `{:?}` keeps small numbers short: `1e-5`.
            ConfigValue::Number(value) => write!(f, "{value:?}"),
            ConfigValue::Bool(value) => write!(f, "{value}"),
            ConfigValue::Other(text) => f.write_str(text),
        }
    }
}

/// One key of `#[layer(key = value, ..)]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConfigKey {
    /// The key.
    pub name: &'static str,
    /// What it takes.
    pub kind: ConfigKind,
    /// What it is when left out; `None`: it must be given.
    pub default: Option<ConfigValue>,
    /// One line, with units.
    pub doc: &'static str,
}

impl ConfigKey {
    pub(super) const fn required(name: &'static str, kind: ConfigKind, doc: &'static str) -> Self {
        ConfigKey { name, kind, default: None, doc }
    }

    pub(super) const fn size(name: &'static str, doc: &'static str) -> Self {
        Self::required(name, ConfigKind::Size, doc)
    }

    pub(super) const fn fixed(name: &'static str, doc: &'static str) -> Self {
        Self::required(name, ConfigKind::Fixed, doc)
    }

    pub(super) const fn pair(name: &'static str, default: u64, doc: &'static str) -> Self {
        ConfigKey { name, kind: ConfigKind::Pair, default: Some(ConfigValue::Pair([default; 2])), doc }
    }

    pub(super) const fn number(name: &'static str, default: f64, doc: &'static str) -> Self {
        ConfigKey { name, kind: ConfigKind::Number, default: Some(ConfigValue::Number(default)), doc }
    }

    pub(super) const fn bool(name: &'static str, default: bool, doc: &'static str) -> Self {
        ConfigKey { name, kind: ConfigKind::Bool, default: Some(ConfigValue::Bool(default)), doc }
    }
}

/// A layer's configuration: one value per key of its declaration, in that order.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The keys' declaration.
    pub keys: &'static [ConfigKey],
    /// The values.
    pub values: Vec<ConfigValue>,
}

/// The largest integer a key takes: sizes and coordinates are `i32` on devices.
const LARGEST: u64 = i32::MAX as u64;

impl Config {
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
        let mut missing: Vec<&ConfigKey> = layer.config.iter().filter(|key| key.default.is_none()).collect();
        for (name, value, span) in pairs {
            let (name, span) = (*name, *span);
            let Some(position) = layer.config.iter().position(|key| key.name == name) else {
                errors.push(unknown_key(layer, name).at(span));
                // One slip is one mistake: the key that is meant is not missing as well.
                let meant = nearest(name, layer.config.iter().map(|key| key.name));
                missing.retain(|key| Some(key.name) != meant);
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
        if !missing.is_empty() {
            let each: Vec<String> = missing.iter().map(|key| format!("`{}`: {}", key.name, key.doc)).collect();
            let hint: Vec<String> =
                missing.iter().map(|key| format!("{} = {}", key.name, some_value(key.kind))).collect();
            let hint = match pairs.is_empty() {
                true => format!("write `#[layer({})]` above the field", hint.join(", ")),
                false => format!("write `{}`", hint.join(", ")),
            };
            errors.push(Diagnostic::new(format!("`{}` needs {}", layer.name, each.join("; "))).hint(hint));
        }
        match (values.into_iter().collect::<Option<Vec<_>>>(), errors.is_empty()) {
            (Some(values), true) => {
                let config = Config { keys: layer.config, values };
                (layer.check)(&config).map_err(|error| vec![error])?;
                Ok(config)
            }
            _ => Err(errors),
        }
    }

    fn value(&self, name: &str) -> &ConfigValue {
        let position = self.keys.iter().position(|key| key.name == name);
        &self.values[position.unwrap_or_else(|| panic!("layer declarations only ask for their own keys, not `{name}`"))]
    }

    /// The size called `name`.
    pub fn size(&self, name: &str) -> Dim {
        match self.value(name) {
            ConfigValue::Size(value) => Dim::constant(*value as i64),
            ConfigValue::Named(dim) => dim.clone(),
            other => panic!("`{name}` is {other:?}, not a size"),
        }
    }

    /// The integer called `name`, of a key that takes no names.
    pub fn count(&self, name: &str) -> u64 {
        match self.value(name) {
            ConfigValue::Size(value) => *value,
            other => panic!("`{name}` is {other:?}, not a number"),
        }
    }

    /// The configuration with every name of a size replaced by what `with` gives for it.
    pub fn substitute(&self, with: &dyn Fn(&Symbol) -> Option<Dim>) -> Config {
        let values = self.values.iter().map(|value| match value {
            ConfigValue::Named(dim) => ConfigValue::of(dim.substitute(with)),
            other => other.clone(),
        });
        Config { keys: self.keys, values: values.collect() }
    }

    /// The pair called `name`.
    pub fn pair(&self, name: &str) -> [u64; 2] {
        match self.value(name) {
            ConfigValue::Pair(value) => *value,
            other => panic!("`{name}` is {other:?}, not a pair"),
        }
    }

    /// The float called `name`.
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            ConfigValue::Number(value) => *value,
            other => panic!("`{name}` is {other:?}, not a number"),
        }
    }

    /// The truth value called `name`.
    pub fn bool(&self, name: &str) -> bool {
        match self.value(name) {
            ConfigValue::Bool(value) => *value,
            other => panic!("`{name}` is {other:?}, not a bool"),
        }
    }
}

/// `value` as `kind` stores it: an integer serves as a pair and as a number.
fn accept(kind: ConfigKind, value: &ConfigValue) -> Option<ConfigValue> {
    let whole = || value.clone();
    match (kind, value) {
        (ConfigKind::Size | ConfigKind::Fixed, ConfigValue::Size(size)) => (1..=LARGEST).contains(size).then(whole),
        (ConfigKind::Size, ConfigValue::Named(_)) => Some(whole()),
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
        .hint(format!("write {}", example(key)))
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
            format!("`{name} = {value}`; in a model also the name of a `#[netcl::constant]`")
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

/// The candidate that `name` is most likely a slip of: at most a third of its letters differ, or it is the one that
/// PyTorch's name for the same thing means.
pub fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    const SYNONYMS: &[(&str, &str)] = &[
        ("in_features", "inputs"),
        ("out_features", "outputs"),
        ("in_channels", "inputs"),
        ("out_channels", "outputs"),
        ("kernel_size", "kernel"),
        ("num_features", "features"),
        ("normalized_shape", "features"),
        ("num_embeddings", "entries"),
        ("embedding_dim", "features"),
        ("embed_dim", "features"),
        ("num_heads", "heads"),
        ("p", "rate"),
        ("eps", "epsilon"),
        ("elementwise_affine", "affine"),
        ("start_dim", "from"),
    ];
    for &(_, own) in SYNONYMS.iter().filter(|(theirs, _)| *theirs == name) {
        if let Some(found) = candidates.clone().find(|candidate| *candidate == own) {
            return Some(found);
        }
    }
    let (distance, found) = candidates.map(|candidate| (edit_distance(name, candidate), candidate)).min()?;
    (distance * 3 <= name.chars().count().max(3)).then_some(found)
}

/// How many letters must be inserted, deleted, replaced or exchanged with the next to turn one into the other (the
/// optimal string alignment distance).
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}
