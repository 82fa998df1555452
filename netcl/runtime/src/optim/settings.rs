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
    accept(optimizer, setting, value, value >= 0.0 && value.is_finite(), "a finite number of at least 0")?;
    accept(optimizer, setting, value, (value as f32).is_finite(), SINGLE)
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
    if fits {
        return Ok(());
    }
    Err(Error::Setting { operation: optimizer.to_owned(), setting, given: value.to_string(), accepted })
}
