//! What is said of an environment variable.

/// One variable.
#[derive(Debug, PartialEq)]
pub(super) struct Variable {
    pub(super) name: &'static str,
    /// What a value may be; the error for any other says it.
    pub(super) accepted: &'static str,
    /// What it does, as a row of the table in `docs/environment.md`.
    #[cfg_attr(not(test), allow(dead_code, reason = "the test that keeps the page in step reads it"))]
    pub(super) row: Row,
}

/// What the table says about a variable.
#[derive(Debug, PartialEq)]
#[cfg_attr(not(test), allow(dead_code, reason = "the test that keeps the page in step reads it"))]
pub(super) struct Row {
    pub(super) meaning: &'static str,
    pub(super) unset: Unset,
}

/// What holds where a variable is not set.
#[derive(Debug, PartialEq)]
#[cfg_attr(not(test), allow(dead_code, reason = "the test that keeps the page in step reads it"))]
pub(super) enum Unset {
    /// In words.
    Words(&'static str),
    /// This number.
    Number(u64),
}
