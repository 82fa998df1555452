//! Which functions a text calls, and which it defines.

use crate::program::{blank, literal};
use std::collections::BTreeSet;

/// What stands before `(` and is no function.
const WORDS: [&str; 15] = [
    "aligned",
    "asm",
    "defined",
    "do",
    "else",
    "for",
    "if",
    "reqd_work_group_size",
    "return",
    "sizeof",
    "switch",
    "vec_type_hint",
    "volatile",
    "while",
    "work_group_size_hint",
];

/// The identifiers of a text in OpenCL C.
#[derive(Default)]
pub(super) struct Calls {
    /// All of them.
    pub(super) named: BTreeSet<String>,
    /// Those in front of a parenthesis.
    called: BTreeSet<String>,
    /// Functions and macros of the text's own.
    defined: BTreeSet<String>,
    /// Whether the preprocessor puts names together.
    pub(super) pastes: bool,
}

impl Calls {
    pub(super) fn of(text: &str) -> Calls {
        let text = code(text);
        let mut calls = Calls { pastes: text.contains("##"), ..Calls::default() };
        let mut before: Option<(&str, &str)> = None;
        for (name, rest) in identifiers(&text) {
            calls.named.insert(name.to_owned());
            if rest.trim_start().starts_with('(') {
                // A function's type, or `define`, stands before its name where it is defined: `float f(`, `float* f(`.
                let is_definition = before.is_some_and(|(word, behind)| {
                    let between = &behind[..behind.len() - rest.len() - name.len()];
                    !WORDS.contains(&word) && between.trim_start_matches('*').trim().is_empty()
                });
                let to = if is_definition { &mut calls.defined } else { &mut calls.called };
                to.insert(name.to_owned());
            }
            before = Some((name, rest));
        }
        calls
    }

    /// Whether it calls `name`, which neither it nor the language defines. Names of capitals are macros, and parameters of such.
    pub(super) fn is_unknown(&self, name: &str) -> bool {
        let of_language = WORDS.contains(&name) || name.starts_with("as_") || name.starts_with('_');
        let of_macros = !name.contains(|c: char| c.is_ascii_lowercase());
        self.called.contains(name) && !self.defined.contains(name) && !of_language && !of_macros
    }
}

/// The text without comments, what stands in quotes, and directives other than `#define`.
fn code(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut kept = Vec::with_capacity(bytes.len());
    let (mut at, mut starts_line) = (0, true);
    while at < bytes.len() {
        if let Some(end) = blank(bytes, at) {
            starts_line |= bytes[at] == b'\n';
            kept.push(if bytes[at] == b'\n' { b'\n' } else { b' ' });
            at = end;
            continue;
        }
        let rest = &bytes[at..];
        at += match rest[0] {
            quote @ (b'"' | b'\'') => literal(rest, quote),
            b'#' if starts_line => {
                // It ends what stands before it.
                kept.push(b';');
                let directive = rest[1..].trim_ascii_start();
                match directive.starts_with(b"define") {
                    true => 1,
                    false => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
                }
            }
            other => {
                kept.push(other);
                1
            }
        };
        starts_line = false;
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// Each identifier of the text, with what follows it.
fn identifiers(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            let start = rest.find(|c: char| c.is_ascii_alphanumeric() || c == '_')?;
            let word = &rest[start..];
            let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(word.len());
            rest = &word[end..];
            // Digits begin a number.
            if !word.starts_with(|c: char| c.is_ascii_digit()) {
                return Some((&word[..end], rest));
            }
        }
    })
}
