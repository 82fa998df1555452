//! The text of a plan's program, in pieces of which equal ones are kept once: a template's text follows the definitions
//! of each of its instances, and would otherwise be most of what a plan takes in the user's binary.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A program's text.
///
/// ```
/// use netcl_kernels::plan::source::ProgramText;
///
/// let mut source = ProgramText::default();
/// for piece in ["#define N 1\n", "int n = N;\n", "#define N 2\n", "int n = N;\n"] {
///     source.push(piece);
/// }
/// assert_eq!(source.to_string(), "#define N 1\nint n = N;\n#define N 2\nint n = N;\n");
/// assert!(source.kept() < source.len());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedText")]
pub struct ProgramText {
    /// Each once.
    pieces: Vec<String>,
    /// Positions of pieces, as they follow each other.
    order: Vec<u32>,
}

/// What is read of a [`ProgramText`].
#[derive(Deserialize)]
struct UncheckedText {
    pieces: Vec<String>,
    order: Vec<u32>,
}

impl TryFrom<UncheckedText> for ProgramText {
    type Error = String;

    fn try_from(UncheckedText { pieces, order }: UncheckedText) -> Result<ProgramText, String> {
        match order.iter().find(|&&position| position as usize >= pieces.len()) {
            Some(position) => Err(format!("piece {position} of a source of {} pieces", pieces.len())),
            None => Ok(ProgramText { pieces, order }),
        }
    }
}

impl ProgramText {
    /// Appends a piece: a text that is likely to come again as a whole is best given as a piece of its own.
    pub fn push(&mut self, piece: impl Into<String>) {
        let piece = piece.into();
        if piece.is_empty() {
            return;
        }
        let known = self.pieces.iter().position(|known| *known == piece);
        let position = known.unwrap_or_else(|| {
            self.pieces.push(piece);
            self.pieces.len() - 1
        });
        self.order.push(position as u32);
    }

    /// The pieces as they follow each other.
    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        self.order.iter().filter_map(|&position| self.pieces.get(position as usize)).map(String::as_str)
    }

    /// Whether there is no text.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Bytes of the text.
    pub fn len(&self) -> usize {
        self.pieces().map(str::len).sum()
    }

    /// Bytes of the pieces.
    pub fn kept(&self) -> usize {
        self.pieces.iter().map(String::len).sum()
    }

    /// Whether `text` stands inside a piece.
    pub fn mentions(&self, text: &str) -> bool {
        self.pieces.iter().any(|piece| piece.contains(text))
    }
}

/// The whole text.
impl fmt::Display for ProgramText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|piece| f.write_str(piece))
    }
}

impl From<String> for ProgramText {
    fn from(text: String) -> ProgramText {
        let mut source = ProgramText::default();
        source.push(text);
        source
    }
}

impl From<&str> for ProgramText {
    fn from(text: &str) -> ProgramText {
        ProgramText::from(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pieces_are_written_once_and_read_back_in_place() {
        let template = "void f(void) {}\n".repeat(100);
        let mut source = ProgramText::default();
        for number in 0..20 {
            source.push(format!("#define K {number}\n"));
            source.push(&*template);
            source.push("");
        }
        let written = serde_json::to_string(&source).unwrap();
        assert!(written.len() < 2 * template.len(), "{} bytes for {}", written.len(), source.len());
        let read: ProgramText = serde_json::from_str(&written).unwrap();
        assert_eq!(read, source);
        let whole: String = (0..20).map(|number| format!("#define K {number}\n{template}")).collect();
        assert_eq!((read.to_string(), read.len()), (whole.clone(), whole.len()));
        assert!(read.mentions("K 19") && !read.mentions("K 20"));
    }

    #[test]
    fn a_damaged_source_is_refused() {
        let error = serde_json::from_str::<ProgramText>(r#"{"pieces":["a","b"],"order":[0,2]}"#).unwrap_err();
        assert!(error.to_string().starts_with("piece 2 of a source of 2 pieces"), "{error}");
        assert!(ProgramText::from("").is_empty() && !ProgramText::from("a").is_empty());
    }
}
