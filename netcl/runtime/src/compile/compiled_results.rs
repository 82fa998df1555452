//! What compiled functions give.

use crate::error::Result;
use crate::tensor::Tensor;

/// What a function that [`crate::compile`] takes may give: a tensor, several in a tuple, an array or a vector, or a
/// [`Result`] of these.
#[diagnostic::on_unimplemented(
    message = "a compiled function gives no `{Self}`",
    label = "expected tensors: one, a tuple, an array or a vector, or a `Result` of these",
    note = "numbers are read from tensors after the call, with `item` or `to_vec`; behind the result there is no `;`, which gives `()`; errors of your own are returned by what calls it"
)]
pub trait CompiledResults {
    /// What a call gives.
    type Given: CompiledResults<Given = Self::Given> + Clone;

    /// `X`, which rustc does not know where these are no results.
    #[doc(hidden)]
    type Told<X>;

    #[doc(hidden)]
    fn told<X>(it: X) -> Self::Told<X>;

    #[doc(hidden)]
    fn into_tensors(self) -> Result<Vec<Tensor>>;

    /// As many as there were.
    #[doc(hidden)]
    fn from_tensors(tensors: Vec<Tensor>) -> Option<Self::Given>;
}

impl CompiledResults for Tensor {
    type Given = Tensor;
    type Told<X> = X;

    fn told<X>(it: X) -> X {
        it
    }

    fn into_tensors(self) -> Result<Vec<Tensor>> {
        Ok(vec![self])
    }

    fn from_tensors(mut tensors: Vec<Tensor>) -> Option<Tensor> {
        tensors.pop()
    }
}

impl CompiledResults for Vec<Tensor> {
    type Given = Vec<Tensor>;
    type Told<X> = X;

    fn told<X>(it: X) -> X {
        it
    }

    fn into_tensors(self) -> Result<Vec<Tensor>> {
        Ok(self)
    }

    fn from_tensors(tensors: Vec<Tensor>) -> Option<Vec<Tensor>> {
        Some(tensors)
    }
}

impl<const N: usize> CompiledResults for [Tensor; N] {
    type Given = [Tensor; N];
    type Told<X> = X;

    fn told<X>(it: X) -> X {
        it
    }

    fn into_tensors(self) -> Result<Vec<Tensor>> {
        Ok(self.into())
    }

    fn from_tensors(tensors: Vec<Tensor>) -> Option<[Tensor; N]> {
        tensors.try_into().ok()
    }
}

impl<R: CompiledResults> CompiledResults for Result<R> {
    type Given = R::Given;
    type Told<X> = R::Told<X>;

    fn told<X>(it: X) -> R::Told<X> {
        R::told(it)
    }

    fn into_tensors(self) -> Result<Vec<Tensor>> {
        self?.into_tensors()
    }

    fn from_tensors(tensors: Vec<Tensor>) -> Option<R::Given> {
        R::from_tensors(tensors)
    }
}

macro_rules! same {
    ($name:ident, $($what:tt)+) => {
        $($what)+
    };
}

macro_rules! tuples {
    ($(($($name:ident),+))*) => {$(
        impl CompiledResults for ($(same!($name, Tensor),)+) {
            type Given = Self;
            type Told<X> = X;

            fn told<X>(it: X) -> X {
                it
            }

            fn into_tensors(self) -> Result<Vec<Tensor>> {
                let ($($name,)+) = self;
                Ok(vec![$($name),+])
            }

            fn from_tensors(tensors: Vec<Tensor>) -> Option<Self> {
                let mut tensors = tensors.into_iter();
                Some(($(same!($name, tensors.next()?),)+))
            }
        }
    )*};
}

tuples! { (a, b) (a, b, c) (a, b, c, d) (a, b, c, d, e) (a, b, c, d, e, f) }
