//! What compiled functions are given.

use crate::error::Result;
use crate::model::{Model, ModelCore};
use crate::nn::Mode;
use crate::tensor::Tensor;

/// What a function that [`crate::compile`] takes has as an argument, by reference: a tensor, several in an array or a vector, a model,
/// a number, a truth value, or a [`Mode`].
#[diagnostic::on_unimplemented(
    message = "a compiled function takes no `{Self}`",
    label = "expected tensors, models, numbers, `bool` or `Mode`, by reference",
    note = "numbers and modes are part of what a plan is found by; what is known when the function is written can be captured by `move`"
)]
pub trait Argument {
    /// `X`, which rustc does not know where this is no argument.
    #[doc(hidden)]
    type Told<X>;

    #[doc(hidden)]
    fn told<X>(it: X) -> Self::Told<X>;

    /// Visits what it consists of.
    #[doc(hidden)]
    fn visit<'a>(&'a self, visit: &mut dyn FnMut(ArgumentPart<'a>));

    /// That it can be computed with.
    #[doc(hidden)]
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// It with other tensors; `None` of what has none of its own.
    #[doc(hidden)]
    fn with_tensors(&self, replace: &mut dyn FnMut(&Tensor) -> Tensor) -> Option<Self>
    where
        Self: Sized;
}

/// A reference to an [`Argument`]: what a function that [`crate::compile`] takes is called with.
#[diagnostic::on_unimplemented(
    message = "a compiled function takes its arguments by reference, and one is `{Self}`",
    label = "expected `&{Self}`, if that is a tensor, a model, a number, `bool` or `Mode`",
    note = "what may be missing is no argument: compile a function with it and one without"
)]
pub trait Reference {
    /// The argument.
    type To;

    /// `X`, which rustc does not know where this is none.
    #[doc(hidden)]
    type Told<X>;

    #[doc(hidden)]
    fn told<X>(it: X) -> Self::Told<X>;
}

impl<A: Argument> Reference for &A {
    type To = A;
    type Told<X> = A::Told<X>;

    fn told<X>(it: X) -> A::Told<X> {
        A::told(it)
    }
}

/// A part of an argument.
#[doc(hidden)]
pub enum ArgumentPart<'a> {
    Tensor(&'a Tensor),
    /// Its memory, and where in it its paths start.
    Model(&'a ModelCore, &'a str),
    /// A number, or how many tensors follow.
    Bits(u64),
}

impl Argument for Tensor {
    type Told<X> = X;

    fn told<X>(it: X) -> X {
        it
    }

    fn visit<'a>(&'a self, visit: &mut dyn FnMut(ArgumentPart<'a>)) {
        visit(ArgumentPart::Tensor(self));
    }

    fn with_tensors(&self, replace: &mut dyn FnMut(&Tensor) -> Tensor) -> Option<Tensor> {
        Some(replace(self))
    }
}

impl<const N: usize> Argument for [Tensor; N] {
    type Told<X> = X;

    fn told<X>(it: X) -> X {
        it
    }

    fn visit<'a>(&'a self, visit: &mut dyn FnMut(ArgumentPart<'a>)) {
        self.iter().for_each(|tensor| visit(ArgumentPart::Tensor(tensor)));
    }

    fn with_tensors(&self, replace: &mut dyn FnMut(&Tensor) -> Tensor) -> Option<Self> {
        Some(self.each_ref().map(replace))
    }
}

impl Argument for Vec<Tensor> {
    type Told<X> = X;

    fn told<X>(it: X) -> X {
        it
    }

    fn visit<'a>(&'a self, visit: &mut dyn FnMut(ArgumentPart<'a>)) {
        visit(ArgumentPart::Bits(self.len() as u64));
        self.iter().for_each(|tensor| visit(ArgumentPart::Tensor(tensor)));
    }

    fn with_tensors(&self, replace: &mut dyn FnMut(&Tensor) -> Tensor) -> Option<Self> {
        Some(self.iter().map(replace).collect())
    }
}

#[diagnostic::do_not_recommend]
impl<M: Model> Argument for M {
    type Told<X> = X;

    fn told<X>(it: X) -> X {
        it
    }

    fn visit<'a>(&'a self, visit: &mut dyn FnMut(ArgumentPart<'a>)) {
        visit(ArgumentPart::Model(self.core(), self.prefix()));
        visit(ArgumentPart::Bits(u64::from(self.is_at_other_parameters())));
    }

    fn check(&self) -> Result<()> {
        self.check_fields()
    }

    fn with_tensors(&self, _: &mut dyn FnMut(&Tensor) -> Tensor) -> Option<Self> {
        None
    }
}

macro_rules! plain {
    ($($type:ty: |$value:ident| $bits:expr),*) => {$(
        impl Argument for $type {
            type Told<X> = X;

            fn told<X>(it: X) -> X {
                it
            }

            fn visit<'a>(&'a self, visit: &mut dyn FnMut(ArgumentPart<'a>)) {
                let $value = *self;
                visit(ArgumentPart::Bits($bits));
            }

            fn with_tensors(&self, _: &mut dyn FnMut(&Tensor) -> Tensor) -> Option<Self> {
                None
            }
        }
    )*};
}

plain!(
    f64: |value| value.to_bits(),
    f32: |value| u64::from(value.to_bits()),
    i64: |value| value as u64,
    i32: |value| value as u64,
    u32: |value| u64::from(value),
    usize: |value| value as u64,
    bool: |value| u64::from(value),
    Mode: |value| value as u64
);
