//! What the values of variables mean.

pub(super) const SWITCH: &str = "0 or 1 (or off, on, false, true, no, yes)";

/// What kernel selection does with measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Autotune {
    /// None is used or made.
    Off,
    /// Those that are on disk are used.
    Records,
    /// They are used, and what is missing is measured when it is first needed.
    On,
}

pub(super) fn switch(value: &str) -> Option<bool> {
    match value.to_lowercase().as_str() {
        "1" | "on" | "true" | "yes" => Some(true),
        "0" | "off" | "false" | "no" => Some(false),
        _ => None,
    }
}

pub(super) fn autotune(value: &str) -> Option<Autotune> {
    match value.to_lowercase().as_str() {
        "records" => Some(Autotune::Records),
        value => switch(value).map(|on| if on { Autotune::On } else { Autotune::Off }),
    }
}

/// Bytes.
pub(super) fn gibibytes(value: &str) -> Option<u64> {
    bytes(value, 1 << 30)
}

/// Bytes.
pub(super) fn mebibytes(value: &str) -> Option<u64> {
    bytes(value, 1 << 20)
}

fn bytes(value: &str, unit: u64) -> Option<u64> {
    let number: f64 = value.parse().ok()?;
    // More than any machine has is as good as no limit; the conversion saturates there.
    (number.is_finite() && number >= 0.0).then_some((number * unit as f64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_saturate() {
        assert_eq!(gibibytes("0"), Some(0));
        assert_eq!(gibibytes("1e300"), Some(u64::MAX));
        assert_eq!(gibibytes("inf"), None);
        assert_eq!(mebibytes("0.5"), Some(1 << 19));
    }
}
