//! What commands print: tables and text for people, JSON for programs, progress on a terminal.
//!
//! Tables by hand, and not `comfy-table`: 20 lines that pad.

use crate::failure::{Failure, Result};
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use std::io::{ErrorKind, IsTerminal, Write};
use std::ops::Deref;

/// Where and how to print.
#[derive(Debug)]
pub(crate) struct Output {
    json: bool,
    colour: bool,
}

impl Output {
    pub(crate) fn new(json: bool) -> Output {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        Output { json, colour: wanted && std::io::stdout().is_terminal() }
    }

    /// Whether programs are to read it.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints a text as it is. A reader who has seen enough (`| head`) is no error.
    pub(crate) fn text(&self, text: &str) -> Result<()> {
        let mut stdout = std::io::stdout().lock();
        match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
            result => Ok(result?),
        }
    }

    /// Prints a line for people on standard error. There is nobody left to tell if that fails.
    pub(crate) fn note(text: &str) {
        let _ = writeln!(std::io::stderr(), "{text}");
    }

    /// Prints JSON.
    pub(crate) fn value(&self, value: &Value) -> Result<()> {
        self.text(&format!("{value:#}\n"))
    }

    /// Says why a command was not done: to people on standard error, and to programs as JSON too.
    pub(crate) fn failure(&self, failure: &Failure) {
        Self::note(&format!("error: {failure}"));
        if self.json {
            // There is nobody left to tell if this fails.
            let _ = self.value(&json!({ "error": failure.to_string() }));
        }
    }

    /// The text as a heading, on a terminal.
    pub(crate) fn heading(&self, text: &str) -> String {
        if self.colour { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// Columns under headings; those whose heading starts with `>` to the right.
    pub(crate) fn table(&self, headings: &[&str], rows: &[Vec<String>]) -> String {
        let width = |column: usize| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
            cells.chain([headings[column].trim_start_matches('>').chars().count()]).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..headings.len()).map(width).collect();
        let line = |cells: &[String]| {
            let cells = cells.iter().zip(&widths).zip(headings).map(|((cell, &width), heading)| {
                if heading.starts_with('>') { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
            });
            cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        let headings: Vec<String> = headings.iter().map(|text| text.trim_start_matches('>').to_owned()).collect();
        let mut text = self.heading(&line(&headings));
        text.push('\n');
        for row in rows {
            text.push_str(&line(row));
            text.push('\n');
        }
        text
    }

    /// A bar over that many steps, on standard error and only if that is a terminal.
    pub(crate) fn progress(&self, steps: u64) -> ScopedProgressBar {
        bar(steps, "{bar:32} {pos:>4}/{len} {elapsed} {msg}")
    }

    /// The same where a step is no number that tells anybody anything.
    pub(crate) fn fraction(&self, whole: u64) -> ScopedProgressBar {
        bar(whole, "{bar:32} {percent:>3} % {elapsed} {wide_msg}")
    }
}

/// A bar that goes when it is dropped, on whatever way.
#[derive(Debug)]
pub(crate) struct ScopedProgressBar(ProgressBar);

impl Deref for ScopedProgressBar {
    type Target = ProgressBar;

    fn deref(&self) -> &ProgressBar {
        &self.0
    }
}

impl Drop for ScopedProgressBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn bar(length: u64, template: &str) -> ScopedProgressBar {
    let style = ProgressStyle::with_template(template);
    ScopedProgressBar(ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar())))
}

/// `1.50 GiB`: bytes with a binary prefix.
pub(crate) fn bytes(count: u64) -> String {
    const PREFIXES: [&str; 7] = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
    let mut scaled = count as f64;
    let mut prefix = 0;
    while scaled >= 1024.0 && prefix + 1 < PREFIXES.len() {
        scaled /= 1024.0;
        prefix += 1;
    }
    let digits = if prefix == 0 || scaled.fract() == 0.0 { 0 } else { 2 };
    format!("{scaled:.digits$} {}B", PREFIXES[prefix])
}

/// `12.3 µs`: a duration in the unit that suits it.
pub(crate) fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 1.0 => format!("{s:.2} s"),
        s if s >= 1e-3 => format!("{:.2} ms", s * 1e3),
        s if s >= 1e-6 => format!("{:.2} µs", s * 1e6),
        s => format!("{:.0} ns", s * 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let output = Output { json: false, colour: false };
        let rows = [vec!["a".to_owned(), "1000".to_owned()], vec!["größer".to_owned(), "1".to_owned()]];
        assert_eq!(output.table(&["name", ">n"], &rows), "name       n\na       1000\ngrößer     1\n");
        assert_eq!(output.table(&["name", ">n"], &[]), "name  n\n");
        let coloured = Output { json: false, colour: true };
        assert!(coloured.table(&["name"], &[]).starts_with("\u{1b}[1mname\u{1b}[0m\n"));
    }

    #[test]
    fn a_bar_goes_with_an_error() {
        let fails = |bar: ScopedProgressBar| -> Result<()> {
            let kept = bar.0.clone();
            assert!(!kept.is_finished());
            drop(bar);
            assert!(kept.is_finished());
            Ok(())
        };
        fails(bar(3, "{bar} {pos}")).unwrap();
    }

    #[test]
    fn amounts_suit_their_size() {
        for (count, text) in [
            (0, "0 B"),
            (1023, "1023 B"),
            (1024, "1 KiB"),
            (1536, "1.50 KiB"),
            (64 << 20, "64 MiB"),
            (u64::MAX, "16 EiB"),
        ] {
            assert_eq!(bytes(count), text);
        }
        for (seconds, text) in [(2.0, "2.00 s"), (0.0125, "12.50 ms"), (3.2e-6, "3.20 µs"), (4e-8, "40 ns")] {
            assert_eq!(duration(seconds), text);
        }
    }
}
