//! Regions that are computed again, functions with derivatives of their own, and hooks.

use crate::autograd::autocast;
use crate::autograd::cut;
use crate::autograd::note::{self, keeping_nothing, keeps_nothing};
use crate::autograd::record::{CutKind, History, Leaf, Stop, StopPullback, StopSource};
use crate::autograd::tracer;
use crate::error::Result;
use crate::tensor::{Mistake, Operand, Tensor, shown};
use smallvec::SmallVec;
use std::panic::Location;

/// What `f` gives of these tensors, of which nothing is kept for gradients but what it is given and what it gives: `backward` computes
/// the rest again, as `torch.utils.checkpoint` and `jax.checkpoint`. It takes about a third more time, and the memory of one region
/// instead of that of all.
///
/// ```
/// use netcl::nn::{Layers, Mode};
/// use netcl::prelude::*;
/// let device = Device::host();
/// let mut layers = Layers::new();
/// for path in ["blocks.0", "blocks.1"] {
///     layers.add(path, "Linear", &[("inputs", 4.into()), ("outputs", 4.into())])?;
/// }
/// let net = layers.build(&device, Seed(1))?;
/// let mut x = Tensor::full(&device, 0.5f32, &[2, 4])?;
/// for path in ["blocks.0", "blocks.1"] {
///     x = netcl::checkpoint([&x], |[x]| x + net.forward(path, &[x], Mode::Training).tanh());
/// }
/// let gradients = x.square().sum_all().backward()?.of(&net)?;
/// # let _ = gradients;
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// `f` is called once: what it draws (dropout) and what it changes (running statistics) is the same when its operations are done
/// again. It may use parameters of layers, and other tensors, that it captures; a tensor that was computed from
/// what is tracked is given to it, or the region begins before that. Inside of another region it is a part of that. `f` gives a tensor,
/// or a [`Result`] of one. Gradients through it are numbers: to differentiate them again is an error, and so are [`crate::vjp`] and
/// [`crate::jvp`] of it.
#[track_caller]
pub fn checkpoint<const N: usize, V: Into<Result<Tensor>>>(
    inputs: [&Tensor; N],
    f: impl FnOnce([&Tensor; N]) -> V,
) -> Tensor {
    const { assert!(N > 0, "a region begins with at least one tensor") };
    let caller = Location::caller();
    if note_tracing() || cut::is_paused() || keeps_nothing() {
        return given(f(inputs).into(), "checkpoint", &inputs, caller);
    }
    let entries = inputs.map(|input| match input.history() {
        Some(history @ (History::Record(_) | History::Leaf(_))) => {
            let stop = Stop { by: "checkpoint", caller, sources: one(input, Some(history)), pullback: None };
            input.clone().with_history(Some(History::Leaf(Leaf::stopped(input.held(), stop))))
        }
        _ => input.clone(),
    });
    let result = keeping_nothing(|| f(entries.each_ref()).into());
    let result = given(result, "checkpoint", &inputs, caller);
    let Some(history @ History::Record(_)) = result.history() else { return result };
    let stop = Stop { by: "checkpoint", caller, sources: one(&result, Some(history)), pullback: None };
    stopped(result, stop)
}

/// A function of these tensors with a derivative of the program's own, as `torch.autograd.Function` and `jax.custom_vjp`. `f` gives the
/// value and its pullback, which makes of the gradient in the value those in the tensors, each of its tensor's type and shape.
///
/// ```
/// use netcl::{Device, Tensor};
/// /// Rounds; the gradient goes through as if it did not.
/// fn straight_through(x: &Tensor) -> Tensor {
///     netcl::custom_vjp([x], |[x]| (x.round(), |gradient: &Tensor| [gradient.clone()]))
/// }
/// let x = Tensor::from_slice(&Device::host(), &[0.4f32, 1.7], &[2])?.requires_grad()?;
/// let loss = straight_through(&x).square().sum_all();
/// assert_eq!(loss.item::<f32>()?, 4.0);
/// assert_eq!(loss.backward()?.wrt(&x)?.to_vec::<f32>()?, [0.0, 4.0]);
/// # Ok::<(), netcl::Error>(())
/// ```
///
/// `f` is called once, on tensors of which nothing is recorded; what the pullback needs it captures, as clones: `let x = x.clone(); (x.sin(),
/// move |gradient: &Tensor| [gradient * x.cos()])`. The pullback is called by each
/// `backward` that comes to the value, and never where nothing is tracked. What it gives for tensors that are not tracked is not
/// looked at, nor computed. It computes in the precision of the call, whatever [`crate::autocast`] it is called in, and what it gives in halves or
/// `f32` becomes of the tensor's type. What it gives has no gradient itself, and nothing is recorded in it but by [`crate::grad`],
/// [`crate::vjp`] and [`crate::jvp`] of functions: to differentiate the value a second time is an error, and so are these of it. A function of
/// several values gives them as one tensor, and is taken apart.
#[doc(alias = "Function")]
#[track_caller]
pub fn custom_vjp<const N: usize, P>(inputs: [&Tensor; N], f: impl FnOnce([&Tensor; N]) -> (Tensor, P)) -> Tensor
where
    P: Fn(&Tensor) -> [Tensor; N] + Send + Sync + 'static,
{
    const { assert!(N > 0, "a derivative is one in at least one tensor") };
    let caller = Location::caller();
    note_tracing();
    let own = inputs.map(captured);
    let (value, pullback) = crate::no_grad(|| f(own.each_ref()));
    let value = value.with_history(None);
    let histories = || inputs.iter().map(|input| input.history());
    if !note::is_tracked(histories()) || !value.dtype().is_float() {
        let history = cut::passed(histories(), ("custom_vjp", CutKind::Flat), Some(caller));
        return value.with_history(history);
    }
    let value = match value.as_it_is() {
        Ok(value) => value,
        Err(error) => return given(Err(error), "custom_vjp", &inputs, caller),
    };
    let sources = inputs.iter().flat_map(|input| one(input, tracked(input))).collect();
    let (precision, types) = (autocast::current(), inputs.map(Tensor::dtype));
    let pullback: StopPullback = Box::new(move |gradient| {
        let gradients = autocast::autocast(precision, || pullback(&Tensor::from_held(gradient)));
        Ok(gradients
            .iter()
            .zip(types)
            .map(|(gradient, dtype)| autocast::of_type(gradient, dtype, precision).held())
            .collect())
    });
    stopped(value, Stop { by: "custom_vjp", caller, sources, pullback: Some(pullback) })
}

impl Tensor {
    /// The same elements, whose gradient is given to `hook` on its way back, and goes on as what that gives: PyTorch's `register_hook`.
    /// What was computed from the tensor itself is not looked at: go on from what this gives.
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    /// let x = Tensor::from_slice(&Device::host(), &[1.0f32, 20.0], &[2])?.requires_grad()?;
    /// let h = x.square().on_gradient(|gradient| gradient.clamp(-1.0, 1.0));
    /// let loss = h.mul(&h).sum_all();
    /// assert_eq!(loss.backward()?.wrt(&x)?.to_vec::<f32>()?, [2.0, 40.0]);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// It is called once by each `backward` that comes to it, in the order from the loss back, and gives a tensor of the gradient's type and
    /// shape, or a [`Result`] of one: `gradient.clone()` where it only looks. It computes in the precision of the call of `on_gradient`, and nothing
    /// is recorded in it but by [`crate::grad`] and its like. What is not tracked has no gradient, and no hook is called. What it gives is numbers:
    /// to differentiate a gradient again that went through a hook is an error, and so are [`crate::vjp`] and [`crate::jvp`] of it.
    #[doc(alias = "register_hook")]
    #[must_use = "the hook is that of the tensor which this gives"]
    #[track_caller]
    pub fn on_gradient<V: Into<Result<Tensor>>>(&self, hook: impl Fn(&Tensor) -> V + Send + Sync + 'static) -> Tensor {
        let caller = Location::caller();
        if note_tracing() || !note::is_tracked([self.history()].into_iter()) {
            return self.clone();
        }
        let (precision, dtype) = (autocast::current(), self.dtype());
        let pullback: StopPullback = Box::new(move |gradient| {
            let gradient = autocast::autocast(precision, || hook(&Tensor::from_held(gradient)).into())?;
            Ok(vec![autocast::of_type(&gradient, dtype, precision).held()])
        });
        let sources = one(self, self.history());
        stopped(self.clone(), Stop { by: "on_gradient", caller, sources, pullback: Some(pullback) })
    }
}

/// Whether a function is compiled around the call: then it is called as it stands instead, because its gradients are not those of
/// operations.
fn note_tracing() -> bool {
    tracer::note(|tracing| tracing.as_it_stands = true).is_some()
}

/// The tensor as a function with a derivative of its own is given it, which may keep it: what may change until `backward` is copied, but
/// for parameters, of which it is an error if they have changed.
fn captured(input: &Tensor) -> Tensor {
    let copied =
        if tracked(input).is_some() { input.clone() } else { input.as_it_is().unwrap_or_else(|_| input.clone()) };
    copied.with_history(None)
}

fn tracked(tensor: &Tensor) -> Option<&History> {
    tensor.history().filter(|history| !matches!(history, History::Cut(_)))
}

/// A gradient goes on to that history of a tensor.
fn one(tensor: &Tensor, history: Option<&History>) -> SmallVec<[StopSource; 1]> {
    let (shape, dtype) = (tensor.shared_shape().clone(), tensor.dtype());
    SmallVec::from_iter([StopSource { history: history.cloned(), shape, dtype }])
}

fn stopped(value: Tensor, stop: Stop) -> Tensor {
    let leaf = Leaf::stopped(value.held(), stop);
    value.with_history(Some(History::Leaf(leaf)))
}

/// What a function of the program gave of these.
fn given(result: Result<Tensor>, name: &str, inputs: &[&Tensor], caller: &'static Location<'static>) -> Tensor {
    result.unwrap_or_else(|error| {
        let operands: Vec<Operand<'_>> = inputs.iter().map(|input| Operand::Tensor(input)).collect();
        let like = inputs[0];
        let mistake = Mistake::new(name, shown(&operands), caller, error);
        Tensor::of_mistake(like.shape(), like.dtype(), like.device(), mistake)
    })
}
