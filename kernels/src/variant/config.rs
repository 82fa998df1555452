//! Answers: which variant, with which tunables, and who gives them.

use super::{SPLIT_K, Task, Variant};
use crate::dim::{Bindings, Dim};
use crate::template::Choice;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a task is computed: a variant and the values of its tunables.
///
/// The text form is `matmul_tiled TILE=16`; [`KernelConfig::parse`] reads it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KernelConfig {
    /// Which implementation.
    pub variant: Variant,
    /// A value for each of its tunables; none where it has none.
    #[serde(default)]
    pub values: Choice,
}

impl KernelConfig {
    /// A variant with these tunables.
    pub fn new(variant: Variant, values: Choice) -> Self {
        KernelConfig { variant, values }
    }

    /// A variant without tunables.
    pub fn plain(variant: Variant) -> Self {
        KernelConfig { variant, values: Choice::default() }
    }

    /// Whether it asks for other nodes than the one that it is for.
    pub(crate) fn rewrites(&self) -> bool {
        self.variant.rewrites() || self.values.get(SPLIT_K) > 1
    }

    /// Reads the text form, tunables in any order. `None` for what is none, which includes two values for one tunable;
    /// whether the values suit anything is for [`super::legal`] to say.
    pub fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_whitespace();
        let mut config = KernelConfig::plain(Variant::parse(words.next()?)?);
        for word in words {
            let (name, value) = word.split_once('=')?;
            if config.values.iter().any(|(known, _)| known == name) {
                return None;
            }
            config.values.set(name.to_owned(), value.parse().ok()?);
        }
        Some(config)
    }
}

impl fmt::Display for KernelConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.variant.name())?;
        self.values.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))
    }
}

/// Who answers the compiler's questions. Answers that are not [`super::legal`] are not taken.
pub trait Select {
    /// How `task` is to be computed; `None` leaves it to the compiler's own rule ([`super::default_config`]).
    ///
    /// It is asked once for each task of a graph, and its answers must not depend on when.
    fn select(&self, task: &Task<Dim>) -> Option<KernelConfig>;

    /// The values of symbols that the answers are for: an answer must be legal for these. Where they do not give a size,
    /// it is the likely one ([`Task::estimate`]).
    fn sizes(&self) -> Bindings<'_> {
        &[]
    }
}

/// Leaves every task to the compiler's own rule.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults;

impl Select for Defaults {
    fn select(&self, _: &Task<Dim>) -> Option<KernelConfig> {
        None
    }
}

/// Gives one answer to every task of its family, and no other: for tuning and self-tests of that configuration.
#[derive(Clone, Debug)]
pub struct Always(pub KernelConfig);

impl Select for Always {
    fn select(&self, task: &Task<Dim>) -> Option<KernelConfig> {
        (task.family() == self.0.variant.family()).then(|| self.0.clone())
    }
}

/// What was decided for one task of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Decision {
    /// What is computed.
    pub task: Task<Dim>,
    /// How.
    pub config: KernelConfig,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeSet, HashSet};

    #[test]
    fn the_text_form_parses() {
        let config = KernelConfig::new(Variant::MatMulNaive, Choice::new(&[("LOCAL_M", 4), ("LOCAL_N", 16)]));
        assert_eq!(config.to_string(), "matmul_naive LOCAL_M=4 LOCAL_N=16");
        assert_eq!(KernelConfig::parse(&config.to_string()), Some(config.clone()));
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<KernelConfig>(&json).unwrap(), config);
        for wrong in
            ["", "matmul", "matmul_naive LOCAL_M", "matmul_naive LOCAL_M=-1", "matmul_naive LOCAL_M=4 LOCAL_M=4"]
        {
            assert_eq!(KernelConfig::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn the_order_of_tunables_makes_no_difference() {
        let [one, other, less] = ["SPLIT_K=2 TILE=16", "TILE=16 SPLIT_K=2", "TILE=16 SPLIT_K=1"]
            .map(|values| KernelConfig::parse(&format!("matmul_tiled {values}")).unwrap());
        assert_eq!(one, other);
        assert_eq!(HashSet::from([one.clone(), other.clone(), less.clone()]).len(), 2);
        assert_eq!(BTreeSet::from([one.clone(), other.clone(), less.clone()]).len(), 2);
        assert_ne!(one, less);
        assert_ne!(one.values, Choice::new(&[("TILE", 16)]));
        assert_eq!(Choice::new(&[("TILE", 8), ("TILE", 16)]), Choice::new(&[("TILE", 16)]));
        let twice = r#"{"variant":"matmul_tiled","values":[["TILE",16],["TILE",8]]}"#;
        assert!(serde_json::from_str::<KernelConfig>(twice).unwrap_err().to_string().contains("TILE has two values"));
        let turned = r#"{"variant":"matmul_tiled","values":[["SPLIT_K",2],["TILE",16]]}"#;
        assert_eq!(serde_json::from_str::<KernelConfig>(turned).unwrap(), other);
    }
}
