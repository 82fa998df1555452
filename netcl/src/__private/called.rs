//! What a function's name stands for where a body calls an operation by that name.

/// The operation.
pub struct Operation;

/// What is called.
pub struct Called<'a, T>(pub &'a T);

/// A type that no function of scalars takes, and that generic functions do.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Other;

/// A kernel or a function of tensors.
pub trait OfTensors {}

/// Functions that take anything, such as `std::cmp::max`, are no functions of netcl's.
impl<T: Fn(Other, Other) -> Other> Called<'_, T> {
    /// The operation.
    pub fn not_generic(self) -> &'static Operation {
        &Operation
    }
}

impl<T: OfTensors> Called<'_, T> {
    /// The operation.
    pub fn of_elements(self) -> &'static Operation {
        &Operation
    }
}

/// What has none of the above: rustc takes these functions where it finds none that are the type's own.
pub trait CalledOtherwise<'a> {
    /// What it is.
    type Itself;
    /// What it is.
    fn not_generic(self) -> &'a Self::Itself;
    /// What it is.
    fn of_elements(self) -> &'a Self::Itself;
}

impl<'a, T> CalledOtherwise<'a> for Called<'a, T> {
    type Itself = T;
    fn not_generic(self) -> &'a T {
        self.0
    }
    fn of_elements(self) -> &'a T {
        self.0
    }
}
