//! Launch geometry under given symbol values.

use crate::error::{Error, Result};
use netcl_hal::device::geometry::Geometry;
use netcl_kernels::dim::{Bindings, Dim};
use netcl_kernels::kir::Launch;

/// The geometry of a step; `None` if it has no work-items at all.
pub(crate) fn of(function: &str, label: &str, launch: &Launch, bindings: Bindings<'_>) -> Result<Option<Geometry>> {
    let dimensions = launch.global.len();
    let plan = |problem: String| Error::Plan { function: function.to_owned(), problem };
    if !(1..=3).contains(&dimensions) || !(launch.local.is_empty() || launch.local.len() == dimensions) {
        return Err(plan(format!("step `{label}` has {dimensions} launch dimensions")));
    }
    let (mut global, mut local) = ([1; 3], [1; 3]);
    for (axis, dim) in launch.global.iter().enumerate() {
        let items = usize::try_from(value(function, label, dim, bindings)?)
            .map_err(|_| plan(format!("step `{label}` has a negative number of work-items: {dim}")))?;
        if items == 0 {
            return Ok(None);
        }
        global[axis] = items;
        if let Some(&size) = launch.local.get(axis) {
            if size == 0 {
                return Err(plan(format!("step `{label}` has a work-group size of 0")));
            }
            local[axis] = size as usize;
            global[axis] = items.next_multiple_of(size as usize);
        }
    }
    Ok(Some(Geometry { dimensions, global, local: (!launch.local.is_empty()).then_some(local) }))
}

/// The value of a size that a step needs.
pub(crate) fn value(function: &str, label: &str, dim: &Dim, bindings: Bindings<'_>) -> Result<i64> {
    dim.evaluate(bindings).ok_or_else(|| Error::Plan {
        function: function.to_owned(),
        problem: format!("step `{label}` needs {dim}, which is not known or overflows with {}", show(bindings)),
    })
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
