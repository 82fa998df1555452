//! What an optimizer knows besides its settings.

use crate::tensor::Tensor;

/// What an optimizer has gathered in its steps: with it and the model's tensors, training goes on elsewhere as it would have
/// here. [`crate::io::save_checkpoint`] writes both to a file.
#[derive(Clone, Debug)]
pub struct OptimizerState {
    /// The optimizer that it is of: `sgd`, `adam`, `adamw`.
    pub optimizer: String,
    /// The learning rate.
    pub learning_rate: f64,
    /// How many steps were made, for optimizers whose formula needs it; else 0.
    pub steps: u64,
    /// How many of these steps left a parameter out, because the loss did not depend on it: path and number, without those that none
    /// left out. For optimizers whose formula needs it.
    pub missed: Vec<(String, u64)>,
    /// For each moment, path and value of every parameter: `f32` of the parameter's shape. None before the first step.
    pub moments: Vec<Vec<(String, Tensor)>>,
}
