//! The tensors that a layer owns, and how they start.

use crate::dim::Dim;
use crate::dtype::DType;
use crate::span::{Diagnostic, Result};

/// How a parameter or state starts. Sizes are `S`: numbers, or [`Dim`]s while they have names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Init<S = usize> {
    /// The same number everywhere.
    Constant(f64),
    /// The same whole number everywhere, of any that 64 bits hold.
    Whole(i64),
    /// Uniform in `[-bound, bound)`.
    Uniform {
        /// Half the width.
        bound: f64,
    },
    /// Uniform within `1 / sqrt(inputs)`.
    FanIn {
        /// How many elements meet in one element of the result.
        inputs: S,
    },
    /// Normal with mean 0.
    Normal {
        /// Standard deviation.
        std: f64,
    },
    /// Drawn with mean 0 and a standard deviation that follows from the tensor's own shape.
    ByFans {
        /// The formula.
        rule: FanRule,
        /// Normal, or uniform with that standard deviation.
        normal: bool,
        /// What the standard deviation is multiplied by.
        gain: f64,
    },
}

/// A formula of a standard deviation from a tensor's fans: how many elements meet in one element of the result (`inputs`), and
/// in how many results one element is (`outputs`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FanRule {
    /// `gain * sqrt(2 / (inputs + outputs))`: Glorot and Bengio, "Understanding the difficulty of training deep feedforward neural
    /// networks" (2010).
    Xavier,
    /// `gain / sqrt(inputs)`: He et al., "Delving deep into rectifiers" (2015).
    Kaiming,
}

impl FanRule {
    /// The gain where none is given: 1, and for what is followed by a `relu` the square root of 2.
    pub fn default_gain(self) -> f64 {
        match self {
            FanRule::Xavier => 1.0,
            FanRule::Kaiming => std::f64::consts::SQRT_2,
        }
    }

    /// The standard deviation with a gain of 1. A matrix is `[inputs, outputs]`, what has more axes a convolution's weight,
    /// `[outputs, inputs, kernel ..]`; a vector has as many of both as it has elements.
    pub fn std(self, shape: &[usize]) -> f64 {
        let (inputs, outputs) = match *shape {
            [] => (1, 1),
            [features] => (features, features),
            [inputs, outputs] => (inputs, outputs),
            [outputs, inputs, ref kernel @ ..] => {
                let positions: usize = kernel.iter().product();
                (inputs * positions, outputs * positions)
            }
        };
        match self {
            FanRule::Xavier => (2.0 / (inputs + outputs) as f64).sqrt(),
            FanRule::Kaiming => (1.0 / inputs as f64).sqrt(),
        }
    }
}

/// A tensor that a layer owns. Sizes are `S`: numbers, or [`Dim`]s while they have names.
#[derive(Clone, Debug, PartialEq)]
pub struct TensorSpec<S = usize> {
    /// Its name within the layer (`weight`).
    pub name: &'static str,
    /// Its shape.
    pub shape: Vec<S>,
    /// Its type.
    pub dtype: DType,
    /// How it starts.
    pub init: Init<S>,
    /// Trained by the optimizer (a parameter), or not (state such as running statistics).
    pub trainable: bool,
}

impl TensorSpec<Dim> {
    pub(super) fn parameter(name: &'static str, shape: &[Dim], init: Init<Dim>) -> Self {
        TensorSpec { name, shape: shape.to_vec(), dtype: DType::F32, init, trainable: true }
    }

    pub(super) fn state(name: &'static str, shape: &[Dim], value: f64) -> Self {
        TensorSpec { trainable: false, ..Self::parameter(name, shape, Init::Constant(value)) }
    }

    /// With numbers for sizes.
    ///
    /// # Errors
    ///
    /// If a size has no value: a name, or an overflow.
    pub fn fixed(&self) -> Result<TensorSpec> {
        let number = |dim: &Dim| {
            let value = dim.as_constant().and_then(|value| usize::try_from(value).ok());
            value.ok_or_else(|| Diagnostic::new(format!("`{}` expects a number for a size, found {dim}", self.name)))
        };
        let init = match &self.init {
            Init::Constant(value) => Init::Constant(*value),
            Init::Whole(value) => Init::Whole(*value),
            Init::Uniform { bound } => Init::Uniform { bound: *bound },
            Init::FanIn { inputs } => Init::FanIn { inputs: number(inputs)? },
            Init::Normal { std } => Init::Normal { std: *std },
            Init::ByFans { rule, normal, gain } => Init::ByFans { rule: *rule, normal: *normal, gain: *gain },
        };
        let shape = self.shape.iter().map(number).collect::<Result<_>>()?;
        Ok(TensorSpec { name: self.name, shape, dtype: self.dtype, init, trainable: self.trainable })
    }
}

/// PyTorch's default for weights and biases of linear layers and convolutions: uniform within `1 / sqrt(fan_in)`
/// (`kaiming_uniform_` with `a = sqrt(5)`).
pub(super) fn fan_in(inputs: Dim) -> Init<Dim> {
    Init::FanIn { inputs }
}
