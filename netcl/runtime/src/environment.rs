//! What the environment says, for programs that ask.

use crate::error::Result;

/// Says whether the variables that netcl heeds have values that it accepts (`docs/environment.md` lists them), for programs
/// that want to know before they do anything. Opening a device asks the same.
///
/// # Errors
///
/// [`crate::Error::Config`] names the first one that has not, its value and what it accepts.
pub fn check_environment() -> Result<()> {
    netcl_hal::config::get()?;
    Ok(())
}
