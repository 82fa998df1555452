//! What a function's name stands for where a body calls an operation by that name.

/// The operation.
pub struct CalledOperation;

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
    pub fn not_generic(self) -> Called<'static, CalledOperation> {
        Called(&CalledOperation)
    }
}

impl<T: OfTensors> Called<'_, T> {
    /// The operation.
    pub fn of_elements(self) -> Called<'static, CalledOperation> {
        Called(&CalledOperation)
    }
}

/// What has none of the above: rustc takes these functions where it finds none that are the type's own.
pub trait CalledOtherwise: Sized {
    /// Itself.
    fn not_generic(self) -> Self {
        self
    }
    /// Itself.
    fn of_elements(self) -> Self {
        self
    }
}

impl<T> CalledOtherwise for Called<'_, T> {}
