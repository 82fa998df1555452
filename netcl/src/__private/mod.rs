//! What code made by netcl's macros calls. Not for people; changes without notice.

mod called;

pub use called::{Called, CalledOperation, CalledOtherwise, OfTensors};
pub use netcl_macros::__resume;
pub use netcl_runtime::__private::*;

/// A struct of tensors, made of its fields where nobody can name it: as a field of another, whose type says what is made.
pub trait Composed<Fields> {
    /// The struct.
    fn compose(fields: Fields) -> Self;
}

/// Who asks whether the prelude is in scope.
pub struct Prelude;

/// What generated code needs of netcl it names itself, so that the prelude of a file that holds models alone would count as
/// unused. `Prelude.note_use()` is a use of it: this trait, which the prelude brings, comes before the function of that name
/// that is there without it.
pub trait UsesPrelude {
    /// Nothing.
    fn note_use(self);
}

impl UsesPrelude for Prelude {
    fn note_use(self) {}
}

impl Prelude {
    /// Nothing, where the prelude is not in scope.
    pub fn note_use(&self) {}
}
