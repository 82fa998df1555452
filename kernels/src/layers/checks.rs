//! Checks that several layers make of their configuration.

use super::config::Config;
use crate::dim::Dim;
use crate::span::{Diagnostic, Result};

/// For layers whose keys need no further checks.
pub(super) fn unchecked(_: &Config) -> Result<()> {
    Ok(())
}

/// An error if a stride, dilation or window of `key` is zero.
pub(super) fn positive_pair(layer: &str, config: &Config, key: &str) -> Result<()> {
    let [height, width] = config.pair(key);
    if height > 0 && width > 0 {
        return Ok(());
    }
    let found = if height == width { height.to_string() } else { format!("({height}, {width})") };
    let instead = match [height.max(1), width.max(1)] {
        [height, width] if height == width => height.to_string(),
        [height, width] => format!("({height}, {width})"),
    };
    Err(Diagnostic::new(format!("`{key}` of `{layer}` must be at least 1, found {found}"))
        .hint(format!("write `{key} = {instead}`")))
}

/// An error if a stride, dilation or window of `key` along one axis is zero.
pub(super) fn positive_count(layer: &str, config: &Config, key: &str) -> Result<()> {
    if config.count(key) > 0 {
        return Ok(());
    }
    Err(Diagnostic::new(format!("`{key}` of `{layer}` must be at least 1, found 0")).hint(format!("write `{key} = 1`")))
}

/// An error if `epsilon` is not above zero.
pub(super) fn positive_epsilon(layer: &str, config: &Config) -> Result<()> {
    let epsilon = config.number("epsilon");
    if epsilon > 0.0 {
        return Ok(());
    }
    Err(Diagnostic::new(format!("`epsilon` of `{layer}` must be above 0, found {epsilon}")))
}

/// An error if `features` cannot be seen to be so many parts as `key` says, each of which is called `part`.
pub(super) fn divides_features(layer: &str, key: &str, part: &str, config: &Config) -> Result<()> {
    if part_of_features(config, key).is_some() {
        return Ok(());
    }
    let (features, parts) = (config.size("features"), config.count(key));
    let problem = Diagnostic::new(format!(
        "`{key}` of `{layer}` must divide `features`, found `{key} = {parts}` and `features = {features}`"
    ));
    Err(match features.as_constant().and_then(|features| u64::try_from(features).ok()) {
        Some(features) => problem.hint(format!("write `{key} = {}`", divisor(parts, &[features]))),
        None => problem.hint(format!("write `features = {{ {parts} * WIDTH }}`, where `WIDTH` is that of a {part}")),
    })
}

/// Features of one of so many parts as `key` says, where that can be seen to be whole.
pub(super) fn part_of_features(config: &Config, key: &str) -> Option<Dim> {
    config.size("features").exact_div(&Dim::constant(config.count(key) as i64))
}

/// The largest number up to `wanted` that divides all of `numbers`.
pub(super) fn divisor(wanted: u64, numbers: &[u64]) -> u64 {
    let largest = numbers.iter().copied().min().unwrap_or(1).min(wanted);
    let fits = |candidate: &u64| numbers.iter().all(|number| number.is_multiple_of(*candidate));
    // A number of heads or groups is small, and so are those below it; what is absurd is answered by one.
    (1..=largest.min(1 << 16)).rev().find(fits).unwrap_or(1)
}
