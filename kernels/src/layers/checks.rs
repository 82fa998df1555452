//! Checks that several layers make of their configuration.

use super::config::Config;
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

/// An error if `epsilon` is not above zero.
pub(super) fn positive_epsilon(layer: &str, config: &Config) -> Result<()> {
    let epsilon = config.number("epsilon");
    if epsilon > 0.0 {
        return Ok(());
    }
    Err(Diagnostic::new(format!("`epsilon` of `{layer}` must be above 0, found {epsilon}")))
}

/// The largest number up to `wanted` that divides all of `numbers`.
pub(super) fn divisor(wanted: u64, numbers: &[u64]) -> u64 {
    let largest = numbers.iter().copied().min().unwrap_or(1).min(wanted);
    let fits = |candidate: &u64| numbers.iter().all(|number| number.is_multiple_of(*candidate));
    // A number of heads or groups is small, and so are those below it; what is absurd is answered by one.
    (1..=largest.min(1 << 16)).rev().find(fits).unwrap_or(1)
}
