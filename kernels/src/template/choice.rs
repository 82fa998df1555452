//! Tunables, and a value for each of them.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

/// A macro that a tuner may set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tunable {
    /// The macro's name.
    pub name: &'static str,
    /// What the `.cl` file takes if nobody defines it.
    pub default: u32,
    /// What is worth trying.
    pub values: &'static [u32],
}

/// A value for each tunable, in the template's order or the one they were given in, which equality and order do not look at.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(try_from = "Vec<(String, u32)>")]
pub struct Choice(Vec<(Cow<'static, str>, u32)>);

impl TryFrom<Vec<(String, u32)>> for Choice {
    type Error = String;

    /// As it is read from records: with a value for no tunable twice.
    fn try_from(values: Vec<(String, u32)>) -> Result<Self, String> {
        let mut choice = Choice::default();
        for (name, value) in values {
            if choice.iter().any(|(known, _)| known == name) {
                return Err(format!("{name} has two values"));
            }
            choice.set(name, value);
        }
        Ok(choice)
    }
}

impl PartialEq for Choice {
    fn eq(&self, other: &Self) -> bool {
        // Names are distinct, so that each of its own stands for another one of the other's.
        self.0.len() == other.0.len() && self.0.iter().all(|own| other.0.contains(own))
    }
}

impl Eq for Choice {}

impl PartialOrd for Choice {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Choice {
    fn cmp(&self, other: &Self) -> Ordering {
        self.sorted().cmp(&other.sorted())
    }
}

impl Hash for Choice {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.sorted().hash(state);
    }
}

impl Choice {
    /// A choice of these values; of two for one tunable the last.
    pub fn new(values: &[(&'static str, u32)]) -> Self {
        values.iter().fold(Choice::default(), |mut choice, (name, value)| {
            choice.set(*name, *value);
            choice
        })
    }

    /// By name.
    fn sorted(&self) -> Vec<(&str, u32)> {
        let mut values: Vec<_> = self.iter().collect();
        values.sort();
        values
    }

    /// The value of a tunable; 0, which no tunable but `FORM` takes, if the choice does not name it.
    pub fn get(&self, name: &str) -> u32 {
        self.0.iter().find(|(known, _)| *known == name).map_or(0, |(_, value)| *value)
    }

    /// Gives a tunable a value.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>, value: u32) {
        let name = name.into();
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// The same without a value for `name`.
    #[must_use]
    pub fn without(&self, name: &str) -> Choice {
        Choice(self.0.iter().filter(|(known, _)| *known != name).cloned().collect())
    }

    /// The values, in the order in which they were given.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32)> + '_ {
        self.0.iter().map(|(name, value)| (name.as_ref(), *value))
    }

    /// One `#define` for each value.
    pub fn defines(&self) -> String {
        self.iter().fold(String::new(), |mut text, (name, value)| {
            let _ = writeln!(text, "#define {name} {value}");
            text
        })
    }
}

/// Every combination of the values of `tunables`, legal or not; the empty one where there are none.
pub(crate) fn every_choice(tunables: &[Tunable]) -> impl Iterator<Item = Choice> {
    let count: usize = tunables.iter().map(|tunable| tunable.values.len()).product();
    (0..count).map(move |mut index| {
        let mut choice = Choice::default();
        for tunable in tunables {
            choice.set(tunable.name, tunable.values[index % tunable.values.len()]);
            index /= tunable.values.len();
        }
        choice
    })
}
