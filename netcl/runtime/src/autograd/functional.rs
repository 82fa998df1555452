//! Gradients of functions, and what is not recorded.

use crate::autograd::cut::{self, Pause};
use crate::autograd::record::{CutKind, History, Leaf};
use crate::autograd::tape::Wanted;
use crate::autograd::tracer;
use crate::autograd::trained::Trained;
use crate::error::{Error, Result};
use crate::model::{Gradients, Model};
use crate::tensor::Tensor;
use std::panic::Location;

/// What [`value_and_grad`] differentiates in: a model's parameters, a tensor, or several.
pub trait Differentiable: Sized {
    /// What gradients are given as.
    type Gradients;

    /// Value and gradients of `f` of this, which gives a tensor or a [`Result`] of one.
    ///
    /// # Errors
    ///
    /// Those of `f`, and of [`Tensor::backward`].
    #[track_caller]
    fn value_and_grad<V: Into<Result<Tensor>>>(&self, f: impl FnOnce(&Self) -> V) -> Result<(Tensor, Self::Gradients)>;
}

/// The value of `f`, a number, and its gradients in what it is a function of: a network's parameters, a tensor, or an array of
/// tensors. `f` gives a tensor, or a [`Result`] of one where it uses `?`.
///
/// ```
/// use netcl::{Device, Tensor, value_and_grad};
/// let x = Tensor::from_slice(&Device::host(), &[1.0f32, -2.0], &[2])?;
/// let (value, gradient) = value_and_grad(&x, |x| x.mul(x).sum(&[0]))?;
/// assert_eq!((value.item::<f32>()?, gradient.to_vec::<f32>()?), (5.0, vec![2.0, -4.0]));
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// # Errors
///
/// Those of `f`; those of [`Tensor::backward`]; [`Error::Unreached`] if the value does not depend on something that it is to be
/// differentiated in.
#[track_caller]
pub fn value_and_grad<T: Differentiable, V: Into<Result<Tensor>>>(
    of: &T,
    f: impl FnOnce(&T) -> V,
) -> Result<(Tensor, T::Gradients)> {
    of.value_and_grad(f)
}

/// The gradients alone: [`value_and_grad`].
///
/// # Errors
///
/// Those of [`value_and_grad`].
#[track_caller]
pub fn grad<T: Differentiable, V: Into<Result<Tensor>>>(of: &T, f: impl FnOnce(&T) -> V) -> Result<T::Gradients> {
    Ok(value_and_grad(of, f)?.1)
}

/// Does `work` without recording anything: layers and tensors are computed with, and no gradient goes through.
pub fn no_grad<R>(work: impl FnOnce() -> R) -> R {
    let _pause = Pause::new();
    work()
}

/// What to write where a loss reaches some parameters alone.
const REACHED: &str = "`loss.backward()?.reached(&net)?` of the loss itself leaves such parameters as they are";

impl<M: Model> Differentiable for M {
    type Gradients = Gradients;

    #[track_caller]
    fn value_and_grad<V: Into<Result<Tensor>>>(&self, f: impl FnOnce(&Self) -> V) -> Result<(Tensor, Gradients)> {
        let value = {
            let _trained = Trained::new(self.core());
            f(self).into()?
        };
        let backward = value.backward_in(&Wanted::Model(self.core().store().id()))?;
        let gradients = backward.all_of(self, REACHED)?;
        Ok((value.cut_off("value_and_grad", Location::caller()), gradients))
    }
}

impl Differentiable for Tensor {
    type Gradients = Tensor;

    #[track_caller]
    fn value_and_grad<V: Into<Result<Tensor>>>(&self, f: impl FnOnce(&Self) -> V) -> Result<(Tensor, Tensor)> {
        let (value, [gradient]) = of_tensors([self], |[x]| f(x))?;
        Ok((value, gradient))
    }
}

impl<const N: usize> Differentiable for [Tensor; N] {
    type Gradients = [Tensor; N];

    #[track_caller]
    fn value_and_grad<V: Into<Result<Tensor>>>(&self, f: impl FnOnce(&Self) -> V) -> Result<(Tensor, [Tensor; N])> {
        of_tensors(self.each_ref(), f)
    }
}

#[track_caller]
fn of_tensors<const N: usize, V: Into<Result<Tensor>>>(
    of: [&Tensor; N],
    f: impl FnOnce(&[Tensor; N]) -> V,
) -> Result<(Tensor, [Tensor; N])> {
    // Each is a leaf of its own, whatever it was computed from.
    let mut tracked = of.map(Tensor::detach);
    for tensor in &mut tracked {
        *tensor = tensor.requires_grad()?;
    }
    let value = f(&tracked).into()?;
    let keys = tracked.iter().filter_map(|tensor| match tensor.history() {
        Some(History::Leaf(leaf)) => Some(leaf.key()),
        _ => None,
    });
    let backward = value.backward_in(&Wanted::Leaves(keys.collect()))?;
    let mut gradients = tracked;
    for tensor in &mut gradients {
        *tensor = backward.wrt(tensor)?;
    }
    Ok((value.cut_off("value_and_grad", Location::caller()), gradients))
}

impl From<Tensor> for Result<Tensor> {
    fn from(tensor: Tensor) -> Result<Tensor> {
        tensor.check()
    }
}

impl Tensor {
    /// The tensor as one in which gradients are computed: what is computed from it is recorded, and [`crate::Backward::wrt`] has the
    /// gradient in it. The parameters of layers need no such call.
    ///
    /// # Errors
    ///
    /// [`Error::Backward`] if it is not of floats, or was computed from what is tracked; [`Error::OutOfMemory`] if it is a view of a
    /// model's memory, which is copied.
    pub fn requires_grad(&self) -> Result<Tensor> {
        self.checked()?;
        if tracer::is_active() {
            return Err(tracer::needed(tracer::Untraceable::Gradient));
        }
        let refused = |problem: &str| Err(Error::Backward { operation: "requires_grad", problem: problem.to_owned() });
        match self.history() {
            Some(History::Leaf(leaf)) if leaf.stop.is_none() => return Ok(self.clone()),
            Some(History::Record(_) | History::Leaf(_)) => {
                return refused("the tensor was computed from what is tracked; `detach` it first");
            }
            _ => {}
        }
        if !self.dtype().is_float() {
            return refused("only float tensors have gradients; convert it with `cast`");
        }
        let own = self.as_it_is()?;
        let leaf = Leaf::new(own.held(), None);
        Ok(own.with_history(Some(History::Leaf(leaf))))
    }

    /// The same elements, apart from what they were computed from: no gradient goes through, and what was recorded is not kept.
    #[track_caller]
    pub fn detach(&self) -> Tensor {
        if tracer::is_active() && self.dtype().is_float() {
            // What is compiled has it among its operations.
            return self.apply("detach", &[]);
        }
        self.cut_off("detach", Location::caller())
    }

    fn cut_off(&self, by: &str, caller: &'static Location<'static>) -> Tensor {
        let Some(behind) = self.history().and_then(History::behind) else {
            return self.clone().with_history(None);
        };
        let cut = cut::new((by, CutKind::Meant), Some(caller), vec![behind]);
        self.clone().with_history(Some(History::Cut(cut)))
    }
}
