//! Gradients of functions, and what is not recorded.

use crate::autograd::cut::{self, Pause};
use crate::autograd::noted::{AskedDerivative, NotedDerivative};
use crate::autograd::record::{CutKind, History, Leaf, LeafKey};
use crate::autograd::records::{Records, Wanted};
use crate::autograd::trace::Direction;
use crate::autograd::trained::Trained;
use crate::autograd::{backward, note, tracer};
use crate::error::{Error, Result};
use crate::model::{Gradients, Model};
use crate::tensor::Tensor;
use std::panic::Location;

/// What [`value_and_grad`] differentiates in: a model's parameters, a tensor, several in an array or a vector, or a vector of them with
/// their paths.
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

/// The value of `f`, a number, and its gradients in what it is a function of, of the same shapes: a network's parameters, a tensor, an
/// array or a vector of tensors. `f` gives a tensor, or a [`Result`] of one where it uses `?`.
///
/// ```
/// use netcl::{Device, Tensor, value_and_grad};
/// let x = Tensor::from_slice(&Device::host(), &[1.0f32, -2.0], &[2])?;
/// let (value, gradient) = value_and_grad(&x, |x| x.mul(x).sum(&[0]))?;
/// assert_eq!((value.item::<f32>()?, gradient.to_vec::<f32>()?), (5.0, vec![2.0, -4.0]));
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// Where something else is tracked that leads to the value, or the tensors themselves are, value and gradients in tensors are functions of
/// that, which are differentiated as other results are, and computed when they are needed. So calls nest:
///
/// ```
/// use netcl::{Device, Tensor, grad};
/// let x = Tensor::from_slice(&Device::host(), &[1.0f32, -2.0], &[2])?;
/// let curvature = grad(&x, |x| grad(x, |x| x.pow(3.0).sum_all()).map(|slope| slope.sum_all()))?;
/// assert_eq!(curvature.to_vec::<f32>()?, [6.0, -12.0]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// Those in the parameters of a model are numbers; in [`crate::nn::Network::tracked_parameters`] they are tensors, with gradients.
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
    of.value_and_grad(f).map_err(|error| called(error, "value_and_grad"))
}

/// The error by the name of what the program has called.
fn called(error: Error, operation: &'static str) -> Error {
    match error {
        Error::Backward { operation: "backward", problem } => Error::Backward { operation, problem },
        error => error,
    }
}

/// The gradients alone: [`value_and_grad`].
///
/// # Errors
///
/// Those of [`value_and_grad`].
#[track_caller]
pub fn grad<T: Differentiable, V: Into<Result<Tensor>>>(of: &T, f: impl FnOnce(&T) -> V) -> Result<T::Gradients> {
    Ok(of.value_and_grad(f).map_err(|error| called(error, "grad"))?.1)
}

/// Does `work` without recording anything: layers and tensors are computed with, and no gradient goes through. [`grad`],
/// [`value_and_grad`], [`crate::vjp`] and [`crate::jvp`] in it differentiate the functions that they are given all the same, and what they
/// give is a number to what is around.
///
/// ```
/// use netcl::{Device, Tensor, grad, no_grad};
/// let x = Tensor::from_slice(&Device::host(), &[1.0f32, -2.0], &[2])?;
/// let slope = no_grad(|| grad(&x, |x| x.square().sum_all()))?;
/// assert_eq!(slope.to_vec::<f32>()?, [2.0, -4.0]);
/// # Ok::<(), netcl::Error>(())
/// ```
pub fn no_grad<R>(work: impl FnOnce() -> R) -> R {
    let _pause = Pause::new();
    work()
}

const NO_FLOATS: &str = "only float tensors have gradients; convert it with `cast`";

/// What to write where a loss reaches some parameters alone.
const REACHED: &str = "`loss.backward()?.reached(&net)?` of the loss itself leaves such parameters as they are, where that is recorded: \
                       layers in `Mode::Training`, functions of annotated models with `#[mode(training)]`";

impl<M: Model> Differentiable for M {
    type Gradients = Gradients;

    #[track_caller]
    fn value_and_grad<V: Into<Result<Tensor>>>(&self, f: impl FnOnce(&Self) -> V) -> Result<(Tensor, Gradients)> {
        let caller = Location::caller();
        self.check_fields()?;
        let value = {
            let _trained = Trained::new(self.core());
            cut::resumed(|| f(self).into())?
        };
        if matches!(value.history(), None | Some(History::Cut(_))) && backward::is_all_frozen(self) {
            return Err(backward::none_reached(backward::ALL_FROZEN.to_owned()));
        }
        let wanted = Wanted::Model(self.core().store().id());
        let records = Records::of(&[value.history_as_loss()?], &wanted);
        let gradients = value.backward_in(&wanted)?.all_of(self, REACHED)?;
        Ok((value.unless_part(&records, "value_and_grad", caller), gradients))
    }
}

impl Differentiable for Tensor {
    type Gradients = Tensor;

    #[track_caller]
    fn value_and_grad<V: Into<Result<Tensor>>>(&self, f: impl FnOnce(&Self) -> V) -> Result<(Tensor, Tensor)> {
        let (value, [gradient]) = of_array([self], |[x]| f(x))?;
        Ok((value, gradient))
    }
}

impl<const N: usize> Differentiable for [Tensor; N] {
    type Gradients = [Tensor; N];

    #[track_caller]
    fn value_and_grad<V: Into<Result<Tensor>>>(&self, f: impl FnOnce(&Self) -> V) -> Result<(Tensor, [Tensor; N])> {
        of_array(self.each_ref(), f)
    }
}

impl Differentiable for Vec<Tensor> {
    type Gradients = Vec<Tensor>;

    #[track_caller]
    fn value_and_grad<V: Into<Result<Tensor>>>(&self, f: impl FnOnce(&Self) -> V) -> Result<(Tensor, Vec<Tensor>)> {
        let tracked = Tracked::of(self.iter(), "value_and_grad")?;
        let value = cut::resumed(|| f(&tracked.0).into())?;
        tracked.value_and_grad(value, Location::caller())
    }
}

/// Tensors by the paths of the parameters that they are in the place of: [`crate::nn::Network::tracked_parameters`].
impl Differentiable for Vec<(String, Tensor)> {
    type Gradients = Vec<(String, Tensor)>;

    #[track_caller]
    fn value_and_grad<V: Into<Result<Tensor>>>(
        &self,
        f: impl FnOnce(&Self) -> V,
    ) -> Result<(Tensor, Vec<(String, Tensor)>)> {
        let caller = Location::caller();
        let tracked = Tracked::of(self.iter().map(|(_, tensor)| tensor), "value_and_grad")?;
        let by_path = |tensors: &[Tensor]| {
            self.iter().zip(tensors).map(|((path, _), tensor)| (path.clone(), tensor.clone())).collect::<Vec<_>>()
        };
        let value = cut::resumed(|| f(&by_path(&tracked.0)).into())?;
        let (value, gradients) = tracked.value_and_grad(value, caller)?;
        Ok((value, by_path(&gradients)))
    }
}

#[track_caller]
fn of_array<const N: usize, V: Into<Result<Tensor>>>(
    of: [&Tensor; N],
    f: impl FnOnce(&[Tensor; N]) -> V,
) -> Result<(Tensor, [Tensor; N])> {
    let caller = Location::caller();
    let tracked = Tracked::of(of.into_iter(), "value_and_grad")?;
    let mut own = of.map(Tensor::clone);
    own.clone_from_slice(&tracked.0);
    let value = cut::resumed(|| f(&own).into())?;
    let (value, gradients) = tracked.value_and_grad(value, caller)?;
    own.clone_from_slice(&gradients);
    Ok((value, own))
}

/// Tensors in which a function is differentiated: each is a leaf of its own, in the place of what it was computed from.
pub(super) struct Tracked(pub(super) Vec<Tensor>);

impl Tracked {
    pub(super) fn of<'a>(tensors: impl Iterator<Item = &'a Tensor>, operation: &'static str) -> Result<Tracked> {
        tensors.map(|tensor| in_place_of(tensor, operation)).collect::<Result<_>>().map(Tracked)
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = LeafKey> {
        self.0.iter().filter_map(|tensor| match tensor.history() {
            Some(History::Leaf(leaf)) => Some(leaf.key()),
            _ => None,
        })
    }

    pub(super) fn wanted(&self) -> Wanted {
        Wanted::Leaves(self.keys().collect())
    }

    /// Where each is among the leaves of a tape.
    ///
    /// # Errors
    ///
    /// [`Error::Unreached`] if one is not there.
    pub(super) fn positions(&self, noted: &NotedDerivative) -> Result<Vec<usize>> {
        let position = |key| {
            let unreached =
                || Error::Unreached { what: "the tensor".to_owned(), reason: cut::reason(noted.cuts(), key) };
            noted.position(key).ok_or_else(unreached)
        };
        self.keys().map(position).collect()
    }

    /// The value and its gradients in them. If something else leads to it that is tracked, they are functions of that, too, and noted;
    /// else they are computed, and numbers.
    fn value_and_grad(&self, value: Tensor, caller: &'static Location<'static>) -> Result<(Tensor, Vec<Tensor>)> {
        let (wanted, history) = (self.wanted(), value.history_as_loss()?);
        let records = Records::of(&[history], &wanted);
        let stop = records.stop_on_the_way();
        if !records.is_part || stop.is_some() {
            let backward = value.backward_in(&wanted)?;
            // Of what else is tracked they are functions too, in a way that nobody knows.
            let behind = || history.behind().into_iter().collect();
            let cut = stop.filter(|_| records.is_part).map(|stop| History::Cut(cut::stopped(stop, behind())));
            let gradients = self.0.iter().map(|tensor| Ok(backward.wrt(tensor)?.with_history(cut.clone())));
            let gradients = gradients.collect::<Result<_>>()?;
            return Ok((value.unless_part(&records, "value_and_grad", caller), gradients));
        }
        let noted = NotedDerivative::of(&[history], records, &wanted, value.device())?;
        let asked = AskedDerivative { name: "grad", direction: Direction::Gradient, given: &[], caller };
        let gradients = noted.results(&asked, &self.positions(&noted)?)?;
        let value = if cut::is_paused() { value.cut_off("value_and_grad", caller) } else { value };
        Ok((value, gradients))
    }
}

/// The tensor as one in which gradients are computed, whatever it was computed from; gradients in that go on through it.
fn in_place_of(tensor: &Tensor, operation: &'static str) -> Result<Tensor> {
    tensor.checked()?;
    if tracer::is_active() {
        return Err(tracer::needed(tracer::Untraceable::Gradient));
    }
    if !tensor.dtype().is_float() {
        return Err(Error::Backward { operation, problem: NO_FLOATS.to_owned() });
    }
    let of = tensor.history().filter(|history| note::is_tracked(std::iter::once(Some(*history)))).cloned();
    // A parameter's memory is watched: it is an error if it has changed.
    let own = if of.is_some() { tensor.clone() } else { tensor.as_it_is()? };
    let leaf = Leaf::in_place_of(own.held(), of);
    Ok(own.with_history(Some(History::Leaf(leaf))))
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
            Some(History::Leaf(leaf)) if leaf.stop.is_none() && leaf.of.is_none() => return Ok(self.clone()),
            Some(History::Record(_) | History::Leaf(_)) => {
                return refused(cut::ON_THE_WAY);
            }
            _ => {}
        }
        if !self.dtype().is_float() {
            return refused(NO_FLOATS);
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

    /// The value of a function, of which the gradients were asked for, without what it was computed from if nothing else is tracked
    /// there.
    pub(super) fn unless_part(self, records: &Records, by: &str, caller: &'static Location<'static>) -> Tensor {
        if records.is_part && !cut::is_paused() { self } else { self.cut_off(by, caller) }
    }

    pub(super) fn cut_off(&self, by: &str, caller: &'static Location<'static>) -> Tensor {
        let Some(behind) = self.history().and_then(History::behind) else {
            return self.clone().with_history(None);
        };
        let cut = cut::new((by, CutKind::Meant), Some(caller), vec![behind]);
        self.clone().with_history(Some(History::Cut(cut)))
    }
}
