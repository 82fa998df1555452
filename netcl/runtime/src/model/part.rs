//! Models as fields of others.

use super::{Gradients, ModelCore, Schema, Whole};
use crate::error::Result;

/// What `#[netcl::model]` implements so that one model can be a field of another.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no model",
    label = "not a model",
    note = "write `#[netcl::model]` above its struct"
)]
pub trait Part: Sized {
    /// The generated struct of its gradients.
    type Gradients;

    /// The generated struct of the fields that functions read, of which rustc says which are not.
    type Fields;

    /// What is wrong with the sizes of the model or its parts, where a number that must be at least 1 is not: for models that
    /// leave it out for that number.
    const WRONG_SIZE: Option<&'static str> = None;

    /// Compiles for sizes that are at least 1 only, those of its parts among them: where rustc compiles a call of it.
    fn check_sizes() {}

    /// What its memory holds, as [`super::Model::schema`] says.
    fn part_schema() -> Schema;

    /// The part of `core` whose paths start with `prefix` (empty, or with a trailing dot).
    fn attach(core: &ModelCore, prefix: &str) -> Self;

    /// That it is the part of `whole` in that field, or at a position of a list that the field is, and that so are its own parts.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Assigned`] where it is not.
    fn check_in(&self, whole: &Whole<'_>, field: &str, position: Option<usize>) -> Result<()>;

    /// The gradients of that part; the prefix is that in the whole model, whatever part `all` is of.
    fn gradients(all: &Gradients, prefix: &str) -> Self::Gradients;
}
