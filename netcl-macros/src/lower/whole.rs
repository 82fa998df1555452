//! Methods of whole numbers that are known while compiling: what they give is a whole number too.

use super::Val;
use netcl_kernels::dim::Dim;

/// The method's value. `None` of other methods, of what is not known, and where Rust has no value (a divisor of zero).
pub(super) fn method<'a>(name: &str, receiver: &Val<'a>, args: &[Val<'a>]) -> Option<Val<'a>> {
    let x = constant(receiver)?;
    let args: Vec<i64> = args.iter().map(constant).collect::<Option<_>>()?;
    let value = match (name, args.as_slice()) {
        ("abs", []) => x.checked_abs()?,
        ("signum" | "sign", []) => x.signum(),
        ("clamp", [low, high]) => x.max(*low).min(*high),
        ("rem_euclid", [divisor]) => x.checked_rem_euclid(*divisor)?,
        ("div_euclid", [divisor]) => x.checked_div_euclid(*divisor)?,
        _ => return None,
    };
    Some(Val::Dim(Dim::constant(value)))
}

fn constant(value: &Val<'_>) -> Option<i64> {
    match value {
        Val::Dim(dim) => dim.as_constant(),
        _ => None,
    }
}
