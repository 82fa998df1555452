//! Paths of what lies in a model.

/// What follows `prefix` in a path that is it or lies under it.
pub(crate) fn under<'p>(prefix: &str, path: &'p str) -> Option<&'p str> {
    let rest = path.strip_prefix(prefix)?;
    if prefix.is_empty() || rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
}

/// What a message calls the part of a model whose paths start with that prefix.
pub(crate) fn named(prefix: &str) -> String {
    match prefix.trim_end_matches('.') {
        "" => "the whole model".to_owned(),
        path => format!("the part `{path}`"),
    }
}
