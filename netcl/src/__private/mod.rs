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

/// A struct of tensors, whatever it is called where it is named.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no struct of tensors",
    label = "of this netcl knows nothing",
    note = "`#[netcl::tensors]` stands above it, and its fields are tensors with their sizes: `x: Tensor<f32, N, 8>`"
)]
pub trait StructOfTensors {
    /// What tells it from all others.
    const IDENTITY: u64;
}

/// Who asks whether a type is a struct of tensors: `AskedStruct::<Batch>::NEW.of()` is of one type or the other.
pub struct AskedStruct<T>(std::marker::PhantomData<T>);

impl<T> AskedStruct<T> {
    /// The question.
    pub const NEW: Self = AskedStruct(std::marker::PhantomData);
}

/// The answer of one.
pub struct OfTensorsAlone;

/// The answer of another type.
pub struct OfRust;

impl<T: StructOfTensors> AskedStruct<T> {
    /// The answer.
    pub fn of(self) -> OfTensorsAlone {
        OfTensorsAlone
    }
}

/// What `of` is where the type is none.
pub trait AskedOtherwise: Sized {
    /// The answer.
    fn of(self) -> OfRust {
        OfRust
    }
}

impl<T> AskedOtherwise for AskedStruct<T> {}

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
