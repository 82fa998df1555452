//! The gradients of a loss.

use crate::autograd::cut;
use crate::autograd::noted::{AskedDerivative, NotedDerivative};
use crate::autograd::record::{Cut, History, LeafKey};
use crate::autograd::records::{Records, Wanted};
use crate::autograd::sweep::{self, Swept};
use crate::autograd::trace::Direction;
use crate::autograd::tracer;
use crate::error::{Error, Result};
use crate::model::{Gradients, Model};
use crate::tensor::Tensor;
use std::collections::BTreeMap;
use std::panic::Location;
use std::sync::Arc;

/// The gradients of one loss in all that is tracked and leads to it: what [`Tensor::backward`] gives.
#[doc(alias = "Tape")]
pub struct Backward {
    models: Vec<Gradients>,
    /// Those in tensors, by their leaves.
    variables: BTreeMap<LeafKey, Tensor>,
    cuts: Vec<Arc<Cut>>,
    /// What [`Tensor::backward_recorded`] gives: all of them, noted when they are asked for.
    recorded: Option<RecordedGradients>,
}

struct RecordedGradients {
    loss: Tensor,
    noted: NotedDerivative,
    caller: &'static Location<'static>,
}

impl Tensor {
    /// The gradients of this number in the parameters of layers and in the tensors that it was computed from. What was recorded
    /// stays as long as the tensor does: drop it, as at the end of a loop's round, and the memory is free.
    ///
    /// ```
    /// use netcl::nn::{Layers, Mode};
    /// use netcl::prelude::*;
    /// let device = Device::host();
    /// let mut layers = Layers::new();
    /// layers.add("line", "Linear", &[("inputs", 1.into()), ("outputs", 1.into())])?;
    /// let mut net = layers.build(&device, Seed(1))?;
    /// let mut optimizer = Sgd::new(0.1);
    /// let x = Tensor::from_slice(&device, &[1.0f32, 2.0], &[2, 1])?;
    /// let y = net.forward("line", &[&x], Mode::Training);
    /// let loss = y.mul(&y).mean(&[0, 1]);
    /// let gradients = loss.backward()?.of(&net)?;
    /// optimizer.step(&mut net, &gradients)?;
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`Error::Backward`] if it is no float scalar, nothing that leads to it is recorded, a parameter has changed since, or a
    /// gradient that `backward` gave leads to it; [`Error::OutOfMemory`]; [`Error::Build`] and [`Error::Driver`] if the driver
    /// fails.
    pub fn backward(&self) -> Result<Backward> {
        self.backward_in(&Wanted::All)
    }

    /// The same gradients, which are recorded themselves: what is computed of them has gradients again, as often as wanted. PyTorch's
    /// `create_graph=True`. They are computed when they are needed, each as far as it is asked for.
    ///
    /// ```
    /// use netcl::{Device, Tensor};
    /// let x = Tensor::from_slice(&Device::host(), &[1.0f32, 2.0], &[2])?.requires_grad()?;
    /// let slope = x.pow(3.0).sum_all().backward_recorded()?.wrt(&x)?;
    /// let curvature = slope.sum_all().backward()?.wrt(&x)?;
    /// assert_eq!(slope.to_vec::<f32>()?, [3.0, 12.0]);
    /// assert_eq!(curvature.to_vec::<f32>()?, [6.0, 12.0]);
    /// # Ok::<(), netcl::Error>(())
    /// ```
    ///
    /// [`Backward::wrt`] gives them, that of a network's parameter by [`crate::nn::Network::parameter`]: each has a graph of its own. Those
    /// in all parameters together are [`crate::grad`] of [`crate::nn::Network::tracked_parameters`]. Those of [`Backward::of`] are numbers
    /// for an optimizer, and not recorded.
    ///
    /// # Errors
    ///
    /// Those of [`Tensor::backward`].
    #[track_caller]
    pub fn backward_recorded(&self) -> Result<Backward> {
        let history = self.history_as_loss()?;
        let records = Records::of(&[history], &Wanted::All);
        let noted = NotedDerivative::of(&[history], records, &Wanted::All, self.device())?;
        let (cuts, caller) = (noted.cuts().to_vec(), Location::caller());
        let recorded = Some(RecordedGradients { loss: self.clone(), noted, caller });
        Ok(Backward { models: Vec::new(), variables: BTreeMap::new(), cuts, recorded })
    }

    /// The gradients in some of what it was computed from.
    pub(super) fn backward_in(&self, wanted: &Wanted) -> Result<Backward> {
        let Swept { models, variables, cuts } = sweep::gradients(self.history_as_loss()?, self, wanted)?;
        Ok(Backward { models, variables, cuts, recorded: None })
    }

    /// What it was computed from, if there are gradients of it.
    pub(super) fn history_as_loss(&self) -> Result<&History> {
        self.checked()?;
        if tracer::is_active() {
            return Err(tracer::needed(tracer::Untraceable::Gradient));
        }
        if !self.shape().is_empty() || !self.dtype().is_float() {
            let (dtype, shape) = (self.dtype(), self.shape());
            let instead = match (dtype.is_float(), self.history()) {
                (true, _) => "reduce it with `sum` or `mean`".to_owned(),
                // Whole numbers and truth have none, whatever becomes of them.
                (false, Some(History::Cut(cut))) => format!("`{}` has no derivative", cut.by),
                (false, _) => format!("of {dtype} there are none"),
            };
            return refused(format!("gradients need a float scalar, found {dtype} {shape:?}; {instead}"));
        }
        match self.history() {
            Some(History::Leaf(leaf)) if leaf.stop.is_none() => {
                refused("the loss is computed from nothing; it is what is tracked".to_owned())
            }
            Some(History::Cut(cut)) if cut.kind.is_loss() => refused(cut::lost(cut)),
            Some(History::Cut(cut)) => {
                refused(format!("no gradient goes through {}, which leads to the loss", cut.text()))
            }
            None => refused(
                "nothing that leads to the loss is recorded; run layers in `Mode::Training`, or start from \
                 `x.requires_grad()?`; functions of an annotated model are recorded for its parameters with \
                 `#[mode(training)]` above them, or in `value_and_grad(&model, ..)`"
                    .to_owned(),
            ),
            Some(history) => Ok(history),
        }
    }
}

impl Backward {
    /// Those in the parameters of a model, a [`crate::nn::Network`] or a [`crate::nn::Layer`], for an optimizer's step; those that are
    /// `#[frozen]` need none.
    ///
    /// # Errors
    ///
    /// [`Error::Unreached`] if the loss does not reach one of its parameters; it says which, and what cut it off.
    pub fn of<M: Model + ?Sized>(&self, model: &M) -> Result<Gradients> {
        self.all_of(model, "`reached` instead of `of` leaves such parameters as they are")
    }

    /// Those in all parameters; `instead` says what to write where some are not reached.
    pub(super) fn all_of<M: Model + ?Sized>(&self, model: &M, instead: &str) -> Result<Gradients> {
        let gradients = self.reached(model)?;
        let (core, prefix) = (model.core(), model.prefix());
        match gradients.first_without(|path| !core.is_frozen(prefix, path)) {
            None => Ok(gradients),
            Some((index, path)) => Err(Error::Unreached {
                what: format!("the parameter `{path}`"),
                reason: format!("{}; {instead}", self.reason(LeafKey::Parameter(core.store().id(), index))),
            }),
        }
    }

    /// The same for a model of which the loss reaches some parameters alone, as one with frozen layers. Optimizers leave the others
    /// as they are.
    ///
    /// # Errors
    ///
    /// [`Error::Unreached`] if it reaches none of them.
    pub fn reached<M: Model + ?Sized>(&self, model: &M) -> Result<Gradients> {
        model.check_fields()?;
        let store = model.core().store();
        if let Some(RecordedGradients { loss, .. }) = &self.recorded {
            return loss.backward_in(&Wanted::Model(store.id()))?.reached(model);
        }
        let found = self.models.iter().find(|gradients| gradients.is_of(&store));
        found.map(|gradients| gradients.part(model.prefix())).ok_or_else(|| {
            none_reached(if is_all_frozen(model) {
                ALL_FROZEN.to_owned()
            } else {
                self.reason(LeafKey::Parameter(store.id(), 0))
            })
        })
    }

    /// That in a tensor, of its shape, which [`Tensor::requires_grad`] gave or which is a parameter of a [`crate::nn::Network`]. Of
    /// [`Tensor::backward_recorded`] it is a function of all that is tracked, and has gradients itself.
    ///
    /// # Errors
    ///
    /// [`Error::Backward`] if the tensor is not tracked; [`Error::Unreached`] if the loss does not reach it, with what cut it off.
    pub fn wrt(&self, tensor: &Tensor) -> Result<Tensor> {
        tensor.checked()?;
        let leaf = match tensor.history() {
            Some(History::Leaf(leaf))
                if leaf.stop.is_none() && (leaf.of.is_none() || self.variables.contains_key(&leaf.key())) =>
            {
                leaf
            }
            Some(History::Record(_) | History::Leaf(_)) => {
                return refused(cut::ON_THE_WAY.to_owned());
            }
            _ => return refused("the tensor is not tracked; compute the loss from `x.requires_grad()?`".to_owned()),
        };
        if let Some(RecordedGradients { noted, caller, .. }) = &self.recorded
            && let Some(position) = noted.position(leaf.key())
        {
            let (direction, given) = (Direction::Gradient, &[][..]);
            let asked = AskedDerivative { name: "backward_recorded", direction, given, caller };
            return noted.results(&asked, &[position])?.pop().ok_or_else(|| self.unreached(leaf.key()));
        }
        let of_parameter = || {
            let owner = leaf.owner.as_ref()?;
            let gradients = self.models.iter().find(|gradients| gradients.is_of(&owner.store))?;
            gradients.in_parameter(owner.index)
        };
        let found = self.variables.get(&leaf.key()).cloned().or_else(of_parameter);
        found.ok_or_else(|| self.unreached(leaf.key()))
    }

    fn unreached(&self, leaf: LeafKey) -> Error {
        Error::Unreached { what: "the tensor".to_owned(), reason: self.reason(leaf) }
    }

    fn reason(&self, leaf: LeafKey) -> String {
        cut::reason(&self.cuts, leaf)
    }
}

/// Why nothing of a model is differentiated that trains nothing.
pub(super) const ALL_FROZEN: &str =
    "all of them are in fields with `#[frozen]`; leave it out above what is to be trained";

/// Whether the model has parameters, and all of them are `#[frozen]`.
pub(super) fn is_all_frozen<M: Model + ?Sized>(model: &M) -> bool {
    let (core, prefix) = (model.core(), model.prefix());
    let mut paths = core.parameters_of(prefix).into_iter().map(|(path, _)| path).peekable();
    paths.peek().is_some() && paths.all(|path| core.is_frozen(prefix, &path))
}

pub(super) fn none_reached(reason: String) -> Error {
    Error::Unreached { what: "any parameter of the model".to_owned(), reason }
}

fn refused<T>(problem: String) -> Result<T> {
    Err(Error::Backward { operation: "backward", problem })
}

impl std::fmt::Debug for Backward {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Backward").field("models", &self.models).field("tensors", &self.variables.len()).finish()
    }
}
