//! A layer's configuration: its keys, and a value for each.

use crate::dim::{Dim, Symbol};

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
    /// For what the compiler must know, in a model that is generic over it: arithmetic on names whose numbers each use of the
    /// model gives. One size, or two for `Pair`.
    Open(Vec<Dim>),
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

    /// What is open once names have become numbers: one size or two; open as before where a name is left.
    pub fn given(sizes: Vec<Dim>) -> Self {
        let numbers = sizes.iter().map(Dim::as_constant).collect::<Option<Vec<_>>>();
        match numbers.as_deref() {
            None => ConfigValue::Open(sizes),
            Some([one]) => u64::try_from(*one).map_or_else(|_| ConfigValue::Other(one.to_string()), ConfigValue::Size),
            Some(numbers) => {
                let whole = numbers.iter().map(|number| u64::try_from(*number).ok()).collect::<Option<Vec<_>>>();
                match whole.as_deref() {
                    Some([height, width]) => ConfigValue::Pair([*height, *width]),
                    _ => ConfigValue::Other(list(numbers)),
                }
            }
        }
    }
}

/// Several as a pair is written: `(3, 5)`; one as it is.
fn list<T: std::fmt::Display>(values: &[T]) -> String {
    match values {
        [one] => one.to_string(),
        several => format!("({})", several.iter().map(T::to_string).collect::<Vec<_>>().join(", ")),
    }
}

impl From<usize> for ConfigValue {
    fn from(size: usize) -> Self {
        ConfigValue::Size(size as u64)
    }
}

impl From<i32> for ConfigValue {
    /// A size; what is negative is none, and refused as any value that a key does not take.
    fn from(size: i32) -> Self {
        u64::try_from(size).map_or_else(|_| ConfigValue::Other(size.to_string()), ConfigValue::Size)
    }
}

impl From<(usize, usize)> for ConfigValue {
    fn from((height, width): (usize, usize)) -> Self {
        ConfigValue::Pair([height as u64, width as u64])
    }
}

impl From<f64> for ConfigValue {
    fn from(number: f64) -> Self {
        ConfigValue::Number(number)
    }
}

impl From<bool> for ConfigValue {
    fn from(truth: bool) -> Self {
        ConfigValue::Bool(truth)
    }
}

impl std::fmt::Display for ConfigValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ConfigValue::Size(value) => write!(f, "{value}"),
            ConfigValue::Named(dim) => write!(f, "{dim}"),
            ConfigValue::Pair([height, width]) => write!(f, "({height}, {width})"),
            ConfigValue::Open(sizes) => f.write_str(&list(sizes)),
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

    pub(super) const fn count(name: &'static str, default: u64, doc: &'static str) -> Self {
        let default = Some(ConfigValue::Size(default));
        ConfigKey { name, kind: ConfigKind::Count, default, doc }
    }

    /// A count of at least 1.
    pub(super) const fn step(name: &'static str, default: u64, doc: &'static str) -> Self {
        let default = Some(ConfigValue::Size(default));
        ConfigKey { name, kind: ConfigKind::Fixed, default, doc }
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

impl Config {
    fn value(&self, name: &str) -> &ConfigValue {
        let position = self.keys.iter().position(|key| key.name == name);
        &self.values[position.unwrap_or_else(|| panic!("layer declarations only ask for their own keys, not `{name}`"))]
    }

    /// The size called `name`.
    pub fn size(&self, name: &str) -> Dim {
        match self.value(name) {
            ConfigValue::Size(value) => Dim::constant(*value as i64),
            ConfigValue::Named(dim) => dim.clone(),
            ConfigValue::Open(sizes) if sizes.len() == 1 => sizes[0].clone(),
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

    /// Whether something that the compiler must know is open: such a layer has no tensors and no graph yet, and nothing that
    /// keys say together has been checked.
    pub fn is_open(&self) -> bool {
        self.values.iter().any(|value| matches!(value, ConfigValue::Open(_)))
    }

    /// The sizes that are open: of a pair such as `(1, HOLES)`, the second.
    pub fn open(&self) -> impl Iterator<Item = &Dim> {
        let open = self.values.iter().flat_map(|value| match value {
            ConfigValue::Open(sizes) => sizes.as_slice(),
            _ => &[],
        });
        open.filter(|size| size.as_constant().is_none())
    }

    /// The values with every name of a size replaced by what `with` gives for it, as if they had been written so.
    pub(super) fn substituted(&self, with: &dyn Fn(&Symbol) -> Option<Dim>) -> Vec<ConfigValue> {
        let values = self.values.iter().map(|value| match value {
            ConfigValue::Named(dim) => ConfigValue::of(dim.substitute(with)),
            ConfigValue::Open(sizes) => ConfigValue::given(sizes.iter().map(|size| size.substitute(with)).collect()),
            other => other.clone(),
        });
        values.collect()
    }

    /// What stands for the configuration where something is open and only the names of tensors are asked for.
    pub fn closed(&self) -> Config {
        let values = self.keys.iter().zip(&self.values).map(|(key, value)| match value {
            ConfigValue::Open(_) if key.kind == ConfigKind::Pair => ConfigValue::Pair([1; 2]),
            ConfigValue::Open(_) => ConfigValue::Size(1),
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
