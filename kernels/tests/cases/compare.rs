//! The interpreter's numbers against PyTorch's.

use netcl_fixtures::references::Data;
use netcl_kernels::graph::interp::{HostTensor, Precision};

/// What may differ: the file's rounding in `f64`, what f32 should give in the types themselves.
pub(crate) fn tolerance(precision: Precision) -> f64 {
    match precision {
        Precision::F64 => 1e-8,
        Precision::Typed => 1e-4,
    }
}

/// `found` must be what PyTorch says, NaN and infinities included; an error says where it is not.
pub(crate) fn compare(found: &HostTensor, expected: &Data, precision: Precision) -> Result<(), String> {
    if found.shape() != expected.shape {
        return Err(format!("shape {:?}, expected {:?}", found.shape(), expected.shape));
    }
    for (position, (found, expected)) in found.to_f64().into_iter().zip(expected.values()).enumerate() {
        let close = if expected.is_finite() {
            (found - expected).abs() <= tolerance(precision) * expected.abs().max(1.0)
        } else {
            found == expected || (found.is_nan() && expected.is_nan())
        };
        if !close {
            return Err(format!("element {position} is {found}, expected {expected} ({precision:?})"));
        }
    }
    Ok(())
}
