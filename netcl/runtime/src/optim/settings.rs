//! Settings of optimizers that make no sense.

use crate::error::{Error, Result};

/// What is said of numbers that no `f32` is.
pub(super) const SINGLE: &str = "numbers up to 3.4e38, as steps are computed in `f32`";

/// Refuses what is no number from 0 on, or none of `f32`'s.
///
/// # Errors
///
/// [`Error::Setting`], which names the optimizer, the setting, what was given and what is accepted.
pub fn not_negative(optimizer: &str, setting: &'static str, value: f64) -> Result<()> {
    not_negative_in(optimizer, setting, value, None)
}

/// The same of a setting in the group of that name, if in one.
pub(super) fn not_negative_in(optimizer: &str, setting: &'static str, value: f64, group: Option<&str>) -> Result<()> {
    let accepted = match value {
        value if !(value >= 0.0 && value.is_finite()) => "a finite number of at least 0",
        value if !(value as f32).is_finite() => SINGLE,
        _ => return Ok(()),
    };
    Err(refused(optimizer, setting, format!("{}{}", shown(value), in_group(group)), accepted))
}

/// What a message says behind what is set for a group.
pub(super) fn in_group(group: Option<&str>) -> String {
    group.map(|group| format!(" for `{group}`")).unwrap_or_default()
}

/// A number as one would write it: not with hundreds of digits.
pub(super) fn shown(value: f64) -> String {
    match value.abs() {
        size if size != 0.0 && size.is_finite() && !(1e-6..1e16).contains(&size) => format!("{value:e}"),
        _ => value.to_string(),
    }
}

/// Refuses a setting unless it `fits`.
///
/// # Errors
///
/// [`Error::Setting`], which names the optimizer, the setting, what was given and what is accepted.
pub fn accept(
    optimizer: &str,
    setting: &'static str,
    value: impl std::fmt::Display,
    fits: bool,
    accepted: &'static str,
) -> Result<()> {
    if fits { Ok(()) } else { Err(refused(optimizer, setting, value.to_string(), accepted)) }
}

/// That a setting is none that is accepted.
pub(super) fn refused(optimizer: &str, setting: &'static str, given: String, accepted: &'static str) -> Error {
    Error::Setting { operation: optimizer.to_owned(), setting, given, accepted }
}
