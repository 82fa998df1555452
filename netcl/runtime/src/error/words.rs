//! Parts of the messages.

use netcl_kernels::span::Diagnostic;

/// What the compiler says names the operation already, or gets its name in front.
pub(super) fn of(operation: &str, diagnostic: &Diagnostic) -> String {
    let name = format!("`{operation}`");
    if diagnostic.message.contains(&name) { String::new() } else { name + ": " }
}

/// As much of an expression as tells which one it is: what surrounds the character at `column`, counted from 1.
pub(super) fn around(expression: &str, column: usize) -> String {
    const SHOWN: usize = 60;
    let first = column.saturating_sub(SHOWN / 2);
    let text: String = expression.chars().skip(first).take(SHOWN).collect();
    let rest = expression.chars().nth(first + SHOWN).map_or("", |_| "…");
    format!("{}{text}{rest}", if first > 0 { "…" } else { "" })
}
