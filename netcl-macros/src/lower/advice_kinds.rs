//! What is written for an error of the compiler's by whoever knows how its operation came to be called.

use netcl_kernels::ops;

/// What is to be written, where an operation that is evaluated next does not fit.
#[derive(Clone)]
pub(super) enum Advice {
    /// In the place of the error's own hint.
    Instead(String),
    /// Behind it.
    Also(String),
}

impl Advice {
    /// The hint of an error that has one of its own, or none.
    pub(super) fn with(self, hint: Option<String>) -> String {
        match (self, hint) {
            (Advice::Also(also), Some(hint)) => format!("{hint}; {also}"),
            (Advice::Instead(advice) | Advice::Also(advice), _) => advice,
        }
    }

    /// Of an operation that is called by its name alone with so many arguments, where a function may be meant.
    pub(super) fn own_is_meant(name: &str, given: usize) -> Option<Advice> {
        let operation = ops::find(name)?;
        if operation.args.len() == given {
            return Some(Advice::Also(own_is_called(name)));
        }
        let args = operation.args.iter().map(|arg| arg.name).collect::<Vec<_>>().join(", ");
        Some(Advice::Instead(format!(
            "the operation is called as `{name}({args})`, a function or a kernel of your own by that name as `self::{name}(..)`"
        )))
    }
}

/// What is said of an operation that is called by its name alone: a function may be meant.
pub(super) fn own_is_called(name: &str) -> String {
    format!("a function or a kernel of your own by that name is called as `self::{name}(..)`")
}
