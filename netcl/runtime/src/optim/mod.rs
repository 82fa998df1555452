//! What an optimizer is, and the machinery that all share: one launch over the whole parameter buffer. `netcl` has the
//! optimizers, whose rules are written with its macros.

mod gradient_arithmetic;
mod groups;
pub(crate) mod progress;
mod recorded;
pub(crate) mod rules;
pub(crate) mod saved;
pub(crate) mod scaling;
pub(crate) mod settings;
mod state;
pub(crate) mod update;

pub use groups::ParameterGroup;
pub use scaling::{ScalerState, Scaling};
pub use state::OptimizerState;

use crate::error::Result;
use crate::model::{Gradients, Model};

/// What changes a model's parameters by its gradients.
pub trait Optimizer {
    /// Makes one step. In [`crate::Device::record`], each replay of the recording makes a step more, as a call would: with the
    /// learning rate of that time, and counted in what the optimizer has gathered. The other settings stay those of the
    /// recording.
    ///
    /// # Errors
    ///
    /// [`crate::Error::Assigned`] where a field of the model was assigned. If the gradients are not this model's, or the optimizer has stepped another model (or another part of one)
    /// before: its moments are that model's. If a setting makes no sense: a negative learning rate, NaN.
    fn step(&mut self, model: &mut dyn Model, gradients: &Gradients) -> Result<()>;

    /// Makes one step by gradients of a loss that was multiplied by a scale, unless one of them is not finite. `GradScaler::step` calls
    /// it. netcl's optimizers do not wait for the device; what an optimizer has that does not say otherwise does: it asks
    /// whether all are finite, and makes an [`Optimizer::step`] by what they are without the scale.
    ///
    /// # Errors
    ///
    /// Those of [`Optimizer::step`].
    fn step_scaled(&mut self, model: &mut dyn Model, gradients: &Gradients, scaling: &Scaling) -> Result<()> {
        if scaling.are_finite(gradients)? { self.step(model, &scaling.unscale(gradients)?) } else { Ok(()) }
    }

    /// The learning rate.
    fn learning_rate(&self) -> f64;

    /// Changes the learning rate, from the next step on, recorded ones included.
    fn set_learning_rate(&mut self, rate: f64);

    /// What it has gathered in its steps with `model`. The moments are views: they change with the next step.
    ///
    /// # Errors
    ///
    /// If it has stepped another model, or another part of one.
    fn state(&self, model: &dyn Model) -> Result<OptimizerState>;

    /// Goes on with `model` from that state, whatever it has gathered before. Settings other than the learning rate stay.
    ///
    /// # Errors
    ///
    /// If the state is another optimizer's, or its moments are not of the model's parameters, by path and shape; nothing
    /// has changed then. If the device has no memory left.
    fn set_state(&mut self, model: &dyn Model, state: &OptimizerState) -> Result<()>;
}
