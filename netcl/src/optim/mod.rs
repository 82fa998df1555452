//! Optimizers: one launch over the whole parameter buffer.
//!
//! The formulas are PyTorch's. Parameters that the loss does not depend on have zero gradients here, so that momentum
//! and weight decay go on for them, where PyTorch leaves out parameters whose gradient is `None`.

mod adam;
mod sgd;
mod update;

pub use adam::{Adam, AdamW};
pub use sgd::Sgd;

use crate::error::Result;
use crate::model::{Gradients, Model};

/// What changes a model's parameters by its gradients.
pub trait Optimizer {
    /// Makes one step.
    ///
    /// # Errors
    ///
    /// If the gradients are not this model's, or the optimizer has stepped another model (or another part of one)
    /// before: its moments are that model's. If a setting makes no sense: a negative learning rate, NaN.
    fn step(&mut self, model: &mut dyn Model, gradients: &Gradients) -> Result<()>;

    /// The learning rate.
    fn learning_rate(&self) -> f64;

    /// Changes the learning rate, from the next step on.
    fn set_learning_rate(&mut self, rate: f64);
}
