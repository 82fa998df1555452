//! Whether the fields of a model are still what it was made with. They are ordinary fields of Rust, which may be assigned, swapped and taken
//! out; its functions compute with its memory all the same.

use crate::error::{Error, Result};
use crate::model::ModelCore;

/// A model whose fields are looked at.
#[derive(Clone, Copy)]
pub struct Whole<'m> {
    /// Its type.
    name: &'static str,
    core: &'m ModelCore,
    prefix: &'m str,
}

impl<'m> Whole<'m> {
    /// A model of the type `name` with that memory, where its paths start with `prefix`.
    pub fn new(name: &'static str, core: &'m ModelCore, prefix: &'m str) -> Whole<'m> {
        Whole { name, core, prefix }
    }

    /// That what is in the field, or at a position of a list that it is, is the part that the model has there: it has this memory, and its
    /// paths start with this prefix.
    ///
    /// # Errors
    ///
    /// [`Error::Assigned`] where it is not.
    pub fn part(&self, core: &ModelCore, prefix: &str, field: &str, position: Option<usize>) -> Result<()> {
        if self.has(core, prefix, field, position) { Ok(()) } else { Err(self.replaced(field, position)) }
    }

    /// Whether a part with that memory, whose paths start with `prefix`, is the one at that place.
    fn has(&self, core: &ModelCore, prefix: &str, field: &str, position: Option<usize>) -> bool {
        let (prefix, own) = (prefix.as_bytes(), self.prefix.as_bytes());
        let start = own.len() + field.len();
        if !core.is(self.core) || prefix.len() <= start || !prefix.starts_with(own) {
            return false;
        }
        let rest = &prefix[start..];
        prefix[own.len()..].starts_with(field.as_bytes())
            && match position {
                None => rest == b".",
                Some(position) => is_position(rest, position),
            }
    }

    #[cold]
    fn replaced(&self, field: &str, position: Option<usize>) -> Error {
        let own = match position {
            Some(position) => format!("{field}.{position}"),
            None => field.to_owned(),
        };
        let path = format!("{}{own}", self.prefix);
        self.assigned(
            field,
            format!(
                "`{path}` was assigned or swapped: the model computes with the one that it was made with, and what is in the field \
                 now is of another model or another place; leave the field as it is, and copy tensors: `for (path, value) in \
                 other.parameters().into_iter().chain(other.states()) {{ model.set_tensor(&format!(\"{path}.{{path}}\"), &value)?; }}`"
            ),
        )
    }

    /// That a list has as many elements as the model has parts there.
    ///
    /// # Errors
    ///
    /// [`Error::Assigned`] where it has not.
    pub fn length(&self, field: &str, found: usize, expected: usize) -> Result<()> {
        if found == expected {
            return Ok(());
        }
        let path = format!("{}{field}", self.prefix);
        Err(self.assigned(
            field,
            format!(
                "`{path}` has {found} elements now: the model was made with {expected} and computes with these; leave the field as \
                 it is: how many there are is the same in each model of the type, and said above the field"
            ),
        ))
    }

    /// What is wrong where an `Option` is `None`, and the model has the part, or the other way about; `of_variant` says that it is the part
    /// of an enum's variant.
    pub fn presence(&self, field: &str, is_there: bool, of_variant: bool) -> Error {
        let (found, made) = if is_there { ("`Some` now", "without it") } else { ("`None` now", "with it") };
        let path = format!("{}{field}", self.prefix);
        let what = match of_variant {
            true => "`with_variants` makes a model of which it is another variant",
            false => "whether it is there is the same in each model of the type",
        };
        self.assigned(
            field,
            format!(
                "`{path}` is {found}: the model was made {made}, and so it computes; leave the field as it is: {what}"
            ),
        )
    }

    /// That a number is the one that the functions were compiled with.
    ///
    /// # Errors
    ///
    /// [`Error::Assigned`] where it is not.
    pub fn constant(&self, field: &str, is_same: bool, compiled: impl std::fmt::Display) -> Result<()> {
        if is_same {
            return Ok(());
        }
        let path = format!("{}{field}", self.prefix);
        Err(self.assigned(
            field,
            format!(
                "`{path}` was assigned: the functions are compiled with {compiled}; a number that changes is an argument of the \
                 function, or a tensor with `#[state]`"
            ),
        ))
    }

    #[cold]
    fn assigned(&self, field: &str, problem: String) -> Error {
        Error::Assigned { model: self.name.to_owned(), field: field.to_owned(), problem }
    }
}

/// Whether the text is `.position.`.
fn is_position(text: &[u8], position: usize) -> bool {
    let [b'.', digits @ .., b'.'] = text else { return false };
    let number = digits.iter().try_fold(0usize, |number, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        number.checked_mul(10)?.checked_add(usize::from(digit))
    });
    !digits.is_empty() && number == Some(position)
}
