//! Values as Rust's results and options wrap them.

/// What to write for a value that is wrapped as Rust's results and options are: `Ok(x)`.
pub(crate) fn wrapped(name: &str) -> Option<&'static str> {
    match name {
        "Ok" => Some("the value itself is the result: leave `Ok(..)` out"),
        "Some" => Some("what is given is always there: leave `Some(..)` out"),
        "Err" => Some("nothing fails in what is compiled: ordinary Rust checks what a call is given"),
        _ => None,
    }
}
