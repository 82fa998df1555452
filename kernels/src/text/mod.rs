//! What the text forms of graphs ([`crate::graph::text`]) and kernels ([`crate::kir::text`]) share: words and signs, and how they
//! are read one after the other.

mod cursor;
mod lex;

pub(crate) use cursor::{Cursor, Parsed};
pub(crate) use lex::{Token, unescape};

use crate::span::Diagnostic;

/// Where a text is not the text of a kernel or graph, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct ParseError {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    /// What was found and what was expected.
    pub message: String,
}

impl From<ParseError> for Diagnostic {
    fn from(error: ParseError) -> Diagnostic {
        Diagnostic::new(error.to_string())
    }
}
