//! The text of a plan's program, in pieces of which equal ones are kept once: a template's text follows the definitions
//! of each of its instances, and would otherwise be most of what a plan takes in the user's binary.
//!
//! It says where the text of each kernel begins, so that it can be [divided](Source::divided) into programs that are built
//! side by side.

use crate::sorted;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::fmt;

/// A program's text.
///
/// ```
/// use netcl_kernels::plan::source::Source;
///
/// let mut source = Source::default();
/// for piece in ["#define N 1\n", "int n = N;\n", "#define N 2\n", "int n = N;\n"] {
///     source.push(piece);
/// }
/// assert_eq!(source.to_string(), "#define N 1\nint n = N;\n#define N 2\nint n = N;\n");
/// assert!(source.kept() < source.len());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Parts")]
pub struct Source {
    /// Each once.
    pieces: Vec<String>,
    /// Positions of pieces, as they follow each other.
    order: Vec<u32>,
    /// Kernels, each with the position in `order` where its text begins. What stands before the first is for all of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    kernels: Vec<(String, u32)>,
}

/// What is read of a [`Source`].
#[derive(Deserialize)]
struct Parts {
    pieces: Vec<String>,
    order: Vec<u32>,
    #[serde(default)]
    kernels: Vec<(String, u32)>,
}

impl TryFrom<Parts> for Source {
    type Error = String;

    fn try_from(Parts { pieces, order, kernels }: Parts) -> Result<Source, String> {
        if let Some(position) = order.iter().find(|&&position| position as usize >= pieces.len()) {
            return Err(format!("piece {position} of a source of {} pieces", pieces.len()));
        }
        let starts = || kernels.iter().map(|(_, start)| *start);
        if !starts().is_sorted() || starts().any(|start| start as usize > order.len()) {
            return Err("the kernels of a source do not follow each other".to_owned());
        }
        Ok(Source { pieces, order, kernels })
    }
}

/// Some kernels of a [`Source`] as a program of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its text.
    pub text: String,
    /// The names of its kernels.
    pub kernels: Vec<String>,
}

impl Source {
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

    /// Notes that what is pushed from here on is the text of the kernel `name`, which needs of the rest only what stands
    /// before the first kernel.
    pub fn begin_kernel(&mut self, name: impl Into<String>) {
        self.kernels.push((name.into(), self.order.len() as u32));
    }

    /// Appends a whole program, whose kernels stay together.
    pub fn append(&mut self, other: &Source) {
        let start = self.order.len() as u32;
        self.kernels.extend(other.kernels.iter().map(|(name, _)| (name.clone(), start)));
        other.pieces().for_each(|piece| self.push(piece));
    }

    /// The kernels in at most `most` programs with about as much text each, in which they stand as they do here. A program
    /// whose kernels are not known stays whole.
    pub fn divided(&self, most: usize) -> Vec<Part> {
        let mut units: Vec<(u32, Vec<&String>)> = Vec::new();
        for (name, start) in &self.kernels {
            match units.last_mut().filter(|(last, _)| last == start) {
                Some((_, names)) => names.push(name),
                None => units.push((*start, vec![name])),
            }
        }
        let first = units.first().map_or(self.order.len() as u32, |(start, _)| *start);
        let ends = units.iter().skip(1).map(|(start, _)| *start).chain([self.order.len() as u32]);
        let bounds: Vec<(u32, u32)> = units.iter().map(|(start, _)| *start).zip(ends).collect();
        let length = |(start, end): (u32, u32)| self.text(start, end).map(str::len).sum::<usize>();
        // The longest first, each to the program that has least so far.
        let mut longest: Vec<usize> = (0..units.len()).collect();
        sorted::sort_by_key(&mut longest, |&unit| (Reverse(length(bounds[unit])), unit));
        let mut shares: Vec<(usize, Vec<usize>)> = vec![(0, Vec::new()); most.clamp(1, units.len().max(1))];
        for unit in longest {
            if let Some(share) = shares.iter_mut().min_by_key(|(text, _)| *text) {
                share.0 += length(bounds[unit]);
                share.1.push(unit);
            }
        }
        let part = |(_, mut own): (usize, Vec<usize>)| {
            sorted::sort(&mut own);
            let mut text: String = self.text(0, first).collect();
            own.iter().for_each(|&unit| text.extend(self.text(bounds[unit].0, bounds[unit].1)));
            let kernels = own.iter().flat_map(|&unit| units[unit].1.iter().map(|name| (*name).clone())).collect();
            Part { text, kernels }
        };
        shares.into_iter().map(part).collect()
    }

    /// The pieces between two positions of the order.
    fn text(&self, start: u32, end: u32) -> impl Iterator<Item = &str> {
        let order = self.order.get(start as usize..end as usize).unwrap_or_default();
        order.iter().filter_map(|&position| self.pieces.get(position as usize)).map(String::as_str)
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
impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|piece| f.write_str(piece))
    }
}

impl From<String> for Source {
    fn from(text: String) -> Source {
        let mut source = Source::default();
        source.push(text);
        source
    }
}

impl From<&str> for Source {
    fn from(text: &str) -> Source {
        Source::from(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_pieces_are_written_once_and_read_back_in_place() {
        let template = "void f(void) {}\n".repeat(100);
        let mut source = Source::default();
        for number in 0..20 {
            source.push(format!("#define K {number}\n"));
            source.push(&*template);
            source.push("");
        }
        let written = serde_json::to_string(&source).unwrap();
        assert!(written.len() < 2 * template.len(), "{} bytes for {}", written.len(), source.len());
        let read: Source = serde_json::from_str(&written).unwrap();
        assert_eq!(read, source);
        let whole: String = (0..20).map(|number| format!("#define K {number}\n{template}")).collect();
        assert_eq!((read.to_string(), read.len()), (whole.clone(), whole.len()));
        assert!(read.mentions("K 19") && !read.mentions("K 20"));
    }

    /// A program of kernels with so many characters each, and something for all of them.
    fn program(kernels: &[(&str, usize)]) -> Source {
        let mut source = Source::from("shared;");
        for (name, length) in kernels {
            source.begin_kernel(*name);
            source.push(name.repeat(*length));
        }
        source
    }

    #[test]
    fn kernels_are_shared_out_by_their_text_and_stand_in_their_order() {
        let source = program(&[("a", 5), ("b", 9), ("c", 4), ("d", 1)]);
        let texts = |most: usize| source.divided(most).into_iter().map(|part| part.text).collect::<Vec<_>>();
        assert_eq!(texts(1), [source.to_string()]);
        assert_eq!(texts(0), texts(1));
        assert_eq!(texts(2), ["shared;bbbbbbbbbd", "shared;aaaaacccc"]);
        assert_eq!(texts(9).len(), 4, "no program without a kernel");
        let names: Vec<Vec<String>> = source.divided(2).into_iter().map(|part| part.kernels).collect();
        assert_eq!(names, [["b", "d"], ["a", "c"]]);
        let whole = Source::from("__kernel void unknown() {}").divided(4);
        assert_eq!((whole.len(), &*whole[0].text), (1, "__kernel void unknown() {}"));
        let written = serde_json::to_string(&source).unwrap();
        assert_eq!(serde_json::from_str::<Source>(&written).unwrap(), source);
    }

    #[test]
    fn what_was_appended_stays_together() {
        let mut source = Source::default();
        source.append(&program(&[("a", 1), ("b", 1)]));
        source.append(&program(&[("c", 1)]));
        let parts = source.divided(8);
        assert_eq!(parts.iter().map(|part| &*part.text).collect::<Vec<_>>(), ["shared;ab", "shared;c"]);
        assert_eq!(parts[0].kernels, ["a", "b"]);
    }

    #[test]
    fn a_damaged_source_is_refused() {
        let error = serde_json::from_str::<Source>(r#"{"pieces":["a","b"],"order":[0,2]}"#).unwrap_err();
        assert!(error.to_string().starts_with("piece 2 of a source of 2 pieces"), "{error}");
        for kernels in [r#"[["f",3]]"#, r#"[["f",1],["g",0]]"#] {
            let text = format!(r#"{{"pieces":["a","b"],"order":[0,1],"kernels":{kernels}}}"#);
            let error = serde_json::from_str::<Source>(&text).unwrap_err();
            assert!(error.to_string().starts_with("the kernels of a source do not follow each other"), "{error}");
        }
        assert!(Source::from("").is_empty() && !Source::from("a").is_empty());
    }
}
