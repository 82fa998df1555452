//! Launch geometry under given symbol values.

use crate::error::{Error, Result};
use netcl_kernels::dim::{Bindings, Dim};
use netcl_kernels::kir::{Geometry, GeometryError, Launch};

/// The geometry of a step; `None` if it has no work-items at all.
pub(crate) fn of(function: &str, label: &str, launch: &Launch, bindings: Bindings<'_>) -> Result<Option<Geometry>> {
    launch.geometry(bindings).map_err(|error| match error {
        GeometryError::Unknown(dim) => unknown(function, label, &dim, bindings),
        other => Error::Plan { function: function.to_owned(), problem: format!("step `{label}` {other}") },
    })
}

fn unknown(function: &str, label: &str, dim: &Dim, bindings: Bindings<'_>) -> Error {
    let problem = format!("step `{label}` {} with {}", GeometryError::Unknown(dim.clone()), show(bindings));
    Error::Plan { function: function.to_owned(), problem }
}

/// The value of a size that a step needs.
pub(crate) fn value(function: &str, label: &str, dim: &Dim, bindings: Bindings<'_>) -> Result<i64> {
    dim.evaluate(bindings).ok_or_else(|| unknown(function, label, dim, bindings))
}

/// A size as kernels take it: 32 bits, and the same number whether they are signed or not.
pub(crate) fn value_u32(function: &str, label: &str, dim: &Dim, bindings: Bindings<'_>) -> Result<u32> {
    let value = value(function, label, dim, bindings)?;
    i32::try_from(value).ok().and_then(|value| u32::try_from(value).ok()).ok_or_else(|| Error::Plan {
        function: function.to_owned(),
        problem: format!("step `{label}` needs {dim} = {value}, not within 0..2^31, with {}", show(bindings)),
    })
}

/// `N = 8, T = 4`.
pub(crate) fn show(bindings: Bindings<'_>) -> String {
    let list: Vec<String> = bindings.iter().map(|(symbol, value)| format!("{symbol} = {value}")).collect();
    if list.is_empty() { "no symbols".to_owned() } else { list.join(", ") }
}
