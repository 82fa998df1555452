//! What the function that a kernel's `vjp` gives cannot do, and what does that.

use crate::error::Result;
use crate::tensor::Tensor;

/// A function that turns cotangents into gradients and has a `vjp` of its own. There is none: a derivative of a derivative is that of
/// a function which takes the first one in its body.
#[diagnostic::on_unimplemented(
    message = "a pullback has no `vjp` of its own",
    label = "this gives a gradient, which is not differentiated again",
    note = "write the first derivative as a function of tensors, and take its `vjp`: above `fn slope(x: &Tensor<f32, N>) -> Tensor<f32, \
            N>`, whose body is `grad(&cube(x).sum_all(), x)`, stands `#[netcl::function]`; then `slope.vjp(&x)?`"
)]
pub trait DifferentiableTwice {}

/// What a `vjp` would give.
type Pulled<R> = (R, fn(&Tensor) -> Result<R>);

/// Says what is to be written where a pullback is asked for a `vjp`.
pub trait Pullback<R> {
    /// None: see [`DifferentiableTwice`].
    ///
    /// # Errors
    ///
    /// It cannot be called.
    #[doc(hidden)]
    fn vjp(&self, at: &Tensor) -> Result<Pulled<R>>
    where
        Self: DifferentiableTwice;
}

impl<R, F: Fn(&Tensor) -> Result<R>> Pullback<R> for F {
    fn vjp(&self, _: &Tensor) -> Result<Pulled<R>>
    where
        Self: DifferentiableTwice,
    {
        unreachable!("no type is `DifferentiableTwice`")
    }
}
